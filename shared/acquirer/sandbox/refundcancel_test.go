package sandbox_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func (w *fixture) mustCancelRefund(t *testing.T, id string) payments.Outcome {
	t.Helper()
	return must(t)(w.CancelRefund(t.Context(), id))
}

// TestCancelRefund_BeforeRefund checks that a refund that was cancelled before it arrived is never made, at any amount
// and after any number of tries. The charge keeps its whole amount.
func TestCancelRefund_BeforeRefund(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	for _, amount := range []string{"10", "42.01", "42.24", "42.25", "100.01"} {
		id := "refund of " + amount
		for range 2 {
			if o := w.mustCancelRefund(t, id); o.Decision != payments.Cancelled {
				t.Errorf("%s: got %+v by its cancellation, want cancelled", id, o)
			}
			if o := must(t)(w.restart().Refund(t.Context(), refundOf("c", id, amount))); o.Decision != payments.Cancelled {
				t.Errorf("%s: got %+v, want cancelled", id, o)
			}
		}
	}
	w.checkMoved(t, "c", "100", "", "")
	w.mustChargeback(t, "c", "refund of 10", "30") // the issuer's id of a chargeback does not clash with our id
	if o := w.mustRefund(t, refundOf("c", "rest", "70")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved: a cancelled refund uses up nothing", o)
	}
	w.checkMoved(t, "c", "100", "70", "30")
}

// TestCancelRefund_AfterRefund checks that the cancellation of a refund that was taken returns the refund's outcome.
func TestCancelRefund_AfterRefund(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	w.mustRefund(t, refundOf("c", "made", "10"))
	w.mustRefund(t, refundOf("c", "declined", "42.91"))
	wantUnknown(t)(w.Refund(t.Context(), refundOf("c", "silent", "42.25")))
	cancelled := func(id string, want payments.Decision, code string) {
		t.Helper()
		if o := w.mustCancelRefund(t, id); o.Decision != want || o.ReturnCode != code {
			t.Errorf("%s: got %+v, want %s %s", id, o, want, code)
		}
	}
	cancelled("made", payments.Approved, "00")
	cancelled("declined", payments.Declined, "91")
	cancelled("silent", payments.OutcomeUnknown, "")
	w.checkMoved(t, "c", "100", "10", "")
	w.Advance(30 * time.Second)
	cancelled("silent", payments.Approved, "00")
	cancelled("silent", payments.Approved, "00")
	w.checkMoved(t, "c", "100", "52.25", "")
}

// TestCancelRefund_RacesWithRefund checks that the call that arrives first decides, and that all calls get the same
// outcome.
func TestCancelRefund_RacesWithRefund(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	made := 0
	for i := range 20 {
		id := fmt.Sprint(i)
		outcomes := make([]payments.Outcome, 4)
		var group sync.WaitGroup
		for n := range outcomes {
			group.Go(func() {
				if n%2 == 0 {
					outcomes[n] = w.mustRefund(t, refundOf("c", id, "1"))
				} else {
					outcomes[n] = w.mustCancelRefund(t, id)
				}
			})
		}
		group.Wait()
		for _, o := range outcomes {
			if o != outcomes[0] || o.Decision != payments.Approved && o.Decision != payments.Cancelled {
				t.Errorf("refund %s: got %+v, want one outcome of all, approved or cancelled", id, outcomes)
			}
		}
		if outcomes[0].Decision == payments.Approved {
			made++
		}
	}
	w.checkMoved(t, "c", "100", map[bool]string{true: fmt.Sprint(made)}[made > 0], "")
}

// TestRefund_OvertakenByCancellation stores a tombstone between a refund's reads and its write.
func TestRefund_OvertakenByCancellation(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"10", "42.91", "42.25"} { // otherwise approved, declined, pending
		w := newFixture(t)
		w.mustCharge(t, cardCharge("c", plainCard, "100"))
		w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustCancelRefund(t, "r") })
		if o := w.mustRefund(t, refundOf("c", "r", amount)); o.Decision != payments.Cancelled {
			t.Errorf("%s: got %+v, want cancelled", amount, o)
		}
		w.checkMoved(t, "c", "100", "", "")
	}
}

// TestCancelRefund_OvertakenByRefund checks that a refund stays if it is stored just before the tombstone is written.
func TestCancelRefund_OvertakenByRefund(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "100"))
	w.Wire.Meanwhile("PutItem", 1, func() { w.mustRefund(t, refundOf("c", "r", "10")) })
	if o := w.mustCancelRefund(t, "r"); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved", o)
	}
	if o := w.mustRefund(t, refundOf("c", "r", "10")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved: no tombstone takes its place", o)
	}
	w.checkMoved(t, "c", "100", "10", "")
}

// TestCancelRefund_LostRequestOrReply checks the answer to a caller that was interrupted and repeats its call.
func TestCancelRefund_LostRequestOrReply(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "30"))
	w.Wire.Inject(faults.Times(1, "PutItem", faults.LoseReply))
	if o := w.mustCancelRefund(t, "reply"); o.Decision != payments.Cancelled {
		t.Errorf("got %+v, want its own tombstone recognised as cancelled", o)
	}
	w.Wire.Inject(faults.Times(1, "PutItem", faults.FailBefore))
	wantUnknown(t)(w.CancelRefund(t.Context(), "request"))
	w.Wire.Inject(func(operation string) faults.Fault {
		return map[string]faults.Fault{"PutItem": faults.LoseReply, "GetItem": faults.FailBefore,
			"Query": faults.FailBefore}[operation]
	})
	wantUnknown(t)(w.CancelRefund(t.Context(), "blind")) // the records cannot be read
	w.Wire.Inject(nil)
	for id, want := range map[string]payments.Decision{
		"reply": payments.Cancelled, "request": payments.Approved, "blind": payments.Cancelled,
	} {
		if o := w.mustRefund(t, refundOf("c", id, "10")); o.Decision != want {
			t.Errorf("%s: got %+v, want %s", id, o, want)
		}
		if o := w.mustCancelRefund(t, id); o.Decision != want {
			t.Errorf("%s again: got %+v, want %s", id, o, want)
		}
	}
	w.checkMoved(t, "c", "30", "10", "")
}

// TestCancelRefund_SettlesOnce checks that a cancellation settles a due refund only once, even if the reply is lost.
func TestCancelRefund_SettlesOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "50"))
	wantUnknown(t)(w.Refund(t.Context(), refundOf("c", "r", "42.25")))
	w.Advance(30 * time.Second)
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.FailBefore))
	if o, err := w.CancelRefund(t.Context(), "r"); err == nil {
		t.Errorf("got %+v, want an error of a request that never arrived", o)
	}
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.LoseReply))
	for range 2 {
		if o := w.mustCancelRefund(t, "r"); o.Decision != payments.Approved {
			t.Errorf("got %+v, want approved", o)
		}
	}
	w.checkMoved(t, "c", "50", "42.25", "")
}
