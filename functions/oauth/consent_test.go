package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// TestDecideAuthorization_ToAccessToken signs a user in on the client's page. The user allows the request, and the
// client gets a token for the merchant.
func TestDecideAuthorization_ToAccessToken(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	she := p.join(p.Tenant(), ada)
	b := p.newBrowser()
	b.Must(http.StatusOK, b.open(p.authorizePath(nil)))
	got := b.Must(http.StatusSeeOther, b.signIn("ada@EXAMPLE.com", herPassword, nil))
	b.open(got.Header.Get("Location")[len("http://cashwrap.test"):])
	got = b.decide("allow", nil)
	want := url.Values{"code": redirectQuery(got)["code"], "state": {"a state"}, "merchant_code": {p.Merchant.Code},
		"iss": {"http://cashwrap.test"}}
	if diff := cmp.Diff(want, redirectQuery(got)); diff != "" {
		t.Errorf("got %d %s to %s (-want +got):\n%s", got.Status, got.Body, got.Header.Get("Location"), diff)
	}
	stored := p.storedCode(got)
	wantStored := oauth.Code{Hash: identity.Hash(redirectQuery(got).Get("code")), RedirectURI: callback,
		Challenge: challenge, CreatedAt: p.App.Store.Now(), ExpiresAt: p.App.Store.Now().Add(10 * time.Minute), Version: 1,
		Holder: oauth.Holder{Client: p.client.ID, Kind: identity.User, Subject: she.ID, User: she.UserID,
			Tenant: p.Tenant(), Scopes: []string{"transactions.history", "user.profile_readonly"},
			Password: "accept " + ada, SignedIn: she.AccessSince()}}
	if diff := cmp.Diff(wantStored, stored); diff != "" {
		t.Errorf("the code (-want +got):\n%s", diff)
	}
	tokens := p.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Body: url.Values{
		"grant_type": {"authorization_code"}, "client_id": {p.client.ID}, "client_secret": {p.secret},
		"code": redirectQuery(got)["code"], "redirect_uri": {callback}, "code_verifier": {verifier}}})
	var shown struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal(tokens.Body, &shown); err != nil || tokens.Status != http.StatusOK {
		t.Fatalf("got %d %s, want tokens", tokens.Status, tokens.Body)
	}
	p.Secret("access token", shown.AccessToken)
	p.Want("with the token", http.StatusOK, p.WithKey(shown.AccessToken).Send("GET", "/v0.1/memberships", nil))
}
