package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// An order is given up once the bank has had a day, at once when the account
// was replaced, and never before it was sent or after its outcome is known.
func TestAnOrderIsGivenUpAfterADayOrForAnotherAccount(t *testing.T) {
	t.Parallel()
	p := opened()
	p.Total = eur("1")
	p = p.Send(start).Payout
	for looks, now := 0, start; now.Before(start.Add(30 * time.Hour)); looks, now = looks+1, p.NextLook {
		if got, want := p.GivesUp(false, now), now.Sub(start) >= 24*time.Hour; got != want {
			t.Errorf("after %s and %d looks: %t", now.Sub(start), looks, got)
		}
		if !p.GivesUp(true, now) {
			t.Errorf("after %s: kept for an account that was replaced", now.Sub(start))
		}
		p, _ = p.Waits(now)
	}
	if p.GivesUp(false, start.Add(24*time.Hour-1)) || !p.GivesUp(false, start.Add(24*time.Hour)) {
		t.Error("the day is off")
	}
	for _, status := range []payments.PayoutStatus{payments.Collecting, payments.Sealed, payments.Paying, payments.Returning,
		payments.PayoutPaid, payments.PayoutFailed} {
		if p.Status = status; p.GivesUp(true, start.Add(48*time.Hour)) {
			t.Errorf("%s is given up", status)
		}
	}
}
