package sandbox_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	banktest.Cancel(t, func(t *testing.T) banktest.Subject {
		w := newFixture(t)
		return banktest.Subject{Bank: w,
			Accepted: func(id string) bank.Transfer { return transferTo(id, sandbox.PaidIBAN) },
			NotTaken: func(id string) bank.Transfer { return transferTo(id, sandbox.NotTakenIBAN) },
			Take:     func(string) {}, // the transfer is taken as soon as it is accepted
			Pay: func(id string) {
				w.Advance(2 * time.Second)
				w.mustTransfer(t, transferTo(id, sandbox.PaidIBAN), paid)
			},
		}
	})
}

// TestCancel_Tombstone checks that a tombstone survives a restart, and cancels later transfers to any account.
func TestCancel_Tombstone(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN, sandbox.LostAnswerIBAN,
		sandbox.NotTakenIBAN} {
		w.mustCancel(t, number, bank.Cancelled)
		w.Bank = w.restart()
		for range 2 {
			w.mustTransfer(t, transferTo(number, number), bank.Cancelled)
			w.Advance(time.Minute)
		}
		w.mustHavePaid(t, number, 0)
	}
}

// TestCancel_Taken checks that the cancellation of a taken transfer settles the transfer if it is due. A rejection
// keeps its reason.
func TestCancel_Taken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN, sandbox.LostAnswerIBAN} {
		_, _ = w.Transfer(t.Context(), transferTo(number, number))
	}
	w.mustCancel(t, sandbox.PaidIBAN, accepted)
	w.mustCancel(t, sandbox.ClosedIBAN, rejected("AC04"))
	w.mustCancel(t, sandbox.UnknownIBAN, accepted)
	w.mustCancel(t, sandbox.LostAnswerIBAN, accepted)
	w.Advance(30 * time.Second)
	for range 2 {
		w.mustCancel(t, sandbox.PaidIBAN, paid)
		w.mustCancel(t, sandbox.UnknownIBAN, rejected("AC01"))
		w.mustCancel(t, sandbox.LostAnswerIBAN, paid)
	}
	w.mustHavePaid(t, sandbox.PaidIBAN, 1)
	w.mustHavePaid(t, sandbox.UnknownIBAN, 0)
	w.mustHavePaid(t, sandbox.LostAnswerIBAN, 1)
}

// TestCancel_ConcurrentTransfer sends each of the two calls just before the write of the other call.
func TestCancel_ConcurrentTransfer(t *testing.T) {
	t.Parallel()
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.LostAnswerIBAN} {
		w := newFixture(t)
		w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustCancel(t, "p", bank.Cancelled) })
		w.mustTransfer(t, transferTo("p", number), bank.Cancelled)
		w.mustHavePaid(t, "p", 0)
	}
	w := newFixture(t)
	w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustTransfer(t, transferTo("p", sandbox.PaidIBAN), accepted) })
	w.mustCancel(t, "p", accepted)
	w.Advance(2 * time.Second)
	w.mustTransfer(t, transferTo("p", sandbox.PaidIBAN), paid)
	w.mustHavePaid(t, "p", 1)
	// This transfer would not be taken, but it is cancelled before the table is read.
	w.Wire.Meanwhile("GetItem", 1, func() { w.mustCancel(t, "q", bank.Cancelled) })
	w.mustTransfer(t, transferTo("q", sandbox.NotTakenIBAN), bank.Cancelled)
}

// TestCancel_LostRequestsAndReplies checks the answer to a caller that was interrupted and repeats its call.
func TestCancel_LostRequestsAndReplies(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.LoseReply))
	w.mustCancel(t, "reply", bank.Cancelled)
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.FailBefore))
	banktest.Unknown(t)(w.Cancel(t.Context(), "request"))
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.LoseReply
		}
		return faults.FailBefore
	})
	banktest.Unknown(t)(w.Cancel(t.Context(), "blind"))
	w.Wire.Inject(nil)
	for id, want := range map[string]bank.Outcome{"reply": bank.Cancelled, "request": accepted, "blind": bank.Cancelled} {
		w.mustTransfer(t, transferTo(id, sandbox.PaidIBAN), want)
		w.mustCancel(t, id, want)
	}
}
