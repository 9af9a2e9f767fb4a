package payoutrun_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
)

// TestRefundsBeforeAndAfterEachInstallment: each is taken from the next instalment that waits, with the fee kept back or billed;
// what no instalment is left for is a deduction, which lacks.
func TestRefundsBeforeAndAfterEachInstallment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gross  bool
		stands []string // in the end
		listed []string
		waits  string
		billed string
	}{
		"net": {false, []string{"PAID_OUT 22.68 10.00", "PAID_OUT 27.68 5.00", "PAID_OUT 0.00 32.69"},
			[]string{"PAYOUT 22.68 SUCCESSFUL", "PAYOUT 27.68 SUCCESSFUL", "PAYOUT 0.00 SUCCESSFUL",
				"REFUND_DEDUCTION 7.31 SUCCESSFUL"},
			"BALANCE_DEDUCTION -7.31", "0.00"},
		"gross": {true, []string{"PAID_OUT 23.33 10.00", "PAID_OUT 28.33 5.00", "PAID_OUT 0.00 33.34"},
			[]string{"PAYOUT 23.33 SUCCESSFUL", "PAYOUT 28.33 SUCCESSFUL", "PAYOUT 0.00 SUCCESSFUL",
				"REFUND_DEDUCTION 6.66 SUCCESSFUL"},
			"BALANCE_DEDUCTION -6.66", "1.95"},
	} {
		s := openIn(t, "America/Sao_Paulo", fields{"name": "Padaria", "email": "padaria@example.com",
			"country": "BR", "currency": "BRL",
			"payout_plan": "TRUE_INSTALLMENT", "gross_settlement": c.gross})
		s.set(fields{"holder": "Padaria Ltda", "account_number": "12345678", "bank_code": "001"})
		p := s.pay("100", 3) // 33.33, 33.33 and 33.34, each with a fee of 0.65
		for _, refund := range []string{"10", "5", "40"} {
			s.refund(p, refund)
			s.night()
			s.Clock.Advance(30 * 24 * time.Hour)
		}
		wantAll(t, name, s.stands(p), c.stands...)
		wantAll(t, name+", listed", s.listed(), c.listed...)
		wantAll(t, name+", waiting", s.waiting(), c.waits)
		want(t, name+", billed", s.Balance(s.merchant, ledger.FeesReceivable, "BRL").String(), c.billed)
		if d := s.detail(p); d.Total != 3 || d.Received != 3 || d.Simple != "REFUNDED" {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
