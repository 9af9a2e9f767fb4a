package oauth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/oauth"
)

// TestCreateToken_Refresh checks that the refresh token stays the same, because old clients store only the first. The
// access tokens are new.
func TestCreateToken_Refresh(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	second := a.readTokens(a.post("/token", refreshBody(first.Refresh)))
	third := a.readTokens(a.post("/token", refreshBody(first.Refresh)))
	wantSame(t, "refreshed", tokens{second.Access, "Bearer", 3600, first.Refresh, first.Scope}, second)
	if second.Access == first.Access || second.Access == third.Access {
		t.Error("got the same access token again, want another")
	}
	for _, got := range []tokens{first, second, third} {
		a.wantAccess("before they expire", got.Access, "")
	}
	a.Clock.Advance(time.Hour)
	a.wantAccess("after an hour", first.Access, "invalid-token")
	a.wantAccess("refreshed then", a.readTokens(a.post("/token", refreshBody(first.Refresh))).Access, "")
}

// TestCreateToken_RefreshScopes checks that a refresh gives the same scopes or fewer, never more. The next refresh may
// name all of them again (RFC 6749 §6).
func TestCreateToken_RefreshScopes(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	narrow := a.readTokens(a.post("/token", refreshBody(first.Refresh, "scope", "user.profile_readonly")))
	if narrow.Scope != "user.profile_readonly" {
		t.Errorf("got scope %q, want the one that was named", narrow.Scope)
	}
	a.Want("with fewer scopes", http.StatusForbidden, a.callAPI(narrow.Access))
	for _, scope := range []string{"payments", "transactions.history payments", "everything"} {
		a.wantRefused(scope, a.post("/token", refreshBody(first.Refresh, "scope", scope)), 400, oauth.InvalidScope)
	}
	if got := a.readTokens(a.post("/token", refreshBody(first.Refresh))); got.Scope != first.Scope {
		t.Errorf("got scope %q, want all again", got.Scope)
	}
	a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"transactions.history"} })
	if got := a.readTokens(a.post("/token", refreshBody(first.Refresh))); got.Scope != "transactions.history" {
		t.Errorf("got scope %q, want what the client may still ask for", got.Scope)
	}
	a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"email"} })
	a.wantRefused("none left", a.post("/token", refreshBody(first.Refresh)), 400, oauth.InvalidScope)
}

// TestCreateToken_RefreshByOtherClient checks that a refresh token serves its client alone. It still serves that client
// after another client has sent it (RFC 9700 §2.2.2).
func TestCreateToken_RefreshByOtherClient(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	a.wantInvalidGrant("another client", a.newClient().post("/token", refreshBody(first.Refresh)))
	a.wantInvalidGrant("unknown", a.post("/token", refreshBody("guessed")))
	a.wantInvalidGrant("an access token", a.post("/token", refreshBody(first.Access)))
	a.wantInvalidGrant("the hash", a.post("/token", refreshBody(hashOf(first.Refresh))))
	a.wantRefused("none", a.post("/token", refreshBody("")), 400, oauth.InvalidRequest)
	a.readTokens(a.post("/token", refreshBody(first.Refresh)))
}

// TestCreateToken_RefreshTokenExpires checks that a refresh token lasts 180 days from its last use (contract §10).
func TestCreateToken_RefreshTokenExpires(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	for range 3 {
		a.Clock.Advance(180*24*time.Hour - time.Second)
		a.readTokens(a.post("/token", refreshBody(first.Refresh)))
	}
	a.Clock.Advance(180 * 24 * time.Hour)
	a.wantInvalidGrant("unused", a.post("/token", refreshBody(first.Refresh)))
}

// TestCreateToken_RevokedClient checks that a revoked client gets no token, and that its tokens end (contract §2.1).
func TestCreateToken_RevokedClient(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first, code := a.createTokens(), a.createCode()
	a.ChangeClient(a.client, func(c *oauth.Client) { c.RevokedAt = a.Clock.Now() })
	a.wantAccess("its token", first.Access, "not-authorised-token")
	a.wantRefused("code", a.post("/token", codeBody(code)), 401, oauth.InvalidClient)
	a.wantRefused("refresh", a.post("/token", refreshBody(first.Refresh)), 401, oauth.InvalidClient)
}

// TestCreateToken_RefreshConcurrently checks that several processes of a client may refresh at the same time.
func TestCreateToken_RefreshConcurrently(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	if got := a.DoConcurrently(5, a.form("/token", refreshBody(a.createTokens().Refresh))); got[200] != 5 {
		t.Errorf("got %v, want 200 each time", got)
	}
}
