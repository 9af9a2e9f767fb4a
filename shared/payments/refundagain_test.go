package payments_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestWithoutWithdrawn checks that a refund that is withdrawn and begun again counts as one event. Its sequence number
// shows the second beginning.
func TestWithoutWithdrawn(t *testing.T) {
	t.Parallel()
	tx := paidTransaction(t)
	first := beginRefund(t, tx, "one", "4", false)
	tx = first.Transaction
	sequences := map[int]bool{first.Events[0].Sequence: true}
	last := first.Events[0]
	for range 3 {
		withdrawn, ok := tx.WithdrawRefund(last, after(time.Minute))
		if !ok {
			t.Fatalf("got no change of %+v, want it withdrawn", last)
		}
		again := beginRefund(t, withdrawn.Transaction.WithoutWithdrawn(withdrawn.Events[0]), "one", "4", false)
		tx, last = again.Transaction, again.Events[0]
		if sequences[last.Sequence] {
			t.Errorf("begun again: got sequence number %d, want none of %v", last.Sequence, sequences)
		}
		sequences[last.Sequence] = true
	}
	if tx.EventCount != 1 {
		t.Errorf("one refund: got %d events, want 1", tx.EventCount)
	}
	other := beginRefund(t, tx.WithoutWithdrawn(payments.Event{}), "two", "1", false)
	if other.Transaction.EventCount != 2 || sequences[other.Events[0].Sequence] {
		t.Errorf("another refund: got %d events, sequence number %d, want 2, none of %v", other.Transaction.EventCount,
			other.Events[0].Sequence, sequences)
	}
}
