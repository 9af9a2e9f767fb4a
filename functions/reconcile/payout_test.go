package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// TestInvoke_PayoutBreak checks that the report names a payout whose journal lacks the transfer.
func TestInvoke_PayoutBreak(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.SetPayout(map[string]any{"holder": "Markt", "iban": sandbox.PaidIBAN})
	s.Sell("10")
	s.Clock.Advance(24 * time.Hour)
	s.RunPayouts()
	for id := range s.PayoutState(s.Merchant).Payouts {
		s.LoseEntries(id)
	}
	report := s.Reconcile()
	if !slices.ContainsFunc(report.Breaks, func(b reconcile.Break) bool { return b.Kind == "entry_missing" }) {
		t.Errorf("got breaks %+v, want an entry_missing", report.Breaks)
	}
}
