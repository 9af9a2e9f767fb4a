package payout_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payout"
)

// An order is given up once the bank has had a day, at once when the account
// was replaced, and never before it was sent or after its outcome is known.
func TestAnOrderIsGivenUpAfterADayOrForAnotherAccount(t *testing.T) {
	t.Parallel()
	p, another := opened(), account
	another.Holder = "Another"
	p.Total = eur("1")
	p = p.Send(account, start).Payout
	for looks, now := 0, start; now.Before(start.Add(30 * time.Hour)); looks, now = looks+1, p.NextPoll {
		if got, want := p.ShouldCancel(account, now), now.Sub(start) >= 24*time.Hour; got != want {
			t.Errorf("after %s and %d looks: %t", now.Sub(start), looks, got)
		}
		if !p.ShouldCancel(another, now) {
			t.Errorf("after %s: kept for an account that was replaced", now.Sub(start))
		}
		p, _ = p.ScheduleNextPoll(now)
	}
	if p.ShouldCancel(account, start.Add(24*time.Hour-1)) || !p.ShouldCancel(account, start.Add(24*time.Hour)) {
		t.Error("the day is off")
	}
	for _, status := range []payout.Status{payout.Collecting, payout.Sealed, payout.Paying, payout.Returning,
		payout.Paid, payout.Failed} {
		if p.Status = status; p.ShouldCancel(another, start.Add(48*time.Hour)) {
			t.Errorf("%s is given up", status)
		}
	}
}
