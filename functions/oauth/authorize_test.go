package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// TestShowAuthorization_UnknownClientOrRedirect checks that the page and its form answer 400, and do not redirect.
func TestShowAuthorization_UnknownClientOrRedirect(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.register("client_several", p.Tenant(), func(c *oauth.Client) {
		c.RedirectURIs = []string{callback, "https://app.example/other"}
	})
	p.register("client_revoked", p.Tenant(), func(c *oauth.Client) { c.RevokedAt = p.App.Store.Now() })
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	form := b.filledForm("/authorize", url.Values{"decision": {"allow"}})
	for name, change := range map[string]url.Values{
		"no client": {"client_id": {""}}, "an unknown client": {"client_id": {"client_other"}},
		"a long client": {"client_id": {strings.Repeat("x", 3000)}}, "a revoked client": {"client_id": {"client_revoked"}},
		"another host":           {"redirect_uri": {"https://evil.example/callback"}},
		"a host that begins so":  {"redirect_uri": {"https://app.example.evil.example/callback"}},
		"user information":       {"redirect_uri": {"https://app.example@evil.example/callback"}},
		"a path below":           {"redirect_uri": {callback + "/more"}},
		"a path above":           {"redirect_uri": {callback + "/../other"}},
		"a query":                {"redirect_uri": {callback + "?next=https://evil.example"}},
		"a fragment":             {"redirect_uri": {callback + "#a"}},
		"a slash":                {"redirect_uri": {callback + "/"}},
		"plain HTTP":             {"redirect_uri": {"http://app.example/callback"}},
		"a port":                 {"redirect_uri": {"https://app.example:443/callback"}},
		"other letters":          {"redirect_uri": {"https://APP.example/callback"}},
		"a script":               {"redirect_uri": {"javascript:alert(1)"}},
		"a blank":                {"redirect_uri": {" " + callback}},
		"a line":                 {"redirect_uri": {callback + "\r\nSet-Cookie: a=b"}},
		"none of several":        {"client_id": {"client_several"}, "redirect_uri": {""}},
		"a redirect_uri in code": {"redirect_uri": {"https%3A%2F%2Fapp.example%2Fcallback"}},
	} {
		got := b.open(p.authorizePath(change))
		if got.Status != http.StatusBadRequest || got.Header.Get("Location") != "" || strings.Contains(b.page, "<form") {
			t.Errorf("%s: got %d to %s %s, want a page with 400", name, got.Status, got.Header.Get("Location"), got.Body)
		}
		changed := url.Values{}
		for key := range form {
			changed[key] = form[key]
		}
		for key := range change {
			changed[key] = change[key]
		}
		got = b.submit("/authorize", changed)
		if got.Status != http.StatusBadRequest || got.Header.Get("Location") != "" {
			t.Errorf("%s, in the form: got %d to %s, want 400", name, got.Status, got.Header.Get("Location"))
		}
	}
	for _, twice := range []string{"client_id", "redirect_uri"} {
		path := p.authorizePath(nil)
		values, _ := url.ParseQuery(strings.TrimPrefix(path, "/authorize?"))
		if got := b.open(path + "&" + url.Values{twice: values[twice]}.Encode()); got.Status != http.StatusBadRequest {
			t.Errorf("%s twice: got %d to %s, want 400", twice, got.Status, got.Header.Get("Location"))
		}
	}
}

