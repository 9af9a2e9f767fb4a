package checkouts_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

func (s *shop) deactivate(id string) world.Response {
	s.Helper()
	return s.Send("DELETE", "/v0.1/checkouts/"+id, nil)
}

func TestDeactivate(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, c := range []struct {
		name    string
		prepare func(id string)
		seen    string
		told    int
	}{
		{"new", func(string) {}, "EXPIRED", 1},
		{"failed", func(id string) { s.put(id, s.card(failingCards[0])) }, "EXPIRED FAILED", 2},
		{"challenged", func(id string) { s.put(id, s.card(world.Challenged)) }, "EXPIRED CANCELLED", 1},
		{"at a bank", func(id string) { s.put(id, ideal("ideal")) }, "EXPIRED CANCELLED", 1},
		{"failed, then challenged", func(id string) {
			s.put(id, s.card(failingCards[0]))
			s.put(id, s.card(world.Challenged))
		}, "EXPIRED FAILED CANCELLED", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := s.create(t, change{"valid_until", "2027-01-01T00:00:00Z"})
			c.prepare(id)
			got := s.deactivate(id)
			world.Holds(t, got.Body, map[string]string{"status": `"EXPIRED"`, "valid_until": `"2026-11-20T12:00:00.000+00:00"`,
				"amount": "10.10"})
			if read := s.get(id); got.Status != 200 || string(read.Body) != string(got.Body) {
				t.Errorf("%d %s\nbut reads %s", got.Status, got.Body, read.Body)
			}
			closed.Check(t, s.deactivate(id))
			refusesAll(t, s, id)
			if s.seen(id) != c.seen || s.told(id) != c.told {
				t.Errorf("%s, told %d times, want %s, %d", s.seen(id), s.told(id), c.seen, c.told)
			}
		})
	}
}

func TestDeactivateRefuses(t *testing.T) {
	t.Parallel()
	s := open(t)
	paid, pending := s.create(t), s.create(t, change{"amount", 42.25})
	s.pay(t, paid, s.card(world.Frictionless))
	s.put(pending, s.card(world.Frictionless))
	processed.Check(t, s.deactivate(paid))
	closed.Check(t, s.deactivate(pending))
	noCheckout.Check(t, s.deactivate("nothing"))
	if s.seen(paid) != "PAID SUCCESSFUL" || s.seen(pending) != "PENDING PENDING" || s.told(paid) != 1 ||
		s.told(pending) != 0 {
		t.Errorf("%s, %s", s.seen(paid), s.seen(pending))
	}
}

// TestADeactivatedCheckoutCannotBePaid by whatever was under way.
func TestADeactivatedCheckoutCannotBePaid(t *testing.T) {
	t.Parallel()
	s := open(t)
	challenge, redirect := s.create(t), s.create(t)
	form := s.Challenge(s.put(challenge, s.card(world.Challenged)), "approve")
	page := bank(t, s.put(redirect, ideal("ideal")))
	s.deactivate(challenge)
	s.deactivate(redirect)
	s.answer(t, challenge, form)
	s.decide(page, "pay")
	s.Clock.Advance(time.Hour)
	s.Settle()
	for _, id := range []string{challenge, redirect} {
		if s.seen(id) != "EXPIRED CANCELLED" || s.Books(id).Captured != 0 || s.told(id) != 1 {
			t.Errorf("%s, captured %d, told %d times", s.seen(id), s.Books(id).Captured, s.told(id))
		}
	}
}

// TestADeactivationMeetsAPayment: the bank has been paid, and nobody here has
// heard of it. What the acquirer says counts.
func TestADeactivationMeetsAPayment(t *testing.T) {
	t.Parallel()
	s := open(t).abroad("BR", "BRL")
	id := s.create(t)
	got := s.put(id, boleto())
	attempt := world.Members(t, transactions(t, got)[0])["id"]
	if _, err := s.App.Sandbox.PayVoucher(t.Context(), attempt[1:len(attempt)-1]); err != nil {
		t.Fatal(err)
	}
	processed.Check(t, s.deactivate(id))
	if s.seen(id) != "PAID SUCCESSFUL" || s.told(id) != 1 {
		t.Errorf("%s, told %d times", s.seen(id), s.told(id))
	}
}
