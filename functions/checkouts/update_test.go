package checkouts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func patch(s world.Shop, id string, body any) world.Response {
	s.Helper()
	return s.Send("PATCH", "/v0.1/checkouts/"+id, body)
}

func TestUpdateCheckout_Valid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	for _, c := range []struct {
		name string
		body any
		want map[string]string
	}{
		{"amount", map[string]any{"amount": 11.5}, map[string]string{"amount": "11.50", "currency": `"EUR"`}},
		{"amount as text", map[string]any{"amount": "12"}, map[string]string{"amount": "12.00"}},
		{"currency", map[string]any{"currency": "EUR"}, map[string]string{"currency": `"EUR"`, "amount": "10.10"}},
		{"description", map[string]any{"description": "new"}, map[string]string{"description": `"new"`, "amount": "10.10"}},
		{"reference", map[string]any{"checkout_reference": "new"}, map[string]string{"checkout_reference": `"new"`}},
		{"customer", map[string]any{"customer_id": customer}, map[string]string{"customer_id": `"` + customer + `"`}},
		{"valid until", map[string]any{"valid_until": "2026-11-21T00:00:00Z"},
			map[string]string{"valid_until": `"2026-11-21T00:00:00.000+00:00"`}},
		{"no end", map[string]any{"valid_until": nil}, map[string]string{"valid_until": ""}},
		{"nothing", map[string]any{}, map[string]string{"amount": "10.10", "valid_until": `"2026-11-20T13:00:00.000+00:00"`}},
		{"no body", nil, map[string]string{"amount": "10.10"}},
		{"null is absent", map[string]any{"amount": nil, "checkout_reference": nil, "description": nil,
			"currency": nil, "customer_id": nil},
			map[string]string{"amount": "10.10", "description": `"old"`, "valid_until": `"2026-11-20T13:00:00.000+00:00"`}},
		{"what cannot be changed", map[string]any{"status": "PAID", "id": "x", "return_url": "http://10.0.0.1",
			"merchant_code": "x", "purpose": "x"},
			map[string]string{"status": `"PENDING"`, "return_url": `"` + s.Receiver.URL + `"`, "purpose": `"CHECKOUT"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := s.Create("10.10", fields{"description": "old", "valid_until": "2026-11-20T13:00:00Z"})
			before := world.Fields(t, s.Checkout(id).Body)
			got := patch(s, id, c.body)
			if world.Holds(t, got.Body, c.want); got.Status != 200 || string(s.Checkout(id).Body) != string(got.Body) {
				t.Errorf("got %d %s\nwant 200 and as read: %s", got.Status, got.Body, s.Checkout(id).Body)
			}
			for name, value := range world.Fields(t, got.Body) {
				if _, meant := c.want[name]; !meant && value != before[name] {
					t.Errorf("got %s %s, want it unchanged: %s", name, value, before[name])
				}
			}
		})
	}
}

func TestUpdateCheckout_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	taken := "taken"
	s.Create("10.10", fields{"checkout_reference": taken})
	setup := s.Create("0", fields{"customer_id": s.Customer(), "purpose": "SETUP_RECURRING_PAYMENT"})
	id := s.Create("10.10", fields{"valid_until": "2026-11-20T13:00:00Z"})
	for _, c := range []struct {
		name string
		id   string
		body map[string]any
		want world.Refusal
	}{
		{"taken reference", id, map[string]any{"checkout_reference": taken}, duplicate},
		{"reference too long", id, map[string]any{"checkout_reference": strings.Repeat("x", 91)},
			invalid("checkout_reference")},
		{"empty reference", id, map[string]any{"checkout_reference": ""}, invalid("checkout_reference")},
		{"reference with a control", id, map[string]any{"checkout_reference": "a\x00"}, invalid("checkout_reference")},
		{"description with a control", id, map[string]any{"description": "a\u009f"}, invalid("description")},
		{"amount with an exponent", id, map[string]any{"amount": json.Number("1e1")}, invalid("amount")},
		{"empty end", id, map[string]any{"valid_until": ""}, invalid("valid_until")},
		{"amount zero", id, map[string]any{"amount": 0}, invalid("amount")},
		{"amount below zero", id, map[string]any{"amount": "-1"}, invalid("amount")},
		{"amount too large", id, map[string]any{"amount": 1e9}, invalid("amount")},
		{"amount with too many decimals", id, map[string]any{"amount": 1.001}, invalid("amount")},
		{"amount no number", id, map[string]any{"amount": "x"}, invalid("amount")},
		{"another currency", id, map[string]any{"currency": "USD"}, invalid("currency")},
		{"another currency and amount", id, map[string]any{"currency": "HUF", "amount": 100}, invalid("currency")},
		{"description too long", id, map[string]any{"description": strings.Repeat("x", 1001)}, invalid("description")},
		{"unknown customer", id, map[string]any{"customer_id": "nobody"}, invalid("customer_id")},
		{"customer of no key's length", id, map[string]any{"customer_id": strings.Repeat("x", 3000)}, invalid("customer_id")},
		{"another merchant's customer", id, map[string]any{"customer_id": s.OtherShop().Customer()}, invalid("customer_id")},
		{"setup without a customer", setup, map[string]any{"customer_id": ""}, missing("customer_id")},
		{"past its time", id, map[string]any{"valid_until": "2026-11-20T12:00:00Z"}, invalid("valid_until")},
		{"until a day", id, map[string]any{"valid_until": "2026-12-20"}, invalid("valid_until")},
		{"good and bad", id, map[string]any{"description": "new", "amount": 0}, invalid("amount")},
		{"good and taken", id, map[string]any{"description": "new", "checkout_reference": taken}, duplicate},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := s.Checkout(c.id)
			c.want.Check(t, patch(s, c.id, c.body))
			if after := s.Checkout(c.id); string(after.Body) != string(before.Body) {
				t.Errorf("got %s\nwant it unchanged: %s", after.Body, before.Body)
			}
		})
	}
	malformed.Check(t, patch(s, id, "["))
	noCheckout.Check(t, patch(s, "nothing", map[string]any{"amount": 1}))
}

// TestUpdateCheckout_OldReference checks that a changed checkout's old reference cannot be used again.
func TestUpdateCheckout_OldReference(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", fields{"checkout_reference": "old"})
	s.Must(200, patch(s, id, map[string]any{"checkout_reference": "new"}))
	for _, reference := range []string{"old", "new"} {
		duplicate.Check(t,
			s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), change{"checkout_reference", reference})))
	}
	for query, want := range map[string]int{"old": 0, "new": 1} {
		if got := listed(t, s.Send("GET", "/v0.1/checkouts?checkout_reference="+query, nil)); len(got) != want {
			t.Errorf("%s: got %d checkouts, want %d", query, len(got), want)
		}
	}
}

// TestUpdateCheckout_NotOpen checks that neither a paid checkout nor a checkout with a running attempt can be updated.
// A FAILED checkout is still open, so it can be updated (contract §13.1).
func TestUpdateCheckout_NotOpen(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	pending, failed, paid := s.Create("10.10", nil), s.Create("10.10", nil), s.Create("10.10", nil)
	s.ProcessCheckout(pending, s.Card(world.Challenged))
	s.ProcessCheckout(failed, s.Card(failingCards[0]))
	s.MustPay(paid, s.Card(world.Frictionless))
	busy.Check(t, patch(s, pending, map[string]any{"amount": 1}))
	processed.Check(t, patch(s, paid, map[string]any{"amount": 1}))
	if got := patch(s, failed, map[string]any{"amount": 11.5}); got.Status != 200 || got.Text("status") != "FAILED" {
		t.Errorf("got %d %s, want 200 and FAILED", got.Status, got.Body)
	}
	world.Holds(t, transactions(t, s.Checkout(failed))[0], map[string]string{"amount": "10.10"})
	world.Holds(t, transactions(t, s.MustPay(failed, s.Card(world.Frictionless)))[1], map[string]string{"amount": "11.50"})
	for id, callbacks := range map[string]int{pending: 0, failed: 2, paid: 1} {
		wantCallbacks(t, s, id, callbacks)
	}
}
