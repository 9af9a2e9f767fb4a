package banktest

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/bank"
)

// Unknown expects of a call that its outcome is unknown: the caller hears
// neither of one, nor that there will be none.
func Unknown(t *testing.T) func(bank.Outcome, error) {
	return func(o bank.Outcome, err error) {
		t.Helper()
		if err == nil || errors.Is(err, bank.ErrNotTaken) || errors.Is(err, bank.ErrUnknownTransfer) || o != (bank.Outcome{}) {
			t.Fatalf("%+v, %v, want an unknown outcome", o, err)
		}
	}
}
