package provision_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestChargeBack_OtherTransaction checks an operator's mistake. An acquirer's id belongs to one charge. If an operator
// gives the id for another transaction, even another merchant's, nothing is booked that the acquirer did not take.
func TestChargeBack_OtherTransaction(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, neighbour := d.createMerchant(nil), d.createMerchant(fields{"email": "other@example.com"})
	first, second, theirs := d.sell(m, "1", 10, ""), d.sell(m, "2", 10, ""), d.sell(neighbour, "1", 10, "")
	d.recordChargeback(m, first.ID, fields{"id": "arn-1", "amount": 2})
	for _, amount := range []any{nil, 2, 3} {
		more := fields{"id": "arn-1"}
		if amount != nil {
			more["amount"] = amount
		}
		for _, c := range []struct {
			merchant provisioned
			sale     world.Payment
		}{{m, second}, {neighbour, theirs}} {
			if got := d.runRefused(chargeBackCommand(c.merchant, c.sale.ID, more)); got.Code != "CONFLICT" {
				t.Errorf("%v of another transaction: got %+v, want CONFLICT", amount, got)
			}
			d.wantRecorded(c.merchant, c.sale, recorded{"", "0.00", 0, 0, "SUCCESSFUL"})
		}
	}
	d.wantRecorded(m, first, recorded{"2.00", "2.00", 1, 1, "CHARGEBACK"})
}