// TestShowAuthorization_InvalidRequest checks that the redirect_uri gets the error before any page is shown.
func TestShowAuthorization_InvalidRequest(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.register("client_little", p.Tenant(), func(c *oauth.Client) {
		c.Scopes, c.Approved = []string{"payments", "readers.read"}, nil
	})
	little := func(scope string) url.Values {
		return url.Values{"client_id": {"client_little"}, "scope": {scope}}
	}
	b := p.newBrowser()
	const invalid = "invalid_request"
	for name, c := range map[string]struct {
		change url.Values
		want   string
		state  string
	}{
		"no response_type":       {url.Values{"response_type": {""}}, invalid, "a state"},
		"an implicit grant":      {url.Values{"response_type": {"token"}}, "unsupported_response_type", "a state"},
		"a hybrid one":           {url.Values{"response_type": {"code token"}}, "unsupported_response_type", "a state"},
		"an unknown scope":       {url.Values{"scope": {"everything"}}, "invalid_scope", "a state"},
		"scopes with commas":     {url.Values{"scope": {"payments,email"}}, "invalid_scope", "a state"},
		"a scope not approved":   {little("payments"), "invalid_scope", "a state"},
		"a scope not its own":    {little("email"), "invalid_scope", "a state"},
		"none of the default":    {little(""), "invalid_scope", "a state"},
		"plain PKCE":             {url.Values{"code_challenge_method": {"plain"}}, invalid, "a state"},
		"PKCE without a method":  {url.Values{"code_challenge_method": {""}}, invalid, "a state"},
		"a method in lower case": {url.Values{"code_challenge_method": {"s256"}}, invalid, "a state"},
		"a method alone":         {url.Values{"code_challenge": {""}}, invalid, "a state"},
		"a short challenge":      {url.Values{"code_challenge": {challenge[1:]}}, invalid, "a state"},
		"a long challenge":       {url.Values{"code_challenge": {strings.Repeat("x", 129)}}, invalid, "a state"},
		"a padded challenge":     {url.Values{"code_challenge": {challenge + "="}}, invalid, "a state"},
		"base64, not base64url":  {url.Values{"code_challenge": {"+/" + challenge[2:]}}, invalid, "a state"},
		"a line in the state":    {url.Values{"state": {"a\r\nLocation: https://evil.example"}}, invalid, ""},
		"a long state":           {url.Values{"state": {strings.Repeat("x", 2049)}}, invalid, ""},
		"a long scope":           {url.Values{"scope": {strings.Repeat("x", 2049)}}, invalid, "a state"},
		"two states":             {url.Values{"state": {"a", "b"}}, invalid, ""},
		"two equal states":       {url.Values{"state": {"a", "a"}}, invalid, ""},
		"two scopes":             {url.Values{"scope": {"email", "payments"}}, invalid, "a state"},
		"two response_types":     {url.Values{"response_type": {"code", "code"}}, invalid, "a state"},
		"two challenges":         {url.Values{"code_challenge": {challenge, challenge}}, invalid, "a state"},
		"two methods":            {url.Values{"code_challenge_method": {"S256", "plain"}}, invalid, "a state"},
	} {
		got := b.open(p.authorizePath(c.change))
		seen := redirectQuery(got)
		want := url.Values{"error": {c.want}, "error_description": seen["error_description"], "iss": {"http://cashwrap.test"}}
		if c.state != "" {
			want.Set("state", c.state)
		}
		if diff := cmp.Diff(want, seen); diff != "" || !strings.HasPrefix(got.Header.Get("Location"), callback+"?") ||
			seen.Get("error_description") == "" {
			t.Errorf("%s: got %d to %s (-want +got):\n%s", name, got.Status, got.Header.Get("Location"), diff)
		}
	}
}

