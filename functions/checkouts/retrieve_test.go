package checkouts_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// listed returns the checkouts of a list as raw JSON.
func listed(t testing.TB, got world.Response) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	if err := got.Into(&all); err != nil || got.Status != 200 {
		t.Fatalf("got %d %s, %v, want 200 with a list", got.Status, got.Body, err)
	}
	return all
}

func TestListCheckouts_NewestFirst(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	if empty := s.Send("GET", "/v0.1/checkouts", nil); empty.Status != 200 || string(empty.Body) != "[]" {
		t.Errorf("none yet: got %d %s, want 200 []", empty.Status, empty.Body)
	}
	var want []json.RawMessage
	for range 3 {
		id := s.Create("10.10", nil)
		want = append([]json.RawMessage{s.Checkout(id).Body}, want...)
		s.Clock.Advance(time.Millisecond)
	}
	got := listed(t, s.Send("GET", "/v0.1/checkouts", nil))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checkouts (-want +got):\n%s", diff)
	}
}

// TestListCheckouts_ByReference checks that a client finds its checkout after the error DUPLICATED_CHECKOUT.
func TestListCheckouts_ByReference(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	const reference = "a/b ü&c"
	id := s.Create("10.10", fields{"checkout_reference": reference})
	s.Create("10.10", nil)
	s.OtherShop().Create("10.10", fields{"checkout_reference": "theirs"})
	for query, want := range map[string]int{
		"a%2Fb+%C3%BC%26c": 1, "a/b": 0, "A%2FB+%C3%BC%26C": 0, "theirs": 0, strings.Repeat("x", 3000): 0,
	} {
		if got := listed(t, s.Send("GET", "/v0.1/checkouts?checkout_reference="+query, nil)); len(got) != want {
			t.Errorf("%q: got %d checkouts, want %d", query, len(got), want)
		}
	}
	found := listed(t, s.Send("GET", "/v0.1/checkouts?checkout_reference=a%2Fb+%C3%BC%26c", nil))
	if read := s.Checkout(id); string(found[0]) != string(read.Body) {
		t.Errorf("listed: got %s\nwant as read: %s", found[0], read.Body)
	}
	for _, query := range []string{"=", "=a&checkout_reference=b"} {
		invalid("checkout_reference").Check(t, s.Send("GET", "/v0.1/checkouts?checkout_reference"+query, nil))
	}
}

func TestRetrieveCheckout_Paid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	id := s.Create("10.10", fields{"customer_id": customer, "valid_until": "2026-11-21T00:00:00Z"})
	paid := s.MustPay(id, s.Card(world.Frictionless))
	s.Clock.Advance(48 * time.Hour) // a paid checkout does not expire
	read := s.Checkout(id)
	if string(read.Body) != string(paid.Body) {
		t.Errorf("read: got %s\nwant as paid: %s", read.Body, paid.Body)
	}
	if all := listed(t, s.Send("GET", "/v0.1/checkouts", nil)); string(all[0]) != string(read.Body) {
		t.Errorf("listed: got %s\nwant as read: %s", all[0], read.Body)
	}
	var c struct {
		TransactionCode string            `json:"transaction_code"`
		TransactionID   string            `json:"transaction_id"`
		Transactions    []json.RawMessage `json:"transactions"`
	}
	if err := read.Into(&c); err != nil || len(c.Transactions) != 1 {
		t.Fatalf("got %s, %v, want one transaction", read.Body, err)
	}
	world.Holds(t, read.Body, map[string]string{"status": `"PAID"`, "merchant_name": `"Kaffeehaus"`,
		"redirect_url": `"` + world.RedirectURL + `"`,
		"purpose":      `"CHECKOUT"`, "mandate": "", "valid_until": `"2026-11-21T00:00:00.000+00:00"`,
		"customer_id": `"` + customer + `"`})
	world.Holds(t, c.Transactions[0], map[string]string{"id": `"` + c.TransactionID + `"`,
		"transaction_code": `"` + c.TransactionCode + `"`,
		"amount":           "10.10", "currency": `"EUR"`, "timestamp": `"2026-11-20T12:00:00.000+00:00"`,
		"status":       `"SUCCESSFUL"`,
		"payment_type": `"ECOM"`, "installments_count": "1", "merchant_code": `"` + s.Merchant.Code + `"`,
		"vat_amount": "0.00",
		"tip_amount": "0.00", "entry_mode": `"CUSTOMER_ENTRY"`})
	if code := world.Fields(t, c.Transactions[0])["auth_code"]; !regexp.MustCompile(`^"[0-9]{6}"$`).MatchString(code) {
		t.Errorf("got auth_code %s, want six digits", code)
	}
	if read.Text("payment_instrument.token") == "" {
		t.Errorf("got %s, want the token of the saved card", read.Body)
	}
}

