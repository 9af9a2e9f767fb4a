package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// A refund that is withdrawn and begun again is one event. Its sequence number
// shows that it was begun again.
func TestAWithdrawnRefundIsCountedOnce(t *testing.T) {
	t.Parallel()
	tx := paidTransaction(t)
	first := beginRefund(t, tx, "one", "4", false)
	tx = first.Transaction
	sequences := map[int]bool{first.Events[0].Sequence: true}
	last := first.Events[0]
	for range 3 {
		withdrawn, ok := tx.WithdrawRefund(last, after(time.Minute))
		if !ok {
			t.Fatal("nothing to withdraw")
		}
		again := beginRefund(t, withdrawn.Transaction.WithoutWithdrawn(withdrawn.Events[0]), "one", "4", false)
		tx, last = again.Transaction, again.Events[0]
		if sequences[last.Sequence] {
			t.Errorf("begun twice with the sequence number %d", last.Sequence)
		}
		sequences[last.Sequence] = true
	}
	if tx.EventCount != 1 {
		t.Errorf("%d events of one refund", tx.EventCount)
	}
	other := beginRefund(t, tx.WithoutWithdrawn(payments.Event{}), "two", "1", false)
	if other.Transaction.EventCount != 2 || sequences[other.Events[0].Sequence] {
		t.Errorf("another refund: %d events, sequence number %d of %v", other.Transaction.EventCount,
			other.Events[0].Sequence, sequences)
	}
}
