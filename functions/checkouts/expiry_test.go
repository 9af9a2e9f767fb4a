package checkouts_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// soon is one minute after the world's start.
var soon = world.Start.Add(time.Minute).Format(time.RFC3339)

// checkRefusesAll checks that an expired checkout refuses every change: processing, updates and deactivation.
func checkRefusesAll(t *testing.T, s world.Shop, id string) {
	t.Helper()
	at := "/v0.1/checkouts/" + id
	expired.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	expired.Check(t, s.Send("PATCH", at, map[string]any{"amount": 11}))
	expired.Check(t, s.Send("PATCH", at, map[string]any{"valid_until": nil}))
	closed.Check(t, s.Send("DELETE", at, nil))
}

// TestExpiry_BeforeSweep checks that reads show the expiry at once, before the sweep has run. The expiry sends one
// callback.
func TestExpiry_BeforeSweep(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id, failed := s.Create("10.10", fields{"valid_until": soon}), s.Create("42.01", fields{"valid_until": soon})
	if declined := s.ProcessCheckout(failed, s.Card(world.Frictionless)); declined.Text("status") != "FAILED" {
		t.Fatalf("got %s, want status FAILED", declined.Body)
	}
	s.Clock.Advance(time.Minute - time.Nanosecond)
	if got := s.Statuses(id) + ", " + s.Statuses(failed); got != "PENDING, FAILED FAILED" {
		t.Errorf("a moment before: got %s, want PENDING, FAILED FAILED", got)
	}
	s.Clock.Advance(time.Nanosecond)
	if got := s.Statuses(id) + ", " + s.Statuses(failed); got != "EXPIRED, EXPIRED FAILED" {
		t.Errorf("at the time: got %s, want EXPIRED, EXPIRED FAILED", got)
	}
	for _, c := range listed(t, s.Send("GET", "/v0.1/checkouts", nil)) {
		world.Holds(t, c, map[string]string{"status": `"EXPIRED"`, "valid_until": `"2026-11-20T12:01:00.000+00:00"`})
	}
	checkRefusesAll(t, s, id)
	wantCallbacks(t, s, id, 1)
	s.PassMinute()
	checkRefusesAll(t, s, id)
	wantCallbacks(t, s, id, 1)
	wantCallbacks(t, s, failed, 2) // one callback for the failure, one for the expiry
}

func TestExpiry_OpenAttemptPays(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", fields{"valid_until": soon})
	started := s.ProcessCheckout(id, s.Card(world.Challenged))
	s.Clock.Advance(2 * time.Minute)
	s.RunUntilIdle()
	wantStatuses(t, s, id, "PENDING PENDING")
	expired.Check(t, s.ProcessCheckout(id, s.Card(world.Frictionless)))
	answer(s, id, s.Challenge(started, "approve"))
	wantStatuses(t, s, id, "PAID SUCCESSFUL")
	wantCallbacks(t, s, id, 1)
}

func TestExpiry_OpenAttemptFails(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", fields{"valid_until": soon})
	started := s.ProcessCheckout(id, s.Card(world.Challenged))
	s.Clock.Advance(2 * time.Minute)
	answer(s, id, s.Challenge(started, "reject"))
	wantStatuses(t, s, id, "EXPIRED FAILED")
	s.PassMinute()
	wantCallbacks(t, s, id, 2)
}

func TestExpiry_NoValidUntil(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	never, saved := s.Create("10.10", nil), s.Create("10.10", fields{"valid_until": soon})
	s.Must(200, s.Send("PATCH", "/v0.1/checkouts/"+saved, map[string]any{"valid_until": nil}))
	s.Clock.Advance(365 * 24 * time.Hour)
	for _, id := range []string{never, saved} {
		s.RunUntilIdle()
		wantOutcome(t, s, id, outcome{"PENDING", 0, 0})
	}
}
