package checkouts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// references returns the references of the checkouts in a list.
func references(t *testing.T, got world.Response) (all []string) {
	t.Helper()
	var list []struct {
		Reference string `json:"checkout_reference"`
	}
	if err := got.Into(&list); err != nil || got.Status != 200 || list == nil {
		t.Fatalf("list: got %d %s, %v, want 200 and an array", got.Status, got.Body, err)
	}
	for _, one := range list {
		all = append(all, one.Reference)
	}
	return all
}

// TestCheckoutAccess_Employee checks that every operation answers 404 if a person without full_transaction_history_view
// names another creator's checkout, because a checkout shows its transactions. A person with that permission reaches
// these checkouts, and so does a key (contract §13.9).
func TestCheckoutAccess_Employee(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	clerk := s.WithKey(s.TokenOf(s.Employ("clerk@example.com", member.Permissions{})))
	other := s.WithKey(s.TokenOf(s.Employ("other@example.com", member.Permissions{Admin: true})))
	viewer := s.WithKey(s.TokenOf(s.Employ("viewer@example.com", member.Permissions{FullTransactionHistoryView: true})))
	client := s.WithKey(s.Token())
	foreign, own := s.Create("10.10", map[string]any{"checkout_reference": "foreign"}),
		clerk.Create("10.10", map[string]any{"checkout_reference": "own"})
	s.Pay(foreign, s.Card(world.Frictionless))

	for _, one := range []struct {
		shop   world.Shop
		hidden []string
		listed int
	}{{clerk, []string{foreign}, 1}, {other, []string{foreign, own}, 0}, {viewer, nil, 2}, {client, nil, 2}, {s, nil, 2}} {
		if got := references(t, one.shop.Send("GET", "/v0.1/checkouts", nil)); len(got) != one.listed {
			t.Errorf("list: got %q, want %d", got, one.listed)
		}
		for _, id := range []string{foreign, own} {
			seen := !slices.Contains(one.hidden, id)
			if got := one.shop.Checkout(id).Status; (got == 200) != seen {
				t.Errorf("retrieve: got %d, want it seen: %t", got, seen)
			}
		}
	}
	if got := references(t, clerk.Send("GET", "/v0.1/checkouts?checkout_reference=foreign", nil)); len(got) != 0 {
		t.Errorf("by another's reference: got %q, want none", got)
	}
	unpaid := s.Create("10.10", nil)
	before := string(s.Checkout(unpaid).Body)
	for _, r := range requestsFor(s, unpaid) {
		r.APIKey = clerk.Merchant.Key.Plaintext
		noCheckout.Check(t, clerk.Do(r))
	}
	if after := string(s.Checkout(unpaid).Body); after != before {
		t.Errorf("after refused requests: got %s, want it as it was: %s", after, before)
	}
	clerk.Want("its own", 200, clerk.Send("GET", "/v0.1/checkouts/"+own+"/payment-methods", nil))
	if paid := clerk.Pay(own, clerk.Card(world.Frictionless)); paid.Status != "SUCCESSFUL" {
		t.Errorf("its own: got %+v, want it paid", paid)
	}
}

// TestProcessCheckout_SavedCardByEmployee checks that only a person with create_moto_payments can charge a saved card
// and see its token. The person's own checkouts are no exception. The refusal does not tell whether the card exists.
func TestProcessCheckout_SavedCardByEmployee(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	ada := s.Customer()
	token := saveCardWithMandate(s, ada, world.Frictionless)
	clerk := s.WithKey(s.TokenOf(s.Employ("clerk@example.com", member.Permissions{FullTransactionHistoryView: true,
		RefundTransactions: true})))
	cashier := s.WithKey(s.TokenOf(s.Employ("cashier@example.com", member.Permissions{CreateMOTOPayments: true})))

	id := clerk.Create("10.10", fields{"customer_id": ada})
	for _, body := range []map[string]any{byToken(ada, token), byToken(ada, "4f7d2f3c-0b1a-4c5d-8e9f-a0b1c2d3e4f5")} {
		got := clerk.ProcessCheckout(id, body)
		if denied.Check(t, got); !strings.Contains(got.Text("detail"), "the permission create_moto_payments") {
			t.Errorf("got detail %q, want it to name the permission", got.Text("detail"))
		}
	}
	denied.Check(t, clerk.ProcessCheckout("4e425463-3e1b-431d-83fa-1e51c2925e99", byToken(ada, token)))
	if got := s.Checkout(id); got.Text("status") != "PENDING" || got.Text("transactions.0.id") != "" {
		t.Errorf("after the refusals: got %s, want it PENDING without a transaction", got.Body)
	}
	paid := clerk.MustPay(id, s.Card(world.Frictionless)) // the payer enters a card, and the payment saves it
	for _, got := range []world.Response{paid, clerk.Checkout(id)} {
		if savedToken(s, id) == "" || got.Text("payment_instrument.token") != "" {
			t.Errorf("got %s, want the saved card not shown", got.Body)
		}
	}
	if got := clerk.Send("GET", "/v0.1/checkouts", nil); got.Status != 200 || strings.Contains(string(got.Body), token) {
		t.Errorf("list: got %d %s, want 200 without the token %s", got.Status, got.Body, token)
	}

	own := cashier.Create("10.10", fields{"customer_id": ada})
	if got := cashier.MustPay(own, byToken(ada, token)); got.Text("payment_instrument.token") != token {
		t.Errorf("with create_moto_payments: got %s, want the token %s", got.Body, token)
	}
}
