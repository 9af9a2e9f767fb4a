package oauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// listen serves the platform on this machine.
func (a apps) listen() string {
	a.Helper()
	server := httptest.NewServer(a.Main().Handler())
	a.Cleanup(server.Close)
	return server.URL
}

// keepSecret registers the tokens as secrets that must not appear elsewhere.
func (a apps) keepSecret(t *oauth2.Token) {
	a.Secret("access token", t.AccessToken)
	if t.RefreshToken != "" {
		a.Secret("refresh token", t.RefreshToken)
	}
}

// TestLibrary_Golang authenticates a client in each way that Go's library supports. With "found out", the library
// itself finds out which way our server accepts.
func TestLibrary_Golang(t *testing.T) {
	t.Parallel()
	for name, style := range map[string]oauth2.AuthStyle{"header": oauth2.AuthStyleInHeader,
		"body": oauth2.AuthStyleInParams, "found out": oauth2.AuthStyleAutoDetect} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApps(t)
			address := a.listen()
			history := address + "/v2.1/merchants/" + a.Merchant.Code + "/transactions/history"
			c := oauth2.Config{ClientID: a.client.ID, ClientSecret: a.secret, RedirectURL: world.AppRedirect, Scopes: reading,
				Endpoint: oauth2.Endpoint{AuthURL: address + "/authorize", TokenURL: address + "/token", AuthStyle: style}}
			verifier := oauth2.GenerateVerifier()
			to, err := url.Parse(c.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier)))
			if err != nil {
				t.Fatal(err)
			}
			code := a.createCode(func(code *oauth.Code) { code.Challenge = to.Query().Get("code_challenge") })
			_, err = c.Exchange(t.Context(), code, oauth2.VerifierOption(oauth2.GenerateVerifier()))
			wantError(t, "another verifier", err, oauth.InvalidGrant)
			token, err := c.Exchange(t.Context(), code, oauth2.VerifierOption(verifier))
			if err != nil {
				t.Fatal(err)
			}
			a.keepSecret(token)
			if token.TokenType != "Bearer" || time.Until(token.Expiry) < 59*time.Minute {
				t.Errorf("got %s until %s, want Bearer for an hour", token.TokenType, token.Expiry)
			}
			wantReadable(t, "with its token", c.Client(t.Context(), token), history)
			expired := *token
			expired.Expiry = time.Now().Add(-time.Hour)
			a.Clock.Advance(2 * time.Hour)
			renewed, err := c.TokenSource(t.Context(), &expired).Token()
			if err != nil || renewed.AccessToken == token.AccessToken || renewed.RefreshToken != token.RefreshToken {
				t.Fatalf("got %v, error %v, want another access token, and the same refresh token", renewed, err)
			}
			a.keepSecret(renewed)
			wantReadable(t, "renewed by itself", c.Client(context.WithoutCancel(t.Context()), renewed), history)
			_, err = c.Exchange(t.Context(), code, oauth2.VerifierOption(verifier))
			wantError(t, "again", err, oauth.InvalidGrant)
			_, err = c.TokenSource(t.Context(), &expired).Token()
			wantError(t, "revoked by that", err, oauth.InvalidGrant)

			own := clientcredentials.Config{ClientID: a.client.ID, ClientSecret: a.secret, TokenURL: address + "/token",
				Scopes: []string{"transactions.history"}, AuthStyle: style}
			token, err = own.Token(t.Context())
			if err != nil || token.RefreshToken != "" {
				t.Fatalf("as itself: got %v, error %v, want a token without another", token, err)
			}
			a.keepSecret(token)
			wantReadable(t, "as itself", oauth2.NewClient(t.Context(), oauth2.StaticTokenSource(token)), history)

			profile, password := a.createProfile()
			token, err = c.PasswordCredentialsToken(t.Context(), profile.Username(a.Tenant()), password)
			if err != nil {
				t.Fatal(err)
			}
			a.keepSecret(token)
			wantReadable(t, "as a test profile", c.Client(t.Context(), token), history)
			_, err = c.PasswordCredentialsToken(t.Context(), a.person.Email, "a password of hers")
			wantError(t, "as a person", err, oauth.InvalidGrant)
			c.ClientSecret = "wrong"
			_, err = c.PasswordCredentialsToken(t.Context(), profile.Username(a.Tenant()), password)
			wantError(t, "with a wrong secret", err, oauth.InvalidClient)
		})
	}
}

// wantError checks the library's error for a refusal.
func wantError(t *testing.T, what string, err error, code string) {
	t.Helper()
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || refused.ErrorCode != code || refused.ErrorDescription == "" {
		t.Errorf("%s: got error %v, want %s with a description", what, err, code)
	}
}

// wantReadable checks that the client can read the address.
func wantReadable(t *testing.T, what string, c *http.Client, address string) {
	t.Helper()
	got, err := c.Get(address)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if got.Body.Close(); got.StatusCode != http.StatusOK {
		t.Errorf("%s: got %s, want 200", what, got.Status)
	}
}

// TestLibrary_OpenIDClient uses a library for Node. The library discovers the endpoints, refuses the answer of another
// authorization server (RFC 9207), and uses every grant, introspection and revocation.
func TestLibrary_OpenIDClient(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	profile, password := a.createProfile()
	var callbacks []string
	for range 2 {
		code := a.createCode(func(c *oauth.Code) { c.Challenge = challenge })
		callbacks = append(callbacks, world.AppRedirect+"?"+url.Values{"code": {code}, "state": {"a state"},
			"merchant_code": {a.Merchant.Code}, "iss": {"http://cashwrap.test"}}.Encode())
	}
	input, err := json.Marshal(map[string]any{"issuer": "http://cashwrap.test", "listens": a.listen(),
		"client_id": a.client.ID, "client_secret": a.secret, "callbacks": callbacks, "code_verifier": verifier,
		"state": "a state", "narrower": "user.profile_readonly", "profile": map[string]string{
			"username": profile.Username(a.Tenant()), "password": password, "scope": "email"}})
	if err != nil {
		t.Fatal(err)
	}
	node := enginetest.Node(t, "harness/sdk/openid.mjs")
	var output, problems bytes.Buffer
	node.Stdin, node.Stdout, node.Stderr = bytes.NewReader(input), &output, &problems
	if err := node.Run(); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var got map[string]any
	if err := json.Unmarshal(output.Bytes(), &got); err != nil {
		t.Fatalf("got %s, error %v", output.String(), err)
	}
	given := func(scope string, refreshable bool) map[string]any {
		return map[string]any{"token_type": "bearer", "expires_in": 3600.0, "scope": scope, "refreshable": refreshable}
	}
	const narrower = "user.profile_readonly"
	flow := map[string]any{"mixUp": "OAUTH_INVALID_RESPONSE", "granted": given("transactions.history "+narrower, true),
		"refreshed": given(narrower, true), "wider": oauth.InvalidScope, "before": true, "scope": narrower,
		"after": map[string]any{"active": false}, "revoked": oauth.InvalidGrant, "own": given(narrower, false),
		"profile": given("email", true), "again": oauth.InvalidGrant}
	wantSame(t, "openid-client", map[string]any{"basic": flow, "post": flow, "wrong": "basic"}, got)
}
