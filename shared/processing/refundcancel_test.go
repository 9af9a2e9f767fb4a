package processing_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// beginOnly begins a refund but does not call the acquirer, like a process that ends before the call. The live
// merchant's reserve includes the amount.
func (o *fixture) beginOnly(t *testing.T, id, operation, amount string) payments.Event {
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
	reserve, err := o.store.Reserve(t.Context(), live, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	if err := o.store.ApplyTransaction(t.Context(), live, change, &reserve); err != nil {
		t.Fatal(err)
	}
	return change.Events[0]
}

// sweepRefund polls a refund as the sweep does, when it is due.
func (o *fixture) sweepRefund(t *testing.T, e payments.Event) {
	t.Helper()
	o.Advance(10 * time.Minute)
	if err := o.ResolveRefundDue(t.Context(), live, e.ID); err != nil {
		t.Fatal(err)
	}
}

// checkRefund checks the status of a refund, the refundable rest of its transaction, and the reserve.
func (o *fixture) checkRefund(t *testing.T, e payments.Event, status payments.EventStatus, left, reserve string) {
	t.Helper()
	r, err := o.store.Transaction(t.Context(), live, e.TransactionID)
	if err != nil {
		t.Fatal(err)
	}
	stored, _ := r.Refund(e.ID)
	if now := o.readReserve(t, live); stored.Status != status || r.Refundable.String() != left || now != reserve {
		t.Errorf("refund: got %s, left %s, reserve %s, want %s, %s, %s", stored.Status, r.Refundable, now,
			status, left, reserve)
	}
	if status == payments.EventFailed && r.LastRefund != payments.EventFailed {
		t.Errorf("last refund: got %q, want %q", r.LastRefund, payments.EventFailed)
	}
}

func (o *fixture) retryRefund(t *testing.T, e payments.Event, operation string) error {
	t.Helper()
	minimum := money.MustParse("0", "EUR")
	return o.Refund(t.Context(), live, processing.RefundRequest{By: identity.Platform(), TransactionID: e.TransactionID,
		Operation: operation,
		Amount:    money.Literal(e.Amount.String()), MinimumBalance: &minimum})
}

// TestResolveRefundDue_NeverTaken checks a refund whose process ended. The acquirer refuses each request for 42.24, but
// may have taken an earlier request, so the refund is cancelled. After that the refund has failed for all clients, and
// its money can be refunded again.
func TestResolveRefundDue_NeverTaken(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]acquirer.Acquirer{"sandbox": nil, "none": acquirer.None{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newLiveFixture(t)
			id := o.createPaid(t, live, "100", "EUR")
			if a != nil {
				o.Acquirers[identity.Live] = a
			}
			e := o.beginOnly(t, id, "one", "42.24")
			o.checkRefund(t, e, payments.EventBegun, "57.76", "42.24")
			o.sweepRefund(t, e)
			o.checkRefund(t, e, payments.EventFailed, "100.00", "0.00")
			if err := o.retryRefund(t, e, "one"); !failure.Is(err, failure.KindConflict) {
				t.Errorf("retry: got %v, want a conflict", err)
			}
			o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
			if err := o.retryRefund(t, e, "one"); !failure.Is(err, failure.KindConflict) {
				t.Errorf("retry at another acquirer: got %v, want a conflict", err)
			}
			o.checkRefund(t, e, payments.EventFailed, "100.00", "0.00")
			if _, err := o.Chargeback(t.Context(), live, processing.ChargebackRequest{
				TransactionID: id, ID: "cb", Amount: "60"}); err != nil {
				t.Errorf("chargeback: got %v, want no error", err)
			}
			o.mustRefund(t, id, "40", "0")
		})
	}
}

// TestRefund_RetryNotTaken checks a request that was cut off: each retry gets the answer that the refund has failed.
func TestRefund_RetryNotTaken(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	id := o.createPaid(t, live, "100", "EUR")
	e := o.beginOnly(t, id, "one", "42.24")
	for range 2 {
		if err := o.retryRefund(t, e, "one"); !failure.Is(err, failure.KindConflict) {
			t.Errorf("retry: got %v, want a conflict", err)
		}
		o.checkRefund(t, e, payments.EventFailed, "100.00", "0.00")
	}
}

// refusing takes no refund, and answers cancellations as the test sets.
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

// TestResolveRefundDue_NotCancelled checks that the outcome stays unknown until the acquirer's answer makes it final.
func TestResolveRefundDue_NotCancelled(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	bank := o.Acquirers[identity.Test]
	e := o.beginOnly(t, o.createPaid(t, live, "100", "EUR"), "one", "10")
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
		if n := a.cancels.Load(); n == 0 {
			t.Errorf("%s: got %d cancellations, want some", name, n)
		}
		o.checkRefund(t, e, payments.EventPending, "90.00", "10.00")
	}
	o.Acquirers[identity.Live] = bank
	o.sweepRefund(t, e)
	o.checkRefund(t, e, payments.EventRefunded, "90.00", "0.00")
}

// TestResolveRefundDue_AlreadyMade checks a refund that the acquirer made although its answer was lost. When the
// platform asks for a cancellation, the acquirer answers that the refund was made. The refund is not cancelled.
func TestResolveRefundDue_AlreadyMade(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	bank := o.Acquirers[identity.Test]
	for amount, status := range map[string]payments.EventStatus{
		"10": payments.EventRefunded, "42.91": payments.EventFailed,
	} {
		id := o.createPaid(t, live, "100", "EUR")
		e := o.beginOnly(t, id, uuid.NewString(), amount)
		if _, err := bank.Refund(t.Context(), acquirer.Refund{ID: e.ID, ChargeID: id, Amount: e.Amount}); err != nil {
			t.Fatal(err)
		}
		o.Acquirers[identity.Live] = &refusing{Acquirer: bank, cancel: bank.CancelRefund}
		o.sweepRefund(t, e)
		left := map[payments.EventStatus]string{payments.EventRefunded: "90.00", payments.EventFailed: "100.00"}[status]
		o.checkRefund(t, e, status, left, "0.00")
		o.Acquirers[identity.Live] = bank
	}
}

// TestRefund_ArrivesAfterCancellation checks a slow request that reaches the acquirer after the sweep has polled and
// cancelled the refund. No money moves.
func TestRefund_ArrivesAfterCancellation(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	bank := o.Acquirers[identity.Test]
	id := o.createPaid(t, live, "100", "EUR")
	var e payments.Event
	o.Acquirers[identity.Live] = slow{bank, func(r acquirer.Refund) {
		e = payments.Event{ID: r.ID, TransactionID: id}
		o.Acquirers[identity.Live] = &refusing{Acquirer: bank, cancel: bank.CancelRefund}
		o.sweepRefund(t, e)
	}}
	if err := o.tryRefund(t.Context(), live, id, "10", "0"); !failure.Is(err, failure.KindConflict) {
		t.Errorf("refund: got %v, want a conflict", err)
	}
	o.checkRefund(t, e, payments.EventFailed, "100.00", "0.00")
	for line, err := range bank.Statement(t.Context(), time.Time{}) {
		if err != nil || line.Kind == acquirer.RefundMovement {
			t.Errorf("statement: got %+v, %v, want no refund and no error", line, err)
		}
	}
}

// slow calls a function before it passes a refund to the acquirer.
type slow struct {
	acquirer.Acquirer
	before func(acquirer.Refund)
}

func (s slow) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	s.before(r)
	return s.Acquirer.Refund(ctx, r)
}
