package rest_test

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// publicThings returns a route that also takes public keys.
func publicThings() []rest.Route {
	open := route("GET", "/things", respond("thing"))
	open.Access = rest.PublicToo
	return []rest.Route{open}
}

// addNeighbour adds a merchant with merchant.Merchant.Requests, and returns its tenant.
func (f *fixture) addNeighbour(t *testing.T, code string, requests int) identity.Tenant {
	t.Helper()
	m := merchant.Merchant{Code: code, Name: "Neighbour", Requests: requests}
	if err := f.store.CreateMerchant(t.Context(), byTest, m, account.Account{}); err != nil {
		t.Fatal(err)
	}
	return identity.Tenant{Mode: identity.Test, Merchant: code}
}

// countServed sends requests with a key from an address, and returns the number of those served.
func (f *fixture) countServed(address, key string, requests int) int {
	served := 0
	for range requests {
		r := f.request("GET", "/things", "", "Authorization: Bearer "+key)
		r.RemoteAddr = address
		if answer(f.handler, r).Code == 200 {
			served++
		}
	}
	return served
}

// TestLimits_FloodByOneMerchant counts the served requests of a merchant with many keys and many payers, and of its
// neighbours (contract §2.9).
func TestLimits_FloodByOneMerchant(t *testing.T) {
	t.Parallel()
	f := newFixture(t, publicThings())
	live := identity.Tenant{Mode: identity.Live, Merchant: tenant.Merchant}
	others := map[string]string{
		"another merchant": f.addKey(t, f.addNeighbour(t, "MC0B1B2C3D", 0), "key_1", identity.SecretKey, "things"),
		"its payers": f.addKey(t, identity.Tenant{Mode: identity.Test, Merchant: "MC0B1B2C3D"}, "key_2",
			identity.PublicKey),
		"live mode": f.addKey(t, live, "key_1", identity.SecretKey, "things"),
	}
	unharmed := func(after string) {
		for name, key := range others {
			if got := f.countServed("192.0.2.1", key, 100); got != 100 {
				t.Errorf("%s, %s: got %d of 100 requests served, want all", after, name, got)
			}
		}
	}
	payers := 0
	for i := range 4 {
		payers += f.countServed(fmt.Sprint("198.51.100.", i), f.public, 500)
	}
	unharmed("payers flood")
	keys := f.countServed("192.0.2.1", f.secret, 500)
	for i := range 3 {
		keys += f.countServed("192.0.2.1", f.addKey(t, tenant, fmt.Sprint("key_", 10+i), identity.SecretKey, "things"), 500)
	}
	unharmed("keys flood")
	if keys != 1500 || payers != 1500 {
		t.Errorf("got %d requests of 4 keys served and %d of 4 payers, want 1500 each", keys, payers)
	}
}

// TestLimits_PayerOfAPublicKey checks that a payer with the shared public key empties only the bucket of the payer's
// address.
func TestLimits_PayerOfAPublicKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t, publicThings(), func(c *rest.Config) { c.Limits.Credential = rest.Limit{Rate: 1, Burst: 10} })
	if got := f.countServed("2001:db8::1", f.public, 20) + f.countServed("2001:db8::2", f.public, 20); got != 10 {
		t.Errorf("one /64: got %d of 40 requests served, want 10", got)
	}
	if got := f.countServed("2001:db8:0:1::1", f.public, 10); got != 10 {
		t.Errorf("another payer: got %d of 10 requests served, want all", got)
	}
}

// TestLimits_PayersWithMerchantTokens checks that requests with merchant tokens take from the bucket of the payers, and
// not from the bucket of the merchant.
func TestLimits_PayersWithMerchantTokens(t *testing.T) {
	t.Parallel()
	routes := publicThings()
	routes[0].Action = identity.CheckoutAction
	f := newFixture(t, routes, func(c *rest.Config) { c.Limits.Tenant = rest.Limit{Rate: 10, Burst: 50} })
	maker, _ := identity.ParseToken(f.addCredential(t, "key_4", identity.SecretKey, "payments"))
	p, _, err := f.store.Authenticate(t.Context(), maker, "")
	if err != nil {
		t.Fatal(err)
	}
	token, text, err := p.MerchantTokenFrom(rand.Reader, identity.MerchantTokenRequest{
		Actions: []identity.Action{identity.CheckoutAction}}, f.Now())
	if err == nil {
		_, err = f.store.CreateMerchantToken(t.Context(), audit.By{Principal: p, Actor: byTest.Actor, Operation: "test"},
			token)
	}
	if err != nil {
		t.Fatal(err)
	}
	payers := f.countServed("192.0.2.1", text, 30) + f.countServed("192.0.2.2", f.public, 30)
	if keys := f.countServed("192.0.2.1", f.secret, 60); payers != 50 || keys != 50 {
		t.Errorf("got %d requests of payers and %d of a key served, want 50 each", payers, keys)
	}
}

// TestLimits_MerchantsOwnLimit checks limits above and below the usual limit. An operator may set them.
func TestLimits_MerchantsOwnLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, publicThings(), func(c *rest.Config) { c.Limits.Tenant = rest.Limit{Rate: 10, Burst: 50} })
	for code, c := range map[string]struct{ allowed, want int }{
		"MC0B1B2C3D": {0, 50}, "MC0C1B2C3D": {4, 20}, "MC0D1B2C3D": {20, 100},
	} {
		key := f.addKey(t, f.addNeighbour(t, code, c.allowed), "key_1", identity.SecretKey, "things")
		if got := f.countServed("192.0.2.1", key, 120); got != c.want {
			t.Errorf("allowed %d a second: got %d requests served at once, want %d", c.allowed, got, c.want)
		}
		r := f.request("GET", "/things", "", "Authorization: Bearer "+key)
		if refused := answer(f.handler, r); refused.Header().Get("Retry-After") == "" ||
			refused.Header().Get("RateLimit-Policy") != `"default";q=500;w=5` {
			t.Errorf("got headers %v, want Retry-After and the credential's RateLimit-Policy", refused.Header())
		}
	}
}
