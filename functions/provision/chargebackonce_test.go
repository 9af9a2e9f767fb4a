package provision_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
)

// TestChargeBack_InterruptedAmount repeats an interrupted command. The acquirer has recorded the command's chargeback,
// but the platform has not. A repetition without an amount records the acquirer's amount, even if more is left of the
// payment. A repetition with another amount is refused with CONFLICT.
func TestChargeBack_InterruptedAmount(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	s := d.sell(m, "order", 100, "")
	if err := d.App.Sandbox.Chargeback(t.Context(), s.ID, "cb", money.MustParse("30", "EUR")); err != nil {
		t.Fatal(err)
	}
	if got := d.runRefused(chargeBackCommand(m, s.ID, fields{"id": "cb", "amount": 40})); got.Code != "CONFLICT" {
		t.Errorf("another amount: got %+v, want CONFLICT", got)
	}
	if made := d.recordChargeback(m, s.ID, fields{"id": "cb"}); made.Amount != "30.00" {
		t.Errorf("charged back: got %v, want 30.00", made.Amount)
	}
	d.wantRecorded(m, s, recorded{"30.00", "30.00", 1, 1, "CHARGEBACK"})
}
