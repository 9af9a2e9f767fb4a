package processing_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// reserved is a refund whose process died before it asked the acquirer. It is
// held against the live merchant's balance.
func (o *office) reserved(t *testing.T, id, operation, amount string) payments.Event {
	t.Helper()
	r, err := o.store.Transaction(t.Context(), live, id)
	if err != nil {
		t.Fatal(err)
	}
	x := money.MustParse(amount, "EUR")
	change, err := r.BeginRefund(operation, &x, true, o.Now())
	if err != nil {
		t.Fatal(err)
	}
	held, err := o.store.Reserve(t.Context(), live, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.store.ApplyTransaction(t.Context(), live, change, &held); err != nil {
		t.Fatal(err)
	}
	return change.Events[0]
}

// sweepRefund looks at a refund as the sweep does, when its time has come.
func (o *office) sweepRefund(t *testing.T, e payments.Event) {
	t.Helper()
	o.Advance(10 * time.Minute)
	if err := o.ResolveRefundDue(t.Context(), live, e.ID); err != nil {
		t.Fatal(err)
	}
}

// stands checks where a refund stands, and what is left of its transaction and
// held of the balance.
func (o *office) stands(t *testing.T, e payments.Event, status payments.EventStatus, left, held string) {
	t.Helper()
	r, err := o.store.Transaction(t.Context(), live, e.TransactionID)
	if err != nil {
		t.Fatal(err)
	}
	stored, _ := r.Refund(e.ID)
	if now := o.held(t, live); stored.Status != status || r.Refundable.String() != left || now != held {
		t.Errorf("refund %s, left %s, held %s; want %s, %s, %s", stored.Status, r.Refundable, now, status, left, held)
	}
	if status == payments.EventFailed && r.LastRefund != payments.EventFailed {
		t.Errorf("the transaction shows its last refund as %q", r.LastRefund)
	}
}

func (o *office) retryRefund(t *testing.T, e payments.Event, operation string) error {
	t.Helper()
	floor := money.MustParse("0", "EUR")
	return o.Refund(t.Context(), live, processing.RefundRequest{TransactionID: e.TransactionID, Operation: operation,
		Amount: money.Literal(e.Amount.String()), MinimumBalance: &floor})
}

// TestARefundThatIsNeverTakenFails: its process died, and of 42.24 the acquirer
// takes nothing. Nobody knows whether a first request was taken, so it is
// cancelled; all see it fail, and its money can go back in another way.
func TestARefundThatIsNeverTakenFails(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]acquirer.Acquirer{"sandbox": nil, "none": acquirer.None{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newLiveOffice(t)
			id := o.paid(t, live, "100", "EUR")
			if a != nil {
				o.Acquirers[identity.Live] = a
			}
			e := o.reserved(t, id, "one", "42.24")
			o.stands(t, e, payments.EventBegun, "57.76", "42.24")
			o.sweepRefund(t, e)
			o.stands(t, e, payments.EventFailed, "100.00", "0.00")
			if err := o.retryRefund(t, e, "one"); !failure.Is(err, failure.KindConflict) {
				t.Errorf("retry: %v", err)
			}
			o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
			if err := o.retryRefund(t, e, "one"); !failure.Is(err, failure.KindConflict) {
				t.Errorf("retry at another acquirer: %v", err)
			}
			o.stands(t, e, payments.EventFailed, "100.00", "0.00")
			if _, err := o.Chargeback(t.Context(), live, processing.ChargebackRequest{
				TransactionID: id, ID: "cb", Amount: "60"}); err != nil {
				t.Errorf("chargeback: %v", err)
			}
			o.mustRefund(t, id, "40", "0")
		})
	}
}

// TestARetryCancelsWhatIsNotTaken: the retry of a request that was cut off
// hears that the refund came to nothing, and so does every later one.
func TestARetryCancelsWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	id := o.paid(t, live, "100", "EUR")
	e := o.reserved(t, id, "one", "42.24")
	for range 2 {
		if err := o.retryRefund(t, e, "one"); !failure.Is(err, failure.KindConflict) {
			t.Errorf("retry: %v", err)
		}
		o.stands(t, e, payments.EventFailed, "100.00", "0.00")
	}
}

