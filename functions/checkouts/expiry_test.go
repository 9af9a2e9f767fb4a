package checkouts_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// soon is a checkout's last minute but one.
var soon = change{"valid_until", world.Start.Add(time.Minute).Format(time.RFC3339)}

// refusesAll checks that nothing can be done with an expired checkout.
func refusesAll(t *testing.T, s world.Shop, id string) {
	t.Helper()
	at := "/v0.1/checkouts/" + id
	expired.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	expired.Check(t, s.Send("PATCH", at, map[string]any{"amount": 11}))
	expired.Check(t, s.Send("PATCH", at, map[string]any{"valid_until": nil}))
	closed.Check(t, s.Send("DELETE", at, nil))
}

// TestExpiryIsSeenAtOnce by every read, before any sweep; its callback comes
// with the sweep, once.
func TestExpiryIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id, failed := create(s, soon), create(s, soon, change{"amount", 42.01})
	if declined := s.ProcessCheckout(failed, s.Card(world.Frictionless)); declined.Text("status") != "FAILED" {
		t.Fatalf("%s", declined.Body)
	}
	s.Clock.Advance(time.Minute - time.Nanosecond)
	if got := s.Statuses(id) + ", " + s.Statuses(failed); got != "PENDING, FAILED FAILED" {
		t.Errorf("a moment before: %s", got)
	}
	s.Clock.Advance(time.Nanosecond)
	if got := s.Statuses(id) + ", " + s.Statuses(failed); got != "EXPIRED, EXPIRED FAILED" {
		t.Errorf("at the time: %s", got)
	}
	for _, c := range listed(t, s.Send("GET", "/v0.1/checkouts", nil)) {
		world.Holds(t, c, map[string]string{"status": `"EXPIRED"`, "valid_until": `"2026-11-20T12:01:00.000+00:00"`})
	}
	refusesAll(t, s, id)
	if n := s.CallbacksReceived(id); n != 1 {
		t.Errorf("told of %s %d times", id, n)
	}
	s.Minute()
	refusesAll(t, s, id)
	if n, m := s.CallbacksReceived(id), s.CallbacksReceived(failed); n != 1 || m != 2 {
		t.Errorf("told %d times, and %d times of a failure and then expiry", n, m)
	}
}

func TestAnAttemptBegunInTimeMayStillPay(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := create(s, soon)
	started := s.ProcessCheckout(id, s.Card(world.Challenged))
	s.Clock.Advance(2 * time.Minute)
	if s.Settle(); s.Statuses(id) != "PENDING PENDING" {
		t.Errorf("while the payer decides: %s", s.Statuses(id))
	}
	expired.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	answer(s, id, s.Challenge(started, "approve"))
	if got := s.Statuses(id); got != "PAID SUCCESSFUL" {
		t.Errorf("afterwards: %s", got)
	}
	if n := s.CallbacksReceived(id); n != 1 {
		t.Errorf("told %d times", n)
	}
}

func TestAnAttemptBegunInTimeMayFail(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := create(s, soon)
	started := s.ProcessCheckout(id, s.Card(world.Challenged))
	s.Clock.Advance(2 * time.Minute)
	answer(s, id, s.Challenge(started, "reject"))
	if got := s.Statuses(id); got != "EXPIRED FAILED" {
		t.Errorf("afterwards: %s", got)
	}
	s.Minute()
	if n := s.CallbacksReceived(id); n != 2 {
		t.Errorf("told %d times, not of the failure and of the expiry", n)
	}
}

func TestWithoutATimeNothingExpires(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	never, saved := create(s), create(s, soon)
	if freed := s.Send("PATCH", "/v0.1/checkouts/"+saved, map[string]any{"valid_until": nil}); freed.Status != 200 {
		t.Fatalf("%d %s", freed.Status, freed.Body)
	}
	s.Clock.Advance(365 * 24 * time.Hour)
	for _, id := range []string{never, saved} {
		if n := s.CallbacksReceived(id); s.Statuses(id) != "PENDING" || n != 0 {
			t.Errorf("after a year: %s, told %d times", s.Statuses(id), n)
		}
	}
}
