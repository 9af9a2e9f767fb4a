package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// lasts checks that access and refresh token of a grant are both taken, or neither.
func (a apps) lasts(try string, t tokens) bool {
	a.Helper()
	access := a.use(t.Access).Status == http.StatusOK
	again := a.post("/token", refreshing(t.Refresh))
	refresh := again.Status == http.StatusOK
	if refresh {
		a.got(again)
	} else {
		a.invalidGrant(try, again)
	}
	if access != refresh {
		a.Errorf("%s: got access token taken %t, refresh token taken %t; want both or neither", try, access, refresh)
	}
	return access
}

// TestARedemptionThatWasCutOff leaves a code that works once, or one that was used.
func TestARedemptionThatWasCutOff(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(5, func(try string, send func(world.Request) world.Response) {
		r := a.form("/token", redeeming(a.code()))
		first := send(r)
		before := a.grants()
		again := a.Do(r)
		switch {
		case first.Status == http.StatusOK: // a second use revokes what the first gave
			a.invalidGrant(try, again)
			if got := a.got(first); a.lasts(try, got) {
				t.Errorf("%s: got tokens of a code that was used twice", try)
			}
		case again.Status == http.StatusOK:
			if !a.lasts(try, a.got(again)) {
				t.Errorf("%s: got tokens that are not taken", try)
			}
		default: // the code was used, and nobody has what it gave
			a.invalidGrant(try, again)
			if now := a.grants(); now != before-1 {
				t.Errorf("%s: got %d grants after %d, want the lost one revoked", try, now, before)
			}
		}
	})
}

// grants is how many are stored.
func (a apps) grants() int {
	a.Helper()
	return a.CountItems("sk = ?", "GRANT")
}

// TestARefreshThatWasCutOff leaves the refresh token as it was; what it gave is taken.
func TestARefreshThatWasCutOff(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(5, func(try string, send func(world.Request) world.Response) {
		held := a.allowed()
		if got := send(a.form("/token", refreshing(held.Refresh))); got.Status == http.StatusOK {
			a.works(try, a.got(got).Access, "")
		}
		if !a.lasts(try, held) {
			t.Errorf("%s: got tokens refused, want them taken as before", try)
		}
	})
}

// TestARevocationThatWasCutOff leaves all tokens or none, and none when it was answered. It can be
// repeated.
func TestARevocationThatWasCutOff(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(3, func(try string, send func(world.Request) world.Response) {
		held := a.allowed()
		r := a.form("/revoke", url.Values{"token": {held.Refresh}})
		got := send(r)
		if a.lasts(try, held) && got.Status == http.StatusOK {
			t.Errorf("%s: got 200, and the tokens are still taken", try)
		}
		a.done(try, a.Do(r))
		if a.lasts(try, held) {
			t.Errorf("%s: got tokens taken, want them refused after the repetition", try)
		}
	})
}

// TestOtherGrantsThatWereCutOff: what a client was answered is taken.
func TestOtherGrantsThatWereCutOff(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(2, func(try string, send func(world.Request) world.Response) {
		r := a.form("/token", url.Values{"grant_type": {"client_credentials"}})
		if got := send(r); got.Status == http.StatusOK {
			a.works(try, a.got(got).Access, "")
		}
		a.works(try, a.got(a.Do(r)).Access, "")
	})
	a.Attempts(4, func(try string, send func(world.Request) world.Response) {
		a.Clock.Advance(time.Minute) // for the limit of passwords from one address
		in := apps{Shop: a.NewShop("DE", "EUR", nil)}.another()
		p, password := in.profile()
		r := in.form("/token", signingIn(p.Username(in.Tenant()), password))
		if got := send(r); got.Status == http.StatusOK && !in.lasts(try, in.got(got)) {
			t.Errorf("%s: got tokens that are not taken", try)
		}
		if got := in.got(in.Do(r)); !in.lasts(try, got) {
			t.Errorf("%s: got tokens that are not taken", try)
		}
	})
}

// TestALookThatWasCutOff shows nothing but the truth.
func TestALookThatWasCutOff(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	held := a.allowed()
	a.Attempts(4, func(try string, send func(world.Request) world.Response) {
		for _, token := range []string{held.Access, held.Refresh} {
			if got := send(a.form("/introspect", url.Values{"token": {token}})); got.Status == http.StatusOK &&
				!world.Into[shown](t, 200, got).Active {
				t.Errorf("%s: got %s, want it active", try, got.Body)
			} else if got.Status >= 400 && got.Status < 500 && got.Text("error") == oauth.InvalidClient {
				t.Errorf("%s: got %s, want no refusal of the client", try, got.Body)
			}
		}
	})
}
