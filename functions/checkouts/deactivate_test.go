package checkouts_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func remove(s world.Shop, id string) world.Response {
	s.Helper()
	return s.Send("DELETE", "/v0.1/checkouts/"+id, nil)
}

func TestDeactivateCheckout_Valid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for _, c := range []struct {
		name    string
		prepare func(id string)
		want    outcome
	}{
		{"new", func(string) {}, outcome{"EXPIRED", 1, 0}},
		{"failed", func(id string) { s.ProcessCheckout(id, s.Card(failingCards[0])) }, outcome{"EXPIRED FAILED", 2, 0}},
		{"challenged", func(id string) { s.ProcessCheckout(id, s.Card(world.Challenged)) },
			outcome{"EXPIRED CANCELLED", 1, 0}},
		{"at a bank", func(id string) { s.ProcessCheckout(id, ideal("ideal")) }, outcome{"EXPIRED CANCELLED", 1, 0}},
		{"failed, then challenged", func(id string) {
			s.ProcessCheckout(id, s.Card(failingCards[0]))
			s.ProcessCheckout(id, s.Card(world.Challenged))
		}, outcome{"EXPIRED FAILED CANCELLED", 2, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := s.Create("10.10", fields{"valid_until": "2027-01-01T00:00:00Z"})
			c.prepare(id)
			got := remove(s, id)
			world.Holds(t, got.Body, map[string]string{"status": `"EXPIRED"`, "valid_until": `"2026-11-20T12:00:00.000+00:00"`,
				"amount": "10.10"})
			if read := s.Checkout(id); got.Status != 200 || string(read.Body) != string(got.Body) {
				t.Errorf("got %d %s\nwant 200 and as read: %s", got.Status, got.Body, read.Body)
			}
			closed.Check(t, remove(s, id))
			checkRefusesAll(t, s, id)
			wantOutcome(t, s, id, c.want)
		})
	}
}

func TestDeactivateCheckout_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	paid, pending := s.Create("10.10", nil), s.Create("42.25", nil)
	s.MustPay(paid, s.Card(world.Frictionless))
	s.ProcessCheckout(pending, s.Card(world.Frictionless))
	processed.Check(t, remove(s, paid))
	closed.Check(t, remove(s, pending))
	noCheckout.Check(t, remove(s, "nothing"))
	wantOutcome(t, s, paid, outcome{"PAID SUCCESSFUL", 1, 1})
	wantOutcome(t, s, pending, outcome{"PENDING PENDING", 0, 0})
}

// TestDeactivateCheckout_RunningPayment checks that a payment that began before the deactivation can no longer pay the
// checkout.
func TestDeactivateCheckout_RunningPayment(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	challenge, redirect := s.Create("10.10", nil), s.Create("10.10", nil)
	form := s.Challenge(s.ProcessCheckout(challenge, s.Card(world.Challenged)), "approve")
	page := bank(t, s.ProcessCheckout(redirect, ideal("ideal")))
	remove(s, challenge)
	remove(s, redirect)
	answer(s, challenge, form)
	decide(s, page, "pay")
	s.Clock.Advance(time.Hour)
	s.RunUntilIdle()
	for _, id := range []string{challenge, redirect} {
		wantOutcome(t, s, id, outcome{"EXPIRED CANCELLED", 1, 0})
	}
}

// TestDeactivateCheckout_PaidAtBank deactivates a checkout that the payer has paid at the bank, while the platform does
// not know this yet. The acquirer's answer then counts, and the checkout is paid.
func TestDeactivateCheckout_PaidAtBank(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("BR", "BRL", nil)
	id := s.Create("10.10", nil)
	got := s.ProcessCheckout(id, boleto())
	attempt := world.Fields(t, transactions(t, got)[0])["id"]
	if _, err := s.App.Sandbox.PayVoucher(t.Context(), attempt[1:len(attempt)-1]); err != nil {
		t.Fatal(err)
	}
	processed.Check(t, remove(s, id))
	wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
}
