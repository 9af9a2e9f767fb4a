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

// meanwhile repeats what do does once for each step of the request that it sends, just before which the other thing
// happens. It checks that there are at least so many.
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

// TestASecondFactorThatIsTurnedOnMeanwhile is asked for, at whichever moment of a sign-in with the password that is.
func TestASecondFactorThatIsTurnedOnMeanwhile(t *testing.T) {
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
		a.turn(false)
		thief := p.browse()
		thief.open("/sign-in")
		form := thief.form("/sign-in", url.Values{"username": {ada}, "password": {herPassword}})
		on := false
		got := send(thief.request("POST", "/sign-in", form), func() {
			p.Clock.Advance(time.Millisecond)
			a.turn(true)
			p.Clock.Advance(time.Millisecond)
			on = true
		})
		if thief.take(got); got.Status != http.StatusSeeOther {
			t.Fatalf("%s: got %d %s, want 303", try, got.Status, got.Body)
		}
		thief.open(p.asked(nil))
		if allows := strings.Contains(thief.page, `action="/authorize"`); allows == on {
			t.Errorf("%s: got %s, want the form for a code, if the factor is on: %t", try, thief.page, on)
		}
	})
}

// TestACodeThatIsUsedMeanwhile signs nobody else in.
func TestACodeThatIsUsedMeanwhile(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	_, f := p.enrolled()
	meanwhile(p.Shop, 4, func(try string, send func(world.Request, func()) world.Response) {
		p.Clock.Advance(time.Hour)
		both := []*browser{p.pending(ada), p.pending(ada)}
		code := f.code(p, 0)
		first := both[0].request("POST", codePage, both[0].form(codePage, url.Values{"code": {code}}))
		used := false
		both[0].take(send(first, func() {
			both[1].confirm(code)
			used = true
		}))
		if one, two := both[0].signedIn(), both[1].signedIn(); used && one == two {
			t.Errorf("%s: got %t and %t, want one of them signed in", try, one, two)
		}
	})
}

// TestTokensOfWhatIsRevokedMeanwhile are refused, at whichever moment that was.
func TestTokensOfWhatIsRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	for name, c := range map[string]struct {
		fields func(held tokens, code string) url.Values
		other  func(held tokens, code string)
	}{
		"refreshed, and revoked": {func(held tokens, _ string) url.Values { return refreshing(held.Refresh) },
			func(held tokens, _ string) { a.done("revoke", a.revoke(held.Refresh)) }},
		"redeemed, and used again": {func(_ tokens, code string) url.Values { return redeeming(code) },
			func(_ tokens, code string) {
				if got := a.post("/token", redeeming(code)); got.Status == http.StatusOK {
					a.got(got)
				}
			}},
	} {
		meanwhile(a.Shop, 3, func(try string, send func(world.Request, func()) world.Response) {
			held, code, happened := a.allowed(), a.code(), false
			got := send(a.form("/token", c.fields(held, code)), func() {
				c.other(held, code)
				happened = true
			})
			if got.Status == http.StatusOK {
				given := a.got(got)
				if a.lasts(name+" "+try, given) && happened && strings.HasPrefix(name, "refreshed") {
					t.Errorf("%s, %s: got tokens that are taken, want them refused", name, try)
				}
			}
		})
	}
}

// TestAClientThatIsRevokedMeanwhile has no token that is taken.
func TestAClientThatIsRevokedMeanwhile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	meanwhile(a.Shop, 3, func(try string, send func(world.Request, func()) world.Response) {
		b := a.another()
		held := b.allowed()
		revoked := false
		got := send(b.form("/token", refreshing(held.Refresh)), func() {
			b.ChangeClient(b.client, func(c *oauth.Client) { c.RevokedAt = b.Clock.Now() })
			revoked = true
		})
		if got.Status == http.StatusOK {
			problem := ""
			if revoked {
				problem = "not-authorised-token"
			}
			b.works(try, b.got(got).Access, problem)
		}
	})
}

// TestAPasswordThatIsSetMeanwhile ends the refresh token of a code of before.
func TestAPasswordThatIsSetMeanwhile(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	meanwhile(a.Shop, 4, func(try string, send func(world.Request, func()) world.Response) {
		m := a.Employ(try+"@example.com", member.Permissions{})
		code := a.Code(a.client, a.Holder(m, reading...))
		changed := false
		got := send(a.form("/token", redeeming(code)), func() {
			a.newPassword(m)
			changed = true
		})
		if got.Status == http.StatusOK {
			again := a.post("/token", refreshing(a.got(got).Refresh))
			if again.Status == http.StatusOK {
				a.got(again)
			}
			if (again.Status == http.StatusOK) == changed {
				t.Errorf("%s: got %d for the refresh token, want it refused if the password has changed: %t", try, again.Status,
					changed)
			}
		}
	})
}
