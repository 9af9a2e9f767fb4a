package oauth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/oauth"
)

// TestARefreshTokenStaysTheSame: old clients keep the first. Each use gives another access token.
func TestARefreshTokenStaysTheSame(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.allowed()
	second := a.got(a.post("/token", refreshing(first.Refresh)))
	third := a.got(a.post("/token", refreshing(first.Refresh)))
	same(t, "refreshed", tokens{second.Access, "Bearer", 3600, first.Refresh, first.Scope}, second)
	if second.Access == first.Access || second.Access == third.Access {
		t.Error("got the same access token again, want another")
	}
	for _, got := range []tokens{first, second, third} {
		a.works("before they expire", got.Access, "")
	}
	a.Clock.Advance(time.Hour)
	a.works("after an hour", first.Access, "invalid-token")
	a.works("refreshed then", a.got(a.post("/token", refreshing(first.Refresh))).Access, "")
}

// TestRefreshedScopes are the same or fewer, never more; the next refresh may name all again
// (RFC 6749 §6).
func TestRefreshedScopes(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.allowed()
	narrow := a.got(a.post("/token", refreshing(first.Refresh, "scope", "user.profile_readonly")))
	if narrow.Scope != "user.profile_readonly" {
		t.Errorf("got scope %q, want the one that was named", narrow.Scope)
	}
	a.Want("with fewer scopes", http.StatusForbidden, a.use(narrow.Access))
	for _, scope := range []string{"payments", "transactions.history payments", "everything"} {
		a.refused(scope, a.post("/token", refreshing(first.Refresh, "scope", scope)), 400, oauth.InvalidScope)
	}
	if got := a.got(a.post("/token", refreshing(first.Refresh))); got.Scope != first.Scope {
		t.Errorf("got scope %q, want all again", got.Scope)
	}
	a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"transactions.history"} })
	if got := a.got(a.post("/token", refreshing(first.Refresh))); got.Scope != "transactions.history" {
		t.Errorf("got scope %q, want what the client may still ask for", got.Scope)
	}
	a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"email"} })
	a.refused("none left", a.post("/token", refreshing(first.Refresh)), 400, oauth.InvalidScope)
}

// TestARefreshTokenIsItsClients, and stays so when another has it (RFC 9700 §2.2.2).
func TestARefreshTokenIsItsClients(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.allowed()
	a.invalidGrant("another client", a.another().post("/token", refreshing(first.Refresh)))
	a.invalidGrant("unknown", a.post("/token", refreshing("guessed")))
	a.invalidGrant("an access token", a.post("/token", refreshing(first.Access)))
	a.invalidGrant("the hash", a.post("/token", refreshing(hashOf(first.Refresh))))
	a.refused("none", a.post("/token", refreshing("")), 400, oauth.InvalidRequest)
	a.got(a.post("/token", refreshing(first.Refresh)))
}

// TestARefreshTokenLasts for 180 days from its last use (contract §10).
func TestARefreshTokenLasts(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.allowed()
	for range 3 {
		a.Clock.Advance(180*24*time.Hour - time.Second)
		a.got(a.post("/token", refreshing(first.Refresh)))
	}
	a.Clock.Advance(180 * 24 * time.Hour)
	a.invalidGrant("unused", a.post("/token", refreshing(first.Refresh)))
}

// TestARevokedClientGetsNothing, and its tokens are refused (contract §2.1).
func TestARevokedClientGetsNothing(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first, code := a.allowed(), a.code()
	a.ChangeClient(a.client, func(c *oauth.Client) { c.RevokedAt = a.Clock.Now() })
	a.works("its token", first.Access, "not-authorised-token")
	a.refused("code", a.post("/token", redeeming(code)), 401, oauth.InvalidClient)
	a.refused("refresh", a.post("/token", refreshing(first.Refresh)), 401, oauth.InvalidClient)
}

// TestRefreshedAtOnce: a client with several processes may refresh in each.
func TestRefreshedAtOnce(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	if got := a.DoConcurrently(5, a.form("/token", refreshing(a.allowed().Refresh))); got[200] != 5 {
		t.Errorf("got %v, want 200 each time", got)
	}
}
