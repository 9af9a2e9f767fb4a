package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// TestCreateToken_Code redeems codes by form and by JSON, with credentials in the header or the body (contract §10).
func TestCreateToken_Code(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	header := map[string]string{"Authorization": basic(a.client.ID, a.secret)}
	asJSON := func(code string, more map[string]any) map[string]any {
		body := map[string]any{"grant_type": "authorization_code", "code": code, "redirect_uri": world.AppRedirect}
		for name, value := range more {
			body[name] = value
		}
		return body
	}
	for name, send := range map[string]func(code string) world.Response{
		"form": func(code string) world.Response { return a.post("/token", codeBody(code)) },
		"no redirect_uri": func(code string) world.Response {
			return a.post("/token", codeBody(code, "redirect_uri", ""))
		},
		"form and empty": func(code string) world.Response { return a.post("/token", codeBody(code, "scope", "")) },
		"form and header": func(code string) world.Response {
			return a.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Header: header,
				Body: codeBody(code)})
		},
		"header, and the id again": func(code string) world.Response {
			return a.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Header: header,
				Body: codeBody(code, "client_id", a.client.ID)})
		},
		"JSON": func(code string) world.Response {
			return a.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey,
				Body: asJSON(code, map[string]any{"client_id": a.client.ID, "client_secret": a.secret, "scope": nil})})
		},
		"JSON and header": func(code string) world.Response {
			return a.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Header: header,
				Body: asJSON(code, nil)})
		},
	} {
		reply := send(a.createCode())
		got := a.readTokens(reply)
		wantSame(t, name, tokens{got.Access, "Bearer", 3600, got.Refresh, "transactions.history user.profile_readonly"}, got)
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(got.Access) ||
			!regexp.MustCompile(`^[\w-]{43}$`).MatchString(got.Refresh) {
			t.Errorf("%s: got %+v, want 64 hexadecimal digits and 43 characters", name, got)
		}
		if cache := reply.Header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("%s: got Cache-Control %q, want no-store", name, cache)
		}
		a.wantAccess(name, got.Access, "")
	}
}

// TestCreateToken_CodeOfEachHolder checks the token of a user, of a managed user and of a test profile. Each token acts
// only at its holder's merchant, and with its scopes.
func TestCreateToken_CodeOfEachHolder(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	staff := a.Employ("till@example.com", member.Permissions{})
	profile := a.TestProfile("Card")
	for name, h := range map[string]oauth.Holder{
		"a user":         a.Holder(a.person, reading...),
		"a managed user": a.Holder(staff, reading...),
		"a test profile": {Kind: identity.TestProfile, Subject: profile.ID, Tenant: a.Tenant(), Scopes: reading,
			Password: profile.Passwords[0].Operation},
	} {
		got := a.readTokens(a.post("/token", codeBody(a.Code(a.client, h))))
		a.wantAccess(name, got.Access, "")
		other := a.WithKey(got.Access).Send("GET", "/v2.1/merchants/"+a.Other.Code+"/transactions/history", nil)
		a.Want(name+", at another merchant", http.StatusNotFound, other)
		a.Want(name+", without the scope", http.StatusForbidden, a.WithKey(got.Access).Send("GET", "/v0.1/checkouts", nil))
		a.readTokens(a.post("/token", refreshBody(got.Refresh)))
	}
}

