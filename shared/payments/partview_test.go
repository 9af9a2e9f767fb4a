package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestPayoutsTotal_ReplacedPayout checks a failed payout, and the later payout that replaces it (contract §6.5). The
// two count as one payout.
func TestPayoutsTotal_ReplacedPayout(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	again := first.AddDate(0, 0, 3)
	tx := payments.Transaction{Payouts: []payments.PayoutPart{
		{Seq: 1, Number: 1, Status: payments.EventFailed, EligibleAt: first},
		{Seq: 2, Number: 2, Status: payments.EventScheduled, EligibleAt: first.AddDate(0, 1, 0)},
		{Seq: 3, Number: 1, Status: payments.EventPaidOut, EligibleAt: again},
	}}
	if n := tx.PayoutsTotal(); n != 2 {
		t.Errorf("got %d payouts in all, want 2", n)
	}
	if n := tx.PayoutsReceived(); n != 1 {
		t.Errorf("got %d payouts received, want 1", n)
	}
	for i, want := range []time.Time{first, first, again} {
		if got := tx.PlannedAt(i); !got.Equal(want) {
			t.Errorf("payout %d: got it planned at %s, want %s", i, got, want)
		}
	}
	if n := (payments.Transaction{}).PayoutsTotal(); n != 0 {
		t.Errorf("no parts: got %d payouts in all, want 0", n)
	}
}
