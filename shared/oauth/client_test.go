package oauth_test

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// codeOf returns the OAuth error code of a failure; "" without a code.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return failure.Of(err).Code
}

func TestClient_Authenticates(t *testing.T) {
	t.Parallel()
	c := oauth.Client{SecretHash: identity.Hash("second"), PreviousHash: identity.Hash("first"),
		PreviousUntil: now.Add(oauth.SecretOverlap)}
	revoked, never := c, c
	revoked.RevokedAt = now
	never.PreviousHash = ""
	for name, test := range map[string]struct {
		client oauth.Client
		text   string
		at     time.Time
		want   bool
	}{
		"its secret":                     {c, "second", now, true},
		"the one before":                 {c, "first", now, true},
		"the one before, at the last":    {c, "first", c.PreviousUntil.Add(-time.Nanosecond), true},
		"the one before, after a day":    {c, "first", c.PreviousUntil, false},
		"its secret, after a day":        {c, "second", c.PreviousUntil, true},
		"a wrong one":                    {c, "third", now, false},
		"none":                           {c, "", now, false},
		"the hash":                       {c, c.SecretHash, now, false},
		"none, where none was before":    {never, "", now, false},
		"none, of a client without any":  {oauth.Client{}, "", now, false},
		"its secret, revoked":            {revoked, "second", now, false},
		"the one before, revoked":        {revoked, "first", now, false},
		"another spelling of its secret": {c, "Second", now, false},
	} {
		if got := test.client.Authenticates(secret.New(test.text), test.at); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}

// TestClient_MayRestrictedScopes checks contract §2.1, also for the narrower scopes that replace restricted scopes.
func TestClient_MayRestrictedScopes(t *testing.T) {
	t.Parallel()
	restricted := map[string]bool{"payments": true, "checkouts.read": true, "checkouts.write": true, "refunds.write": true,
		"payment_instruments": true, "customers.read": true, "customers.write": true}
	for _, scope := range identity.AllScopes() {
		c := oauth.Client{Scopes: []string{scope}}
		if got := c.May(scope); got == restricted[scope] {
			t.Errorf("%s without approval: got %t, want %t", scope, got, !restricted[scope])
		}
		c.Approved = c.Scopes
		if !c.May(scope) {
			t.Errorf("%s with approval: got false, want true", scope)
		}
		if c.Scopes = nil; c.May(scope) {
			t.Errorf("%s, approved but not the client's: got true, want false", scope)
		}
	}
}

func TestClient_Requested(t *testing.T) {
	t.Parallel()
	c := oauth.Client{Scopes: []string{"user.profile_readonly", "transactions.history", "payments", "email"}}
	for name, test := range map[string]struct {
		client     oauth.Client
		text       string
		want       []string
		wantFailed string
	}{
		"none: the default ones it may ask for": {c, "", []string{"transactions.history", "user.profile_readonly"}, ""},
		"only blanks":                           {c, "  ", []string{"transactions.history", "user.profile_readonly"}, ""},
		"sorted and once": {c, "transactions.history email  email", []string{"email",
			"transactions.history"}, ""},
		"by an alias":                   {c, "email profile", []string{"email", "user.profile_readonly"}, ""},
		"an unknown one":                {c, "email everything", nil, oauth.InvalidScope},
		"one of other clients":          {c, "email user.profile", nil, oauth.InvalidScope},
		"one that is not approved":      {c, "payments", nil, oauth.InvalidScope},
		"in capitals":                   {c, "EMAIL", nil, oauth.InvalidScope},
		"none, and none of the default": {oauth.Client{Scopes: []string{"email"}}, "", nil, oauth.InvalidScope},
	} {
		got, err := test.client.Requested(test.text)
		if diff := cmp.Diff(test.want, got); codeOf(err) != test.wantFailed || diff != "" {
			t.Errorf("%s: got error %v, want %q; (-want +got):\n%s", name, err, test.wantFailed, diff)
		}
	}
}

// TestClient_Granted checks that a client gets the allowed scopes or fewer (RFC 6749 §6).
func TestClient_Granted(t *testing.T) {
	t.Parallel()
	c := oauth.Client{Scopes: []string{"user.profile_readonly", "transactions.history", "email"}}
	allowed := []string{"user.profile_readonly", "payments", "email"}
	for name, test := range map[string]struct {
		allowed    []string
		text       string
		want       []string
		wantFailed string
	}{
		"all, but one that it has lost": {allowed, "", []string{"email", "user.profile_readonly"}, ""},
		"fewer":                         {allowed, "email", []string{"email"}, ""},
		"by an alias, and twice":        {allowed, "profile profile", []string{"user.profile_readonly"}, ""},
		"one that it has lost":          {allowed, "payments", nil, oauth.InvalidScope},
		"one that it has lost, of two":  {allowed, "payments email", []string{"email"}, ""},
		"more, though it may ask for it": {allowed, "email transactions.history", nil,
			oauth.InvalidScope},
		"an unknown one":       {allowed, "everything", nil, oauth.InvalidScope},
		"all that it has lost": {[]string{"payments"}, "", nil, oauth.InvalidScope},
	} {
		got, err := c.Granted(test.allowed, test.text)
		if diff := cmp.Diff(test.want, got); codeOf(err) != test.wantFailed || diff != "" {
			t.Errorf("%s: got error %v, want %q; (-want +got):\n%s", name, err, test.wantFailed, diff)
		}
	}
	if diff := cmp.Diff([]string{"user.profile_readonly", "payments", "email"}, allowed); diff != "" {
		t.Errorf("what was allowed has changed (-want +got):\n%s", diff)
	}
}

// TestClient_RedirectExact checks RFC 9700 §2.1: a prefix, another port or a pattern does not match.
func TestClient_RedirectExact(t *testing.T) {
	t.Parallel()
	const at = "https://app.example"
	one, two := at+"/callback", "https://app.example:8443/other?a=b"
	for name, test := range map[string]struct {
		uris  []string
		named string
		want  string
		ok    bool
	}{
		"its own":            {[]string{one, two}, two, two, true},
		"the only one":       {[]string{one}, "", one, true},
		"none of several":    {[]string{one, two}, "", "", false},
		"none at all":        {nil, "", "", false},
		"longer":             {[]string{one}, one + "/more", one + "/more", false},
		"with a query":       {[]string{one}, one + "?x=y", one + "?x=y", false},
		"with a fragment":    {[]string{one}, one + "#x", one + "#x", false},
		"in capitals":        {[]string{one}, "https://APP.example/callback", "https://APP.example/callback", false},
		"with a port":        {[]string{one}, "https://app.example:443/callback", "https://app.example:443/callback", false},
		"over plain HTTP":    {[]string{one}, "http://app.example/callback", "http://app.example/callback", false},
		"at another host":    {[]string{one}, at + ".evil/callback", at + ".evil/callback", false},
		"with a user":        {[]string{one}, at + "@evil/callback", at + "@evil/callback", false},
		"percent-encoded":    {[]string{one}, "https://app.example/c%61llback", "https://app.example/c%61llback", false},
		"with a dot segment": {[]string{one}, at + "/x/../callback", at + "/x/../callback", false},
	} {
		if got, ok := (oauth.Client{RedirectURIs: test.uris}).Redirect(test.named); ok != test.ok || ok && got != test.want {
			t.Errorf("%s: got %q, %t, want %q, %t", name, got, ok, test.want, test.ok)
		}
	}
}

// TestClient_RedirectLoopbackPort checks that only the port of a loopback URI may differ (RFC 8252 §7.3).
func TestClient_RedirectLoopbackPort(t *testing.T) {
	t.Parallel()
	c := oauth.Client{RedirectURIs: []string{"http://127.0.0.1/cb", "http://127.0.0.1:8080/a?x=y", "http://[::1]:1/cb",
		"http://localhost:3000", "https://127.0.0.1:8443/cb", "http://app.example:80/cb"}}
	for named, want := range map[string]bool{
		"http://127.0.0.1/cb":                      true,
		"http://127.0.0.1:51004/cb":                true,
		"http://127.0.0.1:1/cb":                    true,
		"http://127.0.0.1:65535/cb":                true,
		"http://127.0.0.1:51004/a?x=y":             true,
		"http://127.0.0.1/a?x=y":                   true,
		"http://[::1]:51004/cb":                    true,
		"http://[::1]/cb":                          true,
		"http://localhost:51004":                   true,
		"http://localhost":                         true,
		"https://127.0.0.1:8443/cb":                true,
		"http://127.0.0.1:0/cb":                    false,
		"http://127.0.0.1:00080/cb":                false,
		"http://127.0.0.1:65536/cb":                false,
		"http://127.0.0.1:/cb":                     false,
		"http://127.0.0.1:-1/cb":                   false,
		"http://127.0.0.1:+80/cb":                  false,
		"http://127.0.0.1:8e3/cb":                  false,
		"http://127.0.0.1:80:80/cb":                false,
		"http://127.0.0.1:80%30/cb":                false,
		"http://127.0.0.1:51004/cb/":               false,
		"http://127.0.0.1:51004/CB":                false,
		"http://127.0.0.1:51004/c%62":              false,
		"http://127.0.0.1:51004/x/../cb":           false,
		"http://127.0.0.1:51004/cb?next=evil":      false,
		"http://127.0.0.1:51004/cb#a":              false,
		"http://127.0.0.1:51004/a?x=z":             false,
		"http://127.0.0.1:51004/a":                 false,
		"http://127.0.0.1:51004":                   false,
		"http://127.0.0.1:51004//evil.example/cb":  false,
		"http://127.0.0.1.evil.example/cb":         false,
		"http://127.0.0.1.evil.example:80/cb":      false,
		"http://127.0.0.1evil.example/cb":          false,
		"http://127.0.0.1:51004.evil.example/cb":   false,
		"http://127.0.0.1:51004@evil.example/cb":   false,
		"http://127.0.0.1@evil.example/cb":         false,
		"http://evil@127.0.0.1:51004/cb":           false,
		"http://127.0.0.1:51004\\@evil.example/cb": false,
		"http://127.0.0.1%3a51004/cb":              false,
		"http://127.0.0.1%2eevil.example/cb":       false,
		"http://127%2e0.0.1:51004/cb":              false,
		"http://127.0.0.2:51004/cb":                false,
		"http://127.1:51004/cb":                    false,
		"http://0x7f000001:51004/cb":               false,
		"http://2130706433:51004/cb":               false,
		"http://0.0.0.0:51004/cb":                  false,
		"http://localhost:51004/cb":                false,
		"http://localhost.:51004":                  false,
		"http://LOCALHOST:51004":                   false,
		"http://localhost.evil.example:51004":      false,
		"http://localhost:51004@evil.example":      false,
		"http://localhost:51004/":                  false,
		"http://[0:0:0:0:0:0:0:1]:51004/cb":        false,
		"http://[::ffff:127.0.0.1]:51004/cb":       false,
		"http://[::1%25lo]:51004/cb":               false,
		"http://[::1].evil.example:51004/cb":       false,
		"https://127.0.0.1:51004/cb":               false,
		"HTTP://127.0.0.1:51004/cb":                false,
		"ftp://127.0.0.1:51004/cb":                 false,
		"//127.0.0.1:51004/cb":                     false,
		"http:127.0.0.1:51004/cb":                  false,
		" http://127.0.0.1:51004/cb":               false,
		"http://127.0.0.1:51004/cb ":               false,
		"http://127.0.0.1:51004/cb\n":              false,
		"http://127.0.0.1:51004\r\n/cb":            false,
		"https://127.0.0.1:8444/cb":                false,
		"http://app.example:81/cb":                 false,
	} {
		if got, ok := c.Redirect(named); got != named || ok != want {
			t.Errorf("%q: got %q, %t, want %t", named, got, ok, want)
		}
	}
}

// TestNewIDAndSecret checks the form of ids and secrets, and that an error of the random source is returned.
func TestNewIDAndSecret(t *testing.T) {
	t.Parallel()
	for form, make := range map[string]func(io.Reader) (string, error){
		`^client_[a-z2-7]{26}$`: oauth.NewID,
		`^[A-Za-z0-9_-]{43}$`:   oauth.NewSecret,
		`^[0-9a-f]{64}$`:        identity.NewAccessToken,
	} {
		got, err := make(strings.NewReader("0123456789abcdef0123456789abcdef"))
		if err != nil || !regexp.MustCompile(form).MatchString(got) {
			t.Errorf("got %q, error %v, want %s", got, err, form)
		}
		if got, err := make(strings.NewReader("short")); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %q, error %v, want %v", got, err, io.ErrUnexpectedEOF)
		}
	}
}

// TestClient_ForAudit checks that an entry shows only that the secret has changed.
func TestClient_ForAudit(t *testing.T) {
	t.Parallel()
	c := oauth.Client{Name: "App", SecretHash: identity.Hash("first"), Scopes: []string{"payments", "email"}}
	other := c
	other.SecretHash, other.PreviousHash = identity.Hash("second"), c.SecretHash
	if cmp.Equal(c.ForAudit(), other.ForAudit()) || c.Same(other) {
		t.Error("got the same for another secret, want a difference")
	}
	later := c
	later.Version, later.UpdatedAt = 2, now
	if !c.Same(later) {
		t.Error("got another client for another version, want the same")
	}
	if shown := cmp.Diff(nil, other.ForAudit()); strings.Contains(shown, c.SecretHash) ||
		strings.Contains(shown, other.SecretHash) {
		t.Errorf("got %s, want no hash", shown)
	}
}