// refusing takes no refund, and answers cancellations as it is told.
type refusing struct {
	acquirer.Acquirer
	cancels atomic.Int64
	cancel  func(ctx context.Context, id string) (payments.Outcome, error)
}

func (r *refusing) Refund(context.Context, acquirer.Refund) (payments.Outcome, error) {
	return payments.Outcome{}, acquirer.ErrNotTaken
}

func (r *refusing) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	r.cancels.Add(1)
	return r.cancel(ctx, id)
}

// TestWithoutACancellationTheOutcomeStaysUnknown: only the acquirer's word
// closes a refund.
func TestWithoutACancellationTheOutcomeStaysUnknown(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	bank := o.Acquirers[identity.Test]
	e := o.reserved(t, o.paid(t, live, "100", "EUR"), "one", "10")
	for name, answer := range map[string]struct {
		decision payments.Decision
		err      error
	}{
		"lost": {"", faults.ErrNetwork}, "not taken": {"", acquirer.ErrNotTaken},
		"under way": {payments.OutcomeUnknown, nil},
	} {
		a := &refusing{Acquirer: bank, cancel: func(context.Context, string) (payments.Outcome, error) {
			return payments.Outcome{Decision: answer.decision}, answer.err
		}}
		o.Acquirers[identity.Live] = a
		o.sweepRefund(t, e)
		if a.cancels.Load() == 0 {
			t.Errorf("%s: never cancelled", name)
		}
		o.stands(t, e, payments.EventPending, "90.00", "10.00")
	}
	o.Acquirers[identity.Live] = bank
	o.sweepRefund(t, e)
	o.stands(t, e, payments.EventRefunded, "90.00", "0.00")
}

// TestARefundThatWasMadeIsNotCancelled: the lost first request was taken after
// all, which the cancellation finds out.
func TestARefundThatWasMadeIsNotCancelled(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	bank := o.Acquirers[identity.Test]
	for amount, status := range map[string]payments.EventStatus{"10": payments.EventRefunded, "42.91": payments.EventFailed} {
		id := o.paid(t, live, "100", "EUR")
		e := o.reserved(t, id, uuid.NewString(), amount)
		if _, err := bank.Refund(t.Context(), acquirer.Refund{ID: e.ID, ChargeID: id, Amount: e.Amount}); err != nil {
			t.Fatal(err)
		}
		o.Acquirers[identity.Live] = &refusing{Acquirer: bank, cancel: bank.CancelRefund}
		o.sweepRefund(t, e)
		left := map[payments.EventStatus]string{payments.EventRefunded: "90.00", payments.EventFailed: "100.00"}[status]
		o.stands(t, e, status, left, "0.00")
		o.Acquirers[identity.Live] = bank
	}
}

// TestARequestThatComesAfterItsCancellation: the sweep took a slow request for
// cut off, and the acquirer would not take what it asked. The request itself
// arrives later, and nothing moves.
func TestARequestThatComesAfterItsCancellation(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	bank := o.Acquirers[identity.Test]
	id := o.paid(t, live, "100", "EUR")
	var e payments.Event
	o.Acquirers[identity.Live] = slow{bank, func(r acquirer.Refund) {
		e = payments.Event{ID: r.ID, TransactionID: id}
		o.Acquirers[identity.Live] = &refusing{Acquirer: bank, cancel: bank.CancelRefund}
		o.sweepRefund(t, e)
	}}
	if err := o.giveBack(t.Context(), live, id, "10", "0"); !failure.Is(err, failure.KindConflict) {
		t.Errorf("refund: %v", err)
	}
	o.stands(t, e, payments.EventFailed, "100.00", "0.00")
	for line, err := range bank.Statement(t.Context()) {
		if err != nil || line.Kind == acquirer.Refunded {
			t.Errorf("%+v, %v", line, err)
		}
	}
}

// slow lets something happen before a refund arrives.
type slow struct {
	acquirer.Acquirer
	before func(acquirer.Refund)
}

func (s slow) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	s.before(r)
	return s.Acquirer.Refund(ctx, r)
}
