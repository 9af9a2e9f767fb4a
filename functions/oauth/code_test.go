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

// TestACodeGivesTokens: by a form or JSON, to a client that authenticates itself by a header or
// in the body (contract §10).
func TestACodeGivesTokens(t *testing.T) {
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
		"form": func(code string) world.Response { return a.post("/token", redeeming(code)) },
		"no redirect_uri": func(code string) world.Response {
			return a.post("/token", redeeming(code, "redirect_uri", ""))
		},
		"form and empty": func(code string) world.Response { return a.post("/token", redeeming(code, "scope", "")) },
		"form and header": func(code string) world.Response {
			return a.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Header: header,
				Body: redeeming(code)})
		},
		"header, and the id again": func(code string) world.Response {
			return a.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Header: header,
				Body: redeeming(code, "client_id", a.client.ID)})
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
		reply := send(a.code())
		got := a.got(reply)
		same(t, name, tokens{got.Access, "Bearer", 3600, got.Refresh, "transactions.history user.profile_readonly"}, got)
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(got.Access) ||
			!regexp.MustCompile(`^[\w-]{43}$`).MatchString(got.Refresh) {
			t.Errorf("%s: got %+v, want 64 hexadecimal digits and 43 characters", name, got)
		}
		if cache := reply.Header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("%s: got Cache-Control %q, want no-store", name, cache)
		}
		a.works(name, got.Access, "")
	}
}

// TestATokenActsForItsPerson: in its merchant, with its scopes, and with those of a managed user
// and of a test profile as well.
func TestATokenActsForItsPerson(t *testing.T) {
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
		got := a.got(a.post("/token", redeeming(a.Code(a.client, h))))
		a.works(name, got.Access, "")
		other := a.WithKey(got.Access).Send("GET", "/v2.1/merchants/"+a.Other.Code+"/transactions/history", nil)
		a.Want(name+", at another merchant", http.StatusNotFound, other)
		a.Want(name+", without the scope", http.StatusForbidden, a.WithKey(got.Access).Send("GET", "/v0.1/checkouts", nil))
		a.got(a.post("/token", refreshing(got.Refresh)))
	}
}

// TestCodesAreRefused whatever differs from the request to authorize, and stay as they are.
func TestCodesAreRefused(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	challenged := func(c *oauth.Code) { c.Challenge = challenge }
	unnamed := func(c *oauth.Code) { c.RedirectURI = "" }
	other := a.another()
	right := []string{"code_verifier", verifier}
	for name, c := range map[string]struct {
		made  func(*oauth.Code)
		by    apps
		sent  []string // beside or instead of what fits
		right []string // what fits
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
		code := a.code(made(c.made)...)
		a.refused(name, c.by.post("/token", redeeming(code, c.sent...)), http.StatusBadRequest, c.error)
		a.got(a.post("/token", redeeming(code, c.right...)))
	}
}

func made(change func(*oauth.Code)) []func(*oauth.Code) {
	if change == nil {
		return nil
	}
	return []func(*oauth.Code){change}
}

// TestARequestThatNamesSomethingTwice is not guessed at (RFC 6749 §3.2).
func TestARequestThatNamesSomethingTwice(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	code := a.code()
	for _, name := range []string{"code", "grant_type", "redirect_uri", "client_id", "client_secret"} {
		r := a.form("/token", redeeming(code))
		form := r.Body.(url.Values)
		form[name] = []string{form.Get(name), form.Get(name)}
		a.refused(name, a.Do(r), http.StatusBadRequest, oauth.InvalidRequest)
	}
	for name, body := range map[string]string{"not JSON": `{`, "a list": `[1]`,
		"twice": `{"code": "a", "code": "b", "grant_type": "authorization_code"}`} {
		r := world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Body: body}
		a.refused(name, a.Do(r), http.StatusBadRequest, oauth.InvalidRequest)
	}
}

// TestACodeLastsTenMinutes (contract §10).
func TestACodeLastsTenMinutes(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	inTime, late := a.code(), a.code()
	a.Clock.Advance(10*time.Minute - time.Nanosecond)
	a.got(a.post("/token", redeeming(inTime)))
	a.Clock.Advance(time.Nanosecond)
	a.invalidGrant("late", a.post("/token", redeeming(late)))
}

