package provision_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
)

// TestAChargebackThatWasCutOffKeepsItsAmount: the acquirer has made it, and the
// platform does not know of it. All that is left may be more by now, or less.
func TestAChargebackThatWasCutOffKeepsItsAmount(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	s := d.sell(m, "order", 100, "")
	if err := d.App.Sandbox.Chargeback(t.Context(), s.ID, "cb", money.MustParse("30", "EUR")); err != nil {
		t.Fatal(err)
	}
	if got := d.refused(charging(m, s.ID, fields{"id": "cb", "amount": 40})); got.Code != "CONFLICT" {
		t.Errorf("another amount: got %+v, want CONFLICT", got)
	}
	if made := d.recordChargeback(m, s.ID, fields{"id": "cb"}); made.Amount != "30.00" {
		t.Errorf("charged back: got %v, want 30.00", made.Amount)
	}
	d.wantRecorded(m, s, recorded{"30.00", "30.00", 1, 1, "CHARGEBACK"})
}
