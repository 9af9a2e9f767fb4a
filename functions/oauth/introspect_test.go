package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// shown is the reply of introspectToken.
type shown struct {
	Active   bool   `json:"active"`
	Scope    string `json:"scope"`
	Client   string `json:"client_id"`
	Username string `json:"username"`
	Type     string `json:"token_type"`
	Expires  int64  `json:"exp"`
	Issued   int64  `json:"iat"`
	Subject  string `json:"sub"`
	Merchant string `json:"merchant_code"`
	Issuer   string `json:"iss"`
}

func (a apps) introspect(token string) shown {
	a.Helper()
	return world.Into[shown](a, http.StatusOK, a.post("/introspect", url.Values{"token": {token}}))
}

// wantInactive checks that the reply says that a token is inactive, and says nothing else.
func (a apps) wantInactive(what, token string) {
	a.Helper()
	got := a.post("/introspect", url.Values{"token": {token}})
	if got.Status != http.StatusOK || string(got.Body) != `{"active":false}` {
		a.Errorf("%s: got %d %s, want only that it is not active", what, got.Status, got.Body)
	}
}

// TestIntrospectToken_EachHolder checks the fields for each kind of holder (RFC 7662 §2.2).
func TestIntrospectToken_EachHolder(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	profile := a.TestProfile("Card")
	staff := a.Employ("till@example.com", member.Permissions{})
	for name, c := range map[string]struct {
		holder            oauth.Holder
		username, subject string
	}{
		"a user":         {a.Holder(a.person, reading...), "grace@example.com", a.person.UserID},
		"a managed user": {a.Holder(staff, reading...), "till@example.com", staff.ID},
		"a test profile": {oauth.Holder{Kind: identity.TestProfile, Subject: profile.ID, Tenant: a.Tenant(), Scopes: reading,
			Password: profile.Passwords[0].Operation}, profile.ID + "@" + a.Merchant.Code, profile.ID},
	} {
		got := a.readTokens(a.post("/token", codeBody(a.Code(a.client, c.holder))))
		now := a.Clock.Now()
		want := shown{Active: true, Scope: strings.Join(reading, " "), Client: a.client.ID, Username: c.username,
			Type: "Bearer", Expires: now.Add(time.Hour).Unix(), Issued: now.Unix(), Subject: c.subject,
			Merchant: a.Merchant.Code, Issuer: "http://cashwrap.test"}
		wantSame(t, name+", access token", want, a.introspect(got.Access))
		want.Type, want.Expires = "", now.Add(180*24*time.Hour).Unix()
		wantSame(t, name+", refresh token", want, a.introspect(got.Refresh))
	}
	own := a.readTokens(a.post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"email"}}))
	wantSame(t, "its own", shown{Active: true, Scope: "email", Client: a.client.ID, Type: "Bearer",
		Expires: a.Clock.Now().Add(time.Hour).Unix(), Issued: a.Clock.Now().Unix(), Subject: a.client.ID,
		Merchant: a.Merchant.Code, Issuer: "http://cashwrap.test"}, a.introspect(own.Access))
}

// TestIntrospectToken_OthersTokens checks that other clients' tokens, API keys and codes are inactive.
func TestIntrospectToken_OthersTokens(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	first := a.createTokens()
	other := a.newClient()
	for name, token := range map[string]string{"access token": first.Access, "refresh token": first.Refresh,
		"API key": a.Merchant.Key.Plaintext, "unknown": "guessed", "unknown access token": hashOf("guessed"),
		"a hash": hashOf(first.Access)} {
		other.wantInactive(name, token)
	}
	a.wantInactive("its client's code", a.createCode())
	a.wantInactive("API key of its merchant", a.Merchant.Key.Plaintext)
	a.wantRefused("none", a.post("/introspect", nil), 400, oauth.InvalidRequest)
}

// TestIntrospectToken_ActiveIfAccepted checks that an access token is active exactly when the API accepts it, and a
// refresh token exactly when createToken accepts it.
func TestIntrospectToken_ActiveIfAccepted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(a apps, got tokens){
		"nothing":          func(apps, tokens) {},
		"an hour":          func(a apps, _ tokens) { a.Clock.Advance(time.Hour) },
		"180 days":         func(a apps, _ tokens) { a.Clock.Advance(180 * 24 * time.Hour) },
		"access revoked":   func(a apps, got tokens) { a.wantEmpty("revoke", a.revoke(got.Access)) },
		"refresh revoked":  func(a apps, got tokens) { a.wantEmpty("revoke", a.revoke(got.Refresh)) },
		"person disabled":  func(a apps, _ tokens) { losses["disabled"](a, a.person) },
		"person removed":   func(a apps, _ tokens) { losses["removed"](a, a.person) },
		"another password": func(a apps, _ tokens) { losses["a new password"](a, a.person) },
		"another role": func(a apps, _ tokens) {
			a.updateMember(a.person, func(m member.Member) member.Member {
				m.Roles = []string{member.RoleEmployee}
				return m
			})
		},
		"fewer scopes": func(a apps, _ tokens) {
			a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"transactions.history"} })
		},
		"other scopes": func(a apps, _ tokens) {
			a.ChangeClient(a.client, func(c *oauth.Client) { c.Scopes = []string{"email"} })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApps(t)
			got := a.createTokens()
			change(a, got)
			access, refresh := a.introspect(got.Access), a.introspect(got.Refresh)
			if taken := a.callAPI(got.Access).Status != http.StatusUnauthorized; access.Active != taken {
				t.Errorf("access token: got active %t, taken %t", access.Active, taken)
			}
			again := a.post("/token", refreshBody(got.Refresh))
			if taken := again.Status == http.StatusOK; refresh.Active != taken ||
				taken && refresh.Scope != a.readTokens(again).Scope {
				t.Errorf("refresh token: got %+v, and from createToken %d %s", refresh, again.Status, again.Body)
			}
			if !access.Active && access != (shown{}) || !refresh.Active && refresh != (shown{}) {
				t.Errorf("got %+v, %+v, want nothing of what is not active", access, refresh)
			}
		})
	}
}

// TestRetrieveAuthorizationServer checks that the description matches the server (RFC 8414 §2).
func TestRetrieveAuthorizationServer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	got := world.Into[map[string]any](t, 200, s.Do(world.Request{Method: "GET", APIKey: world.NoKey,
		Path: "/.well-known/oauth-authorization-server"}))
	for name, path := range map[string]string{"issuer": "", "authorization_endpoint": "/authorize",
		"token_endpoint": "/token", "revocation_endpoint": "/revoke", "introspection_endpoint": "/introspect"} {
		wantSame[any](t, name, "http://cashwrap.test"+path, got[name])
	}
	auth := []string{"client_secret_basic", "client_secret_post"}
	for name, want := range map[string][]string{
		"scopes_supported":         identity.AllScopes(),
		"response_types_supported": {"code"},
		"response_modes_supported": {"query"},
		"grant_types_supported": {"authorization_code", "client_credentials", "password",
			"refresh_token"},
		"token_endpoint_auth_methods_supported":         auth,
		"revocation_endpoint_auth_methods_supported":    auth,
		"introspection_endpoint_auth_methods_supported": auth,
		"code_challenge_methods_supported":              {"S256"},
	} {
		var texts []string
		for _, text := range got[name].([]any) {
			texts = append(texts, text.(string))
		}
		if !slices.Equal(want, texts) {
			t.Errorf("%s: got %q, want %q", name, texts, want)
		}
	}
	if got["authorization_response_iss_parameter_supported"] != true || len(got) != 14 {
		t.Errorf("got %v, want 14 members, one that the issuer is named", got)
	}
}
