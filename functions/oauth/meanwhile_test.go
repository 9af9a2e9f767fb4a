package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// meanwhile calls do several times. do sends a request by send, which runs other just before one step of the request:
// in the first call before the first step, in the second call before the second step, and so on. In the last call the
// request has no such step. meanwhile fails the test if there are fewer steps than least.
func meanwhile(s world.Shop, least int, do func(try string, send func(r world.Request, other func()) world.Response)) {
	s.Helper()
	for step, reached := 1, true; reached; step++ {
		p := s.Process()
		do(fmt.Sprint("t-", step), func(r world.Request, other func()) world.Response {
			p.Steps.Meanwhile("", step, other)
			return p.Do(r)
		})
		reached = len(p.Steps.Taken()) >= step
		p.Stop()
		if !reached && step <= least {
			s.Errorf("got %d steps, want %d or more", step-1, least)
		}
	}
}

// TestSignIn_SecondFactorTurnedOnMeanwhile turns the factor on before each step of a sign-in, which then needs a code.
func TestSignIn_SecondFactorTurnedOnMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	found, err := p.App.Store.SignInAccount(t.Context(), signin.ParseName(ada, ""), p.Tenant().Mode)
	if err != nil {
		t.Fatal(err)
	}
	a := account{p, found}
	meanwhile(p.Shop, 7, func(try string, send func(world.Request, func()) world.Response) {
		p.Clock.Advance(time.Hour)
		a.setFactor(false)
		thief := p.newBrowser()
		thief.open("/sign-in")
		form := thief.filledForm("/sign-in", url.Values{"username": {ada}, "password": {herPassword}})
		on := false
		got := send(thief.request("POST", "/sign-in", form), func() {
			p.Clock.Advance(time.Millisecond)
			a.setFactor(true)
			p.Clock.Advance(time.Millisecond)
			on = true
		})
		if thief.take(got); got.Status != http.StatusSeeOther {
			t.Fatalf("%s: got %d %s, want 303", try, got.Status, got.Body)
		}
		thief.open(p.authorizePath(nil))
		if allows := strings.Contains(thief.page, `action="/authorize"`); allows == on {
			t.Errorf("%s: got %s, want the form for a code, if the factor is on: %t", try, thief.page, on)
		}
	})
}

// TestConfirmSignIn_CodeUsedMeanwhile checks that only one of two browsers signs in with a code.
func TestConfirmSignIn_CodeUsedMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolAda()
	meanwhile(p.Shop, 4, func(try string, send func(world.Request, func()) world.Response) {
		p.Clock.Advance(time.Hour)
		both := []*browser{p.startPending(ada), p.startPending(ada)}
		code := f.code(p, 0)
		first := both[0].request("POST", codePage, both[0].filledForm(codePage, url.Values{"code": {code}}))
		used := false
		both[0].take(send(first, func() {
			both[1].confirm(code)
			used = true
		}))
		if one, two := both[0].isSignedIn(), both[1].isSignedIn(); used && one == two {
			t.Errorf("%s: got %t and %t, want one of them signed in", try, one, two)
		}
	})
}

// TestCreateToken_GrantRevokedMeanwhile checks that tokens of a grant are refused if it is revoked at any step.
func TestCreateToken_GrantRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	for name, c := range map[string]struct {
		fields func(held tokens, code string) url.Values
		other  func(held tokens, code string)
	}{
		"refreshed, and revoked": {func(held tokens, _ string) url.Values { return refreshBody(held.Refresh) },
			func(held tokens, _ string) { a.wantEmpty("revoke", a.revoke(held.Refresh)) }},
		"redeemed, and used again": {func(_ tokens, code string) url.Values { return codeBody(code) },
			func(_ tokens, code string) {
				if got := a.post("/token", codeBody(code)); got.Status == http.StatusOK {
					a.readTokens(got)
				}
			}},
	} {
		meanwhile(a.Shop, 3, func(try string, send func(world.Request, func()) world.Response) {
			held, code, happened := a.createTokens(), a.createCode(), false
			got := send(a.form("/token", c.fields(held, code)), func() {
				c.other(held, code)
				happened = true
			})
			if got.Status == http.StatusOK {
				given := a.readTokens(got)
				if a.tokensWork(name+" "+try, given) && happened && strings.HasPrefix(name, "refreshed") {
					t.Errorf("%s, %s: got tokens that are taken, want them refused", name, try)
				}
			}
		})
	}
}

// TestCreateToken_ClientRevokedMeanwhile checks that no token of a client is accepted if the client is revoked at any
// step.
func TestCreateToken_ClientRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	meanwhile(a.Shop, 3, func(try string, send func(world.Request, func()) world.Response) {
		b := a.newClient()
		held := b.createTokens()
		revoked := false
		got := send(b.form("/token", refreshBody(held.Refresh)), func() {
			b.ChangeClient(b.client, func(c *oauth.Client) { c.RevokedAt = b.Clock.Now() })
			revoked = true
		})
		if got.Status == http.StatusOK {
			problem := ""
			if revoked {
				problem = "not-authorised-token"
			}
			b.wantAccess(try, b.readTokens(got).Access, problem)
		}
	})
}

// TestCreateToken_PasswordSetMeanwhile checks that a new password ends the refresh token of an earlier code.
func TestCreateToken_PasswordSetMeanwhile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	meanwhile(a.Shop, 4, func(try string, send func(world.Request, func()) world.Response) {
		m := a.Employ(try+"@example.com", member.Permissions{})
		code := a.Code(a.client, a.Holder(m, reading...))
		changed := false
		got := send(a.form("/token", codeBody(code)), func() {
			a.changePassword(m)
			changed = true
		})
		if got.Status == http.StatusOK {
			again := a.post("/token", refreshBody(a.readTokens(got).Refresh))
			if again.Status == http.StatusOK {
				a.readTokens(again)
			}
			if (again.Status == http.StatusOK) == changed {
				t.Errorf("%s: got %d for the refresh token, want it refused if the password has changed: %t", try, again.Status,
					changed)
			}
		}
	})
}
