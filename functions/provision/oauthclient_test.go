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

// oauthClient is one as the commands answer it.
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

// clientRegistration is a command that registers a client, with changes.
func clientRegistration(m provisioned, changes fields) fields {
	return with(fields{"command": "create_oauth_client", "merchant_code": m.Code, "name": "Till",
		"redirect_uris": []string{callbackURI}, "scopes": []string{"payments", "profile"}}, changes)
}

// client runs a command whose answer is a client.
func (d operator) client(command fields) oauthClient {
	d.Helper()
	c := run[oauthClient](d, command)
	if c.Secret != "" {
		d.Secret("client secret", c.Secret)
	}
	return c
}

// token asks for an access token by the client's own credentials; its text is "" when it is refused.
func (d operator) token(id, secret, scope string) (status int, text string) {
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
	if got, _ := d.token(id, secret, scope); got != want {
		d.Errorf("%s: got %d, want %d", what, got, want)
	}
}

func TestAnOAuthClientIsRegistered(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	got := d.client(clientRegistration(m, nil))
	want := oauthClient{ID: got.ID, Secret: got.Secret, MerchantCode: m.Code, Mode: "test", Name: "Till",
		RedirectURIs: []string{callbackURI}, Scopes: []string{"payments", "user.profile_readonly"}, Approved: []string{},
		CreatedAt: d.Clock.Now(), UpdatedAt: d.Clock.Now()}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got.ID, "client_") || len(got.Secret) != 43 {
		t.Errorf("id %s, a secret of %d characters (-want +got):\n%s", got.ID, len(got.Secret), diff)
	}
	want.Secret = ""
	if diff := cmp.Diff(want, d.client(fields{"command": "show_oauth_client", "client_id": got.ID})); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	d.wantToken("at once", got.ID, got.Secret, "profile", http.StatusOK)
	if _, text := d.token(got.ID, got.Secret, "profile"); d.profile(m, text) != http.StatusOK {
		t.Error("got no profile with its token, want its merchant's")
	}
	live := d.createMerchant(fields{"sandbox": false})
	if c := d.client(clientRegistration(live, nil)); c.Mode != "live" {
		t.Errorf("a live merchant's: got mode %s, want live", c.Mode)
	}
	if c := d.client(clientRegistration(live, fields{"mode": "test", "redirect_uris": []string{}})); c.Mode != "test" ||
		len(c.RedirectURIs) != 0 {
		t.Errorf("in test mode: got %+v, want mode test, no redirect URIs", c)
	}
}

// profile is the status of the merchant's profile for a token.
func (d operator) profile(m provisioned, token string) int {
	d.Helper()
	return d.Do(world.Request{Method: http.MethodGet, Path: "/v1/merchants/" + m.Code, APIKey: token}).Status
}

// TestRestrictedScopesNeedApproval (contract §2.1).
func TestRestrictedScopesNeedApproval(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	c := d.client(clientRegistration(d.createMerchant(nil), nil))
	d.wantToken("before", c.ID, c.Secret, "payments", http.StatusBadRequest)
	approve := func(scopes ...string) fields {
		return fields{"command": "approve_oauth_client", "client_id": c.ID, "scopes": append([]string{}, scopes...)}
	}
	if got := d.client(approve("payments")); !slices.Equal(got.Approved, []string{"payments"}) || got.Secret != "" {
		t.Errorf("approved: got %+v, want payments, without the secret", got)
	}
	d.wantToken("approved", c.ID, c.Secret, "payments", http.StatusOK)
	if got := d.client(approve()); len(got.Approved) != 0 {
		t.Errorf("taken back: got %+v, want none", got.Approved)
	}
	d.wantToken("taken back", c.ID, c.Secret, "payments", http.StatusBadRequest)
	for _, refused := range []struct {
		command     fields
		code, param string
	}{
		{approve("refunds.write"), "INVALID", "scopes"}, // it is not registered for that
		{approve("profile"), "INVALID", "scopes"},       // it needs none
		{approve("paiments"), "INVALID", "scopes"},
		{with(approve(), fields{"scopes": nil}), "MISSING", "scopes"},
		{with(approve(), fields{"scopes": "payments"}), "INVALID", "scopes"},
		{with(approve(), fields{"client_id": ""}), "MISSING", "client_id"},
		{with(approve(), fields{"client_id": "client_1"}), "NOT_FOUND", ""},
	} {
		d.checkRefused(refused.command, refused.code, refused.param)
	}
}

