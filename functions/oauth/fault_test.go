package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// tokensWork returns true if a grant's access token and refresh token are accepted. It fails the test if only one of
// the two is accepted.
func (a apps) tokensWork(try string, t tokens) bool {
	a.Helper()
	access := a.callAPI(t.Access).Status == http.StatusOK
	again := a.post("/token", refreshBody(t.Refresh))
	refresh := again.Status == http.StatusOK
	if refresh {
		a.readTokens(again)
	} else {
		a.wantInvalidGrant(try, again)
	}
	if access != refresh {
		a.Errorf("%s: got access token taken %t, refresh token taken %t; want both or neither", try, access, refresh)
	}
	return access
}

// TestCreateToken_CodeInterrupted checks that after an interruption either the code works once, or it counts as used
// and its tokens are revoked.
func TestCreateToken_CodeInterrupted(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(5, func(try string, send func(world.Request) world.Response) {
		r := a.form("/token", codeBody(a.createCode()))
		first := send(r)
		before := a.countGrants()
		again := a.Do(r)
		switch {
		case first.Status == http.StatusOK: // a second use revokes the first use's tokens
			a.wantInvalidGrant(try, again)
			if got := a.readTokens(first); a.tokensWork(try, got) {
				t.Errorf("%s: got tokens of a code that was used twice", try)
			}
		case again.Status == http.StatusOK:
			if !a.tokensWork(try, a.readTokens(again)) {
				t.Errorf("%s: got tokens that are not taken", try)
			}
		default: // the code was used, and its tokens are lost
			a.wantInvalidGrant(try, again)
			if now := a.countGrants(); now != before-1 {
				t.Errorf("%s: got %d grants after %d, want the lost one revoked", try, now, before)
			}
		}
	})
}

func (a apps) countGrants() int {
	a.Helper()
	return a.CountItems("sk = ?", "GRANT")
}

// TestCreateToken_RefreshInterrupted checks that the refresh token stays valid after an interrupted refresh, and that a
// returned token is accepted.
func TestCreateToken_RefreshInterrupted(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(5, func(try string, send func(world.Request) world.Response) {
		held := a.createTokens()
		if got := send(a.form("/token", refreshBody(held.Refresh))); got.Status == http.StatusOK {
			a.wantAccess(try, a.readTokens(got).Access, "")
		}
		if !a.tokensWork(try, held) {
			t.Errorf("%s: got tokens refused, want them taken as before", try)
		}
	})
}

// TestRevokeToken_Interrupted checks that an interrupted request revokes all tokens or none. After an answer or a
// repetition, all are revoked.
func TestRevokeToken_Interrupted(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(3, func(try string, send func(world.Request) world.Response) {
		held := a.createTokens()
		r := a.form("/revoke", url.Values{"token": {held.Refresh}})
		got := send(r)
		if a.tokensWork(try, held) && got.Status == http.StatusOK {
			t.Errorf("%s: got 200, and the tokens are still taken", try)
		}
		a.wantEmpty(try, a.Do(r))
		if a.tokensWork(try, held) {
			t.Errorf("%s: got tokens taken, want them refused after the repetition", try)
		}
	})
}

// TestCreateToken_OtherGrantsInterrupted interrupts requests with the grant types client_credentials and password. The
// test checks that each returned token is accepted, also after a repetition.
func TestCreateToken_OtherGrantsInterrupted(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	a.Attempts(2, func(try string, send func(world.Request) world.Response) {
		r := a.form("/token", url.Values{"grant_type": {"client_credentials"}})
		if got := send(r); got.Status == http.StatusOK {
			a.wantAccess(try, a.readTokens(got).Access, "")
		}
		a.wantAccess(try, a.readTokens(a.Do(r)).Access, "")
	})
	a.Attempts(4, func(try string, send func(world.Request) world.Response) {
		a.Clock.Advance(time.Minute) // because the passwords from one address are limited
		in := apps{Shop: a.NewShop("DE", "EUR", nil)}.newClient()
		p, password := in.createProfile()
		r := in.form("/token", passwordBody(p.Username(in.Tenant()), password))
		if got := send(r); got.Status == http.StatusOK && !in.tokensWork(try, in.readTokens(got)) {
			t.Errorf("%s: got tokens that are not taken", try)
		}
		if got := in.readTokens(in.Do(r)); !in.tokensWork(try, got) {
			t.Errorf("%s: got tokens that are not taken", try)
		}
	})
}

// TestIntrospectToken_Interrupted checks that an interrupted request neither shows a valid token as inactive nor
// refuses the client.
func TestIntrospectToken_Interrupted(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	held := a.createTokens()
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