// TestDecideAuthorization_RedirectURIs checks that the client gets its redirect_uri and state back unchanged, byte for
// byte.
func TestDecideAuthorization_RedirectURIs(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	for id, uri := range map[string]string{"client_query": "https://app.example/cb?a=b%20c&state=1",
		"client_empty": "https://app.example/cb?", "client_device": "com.example.app:/callback",
		"client_loopback": "http://[::1]:7777/cb"} {
		p.register(id, p.Tenant(), func(c *oauth.Client) { c.RedirectURIs = []string{uri} })
	}
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	for name, c := range map[string]struct{ client, state, begins, ends, posting string }{
		"a query":  {"client_query", "x", "https://app.example/cb?a=b%20c&state=1&error=", "&state=x", " https:;"},
		"an empty": {"client_empty", "x", "https://app.example/cb?error=", "&state=x", " https:;"},
		"a device": {"client_device", "x", "com.example.app:/callback?error=", "&state=x", " com.example.app:;"},
		"loopback": {"client_loopback", "x", "http://[::1]:7777/cb?error=", "&state=x", " http: https:;"},
		"no state": {p.client.ID, "", callback + "?error=", "&iss=http%3A%2F%2Fcashwrap.test", " https:;"},
		"any state": {p.client.ID, `a+b c&d=e%2F"'<é🙂`, callback + "?error=",
			"&state=" + strings.ReplaceAll(url.QueryEscape(`a+b c&d=e%2F"'<é🙂`), "+", "%20"), " https:;"},
	} {
		change := url.Values{"client_id": {c.client}, "state": {c.state}}
		if c.client != p.client.ID {
			change["redirect_uri"] = []string{""} // a client with only one redirect_uri need not name it
		}
		page := b.open(p.authorizePath(change))
		policy := page.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy+";", "form-action 'self'"+c.posting) {
			t.Errorf("%s: got policy %s, want form-action 'self'%s", name, policy, c.posting)
		}
		got := b.decide("deny", nil).Header.Get("Location")
		if !strings.HasPrefix(got, c.begins+"access_denied") || !strings.HasSuffix(got, c.ends) {
			t.Errorf("%s: got %s, want %s…%s", name, got, c.begins, c.ends)
		}
	}
	b.open(p.authorizePath(url.Values{"client_id": {"client_query"}, "redirect_uri": {""}, "code_challenge": {""},
		"code_challenge_method": {""}, "scope": {""}}))
	stored := p.storedCode(b.decide("allow", nil))
	if stored.RedirectURI != "" || stored.Challenge != "" || !cmp.Equal(stored.Scopes, oauth.DefaultScopes) {
		t.Errorf("got %+v, want a code without redirect_uri and challenge, for the default scopes", stored)
	}
}

// TestDecideAuthorization_LoopbackPort uses a native app, which does not know its port in advance (RFC 8252 §7.3). The
// browser goes to the requested port, and the code is redeemed for that port alone.
func TestDecideAuthorization_LoopbackPort(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.register("client_native", p.Tenant(), func(c *oauth.Client) { c.RedirectURIs = []string{"http://127.0.0.1/cb?a=b"} })
	asks := func(uri string) string {
		return p.authorizePath(url.Values{"client_id": {"client_native"}, "redirect_uri": {uri}, "code_challenge": {""},
			"code_challenge_method": {""}})
	}
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	const listens = "http://127.0.0.1:51004/cb?a=b"
	if page := b.open(asks(listens)); !strings.Contains(b.page, "127.0.0.1:51004") {
		t.Errorf("got %d %s, want a page that names the port", page.Status, page.Body)
	}
	if got := b.decide("deny", nil).Header.Get("Location"); !strings.HasPrefix(got, listens+"&error=access_denied&") {
		t.Errorf("denied: got %s, want the port that was asked for", got)
	}
	b.open(asks(listens))
	allowed := b.decide("allow", nil)
	if got := allowed.Header.Get("Location"); !strings.HasPrefix(got, listens+"&code=") {
		t.Errorf("allowed: got %s, want the port that was asked for", got)
	}
	code := p.storedCode(allowed)
	client, err := p.App.Store.OAuthClient(t.Context(), "client_native")
	if err != nil || code.RedirectURI != listens {
		t.Fatalf("got %+v, %v, want a code for %s", code, err, listens)
	}
	for sent, want := range map[string]bool{listens: true, "": false, "http://127.0.0.1/cb?a=b": false,
		"http://127.0.0.1:51005/cb?a=b": false} {
		if refused := code.CheckRedeemable(client, sent, "", p.App.Store.Now()); (refused == nil) != want {
			t.Errorf("redeemed with %q: got %v, want it redeemable: %t", sent, refused, want)
		}
	}
	for _, evil := range []string{"http://127.0.0.1.evil.example:51004/cb?a=b",
		"http://127.0.0.1:51004@evil.example/cb?a=b", "http://127.0.0.1:51004/cb?a=b&c=d",
		"http://localhost:51004/cb?a=b", "https://127.0.0.1:51004/cb?a=b",
		"http%3A%2F%2F127.0.0.1%3A51004%2Fcb%3Fa%3Db"} {
		if got := b.open(asks(evil)); got.Status != http.StatusBadRequest || got.Header.Get("Location") != "" {
			t.Errorf("%s: got %d to %s, want a page with 400", evil, got.Status, got.Header.Get("Location"))
		}
	}
}

