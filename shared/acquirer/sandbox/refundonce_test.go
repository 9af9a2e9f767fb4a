package sandbox_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestRefund_HundredConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "1000"))
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			o, err := w.Refund(t.Context(), refundOf("c", "r", "10"))
			if err != nil || o.Decision != payments.Approved {
				t.Errorf("refund %d: got %+v, %v, want approved", i, o, err)
			}
		})
	}
	group.Wait()
	w.checkMoved(t, "c", "1000", "10", "")
}

func TestRefund_ConcurrentPollsOfPending(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "1000"))
	silent := refundOf("c", "r", "42.25")
	wantUnknown(t)(w.Refund(t.Context(), silent))
	w.Advance(30 * time.Second)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			o, err := w.Refund(t.Context(), silent)
			if err != nil || o.Decision != payments.Approved {
				t.Errorf("poll %d: got %+v, %v, want approved", i, o, err)
			}
		})
	}
	group.Wait()
	w.checkMoved(t, "c", "1000", "42.25", "")
}

// TestRefund_ConcurrentWithChargebacks checks that, of three refunds and three chargebacks of 30, exactly three fit
// into a charge of 100.
func TestRefund_ConcurrentWithChargebacks(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	thirty := money.MustParse("30", "EUR")
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		w.mustCharge(t, cardCharge(id, plainCard, "100"))
		var mu sync.Mutex
		paid := 0
		count := func(ok bool) {
			mu.Lock()
			defer mu.Unlock()
			if ok {
				paid++
			}
		}
		var group sync.WaitGroup
		for i := range 3 {
			name := fmt.Sprint(id, i)
			group.Go(func() {
				o, err := w.Refund(t.Context(), refundOf(id, name, "30"))
				if err != nil {
					t.Errorf("refund %s: got error %v, want none", name, err)
				}
				count(o.Decision == payments.Approved)
			})
			group.Go(func() {
				err := w.Chargeback(t.Context(), id, name, thirty)
				if err != nil && !errors.Is(err, sandbox.ErrTooMuch) {
					t.Errorf("chargeback %s: got error %v, want none or ErrTooMuch", name, err)
				}
				count(err == nil)
			})
		}
		group.Wait()
		sums, err := w.Moved(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if back := sums[acquirer.RefundMovement].Minor() + sums[acquirer.ChargebackMovement].Minor(); paid != 3 ||
			back != 9000 {
			t.Errorf("%s: got %d that were taken and %d cents back, want 3 and 9000", id, paid, back)
		}
	}
}

// TestRefund_LostRequestOrReply checks the answer to a caller that was interrupted and repeats its call.
func TestRefund_LostRequestOrReply(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]struct {
		fault faults.Fault
		known bool // the refund was taken although the caller got an error or no answer
	}{"lost request": {faults.FailBefore, false}, "lost reply": {faults.LoseReply, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			w.mustCharge(t, cardCharge("c", plainCard, "30"))
			w.Wire.Inject(faults.Times(1, "TransactWriteItems", f.fault))
			o, err := w.Refund(t.Context(), refundOf("c", "r", "10"))
			if f.known && (err != nil || o.Decision != payments.Approved) {
				t.Errorf("got %+v, %v, want its own refund recognised as approved", o, err)
			}
			if !f.known {
				wantUnknown(t)(o, err)
			}
			w.Wire.Inject(faults.Times(1, "TransactWriteItems", f.fault))
			if err := w.Chargeback(t.Context(), "c", "b", money.MustParse("10", "EUR")); (err == nil) != f.known {
				t.Errorf("chargeback: got error %v, want one %t", err, !f.known)
			}
			w.Wire.Inject(nil)
			if o := w.mustRefund(t, refundOf("c", "r", "10")); o.Decision != payments.Approved {
				t.Errorf("again: got %+v, want approved", o)
			}
			w.mustChargeback(t, "c", "b", "10")
			w.checkMoved(t, "c", "30", "10", "10")
		})
	}
}

