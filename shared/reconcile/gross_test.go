package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// TestRun_GrossSettlement checks that the full captured amount is paid out, and the fee is billed (contract §6.7).
func TestRun_GrossSettlement(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Command("update_settings", map[string]any{"gross_settlement": true})
	s.Refund(s.Sell("200"), "50")
	s.PassMinute()
	if r := s.reconcile(); r.Found != 0 {
		t.Fatalf("while it waits: got %+v, want no breaks", r.Breaks)
	}
	payout := s.payOut("gross", sandbox.PaidIBAN)
	s.Clock.Advance(time.Minute)
	s.run(payout)
	s.Clock.Advance(time.Second)
	r := s.reconcile()
	if r.Found != 0 || r.Payouts != 1 {
		t.Errorf("once it is paid: got %+v and %d payouts, want no breaks and 1", r.Breaks, r.Payouts)
	}
	for _, want := range []reconcile.Total{
		{Account: "fees_receivable", Currency: "EUR", Amount: "3.90"}, {Account: "fee_income",
			Currency: "EUR", Amount: "-7.02"},
	} {
		if !slices.Contains(r.Totals, want) {
			t.Errorf("got %+v, want %+v in it", r.Totals, want)
		}
	}
}
