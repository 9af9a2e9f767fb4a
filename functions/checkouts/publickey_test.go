package checkouts_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// hidden lists the fields that a payer's browser must not see (contract §2.1).
var hidden = map[string]string{"pay_to_email": "", "return_url": "", "customer_id": "",
	"payment_instrument": "", "mandate": ""}

func TestBrowserCredential_RetrieveAndProcess(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for name, browser := range inBrowsers(s) {
		t.Run(name, func(t *testing.T) { retrieveAndProcess(t, s, browser) })
	}
}

func retrieveAndProcess(t *testing.T, s, browser world.Shop) {
	t.Helper()
	open := func() string {
		return s.Create("10.10", fields{"customer_id": s.Customer(), "pay_to_email": "kaffee@example.com"})
	}
	do := func(method, id string, body any) world.Response {
		return browser.Send(method, "/v0.1/checkouts/"+id, body)
	}
	id := open()
	read := do("GET", id, nil)
	if world.Holds(t, read.Body, hidden); read.Status != 200 || read.Text("id") != id {
		t.Errorf("retrieve: got %d %s, want 200 and checkout %s", read.Status, read.Body, id)
	}
	paid := do("PUT", id, s.Card(world.Frictionless))
	if world.Holds(t, paid.Body, hidden); paid.Status != 200 || paid.Text("status") != "PAID" {
		t.Errorf("process: got %d %s, want 200 and PAID", paid.Status, paid.Body)
	}
	wantCallbacks(t, s, id, 1)
	browser.Want("challenge", 202, do("PUT", open(), s.Card(world.Challenged)))
	for name, kept := range map[string]string{"pay_to_email": `"kaffee@example.com"`,
		"return_url": `"` + s.Receiver.URL + `"`} {
		world.Holds(t, s.Checkout(id).Body, map[string]string{name: kept})
	}
}

func TestPublicKey_OtherOperations(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	key, id, customer := s.NewKey("public"), s.Create("10.10", nil), s.Customer()
	before := s.Checkout(id)
	requests := append(requestsFor(s, id)[2:],
		world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: s.CheckoutBody("10.10")},
		world.Request{Method: "GET", Path: "/v0.1/checkouts"},
		world.Request{Method: "GET", Path: "/v0.1/merchants/" + s.Merchant.Code + "/payment-methods"},
		world.Request{Method: "POST", Path: "/v0.1/customers", Body: map[string]any{"customer_id": "x"}},
		world.Request{Method: "GET", Path: "/v0.1/customers/" + customer},
		world.Request{Method: "PUT", Path: "/v0.1/customers/" + customer, Body: map[string]any{}},
		world.Request{Method: "GET", Path: "/v0.1/customers/" + customer + "/payment-instruments"},
		world.Request{Method: "DELETE", Path: "/v0.1/customers/" + customer + "/payment-instruments/x"})
	for _, request := range requests {
		request.APIKey = key
		denied.Check(t, s.Do(request))
	}
	noCheckout.Check(t, s.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts/" + s.OtherShop().Create("10.10", nil),
		APIKey: key}))
	if after := s.Checkout(id); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant it unchanged: %s", after.Body, before.Body)
	}
	if all := listed(t, s.Send("GET", "/v0.1/checkouts", nil)); len(all) != 1 {
		t.Errorf("got checkouts %s, want 1", all)
	}
}

// TestCORS_BrowserRoutes checks that pages of any site may call the operations that accept a public key or a merchant
// token. They may call no other operations (contract §2.1).
func TestCORS_BrowserRoutes(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	at := "/v0.1/checkouts/" + s.Create("10.10", nil)
	for path, methods := range map[string]string{at: "GET, PUT", "/v0.1/checkouts": "POST"} {
		preflight := s.Do(world.Request{Method: "OPTIONS", Path: path, APIKey: world.NoKey,
			Header: map[string]string{"Origin": "https://shop.example"}})
		if preflight.Status != 204 || preflight.Header.Get("Access-Control-Allow-Origin") != "*" ||
			preflight.Header.Get("Access-Control-Allow-Methods") != methods {
			t.Errorf("preflight: got %d %v, want 204, origin *, methods %s", preflight.Status, preflight.Header, methods)
		}
	}
	for name, got := range map[string]world.Response{
		"retrieve": s.Send("GET", at, nil), "refused": s.Send("PUT", at, map[string]any{}),
		"create":            s.Send("POST", "/v0.1/checkouts", map[string]any{}),
		"not authenticated": s.Do(world.Request{Method: "GET", Path: at, APIKey: world.NoKey}),
	} {
		if got.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: got %v, want Access-Control-Allow-Origin *", name, got.Header)
		}
	}
	for _, path := range []string{at + "/payment-methods", "/v0.1/customers/x"} {
		refused := s.Do(world.Request{Method: "OPTIONS", Path: path, APIKey: world.NoKey})
		if refused.Status != 405 || refused.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: got %d %v, want 405 and no Access-Control-Allow-Origin", path, refused.Status, refused.Header)
		}
		if got := s.Send("GET", path, nil); got.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: got %v, want no Access-Control-Allow-Origin", path, got.Header)
		}
	}
}
