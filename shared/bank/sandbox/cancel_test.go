package sandbox_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/localstack/parties"
	"github.com/cashwrap/cashwrap/localstack/parties/banktest"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

func TestCancellingKeepsThePortsPromises(t *testing.T) {
	t.Parallel()
	banktest.Cancel(t, func(t *testing.T) banktest.Subject {
		w := newWorld(t)
		return banktest.Subject{Bank: w,
			Order:    func(id string) bank.Transfer { return order(id, sandbox.PaidIBAN) },
			NotTaken: func(id string) bank.Transfer { return order(id, sandbox.NotTakenIBAN) },
			Take:     func(string) {}, // as soon as it is accepted
			Pay: func(id string) {
				w.Pass(2 * time.Second)
				w.mustBe(t, order(id, sandbox.PaidIBAN), paid)
			},
		}
	})
}

// A tombstone outlives its process, and whatever account the order names.
func TestACancelledTransferIsNeverMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN, sandbox.SilentIBAN,
		sandbox.NotTakenIBAN} {
		w.mustCancel(t, number, bank.Cancelled)
		w.Bank = w.restarted()
		for range 2 {
			w.mustBe(t, order(number, number), bank.Cancelled)
			w.Pass(time.Minute)
		}
		w.mustHaveLeft(t, number, 0)
	}
}

// A transfer that was taken is decided when its cancellation finds it due, and
// what was rejected keeps its reason.
func TestCancellingATransferThatWasTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN, sandbox.SilentIBAN} {
		_, _ = w.Transfer(t.Context(), order(number, number))
	}
	w.mustCancel(t, sandbox.PaidIBAN, accepted)
	w.mustCancel(t, sandbox.ClosedIBAN, rejected("AC04"))
	w.mustCancel(t, sandbox.UnknownIBAN, accepted)
	w.mustCancel(t, sandbox.SilentIBAN, accepted)
	w.Pass(30 * time.Second)
	for range 2 {
		w.mustCancel(t, sandbox.PaidIBAN, paid)
		w.mustCancel(t, sandbox.UnknownIBAN, rejected("AC01"))
		w.mustCancel(t, sandbox.SilentIBAN, paid)
	}
	w.mustHaveLeft(t, sandbox.PaidIBAN, 1)
	w.mustHaveLeft(t, sandbox.UnknownIBAN, 0)
	w.mustHaveLeft(t, sandbox.SilentIBAN, 1)
}

// Either comes when the other's write is on its way, and takes its place.
func TestTransfersAndCancellationsOvertakeEachOther(t *testing.T) {
	t.Parallel()
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.SilentIBAN} {
		w := newWorld(t)
		w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustCancel(t, "p", bank.Cancelled) })
		w.mustBe(t, order("p", number), bank.Cancelled)
		w.mustHaveLeft(t, "p", 0)
	}
	w := newWorld(t)
	w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustBe(t, order("p", sandbox.PaidIBAN), accepted) })
	w.mustCancel(t, "p", accepted)
	w.Pass(2 * time.Second)
	w.mustBe(t, order("p", sandbox.PaidIBAN), paid)
	w.mustHaveLeft(t, "p", 1)
	// One that is not taken, but cancelled before the books are read.
	w.Wire.Meanwhile("GetItem", 1, func() { w.mustCancel(t, "q", bank.Cancelled) })
	w.mustBe(t, order("q", sandbox.NotTakenIBAN), bank.Cancelled)
}

// What a caller that was cut off finds when it comes again.
func TestLostRequestsAndRepliesOfCancellations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Wire.Cut(parties.Once("TransactWriteItems", faults.LoseReply))
	w.mustCancel(t, "reply", bank.Cancelled)
	w.Wire.Cut(parties.Once("TransactWriteItems", faults.FailBefore))
	banktest.Unknown(t)(w.Cancel(t.Context(), "request"))
	w.Wire.Cut(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.LoseReply
		}
		return faults.FailBefore
	})
	banktest.Unknown(t)(w.Cancel(t.Context(), "blind"))
	w.Wire.Cut(nil)
	for id, want := range map[string]bank.Outcome{"reply": bank.Cancelled, "request": accepted, "blind": bank.Cancelled} {
		w.mustBe(t, order(id, sandbox.PaidIBAN), want)
		w.mustCancel(t, id, want)
	}
}
