package payoutrun_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// TestPayout_PaymentAtReader checks the payout of a payment with a tip. The payment is 11.11 including the tip, and the
// fee is 1.95 %. A refund of the tip is deducted.
func TestPayout_PaymentAtReader(t *testing.T) {
	t.Parallel()
	s := open(t)
	tipped := s.PayAtReader(world.Sale{Amount: "10.10", Tip: "0.10"})
	refunded := s.PayAtReader(world.Sale{Amount: "10.10", Tip: "0.10"})
	s.Refund(refunded, "1.01")
	wantAll(t, "tipped", payoutEvents(s, tipped), "SCHEDULED 10.89 0.00")
	advanceToMidnight(s)
	s.RunPayouts()
	s.Clock.Advance(16 * time.Minute)
	s.RunPayouts()
	wantAll(t, "tipped", payoutEvents(s, tipped), "PAID_OUT 10.89 0.00")
	wantAll(t, "refunded", payoutEvents(s, refunded), "PAID_OUT 9.88 1.01")
	wantAll(t, "list", payoutRecords(s), "PAYOUT 10.89 SUCCESSFUL", "PAYOUT 9.88 SUCCESSFUL")
	want(t, "the bank", balance(s, ledger.Bank), "-20.77")
}

// TestPayout_InstallmentsAtReader checks that the amount and its tip are paid out in monthly parts.
func TestPayout_InstallmentsAtReader(t *testing.T) {
	t.Parallel()
	s := openIn(t, "BR", "BRL", fields{"payout_plan": "TRUE_INSTALLMENT"})
	p := s.PayAtReader(world.Sale{Amount: "10.10", Tip: "0.10", Installments: 3})
	wantAll(t, "parts", payoutEvents(s, p), "SCHEDULED 3.63 0.00", "SCHEDULED 3.63 0.00", "SCHEDULED 3.63 0.00")
}
