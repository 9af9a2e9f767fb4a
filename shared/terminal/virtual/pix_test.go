package virtual_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// offerPix offers a checkout of 10, to be paid by a Pix code, at the pairing p. With tip, the terminal asks for a tip
// of a tenth.
func (w *fixture) offerPix(id string, tip bool) {
	w.Helper()
	c := w.checkout(id, "p", "10")
	c.Method = payments.QRCodePix
	if tip {
		c.TipRates = []money.Decimal{"0.1"}
	}
	w.wantErrors(failing{"offer", w.offering(c), nil})
}

func (w *fixture) wantState(want terminal.State) {
	w.Helper()
	if h, err := w.Heartbeat(w.Context(), "p"); err != nil || h.State != want {
		w.Errorf("heartbeat: got %s, %v, want %s", h.State, err, want)
	}
}

// payCode pays the code of a checkout. Error: sandbox.ErrNotPayable.
func (w *fixture) payCode(checkout string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := w.acquirer.(*sandbox.Acquirer).PayVoucher(ctx, "charge of "+checkout)
		return err
	}
}

// TestPix_Paid checks that the terminal shows the code at once, or after the choice of a tip. It shows the code until
// the acquirer reports the payment.
func TestPix_Paid(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	w.offerPix("c", true)
	w.wantState(terminal.SelectingTip)
	w.wantOutcome("c", waiting)
	w.wantDecision("c", "")
	w.Advance(time.Second)
	for range 2 {
		w.wantOutcome("c", waiting)
		w.wantState(terminal.WaitingForCard)
		w.Advance(time.Hour)
	}
	got := w.wantDecision("c", payments.Voucher)
	want := &payments.CardPresent{EntryMode: "QR_CODE_PIX", Tip: money.MustParse("1", "EUR"),
		Location: &payments.Location{Lat: 52.5208, Lon: 13.4094, Accuracy: 10}}
	if diff := cmp.Diff(want, got.Present, storedtest.Options); diff != "" || got.Card != nil {
		t.Errorf("got card %+v, and sent (-want +got):\n%s", got.Card, diff)
	}
	w.wantErrors(failing{"busy", w.offering(w.checkout("other", "p", "10")), terminal.ErrBusy},
		failing{"pay", w.payCode("c"), nil})
	w.wantOutcome("c", charged)
	w.wantState(terminal.Idle)
	w.wantCaptured("11.00")
	w.offerPix("next", false)
	w.wantOutcome("next", waiting)
	w.wantDecision("next", payments.Voucher)
}

// TestPix_OnlyTheAcquirerEnds checks that neither Terminate nor another pairing ends a code that is shown. The code can
// be paid until the acquirer has cancelled it.
func TestPix_OnlyTheAcquirerEnds(t *testing.T) {
	t.Parallel()
	for name, paid := range map[string]bool{"paid": true, "cancelled": false} {
		w := newFixture(t).pairAndConfirm("p", "ABCD1234")
		w.offerPix("c", false)
		w.wantOutcome("c", waiting)
		w.wantErrors(failing{"terminate", func(ctx context.Context) error { return w.Terminate(ctx, "c") }, nil},
			failing{"unpair", func(ctx context.Context) error { return w.Unpair(ctx, "p") }, nil})
		w.wantOutcome("c", waiting)
		if paid {
			w.wantErrors(failing{name, w.payCode("c"), nil})
			w.wantOutcome("c", charged)
			w.wantCaptured("10.00")
			continue
		}
		if _, err := w.acquirer.Cancel(t.Context(), "charge of c"); err != nil {
			t.Fatal(err)
		}
		w.wantErrors(failing{name, w.payCode("c"), sandbox.ErrNotPayable})
		w.wantOutcome("c", stopped(""))
		if n := w.countCaptures(); n != 0 {
			t.Errorf("%s: got %d captures, want none", name, n)
		}
	}
}

// TestPix_NotShown checks that a checkout that ends before its code is shown has ended for good.
func TestPix_NotShown(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm("p", "ABCD1234")
	w.offerPix("c", true)
	w.wantErrors(failing{"terminate", func(ctx context.Context) error { return w.Terminate(ctx, "c") }, nil})
	w.Advance(time.Second)
	w.wantOutcome("c", stopped("terminated"))
	w.wantDecision("c", "")
	w.offerPix("offline", false)
	w.wantErrors(failing{"offline", func(ctx context.Context) error { return w.SetOffline(ctx, tenant, "p", true) }, nil})
	w.wantOutcome("offline", waiting)
	w.wantDecision("offline", "")
}

// TestPix_AcquirerDoesNotAnswer checks that the terminal repeats its request and gets the same code.
func TestPix_AcquirerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for fault, after := range map[faults.Fault]payments.Decision{
		faults.FailBefore: "", faults.LoseReply: payments.Voucher} {
		w := newFixture(t).pairAndConfirm("p", "ABCD1234")
		w.offerPix("c", false)
		w.line.Plan(1, fault)
		w.wantOutcome("c", waiting)
		w.wantDecision("c", after)
		w.line.Plan(1, faults.None)
		w.wantOutcome("c", waiting)
		w.wantErrors(failing{"pay", w.payCode("c"), nil})
		w.line.Plan(1, fault)
		w.wantOutcome("c", waiting)
		w.wantOutcome("c", charged)
		w.wantCaptured("10.00")
	}
}
