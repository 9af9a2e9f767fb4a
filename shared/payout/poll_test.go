package payout_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payout"
)

// A transfer is cancelled once the bank has had a day, at once when the account was
// replaced, and never before it was sent or after its outcome is known.
func TestATransferIsCancelledAfterADayOrForAnotherAccount(t *testing.T) {
	t.Parallel()
	p, another := opened(), account
	another.Holder = "Another"
	p.Total = eur("1")
	p = p.Send(account, start).Payout
	for polls, now := 0, start; now.Before(start.Add(30 * time.Hour)); polls, now = polls+1, p.NextPoll {
		if got, want := p.ShouldCancel(account, now), now.Sub(start) >= 24*time.Hour; got != want {
			t.Errorf("after %s and %d polls: cancelled %t, want %t", now.Sub(start), polls, got, want)
		}
		if !p.ShouldCancel(another, now) {
			t.Errorf("after %s: kept for an account that was replaced", now.Sub(start))
		}
		p, _ = p.ScheduleNextPoll(now)
	}
	if p.ShouldCancel(account, start.Add(24*time.Hour-1)) || !p.ShouldCancel(account, start.Add(24*time.Hour)) {
		t.Error("not cancelled exactly from a day on")
	}
	for _, status := range []payout.Status{payout.Collecting, payout.Sealed, payout.Paying, payout.Returning,
		payout.Paid, payout.Failed} {
		if p.Status = status; p.ShouldCancel(another, start.Add(48*time.Hour)) {
			t.Errorf("%s is cancelled", status)
		}
	}
}
