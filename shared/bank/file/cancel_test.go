package file_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/money"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	banktest.Cancel(t, func(t *testing.T) banktest.Subject {
		w := newFixture(t)
		return banktest.Subject{Bank: w, Accepted: transfer,
			NotTaken: func(id string) bank.Transfer {
				o := transfer(id)
				o.Amount = money.Zero("EUR")
				return o
			},
			Take: func(id string) {
				if _, err := w.Export(t.Context(), io.Discard, request("f"+id, id)); err != nil &&
					!errors.Is(err, file.ErrNothingToDo) {
					t.Errorf("export %s: got error %v, want none or ErrNothingToDo", id, err)
				}
			},
			Pay: func(id string) { w.mustSettle(t, id, paid) },
		}
	})
}

// TestCancel_BeforeExport checks that neither a file nor the list of waiting transfers has a cancelled transfer. The
// cancellation is final.
func TestCancel_BeforeExport(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "cancelled", "p")
	for _, id := range []string{"cancelled", "ahead"} {
		w.mustCancel(t, id, bank.Cancelled)
		w.Bank = w.restart()
		w.mustTransfer(t, transfer(id), bank.Cancelled)
		w.mustCancel(t, id, bank.Cancelled)
	}
	if ids := w.waitingIDs(t, "EUR"); !slices.Equal(ids, []string{"p"}) {
		t.Errorf("got %v waiting, want p", ids)
	}
	w.export(t, request("f", "cancelled", "ahead", "p"), "p")
	for _, id := range []string{"cancelled", "ahead"} {
		if err := w.Settle(t.Context(), id, paid); !errors.Is(err, file.ErrSettled) {
			t.Errorf("%s: got error %v, want ErrSettled", id, err)
		}
		w.mustSettle(t, id, bank.Cancelled)
	}
}

// TestCancel_Settled checks that a cancellation does not change the outcome of a settled transfer.
func TestCancel_Settled(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "good", "bad")
	w.export(t, request("f", "good", "bad"), "good", "bad")
	w.mustSettle(t, "good", paid)
	w.mustSettle(t, "bad", rejected("AC04"))
	unnamed := transfer("unnamed")
	unnamed.To.IBAN = "nonsense"
	w.mustTransfer(t, unnamed, rejected("AC01"))
	for id, want := range map[string]bank.Outcome{"good": paid, "bad": rejected("AC04"), "unnamed": rejected("AC01")} {
		w.mustCancel(t, id, want)
		w.mustTransfer(t, transfer(id), want)
	}
}

// TestCancel_InterruptedExport checks that a transfer that a file has claimed is not cancelled. Even if the export was
// interrupted, the file may still be sent to the bank.
func TestCancel_InterruptedExport(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "a", "b")
	writes := 0
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			writes++
		}
		if writes == 3 { // the file has claimed its transfers and is not sealed
			return faults.FailBefore
		}
		return faults.None
	})
	if _, err := w.Export(t.Context(), io.Discard, request("f", "a", "b")); err == nil {
		t.Fatal("got no error of the export, want one")
	}
	w.Wire.Inject(nil)
	w.mustCancel(t, "a", accepted)
	w.export(t, request("f", "a", "b"), "a", "b")
	w.mustCancel(t, "a", accepted)
}

// TestCancel_ConcurrentTransferAndExport lets Cancel run just before the write of a transfer or an export, and lets
// those run just before a write of Cancel.
func TestCancel_ConcurrentTransferAndExport(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	cancels := func(id string) func() { return func() { w.mustCancel(t, id, bank.Cancelled) } }
	w.Wire.Meanwhile("TransactWriteItems", 1, cancels("requested"))
	w.mustTransfer(t, transfer("requested"), bank.Cancelled)
	w.Wire.Meanwhile("TransactWriteItems", 1, func() { w.mustTransfer(t, transfer("cancelled"), accepted) })
	w.mustCancel(t, "cancelled", bank.Cancelled) // the cancelled transfer no longer waits
	w.Wire.Inject(nil)
	w.accept(t, "begun", "claimed", "taken", "left")
	w.Wire.Meanwhile("TransactWriteItems", 1, cancels("begun"))
	w.export(t, request("f1", "begun", "left"), "left")
	w.accept(t, "left2")
	w.Wire.Meanwhile("TransactWriteItems", 2, cancels("claimed"))
	w.export(t, request("f2", "claimed", "left2"), "left2")
	// The first write of the cancellation finds the transfer waiting, and the second write finds it in a file.
	w.Wire.Meanwhile("TransactWriteItems", 2, func() { w.export(t, request("f3", "taken"), "taken") })
	w.mustCancel(t, "taken", accepted)
	if ids := w.waitingIDs(t, "EUR"); len(ids) != 0 {
		t.Errorf("got %v waiting, want none", ids)
	}
}

// TestCancel_LostRequestsAndReplies checks the answer to a caller that was interrupted and repeats its call.
func TestCancel_LostRequestsAndReplies(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "reply", "request")
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.LoseReply
		}
		return faults.None
	})
	w.mustCancel(t, "reply", bank.Cancelled)
	w.mustCancel(t, "ahead", bank.Cancelled)
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.FailBefore
		}
		return faults.None
	})
	for _, id := range []string{"request", "never"} {
		banktest.Unknown(t)(w.Cancel(t.Context(), id))
	}
	w.Wire.Inject(nil)
	for id, want := range map[string]bank.Outcome{"reply": bank.Cancelled, "ahead": bank.Cancelled,
		"request": accepted, "never": accepted} {
		w.mustTransfer(t, transfer(id), want)
	}
	if ids := w.waitingIDs(t, "EUR"); !slices.Equal(slices.Sorted(slices.Values(ids)), []string{"never", "request"}) {
		t.Errorf("got %v waiting, want never and request", ids)
	}
}
