package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// A refund that is withdrawn and asked for again is one event, of which each
// reservation is told from the others.
func TestAWithdrawnRefundTakesNoSecondPlace(t *testing.T) {
	t.Parallel()
	tx := paidTransaction(t)
	first := reserve(t, tx, "one", "4", false)
	tx = first.Transaction
	serials := map[int]bool{first.Events[0].Sequence: true}
	last := first.Events[0]
	for range 3 {
		withdrawn, ok := tx.WithdrawRefund(last, after(time.Minute))
		if !ok {
			t.Fatal("nothing to withdraw")
		}
		again := reserve(t, withdrawn.Transaction.WithoutWithdrawn(withdrawn.Events[0]), "one", "4", false)
		tx, last = again.Transaction, again.Events[0]
		if serials[last.Sequence] {
			t.Errorf("two reservations have the serial number %d", last.Sequence)
		}
		serials[last.Sequence] = true
	}
	if tx.EventCount != 1 {
		t.Errorf("%d events of one refund", tx.EventCount)
	}
	if other := reserve(t, tx.WithoutWithdrawn(payments.Event{}), "two", "1", false); other.Transaction.EventCount != 2 ||
		serials[other.Events[0].Sequence] {
		t.Errorf("another refund: %d events, serial number %d of %v", other.Transaction.EventCount,
			other.Events[0].Sequence, serials)
	}
}