// requestsFor returns the requests that name a checkout.
func requestsFor(s world.Shop, id string) []world.Request {
	at := "/v0.1/checkouts/" + id
	return []world.Request{
		{Method: "GET", Path: at}, {Method: "PUT", Path: at, Body: s.Card(world.Frictionless)}, {Method: "DELETE", Path: at},
		{Method: "PATCH", Path: at, Body: map[string]any{"amount": 11}}, {Method: "GET", Path: at + "/payment-methods"},
	}
}

func TestCheckoutAccess_OtherTenant(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	before := s.Checkout(id)
	for _, request := range requestsFor(s, id) {
		request.APIKey = s.Other.Key.Plaintext
		noCheckout.Check(t, s.Do(request))
	}
	for _, request := range requestsFor(s, "nothing") {
		noCheckout.Check(t, s.Do(request))
	}
	if after := s.Checkout(id); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant it unchanged: %s", after.Body, before.Body)
	}
}

// twoModes returns one merchant as two shops, with a live key and with a test key.
func twoModes(s world.Shop) (live, test world.Shop) {
	var made struct {
		world.Merchant
		Test struct{ ID, Plaintext string } `json:"test_api_key"`
	}
	s.Operate(map[string]any{"command": "create_merchant", "name": "Echt", "email": "echt@example.com",
		"country": "DE", "currency": "EUR",
		"test_key": true}, &made)
	s.Secret("API key", made.Key.Plaintext)
	s.Secret("API key", made.Test.Plaintext)
	live, test = s.OtherShop(), s.OtherShop()
	live.Merchant, test.Merchant = made.Merchant, made.Merchant
	test.Merchant.Key.ID, test.Merchant.Key.Plaintext = made.Test.ID, made.Test.Plaintext
	return live, test
}

func TestCheckoutAccess_OtherMode(t *testing.T) {
	t.Parallel()
	live, test := twoModes(world.NewShop(t).WithCallbacks())
	reference := fields{"checkout_reference": "same"}
	money, play := live.Create("10.10", reference), test.Create("10.10", reference)
	for _, c := range []struct {
		in       world.Shop
		own, not string
	}{{live, money, play}, {test, play, money}} {
		for _, request := range requestsFor(c.in, c.not) {
			request.APIKey = c.in.Merchant.Key.Plaintext
			noCheckout.Check(t, c.in.Do(request))
		}
		all := listed(t, c.in.Send("GET", "/v0.1/checkouts", nil))
		if len(all) != 1 || world.Fields(t, all[0])["id"] != `"`+c.own+`"` {
			t.Errorf("got checkouts %s, want one, %s", all, c.own)
		}
	}
	notFound.Check(t, test.Send("GET", "/v0.1/customers/"+live.Customer(), nil))
}

// TestProcessCheckout_LiveWithoutAcquirer checks that payments in live mode are refused while it has no acquirer
// (contract §12).
func TestProcessCheckout_LiveWithoutAcquirer(t *testing.T) {
	t.Parallel()
	live, _ := twoModes(world.NewShop(t).WithCallbacks())
	id := live.Create("10.10", nil)
	before := live.Checkout(id)
	got := live.ProcessCheckout(id, live.Card(world.Frictionless))
	upstream.Check(t, got)
	if got.Header.Get("Retry-After") == "" {
		t.Errorf("got headers %v, want Retry-After", got.Header)
	}
	if after := live.Checkout(id); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant it unchanged: %s", after.Body, before.Body)
	}
	wantCallbacks(t, live, id, 0)
}