// TestRefund_UnknownOutcomeLostReply checks a refund of 42.25, which stays pending for 30 seconds. The first call gets
// no answer, also when the table's reply is lost. The second call approves the refund. If the table's reply to the
// second call is lost, the call recognises its own write. If the request to the table is lost, the call fails, and the
// third call approves the refund.
func TestRefund_UnknownOutcomeLostReply(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]faults.Fault{"lost request": faults.FailBefore, "lost reply": faults.LoseReply} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			w.mustCharge(t, cardCharge("c", plainCard, "50"))
			silent := refundOf("c", "r", "42.25")
			w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.LoseReply))
			wantUnknown(t)(w.Refund(t.Context(), silent))
			w.Advance(30 * time.Second)
			w.Wire.Inject(faults.Times(1, "TransactWriteItems", f))
			o, err := w.Refund(t.Context(), silent)
			if f == faults.LoseReply && (err != nil || o.Decision != payments.Approved) {
				t.Errorf("got %+v, %v, want its own write recognised as approved", o, err)
			}
			if f == faults.FailBefore && err == nil {
				t.Errorf("got %+v, want an error of a request that never arrived", o)
			}
			if o := w.mustRefund(t, silent); o.Decision != payments.Approved {
				t.Errorf("again: got %+v, want approved", o)
			}
			w.checkMoved(t, "c", "50", "42.25", "")
		})
	}
}

// TestRefund_DecidedAgainAfterLostWrite checks a refund whose write is lost while a chargeback takes most of the
// charge.
func TestRefund_DecidedAgainAfterLostWrite(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "30"))
	cut := faults.Times(1, "TransactWriteItems", faults.FailBefore)
	w.Wire.Inject(func(operation string) faults.Fault {
		f := cut(operation)
		if f == faults.FailBefore {
			w.Wire.Free(func() { w.mustChargeback(t, "c", "b", "25") })
		}
		return f
	})
	if o := w.mustRefund(t, refundOf("c", "r", "10")); o.Decision != payments.Declined {
		t.Errorf("got %+v, want declined", o)
	}
	w.checkMoved(t, "c", "30", "", "25")
}

// TestRefund_SameIDOfTwoCharges checks two concurrent refunds with the same id, of different charges. Only one refund
// may be made. The optimistic lock on a charge's version cannot prevent the other refund, because the charges differ.
func TestRefund_SameIDOfTwoCharges(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("a", plainCard, "30"))
	w.mustCharge(t, cardCharge("b", plainCard, "30"))
	w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustRefund(t, refundOf("b", "r", "10")) })
	if o := w.mustRefund(t, refundOf("a", "r", "20")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved", o)
	}
	w.checkMoved(t, "a", "30", "", "")
	w.checkMoved(t, "b", "30", "10", "")
	if o := w.mustRefund(t, refundOf("a", "all", "30")); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved: the refund of b takes nothing from a", o)
	}
}

func TestRefund_TableUnreadable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "30"))
	written := false
	w.Wire.Inject(func(operation string) faults.Fault {
		switch {
		case operation == "TransactWriteItems":
			written = true
			return faults.LoseReply
		case written:
			return faults.FailBefore
		default:
			return faults.None
		}
	})
	if wantUnknown(t)(w.Refund(t.Context(), refundOf("c", "r", "10"))); !written {
		t.Error("got no write of the refund, want one")
	}
	w.Wire.Inject(nil)
	if o := w.mustRefund(t, refundOf("c", "r", "10")); o.Decision != payments.Approved {
		t.Errorf("again: got %+v, want approved", o)
	}
	w.checkMoved(t, "c", "30", "10", "")
}

// TestRefund_RacesWithPolls lets a refund and a late decision of the same charge race. Neither may undo the other.
func TestRefund_RacesWithPolls(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		wantUnknown(t)(w.Charge(t.Context(), cardCharge(id, plainCard, "42.25")))
	}
	w.Advance(30 * time.Second)
	var group sync.WaitGroup
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		group.Go(func() { must(t)(w.LookUp(t.Context(), id)) })
		group.Go(func() { w.mustRefund(t, refundOf(id, id, "42.00")) })
		group.Go(func() { must(t)(w.Cancel(t.Context(), id)) })
	}
	group.Wait()
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		w.checkMoved(t, id, "42.25", "42.00", "")
	}
}
