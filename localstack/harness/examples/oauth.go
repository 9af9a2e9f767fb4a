package examples

import (
	"net/url"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// Values that openapi.yaml shows for an OAuth client and its tokens.
const (
	shownClient       = "client_abcdefghijklmnopqrstuvwxyz"
	shownClientSecret = "Zm9yZXhhbXBsZW9ubHlub3RhcmVhbHNlY3JldDEyMzQ"
	shownRefreshToken = "cmVmcmVzaGZvcmV4YW1wbGVvbmx5bm90YXRva2VuMTI"

	shownChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // RFC 7636, appendix B
)

var oauthPlaceholders = map[string]placeholder{
	shownClient: {"CLIENT_ID", func(fix *Fixture) string {
		c, text := fix.RegisterClient()
		fix.Made[shownClientSecret] = text
		return c.ID
	}},
	shownClientSecret: {"CLIENT_SECRET", func(fix *Fixture) string {
		fix.ensureClient()
		return fix.Made[shownClientSecret]
	}},
	"Y29kZWZvcmV4YW1wbGVvbmx5bm90YXJlYWxjb2RlMTI": {"CODE", func(fix *Fixture) string {
		return fix.Code(fix.ensureClient(), fix.createHolder(), func(c *oauth.Code) { c.Challenge = shownChallenge })
	}},
	shownRefreshToken: {"REFRESH_TOKEN", func(fix *Fixture) string {
		got := fix.Do(world.Request{Method: "POST", Path: "/token", APIKey: world.NoKey, Body: map[string]any{
			"grant_type": "authorization_code", "client_id": fix.Value(shownClient),
			"client_secret": fix.Value(shownClientSecret), "code": fix.Code(fix.ensureClient(), fix.createHolder()),
			"redirect_uri": world.AppRedirect}})
		fix.Secret("access token", got.Text("access_token"))
		fix.Secret("refresh token", got.Text("refresh_token"))
		return got.Text("refresh_token")
	}},
}

func (fix *Fixture) ensureClient() oauth.Client {
	fix.Helper()
	c, err := fix.App.Store.OAuthClient(fix.Context(), fix.Value(shownClient))
	if err != nil {
		fix.Fatal(err)
	}
	return c
}

// createHolder creates a person who grants the client the scopes of the examples.
func (fix *Fixture) createHolder() oauth.Holder {
	fix.Helper()
	return fix.Holder(fix.Person(Guest(), member.RoleEmployee), "transactions.history", "user.profile_readonly")
}

func init() {
	prepared["createToken password"] = func(t *Scenario) world.Request {
		c, text := t.RegisterClient()
		made := t.Send("POST", "/v0.1/merchants/"+t.Merchant.Code+"/test-profiles", map[string]any{"name": "Card"})
		t.Secret("test profile's password", made.Text("password"))
		return world.Request{Path: "/token", Body: url.Values{"grant_type": {"password"}, "client_id": {c.ID},
			"client_secret": {text}, "username": {made.Text("username")}, "password": {made.Text("password")}}}
	}
}
