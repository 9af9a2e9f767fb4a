package provision_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// oauthClient is a client in an answer.
type oauthClient struct {
	ID            string     `json:"client_id"`
	Secret        string     `json:"client_secret"`
	MerchantCode  string     `json:"merchant_code"`
	Mode          string     `json:"mode"`
	Name          string     `json:"name"`
	RedirectURIs  []string   `json:"redirect_uris"`
	Scopes        []string   `json:"scopes"`
	Approved      []string   `json:"approved_scopes"`
	PreviousUntil *time.Time `json:"previous_secret_until"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
	RevokedAt     *time.Time `json:"revoked_at"`
}

const callbackURI = "https://shop.example.com/callback"

// clientRegistration returns a command that registers a client, with changes.
func clientRegistration(m provisioned, changes fields) fields {
	return with(fields{"command": "create_oauth_client", "merchant_code": m.Code, "name": "Till",
		"redirect_uris": []string{callbackURI}, "scopes": []string{"payments", "profile"}}, changes)
}

// runClient runs a command whose answer is a client.
func (d operator) runClient(command fields) oauthClient {
	d.Helper()
	c := run[oauthClient](d, command)
	if c.Secret != "" {
		d.Secret("client secret", c.Secret)
	}
	return c
}

// createToken requests an access token with the client's own credentials. The text is "" if the request is refused.
func (d operator) createToken(id, secret, scope string) (status int, text string) {
	d.Helper()
	got := d.Do(world.Request{Method: http.MethodPost, Path: "/token", Body: url.Values{
		"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}, "scope": {scope}}})
	if text = got.Text("access_token"); text != "" {
		d.Secret("access token", text)
	}
	return got.Status, text
}

func (d operator) wantToken(what, id, secret, scope string, want int) {
	d.Helper()
	if got, _ := d.createToken(id, secret, scope); got != want {
		d.Errorf("%s: got %d, want %d", what, got, want)
	}
}

func TestCreateOAuthClient(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	got := d.runClient(clientRegistration(m, nil))
	want := oauthClient{ID: got.ID, Secret: got.Secret, MerchantCode: m.Code, Mode: "test", Name: "Till",
		RedirectURIs: []string{callbackURI}, Scopes: []string{"payments", "user.profile_readonly"}, Approved: []string{},
		CreatedAt: d.Clock.Now(), UpdatedAt: d.Clock.Now()}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got.ID, "client_") || len(got.Secret) != 43 {
		t.Errorf("id %s, a secret of %d characters (-want +got):\n%s", got.ID, len(got.Secret), diff)
	}
	want.Secret = ""
	if diff := cmp.Diff(want, d.runClient(fields{"command": "show_oauth_client", "client_id": got.ID})); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	d.wantToken("at once", got.ID, got.Secret, "profile", http.StatusOK)
	if _, text := d.createToken(got.ID, got.Secret, "profile"); d.profileStatus(m, text) != http.StatusOK {
		t.Error("got no profile with its token, want its merchant's")
	}
	live := d.createMerchant(fields{"sandbox": false})
	if c := d.runClient(clientRegistration(live, nil)); c.Mode != "live" {
		t.Errorf("a live merchant's: got mode %s, want live", c.Mode)
	}
	if c := d.runClient(clientRegistration(live, fields{"mode": "test", "redirect_uris": []string{}})); c.Mode != "test" ||
		len(c.RedirectURIs) != 0 {
		t.Errorf("in test mode: got %+v, want mode test, no redirect URIs", c)
	}
}

// profileStatus returns the status of the merchant's profile for a token.
func (d operator) profileStatus(m provisioned, token string) int {
	d.Helper()
	return d.Do(world.Request{Method: http.MethodGet, Path: "/v1/merchants/" + m.Code, APIKey: token}).Status
}

// TestApproveOAuthClient checks that restricted scopes need approval (contract §2.1).
func TestApproveOAuthClient(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	c := d.runClient(clientRegistration(d.createMerchant(nil), nil))
	d.wantToken("before", c.ID, c.Secret, "payments", http.StatusBadRequest)
	approve := func(scopes ...string) fields {
		return fields{"command": "approve_oauth_client", "client_id": c.ID, "scopes": append([]string{}, scopes...)}
	}
	if got := d.runClient(approve("payments")); !slices.Equal(got.Approved, []string{"payments"}) || got.Secret != "" {
		t.Errorf("approved: got %+v, want payments, without the secret", got)
	}
	d.wantToken("approved", c.ID, c.Secret, "payments", http.StatusOK)
	if got := d.runClient(approve()); len(got.Approved) != 0 {
		t.Errorf("taken back: got %+v, want none", got.Approved)
	}
	d.wantToken("taken back", c.ID, c.Secret, "payments", http.StatusBadRequest)
	for _, refused := range []struct {
		command     fields
		code, param string
	}{
		{approve("refunds.write"), "INVALID", "scopes"}, // the client is not registered for the scope
		{approve("profile"), "INVALID", "scopes"},       // the scope needs no approval
		{approve("paiments"), "INVALID", "scopes"},
		{with(approve(), fields{"scopes": nil}), "MISSING", "scopes"},
		{with(approve(), fields{"scopes": "payments"}), "INVALID", "scopes"},
		{with(approve(), fields{"client_id": ""}), "MISSING", "client_id"},
		{with(approve(), fields{"client_id": "client_1"}), "NOT_FOUND", ""},
	} {
		d.checkRefused(refused.command, refused.code, refused.param)
	}
}

// TestApproveOAuthClient_ScopeRemoved checks that a scope that was removed needs approval again when it returns.
func TestApproveOAuthClient_ScopeRemoved(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	c := d.runClient(clientRegistration(d.createMerchant(nil), nil))
	d.runClient(fields{"command": "approve_oauth_client", "client_id": c.ID, "scopes": []string{"payments"}})
	update := fields{"command": "update_oauth_client", "client_id": c.ID}
	d.Clock.Advance(time.Hour)
	got := d.runClient(with(update, fields{"name": "App", "scopes": []string{"products"}}))
	want := c
	want.Secret, want.Name, want.Scopes, want.UpdatedAt = "", "App", []string{"products"}, d.Clock.Now()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
	got = d.runClient(with(update, fields{"scopes": []string{"payments"},
		"redirect_uris": []string{"http://localhost:1/"}}))
	want.Scopes, want.RedirectURIs = []string{"payments"}, []string{"http://localhost:1/"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("updated again (-want +got):\n%s", diff)
	}
	for name, wrong := range map[string]fields{"name": {"name": ""}, "scopes": {"scopes": []string{"paiments"}},
		"redirect_uris.0": {"redirect_uris": []string{"http://shop.example.com/"}}, "secret": {"secret": "x"},
		"mode": {"mode": "live"}} {
		d.checkRefused(with(update, wrong), "INVALID", name)
	}
	d.checkRefused(with(update, fields{"client_id": "client_1"}), "NOT_FOUND", "")
}

func TestRotateOAuthSecret(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	c := d.runClient(clientRegistration(d.createMerchant(nil), nil))
	rotate := fields{"command": "rotate_oauth_secret", "client_id": c.ID}
	second := d.runClient(rotate)
	if until := d.Clock.Now().Add(oauth.SecretOverlap); second.PreviousUntil == nil || !second.PreviousUntil.Equal(until) {
		t.Errorf("rotated: got the secret before until %v, want until %s", second.PreviousUntil, until)
	}
	for _, secret := range []string{c.Secret, second.Secret} {
		d.wantToken("within a day", c.ID, secret, "profile", http.StatusOK)
	}
	d.Clock.Advance(oauth.SecretOverlap - time.Second)
	d.checkRefused(rotate, "CONFLICT", "")
	d.Clock.Advance(time.Second)
	d.wantToken("the first, a day later", c.ID, c.Secret, "profile", http.StatusUnauthorized)
	third := d.runClient(rotate)
	leaked := d.runClient(with(rotate, fields{"force": true}))
	for secret, want := range map[string]int{second.Secret: 401, third.Secret: 401, leaked.Secret: 200} {
		d.wantToken("after force", c.ID, secret, "profile", want)
	}
	if leaked.PreviousUntil != nil {
		t.Errorf("after force: got the secret before until %s, want none", leaked.PreviousUntil)
	}
	d.checkRefused(with(rotate, fields{"client_id": "client_1"}), "NOT_FOUND", "")
}

// TestRevokeOAuthClient checks that the client and all its tokens are refused at once, for good.
func TestRevokeOAuthClient(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	c, bystander := d.runClient(clientRegistration(m, nil)), d.runClient(clientRegistration(m, nil))
	_, token := d.createToken(c.ID, c.Secret, "profile")
	_, other := d.createToken(bystander.ID, bystander.Secret, "profile")
	if got := d.profileStatus(m, token); got != http.StatusOK {
		t.Fatalf("before: got %d, want 200", got)
	}
	revoke := fields{"command": "revoke_oauth_client", "client_id": c.ID}
	at := d.Clock.Now()
	for range 2 {
		if got := d.runClient(revoke); got.RevokedAt == nil || !got.RevokedAt.Equal(at) {
			t.Errorf("revoked: got %+v, want it revoked at %s", got, at)
		}
		d.Clock.Advance(time.Minute)
	}
	d.wantToken("revoked", c.ID, c.Secret, "profile", http.StatusUnauthorized)
	if got := d.profileStatus(m, token); got != http.StatusUnauthorized {
		t.Errorf("its token: got %d, want 401", got)
	}
	if got := d.profileStatus(m, other); got != http.StatusOK {
		t.Errorf("another client's token: got %d, want 200", got)
	}
	for command, more := range map[string]fields{"update_oauth_client": {"name": "App"},
		"approve_oauth_client": {"scopes": []string{}}, "rotate_oauth_secret": {"force": true}} {
		d.checkRefused(with(fields{"command": command, "client_id": c.ID}, more), "CONFLICT", "")
	}
	d.checkRefused(with(revoke, fields{"client_id": "client_1"}), "NOT_FOUND", "")
}

func TestCreateOAuthClient_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, live := d.createMerchant(nil), d.createMerchant(fields{"sandbox": false})
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{clientRegistration(m, fields{"merchant_code": ""}), "MISSING", "merchant_code"},
		{clientRegistration(m, fields{"merchant_code": "MC00000000"}), "NOT_FOUND", ""},
		{clientRegistration(m, fields{"mode": "live"}), "INVALID", "mode"},
		{clientRegistration(m, fields{"name": ""}), "MISSING", "name"},
		{clientRegistration(m, fields{"name": "Till\n"}), "INVALID", "name"},
		{clientRegistration(m, fields{"redirect_uris": nil}), "MISSING", "redirect_uris"},
		{clientRegistration(m, fields{"redirect_uris": []string{callbackURI, "/callback"}}), "INVALID", "redirect_uris.1"},
		{clientRegistration(m, fields{"redirect_uris": slices.Repeat([]string{callbackURI}, 21)}), "INVALID",
			"redirect_uris"},
		{clientRegistration(live, fields{"redirect_uris": []string{"http://127.0.0.1/"}}), "INVALID", "redirect_uris.0"},
		{clientRegistration(m, fields{"scopes": nil}), "MISSING", "scopes"},
		{clientRegistration(m, fields{"scopes": []string{"paiments"}}), "INVALID", "scopes"},
		{clientRegistration(m, fields{"approved_scopes": []string{"payments"}}), "INVALID", "approved_scopes"},
		{fields{"command": "show_oauth_client"}, "MISSING", "client_id"},
		{fields{"command": "show_oauth_client", "client_id": "client_1"}, "NOT_FOUND", ""},
	} {
		d.checkRefused(c.command, c.code, c.param)
	}
}

// TestAudit_EachChangeOfClient checks that the audit of the client's merchant has each change, without a secret.
func TestAudit_EachChangeOfClient(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	c := d.runClient(clientRegistration(m, fields{"by": "ada@example.com"}))
	for _, command := range []fields{
		{"command": "approve_oauth_client", "scopes": []string{"payments"}},
		{"command": "update_oauth_client", "name": "App"},
		{"command": "update_oauth_client", "name": "App"}, // changes nothing
		{"command": "rotate_oauth_secret"},
		{"command": "revoke_oauth_client"},
		{"command": "revoke_oauth_client"}, // the client is revoked already
	} {
		d.Clock.Advance(time.Second)
		command["client_id"] = c.ID
		d.runClient(command)
	}
	var got []string
	for _, e := range d.listAudit(m, nil).Entries {
		if e.Subject == "oauth_client "+c.ID {
			got = append(got, fmt.Sprintf("%s%s %s %s %s", e.Actor.ID, e.Mode, e.Operation, redact(e.Before), redact(e.After)))
		}
	}
	want := []string{
		`ada@example.comtest create_oauth_client {} {"name":"Till","redirect_uris":["` + callbackURI +
			`"],"revoked":false,"scopes":["payments","user.profile_readonly"],"secret_sha256_prefix":"…"}`,
		`test approve_oauth_client {} {"approved_scopes":["payments"]}`,
		`test update_oauth_client {"name":"Till"} {"name":"App"}`,
		`test rotate_oauth_secret {"secret_sha256_prefix":"…"} {"secret_sha256_prefix":"…"}`,
		`test revoke_oauth_client {"revoked":false} {"revoked":true}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// redact returns an entry's values without the digits of a secret's hash.
func redact(shown json.RawMessage) string {
	const prefix = `"secret_sha256_prefix":"`
	text := string(shown)
	if at := strings.Index(text, prefix); at >= 0 {
		at += len(prefix)
		return text[:at] + "…" + text[at+8:]
	}
	return text
}
