package acquirer_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
)

// TestUnlinked_TellsNothing checks that a program without the acquirer takes no charge for unknown or cancelled.
func TestUnlinked_TellsNothing(t *testing.T) {
	t.Parallel()
	var a acquirer.Acquirer = acquirer.Unlinked{}
	_, chargeErr := a.Charge(t.Context(), acquirer.Charge{ID: "c"})
	_, lookUpErr := a.LookUp(t.Context(), "c")
	_, cancelErr := a.Cancel(t.Context(), "c")
	_, refundErr := a.Refund(t.Context(), acquirer.Refund{ID: "r"})
	_, withdrawErr := a.CancelRefund(t.Context(), "r")
	for _, err := range []error{chargeErr, lookUpErr, cancelErr, refundErr, withdrawErr} {
		if err == nil || errors.Is(err, acquirer.ErrNotTaken) || errors.Is(err, acquirer.ErrUnknownCharge) {
			t.Errorf("got error %v, want one that tells nothing about the charge", err)
		}
	}
}
