package banktest

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/bank"
)

// Outcomes of transfers.
var (
	Accepted = bank.Outcome{State: bank.Accepted}
	Paid     = bank.Outcome{State: bank.Paid}
)

// Rejected returns the outcome of a transfer that the bank rejected for the reason.
func Rejected(reason string) bank.Outcome { return bank.Outcome{State: bank.Rejected, Reason: reason} }

// MustBe requests a transfer and expects the outcome. The transfer may have been requested before.
func MustBe(t *testing.T, b bank.Bank, request bank.Transfer, want bank.Outcome) {
	t.Helper()
	if got, err := b.Transfer(t.Context(), request); err != nil || got != want {
		t.Fatalf("transfer %s: got %+v, %v, want %+v", request.ID, got, err, want)
	}
}

// MustCancel cancels a transfer and expects the outcome from Cancel.
func MustCancel(t *testing.T, b bank.Bank, id string, want bank.Outcome) {
	t.Helper()
	if got, err := b.Cancel(t.Context(), id); err != nil || got != want {
		t.Fatalf("cancel %s: got %+v, %v, want %+v", id, got, err, want)
	}
}

// Unknown returns a check that the outcome of a call is unknown. The call must have an error other than ErrNotTaken and
// ErrUnknownTransfer, because these two errors mean that there is no transfer.
func Unknown(t *testing.T) func(bank.Outcome, error) {
	return func(o bank.Outcome, err error) {
		t.Helper()
		if err == nil || errors.Is(err, bank.ErrNotTaken) || errors.Is(err, bank.ErrUnknownTransfer) ||
			o != (bank.Outcome{}) {
			t.Fatalf("%+v, %v, want an unknown outcome", o, err)
		}
	}
}
