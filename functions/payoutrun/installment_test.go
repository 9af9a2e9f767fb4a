package payoutrun_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
)

// TestRefund_AroundEachInstallment checks that a refund is taken from the next waiting instalment. The merchant still
// pays the whole fee: each instalment is reduced by its fee or, with gross settlement, the fee is billed. If no
// instalment is left, the refund becomes a deduction, which makes the balance negative.
func TestRefund_AroundEachInstallment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gross  bool
		events []string // events at the end
		listed []string
		unpaid string
		billed string
	}{
		"net": {false, []string{"PAID_OUT 22.68 10.00", "PAID_OUT 27.68 5.00", "PAID_OUT 0.00 32.69"},
			[]string{"PAYOUT 22.68 SUCCESSFUL", "PAYOUT 27.68 SUCCESSFUL",
				"REFUND_DEDUCTION 7.31 SUCCESSFUL"},
			"BALANCE_DEDUCTION -7.31", "0.00"},
		"gross": {true, []string{"PAID_OUT 23.33 10.00", "PAID_OUT 28.33 5.00", "PAID_OUT 0.00 33.34"},
			[]string{"PAYOUT 23.33 SUCCESSFUL", "PAYOUT 28.33 SUCCESSFUL",
				"REFUND_DEDUCTION 6.66 SUCCESSFUL"},
			"BALANCE_DEDUCTION -6.66", "1.95"},
	} {
		s := openIn(t, "BR", "BRL", fields{"payout_plan": "TRUE_INSTALLMENT"})
		s.Command("update_settings", fields{"gross_settlement": c.gross})
		s.SetPayout(fields{"holder": "Padaria Ltda", "account_number": "12345678", "bank_code": "001"})
		p := sellInInstallments(s, "100", 3) // 33.33, 33.33 and 33.34, each with a fee of 0.65
		for _, refund := range []string{"10", "5", "40"} {
			s.Refund(p, refund)
			runNight(s)
			s.Clock.Advance(30 * 24 * time.Hour)
		}
		wantAll(t, name, payoutEvents(s, p), c.events...)
		wantAll(t, name+", listed", payoutRecords(s), c.listed...)
		wantAll(t, name+", waiting", payables(s), c.unpaid)
		want(t, name+", billed", balance(s, ledger.FeesReceivable), c.billed)
		want(t, name, statusOf(s, p), payoutStatus{3, 3, "REFUNDED", "", "TRUE_INSTALLMENT"})
	}
}
