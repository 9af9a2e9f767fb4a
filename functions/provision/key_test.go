package provision_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/provision"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

func TestCreateAPIKey_Scopes(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	for _, c := range []struct {
		scopes []string
		status int
	}{
		{[]string{"checkouts.read"}, http.StatusOK},
		{[]string{"payments", "email"}, http.StatusOK},
		{[]string{"products", "profile"}, http.StatusForbidden},
		{[]string{}, http.StatusForbidden},
	} {
		k := d.createKey(fields{"merchant_code": m.Code, "name": "till", "scopes": c.scopes})
		if k.Mode != "test" || !keyIDForm.MatchString(k.ID) {
			t.Errorf("key: got %s, mode %s, want an id like %s, mode test", k.ID, k.Mode, keyIDForm)
		}
		if status := d.listStatus(k.Plaintext); status != c.status {
			t.Errorf("scopes %v: got %d, want %d", c.scopes, status, c.status)
		}
	}
	alias := d.createKey(fields{"merchant_code": m.Code, "name": "till", "scopes": []string{"profile"}})
	if p, _ := d.authenticate(alias.Plaintext); !p.May("user.profile_readonly") {
		t.Errorf("scopes of profile: got %v, want user.profile_readonly among them", p.Scopes)
	}
}

func TestCreateAPIKey_Public(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"sandbox": false})
	k := d.createKey(fields{"merchant_code": m.Code, "mode": "live", "type": "public"})
	if !strings.HasPrefix(k.Plaintext, "pk_live_") {
		t.Errorf("key: got %s…, want pk_live_…", k.Plaintext[:8])
	}
	p, _ := d.authenticate(k.Plaintext)
	if p.Actor.Kind != identity.PublicKey || len(p.Scopes) != 0 ||
		p.Tenant != (identity.Tenant{Mode: identity.Live, Merchant: m.Code}) {
		t.Errorf("principal: got %+v, want a public key without scopes, live, of %s", p, m.Code)
	}
}

func TestRevokeAPIKey(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	doomed := d.createKey(fields{"merchant_code": m.Code, "name": "till", "scopes": []string{"payments"}})
	if status := d.listStatus(doomed.Plaintext); status != http.StatusOK {
		t.Fatalf("before: got %d, want 200", status)
	}
	for range 2 {
		run[fields](d, fields{"command": "revoke_api_key", "merchant_code": m.Code, "mode": "test", "key_id": doomed.ID})
		if status := d.listStatus(doomed.Plaintext); status != http.StatusUnauthorized {
			t.Errorf("revoked: got %d, want 401", status)
		}
	}
	if status := d.listStatus(m.Key.Plaintext); status != http.StatusOK {
		t.Errorf("the other key: got %d, want 200", status)
	}
}

func TestCreateAPIKey_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	mine, other := d.createMerchant(nil), d.createMerchant(nil)
	secret := func(changes fields) fields {
		f := fields{"command": "create_api_key", "merchant_code": mine.Code, "name": "till", "scopes": []string{"payments"}}
		for name, value := range changes {
			f[name] = value
		}
		return f
	}
	revoke := func(code, mode, id string) fields {
		return fields{"command": "revoke_api_key", "merchant_code": code, "mode": mode, "key_id": id}
	}
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{secret(fields{"merchant_code": ""}), "MISSING", "merchant_code"},
		{secret(fields{"merchant_code": 5}), "INVALID", "merchant_code"},
		{secret(fields{"merchant_code": "MC00000000"}), "NOT_FOUND", ""},
		{secret(fields{"mode": "live"}), "INVALID", "mode"},
		{secret(fields{"mode": "T"}), "INVALID", "mode"},
		{secret(fields{"type": "private"}), "INVALID", "type"},
		{secret(fields{"name": ""}), "MISSING", "name"},
		{secret(fields{"name": strings.Repeat("ä", 256)}), "INVALID", "name"},
		{secret(fields{"name": "till\x00"}), "INVALID", "name"},
		{secret(fields{"scopes": nil}), "MISSING", "scopes"},
		{secret(fields{"scopes": []string{"paiments"}}), "INVALID", "scopes"},
		{secret(fields{"scopes": "payments"}), "INVALID", "scopes"},
		{secret(fields{"type": "public"}), "INVALID", "scopes"},
		{revoke(mine.Code, "test", ""), "MISSING", "key_id"},
		{revoke(mine.Code, "", mine.Key.ID), "INVALID", "mode"},
		{revoke(mine.Code, "test", "key_unknown"), "NOT_FOUND", ""},
		{revoke(other.Code, "test", mine.Key.ID), "NOT_FOUND", ""},
	} {
		d.checkRefused(c.command, c.code, c.param)
	}
	if status := d.listStatus(mine.Key.Plaintext); status != http.StatusOK {
		t.Errorf("with a key that could not be revoked: got %d, want 200", status)
	}
}

func TestRotateCallbackSecret_TwiceADay(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	code := d.createMerchant(nil).Code
	rotate := fields{"command": "rotate_callback_secret", "merchant_code": code}
	type rotated struct {
		Secret  string
		Version int
	}
	seen := map[string]bool{}
	wantVersion := func(version int) {
		t.Helper()
		got := run[rotated](d, rotate)
		d.Secret("callback secret", got.Secret)
		if _, err := webhook.ParseSecret(got.Secret); err != nil || got.Version != version || seen[got.Secret] {
			t.Errorf("got version %d, %v, seen before: %t, want version %d, not seen before", got.Version, err,
				seen[got.Secret], version)
		}
		seen[got.Secret] = true
	}
	wantVersion(1)
	wantVersion(2) // no earlier secret is in use, because the merchant had none before the first
	d.Clock.Advance(24*time.Hour - time.Second)
	if got := d.runRefused(rotate); got.Code != "CONFLICT" {
		t.Errorf("within the day: got %+v, want CONFLICT", got)
	}
	rotate["force"] = true
	wantVersion(3)
	delete(rotate, "force")
	d.Clock.Advance(24 * time.Hour)
	wantVersion(4)
}

func TestInvoke_InternalFault(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	cut := app.New(d.App.Config, app.Overrides{Now: d.Clock.Now, HTTP: faults.Down{}, MaxAttempts: 1})
	request, err := json.Marshal(registration(nil))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := provision.Invoke(cut)(context.Background(), request)
	if err == nil || answer != nil || strings.Contains(err.Error(), faults.ErrNetwork.Error()) {
		t.Errorf("got answer %v, %v, want none, and an error without %q", answer, err, faults.ErrNetwork)
	}
}