// TestAnApprovalEndsWithItsScope: who registers for it again is approved again.
func TestAnApprovalEndsWithItsScope(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	c := d.client(clientRegistration(d.createMerchant(nil), nil))
	d.client(fields{"command": "approve_oauth_client", "client_id": c.ID, "scopes": []string{"payments"}})
	update := fields{"command": "update_oauth_client", "client_id": c.ID}
	d.Clock.Advance(time.Hour)
	got := d.client(with(update, fields{"name": "App", "scopes": []string{"products"}}))
	want := c
	want.Secret, want.Name, want.Scopes, want.UpdatedAt = "", "App", []string{"products"}, d.Clock.Now()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
	got = d.client(with(update, fields{"scopes": []string{"payments"}, "redirect_uris": []string{"http://localhost:1/"}}))
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

func TestAClientSecretIsRotated(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	c := d.client(clientRegistration(d.createMerchant(nil), nil))
	rotate := fields{"command": "rotate_oauth_secret", "client_id": c.ID}
	second := d.client(rotate)
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
	third := d.client(rotate)
	leaked := d.client(with(rotate, fields{"force": true}))
	for secret, want := range map[string]int{second.Secret: 401, third.Secret: 401, leaked.Secret: 200} {
		d.wantToken("after force", c.ID, secret, "profile", want)
	}
	if leaked.PreviousUntil != nil {
		t.Errorf("after force: got the secret before until %s, want none", leaked.PreviousUntil)
	}
	d.checkRefused(with(rotate, fields{"client_id": "client_1"}), "NOT_FOUND", "")
}

// TestARevokedClientIsRefusedAtOnce, with all its tokens, and for good.
func TestARevokedClientIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	c, bystander := d.client(clientRegistration(m, nil)), d.client(clientRegistration(m, nil))
	_, token := d.token(c.ID, c.Secret, "profile")
	_, other := d.token(bystander.ID, bystander.Secret, "profile")
	if got := d.profile(m, token); got != http.StatusOK {
		t.Fatalf("before: got %d, want 200", got)
	}
	revoke := fields{"command": "revoke_oauth_client", "client_id": c.ID}
	at := d.Clock.Now()
	for range 2 {
		if got := d.client(revoke); got.RevokedAt == nil || !got.RevokedAt.Equal(at) {
			t.Errorf("revoked: got %+v, want it revoked at %s", got, at)
		}
		d.Clock.Advance(time.Minute)
	}
	d.wantToken("revoked", c.ID, c.Secret, "profile", http.StatusUnauthorized)
	if got := d.profile(m, token); got != http.StatusUnauthorized {
		t.Errorf("its token: got %d, want 401", got)
	}
	if got := d.profile(m, other); got != http.StatusOK {
		t.Errorf("another client's token: got %d, want 200", got)
	}
	for command, more := range map[string]fields{"update_oauth_client": {"name": "App"},
		"approve_oauth_client": {"scopes": []string{}}, "rotate_oauth_secret": {"force": true}} {
		d.checkRefused(with(fields{"command": command, "client_id": c.ID}, more), "CONFLICT", "")
	}
	d.checkRefused(with(revoke, fields{"client_id": "client_1"}), "NOT_FOUND", "")
}

func TestClientsThatCannotBeRegistered(t *testing.T) {
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

// TestEachChangeOfAClientIsInTheAudit of its merchant, without a secret.
func TestEachChangeOfAClientIsInTheAudit(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	c := d.client(clientRegistration(m, fields{"by": "ada@example.com"}))
	for _, command := range []fields{
		{"command": "approve_oauth_client", "scopes": []string{"payments"}},
		{"command": "update_oauth_client", "name": "App"},
		{"command": "update_oauth_client", "name": "App"}, // changes nothing
		{"command": "rotate_oauth_secret"},
		{"command": "revoke_oauth_client"},
		{"command": "revoke_oauth_client"}, // is done
	} {
		d.Clock.Advance(time.Second)
		command["client_id"] = c.ID
		d.client(command)
	}
	var got []string
	for _, e := range d.audit(m, nil).Entries {
		if e.Subject == "oauth_client "+c.ID {
			got = append(got, fmt.Sprintf("%s%s %s %s %s", e.Actor.ID, e.Mode, e.Operation, hidden(e.Before), hidden(e.After)))
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

// hidden is what an entry shows, without the digits of a secret's hash.
func hidden(shown json.RawMessage) string {
	const prefix = `"secret_sha256_prefix":"`
	text := string(shown)
	if at := strings.Index(text, prefix); at >= 0 {
		at += len(prefix)
		return text[:at] + "…" + text[at+8:]
	}
	return text
}