// TestDecideAuthorization_ClientChangedMeanwhile checks that the form is validated against the client as stored at that
// time, not as shown before.
func TestDecideAuthorization_ClientChangedMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	page := b.page
	p.changeClient(func(c *oauth.Client) { c.Scopes = []string{"transactions.history"} })
	if got := b.decide("allow", nil); redirectQuery(got).Get("error") != "invalid_scope" {
		t.Errorf("a scope that was taken: got %d to %s, want invalid_scope", got.Status, got.Header.Get("Location"))
	}
	p.changeClient(func(c *oauth.Client) {
		c.Scopes, c.RedirectURIs = identity.AllScopes(), []string{"https://new.example/"}
	})
	b.page = page
	if got := b.decide("allow", nil); got.Status != http.StatusBadRequest {
		t.Errorf("a redirect_uri that was taken: got %d to %s, want 400", got.Status, got.Header.Get("Location"))
	}
	p.changeClient(func(c *oauth.Client) { c.RedirectURIs, c.RevokedAt = []string{callback}, p.App.Store.Now() })
	b.page = page
	if got := b.decide("allow", nil); got.Status != http.StatusBadRequest || got.Header.Get("Location") != "" {
		t.Errorf("a revoked client: got %d to %s, want 400", got.Status, got.Header.Get("Location"))
	}
}

// TestDecideAuthorization_OtherRequestThanShown checks that the form names its scopes, so that a later change of the
// default scopes does not apply. The form's csrf_token is valid for that request alone.
func TestDecideAuthorization_OtherRequestThanShown(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.changeClient(func(c *oauth.Client) { c.Scopes = []string{"transactions.history"} })
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(url.Values{"scope": {""}}))
	page := b.page
	p.changeClient(func(c *oauth.Client) { c.Scopes = identity.AllScopes() })
	if got := p.storedCode(b.decide("allow", nil)).Scopes; !cmp.Equal(got, []string{"transactions.history"}) {
		t.Errorf("got scopes %v, want those that were shown", got)
	}
	others := attribute(page[strings.LastIndex(page, `name="csrf_token"`)-1:], "value")
	for name, more := range map[string]url.Values{"scopes": {"scope": {"payments transactions.history"}},
		"a state": {"state": {"another"}}, "no challenge": {"code_challenge": {""}, "code_challenge_method": {""}},
		"no redirect_uri": {"redirect_uri": {""}}, "a token": {"csrf_token": {"made up"}},
		"the token of another form": {"csrf_token": {others}}} {
		b.page = page
		if got := b.decide("allow", more); got.Status != http.StatusBadRequest || !strings.Contains(b.page, `role="alert"`) {
			t.Errorf("%s: got %d to %s, want 400 and the page again", name, got.Status, got.Header.Get("Location"))
		}
		b.page = page
		if got := b.decide("deny", more); got.Status != http.StatusBadRequest {
			t.Errorf("%s, denied: got %d to %s, want 400", name, got.Status, got.Header.Get("Location"))
		}
	}
	b.page = page
	for name, decision := range map[string]string{"none": "", "another": "later"} {
		if got := b.decide(decision, nil); got.Status != http.StatusBadRequest {
			t.Errorf("%s: got %d to %s, want 400", name, got.Status, got.Header.Get("Location"))
		}
		b.page = page
	}
}