// TestCreateToken_InvalidCode checks that requests that differ from the authorization are refused, and that the code
// can still be used.
func TestCreateToken_InvalidCode(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	challenged := func(c *oauth.Code) { c.Challenge = challenge }
	unnamed := func(c *oauth.Code) { c.RedirectURI = "" }
	other := a.newClient()
	right := []string{"code_verifier", verifier}
	for name, c := range map[string]struct {
		made  func(*oauth.Code)
		by    apps
		sent  []string // fields that are sent besides or instead of the right fields
		right []string // the right fields
		error string
	}{
		"another redirect_uri":      {nil, a, []string{"redirect_uri", world.AppRedirect + "/x"}, nil, oauth.InvalidGrant},
		"redirect_uri with a query": {nil, a, []string{"redirect_uri", world.AppRedirect + "?x=y"}, nil, oauth.InvalidGrant},
		"a redirect_uri that was not named": {unnamed, a, nil, []string{"redirect_uri", ""},
			oauth.InvalidGrant},
		"another client":       {nil, other, nil, nil, oauth.InvalidGrant},
		"no verifier":          {challenged, a, nil, right, oauth.InvalidGrant},
		"an empty verifier":    {challenged, a, []string{"code_verifier", ""}, right, oauth.InvalidGrant},
		"another verifier":     {challenged, a, []string{"code_verifier", verifier[1:] + "x"}, right, oauth.InvalidGrant},
		"the challenge itself": {challenged, a, []string{"code_verifier", challenge}, right, oauth.InvalidGrant},
		"a short verifier":     {challenged, a, []string{"code_verifier", verifier[1:]}, right, oauth.InvalidRequest},
		"a verifier without a challenge (downgrade)": {nil, a, right, nil, oauth.InvalidGrant},
		"no code":          {nil, a, []string{"code", ""}, nil, oauth.InvalidRequest},
		"another code":     {nil, a, []string{"code", "guessed"}, nil, oauth.InvalidGrant},
		"no grant":         {nil, a, []string{"grant_type", ""}, nil, oauth.InvalidRequest},
		"an unknown grant": {nil, a, []string{"grant_type", "implicit"}, nil, oauth.UnsupportedGrantType},
		"another of OAuth": {nil, a, []string{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"}, nil,
			oauth.UnsupportedGrantType},
	} {
		code := a.createCode(codeChanges(c.made)...)
		a.wantRefused(name, c.by.post("/token", codeBody(code, c.sent...)), http.StatusBadRequest, c.error)
		a.readTokens(a.post("/token", codeBody(code, c.right...)))
	}
}

func codeChanges(change func(*oauth.Code)) []func(*oauth.Code) {
	if change == nil {
		return nil
	}
	return []func(*oauth.Code){change}
}

// TestCreateToken_DuplicateParameter checks that a request with a parameter twice is refused (RFC 6749 §3.2).
func TestCreateToken_DuplicateParameter(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	code := a.createCode()
	for _, name := range []string{"code", "grant_type", "redirect_uri", "client_id", "client_secret"} {
		r := a.form("/token", codeBody(code))
		form := r.Body.(url.Values)
		form[name] = []string{form.Get(name), form.Get(name)}
		a.wantRefused(name, a.Do(r), http.StatusBadRequest, oauth.InvalidRequest)
	}
	for name, body := range map[string]string{"not JSON": `{`, "a list": `[1]`,
		"twice": `{"code": "a", "code": "b", "grant_type": "authorization_code"}`} {
		r := world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Body: body}
		a.wantRefused(name, a.Do(r), http.StatusBadRequest, oauth.InvalidRequest)
	}
}

// TestCreateToken_ExpiredCode checks that a code lasts ten minutes (contract §10).
func TestCreateToken_ExpiredCode(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	inTime, late := a.createCode(), a.createCode()
	a.Clock.Advance(10*time.Minute - time.Nanosecond)
	a.readTokens(a.post("/token", codeBody(inTime)))
	a.Clock.Advance(time.Nanosecond)
	a.wantInvalidGrant("late", a.post("/token", codeBody(late)))
}

// TestCreateToken_CodeUsedTwice checks that a second use of a code, by any client, revokes the tokens of the first use
// (RFC 6749 §4.1.2, RFC 9700 §4.2).
func TestCreateToken_CodeUsedTwice(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(a apps, code string) world.Response{
		"by the client":     func(a apps, code string) world.Response { return a.post("/token", codeBody(code)) },
		"by another client": func(a apps, code string) world.Response { return a.newClient().post("/token", codeBody(code)) },
		"after it expired": func(a apps, code string) world.Response {
			a.Clock.Advance(11 * time.Minute)
			return a.post("/token", codeBody(code))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApps(t)
			code, others := a.createCode(), a.createTokens()
			got := a.readTokens(a.post("/token", codeBody(code)))
			fresh := a.readTokens(a.post("/token", refreshBody(got.Refresh)))
			a.wantInvalidGrant(name, again(a, code))
			a.wantAccess(name+", the first token", got.Access, "invalid-token")
			a.wantAccess(name+", a refreshed token", fresh.Access, "invalid-token")
			a.wantInvalidGrant(name+", the refresh token", a.post("/token", refreshBody(got.Refresh)))
			a.wantAccess(name+", another code's token", others.Access, "")
		})
	}
}

func TestCreateToken_CodeConcurrently(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	counted := a.DoConcurrently(6, a.form("/token", codeBody(a.createCode())))
	if counted[200] != 1 || counted[400] != 5 {
		t.Errorf("got %v, want one 200 and 400 otherwise", counted)
	}
}