// TestACodeThatIsUsedAgain, by whomever, revokes what it gave (RFC 6749 §4.1.2, RFC 9700 §4.2).
func TestACodeThatIsUsedAgain(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(a apps, code string) world.Response{
		"by the client":     func(a apps, code string) world.Response { return a.post("/token", redeeming(code)) },
		"by another client": func(a apps, code string) world.Response { return a.another().post("/token", redeeming(code)) },
		"after it expired": func(a apps, code string) world.Response {
			a.Clock.Advance(11 * time.Minute)
			return a.post("/token", redeeming(code))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApps(t)
			code, others := a.code(), a.allowed()
			got := a.got(a.post("/token", redeeming(code)))
			fresh := a.got(a.post("/token", refreshing(got.Refresh)))
			a.invalidGrant(name, again(a, code))
			a.works(name+", the first token", got.Access, "invalid-token")
			a.works(name+", a refreshed token", fresh.Access, "invalid-token")
			a.invalidGrant(name+", the refresh token", a.post("/token", refreshing(got.Refresh)))
			a.works(name+", another code's token", others.Access, "")
		})
	}
}

// TestACodeIsRedeemedOnce by many requests at the same time.
func TestACodeIsRedeemedOnce(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	counted := a.DoConcurrently(6, a.form("/token", redeeming(a.code())))
	if counted[200] != 1 || counted[400] != 5 {
		t.Errorf("got %v, want one 200 and 400 otherwise", counted)
	}
}

// lost is how somebody who has allowed something stops being who they were.
var lost = map[string]func(a apps, m member.Member){
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
	"a new password": func(a apps, m member.Member) { a.newPassword(m) },
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

// newPassword gives the person another password.
func (a apps) newPassword(m member.Member) {
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
	for operation, text := range []string{herPassword, otherPassword} { // a first password ends nothing
		a.Clock.Advance(time.Second)
		if _, err = a.App.Store.SetUserPassword(a.Context(), world.ByTest, a.Tenant(), m.Address(),
			a.App.Store.PasswordByOperator(fmt.Sprint("another ", operation), secret.New(text))); err != nil {
			a.Fatal(err)
		}
	}
}

// TestALostAccountAllowsNothing: neither by a code nor by a refresh token (contract §10).
func TestALostAccountAllowsNothing(t *testing.T) {
	t.Parallel()
	for name, lose := range lost {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApps(t)
			for _, m := range []member.Member{a.person, a.Employ("till@example.com", member.Permissions{})} {
				code := a.Code(a.client, a.Holder(m, reading...))
				got := a.got(a.post("/token", redeeming(a.Code(a.client, a.Holder(m, reading...)))))
				lose(a, m)
				a.invalidGrant(string(m.Kind())+", code", a.post("/token", redeeming(code)))
				a.invalidGrant(string(m.Kind())+", refresh", a.post("/token", refreshing(got.Refresh)))
				a.works(string(m.Kind()), got.Access, "invalid-token")
			}
		})
	}
}

// TestADeletedTestProfileAllowsNothing (contract §8.4).
func TestADeletedTestProfileAllowsNothing(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	p := a.TestProfile("Card")
	h := oauth.Holder{Kind: identity.TestProfile, Subject: p.ID, Tenant: a.Tenant(), Scopes: reading,
		Password: p.Passwords[0].Operation}
	code, got := a.Code(a.client, h), a.got(a.post("/token", redeeming(a.Code(a.client, h))))
	path := "/v0.1/merchants/" + a.Merchant.Code + "/test-profiles/" + p.ID
	a.Must(http.StatusNoContent, a.Send("DELETE", path, nil))
	a.invalidGrant("code", a.post("/token", redeeming(code)))
	a.invalidGrant("refresh", a.post("/token", refreshing(got.Refresh)))
	a.works("its token", got.Access, "invalid-token")
}

// TestScopesThatTheClientHasLost are left out; a code for nothing else is refused.
func TestScopesThatTheClientHasLost(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	code, only := a.code(), a.code(func(c *oauth.Code) { c.Scopes = []string{"transactions.history"} })
	a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"user.profile_readonly", "payments"} })
	if got := a.got(a.post("/token", redeeming(code))); got.Scope != "user.profile_readonly" {
		t.Errorf("got scope %q, want what is left", got.Scope)
	}
	a.refused("none left", a.post("/token", redeeming(only)), http.StatusBadRequest, oauth.InvalidScope)
	if strings.Contains(string(a.post("/token", redeeming(only)).Body), "access_token") {
		t.Error("got a token, want none")
	}
}