// losses has the ways in which the account that allowed a client to act can be lost.
var losses = map[string]func(a apps, m member.Member){
	"disabled": func(a apps, m member.Member) {
		a.updateMember(m, func(m member.Member) member.Member { return m.Enabled(false, a.Clock.Now()) })
	},
	"removed": func(a apps, m member.Member) {
		if _, err := a.App.Store.DeleteMember(a.Context(), world.ByTest, a.Tenant(), m.Number(), "remove "+m.ID,
			member.EndKeys,
			func(member.Member, member.Roles) error { return nil }); err != nil {
			a.Fatal(err)
		}
	},
	"a new password": func(a apps, m member.Member) { a.changePassword(m) },
}

// updateMember changes a member.
func (a apps) updateMember(m member.Member, change func(member.Member) member.Member) {
	a.Helper()
	_, err := a.App.Store.UpdateMember(a.Context(), world.ByTest, a.Tenant(), m.Number(), m.Address(), member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) { return change(m), nil })
	if err != nil {
		a.Fatal(err)
	}
}

// changePassword gives the person another password.
func (a apps) changePassword(m member.Member) {
	a.Helper()
	another := member.Passwords{{Operation: "another", SetAt: a.Clock.Now()}}
	if m.UserID == "" {
		a.updateMember(m, func(m member.Member) member.Member {
			m.Passwords = append(another, m.Passwords...)
			return m
		})
		return
	}
	_, table := a.App.Store.Raw()
	// Remove the password that the world has made up.
	err := table.Update("pk", "USER#"+m.UserID).Range("sk", "USER").Remove("passwords").Run(a.Context())
	if err != nil {
		a.Fatal(err)
	}
	for operation, text := range []string{herPassword, otherPassword} { // a first password ends no token
		a.Clock.Advance(time.Second)
		if _, err = a.App.Store.SetUserPassword(a.Context(), world.ByTest, a.Tenant(), m.Address(),
			a.App.Store.PasswordByOperator(fmt.Sprint("another ", operation), secret.New(text))); err != nil {
			a.Fatal(err)
		}
	}
}

// TestCreateToken_LostAccount checks that neither a code nor a refresh token of a lost account is accepted (contract
// §10).
func TestCreateToken_LostAccount(t *testing.T) {
	t.Parallel()
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApps(t)
			for _, m := range []member.Member{a.person, a.Employ("till@example.com", member.Permissions{})} {
				code := a.Code(a.client, a.Holder(m, reading...))
				got := a.readTokens(a.post("/token", codeBody(a.Code(a.client, a.Holder(m, reading...)))))
				lose(a, m)
				a.wantInvalidGrant(string(m.Kind())+", code", a.post("/token", codeBody(code)))
				a.wantInvalidGrant(string(m.Kind())+", refresh", a.post("/token", refreshBody(got.Refresh)))
				a.wantAccess(string(m.Kind()), got.Access, "invalid-token")
			}
		})
	}
}

// TestCreateToken_DeletedTestProfile checks that the profile's code and tokens are refused (contract §8.4).
func TestCreateToken_DeletedTestProfile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	p := a.TestProfile("Card")
	h := oauth.Holder{Kind: identity.TestProfile, Subject: p.ID, Tenant: a.Tenant(), Scopes: reading,
		Password: p.Passwords[0].Operation}
	code, got := a.Code(a.client, h), a.readTokens(a.post("/token", codeBody(a.Code(a.client, h))))
	path := "/v0.1/merchants/" + a.Merchant.Code + "/test-profiles/" + p.ID
	a.Must(http.StatusNoContent, a.Send("DELETE", path, nil))
	a.wantInvalidGrant("code", a.post("/token", codeBody(code)))
	a.wantInvalidGrant("refresh", a.post("/token", refreshBody(got.Refresh)))
	a.wantAccess("its token", got.Access, "invalid-token")
}

// TestCreateToken_LostScopes checks that the token leaves out scopes that the client lost. A code with no other scopes
// is refused.
func TestCreateToken_LostScopes(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	code, only := a.createCode(), a.createCode(func(c *oauth.Code) { c.Scopes = []string{"transactions.history"} })
	a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"user.profile_readonly", "payments"} })
	if got := a.readTokens(a.post("/token", codeBody(code))); got.Scope != "user.profile_readonly" {
		t.Errorf("got scope %q, want what is left", got.Scope)
	}
	a.wantRefused("none left", a.post("/token", codeBody(only)), http.StatusBadRequest, oauth.InvalidScope)
	if strings.Contains(string(a.post("/token", codeBody(only)).Body), "access_token") {
		t.Error("got a token, want none")
	}
}
