package reader_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// newPixCheckout returns a checkout of 20 for payment by a Pix code.
func (w *fixture) newPixCheckout(id string) terminal.Checkout {
	c := w.newCheckout(id, "20")
	c.Method = payments.QRCodePix
	return c
}

// TestPix_Paid checks that the terminal shows the code after the tip, until the acquirer reports the payment.
func TestPix_Paid(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm()
	c := w.newPixCheckout("c")
	c.TipRates, c.TipTimeout = []money.Decimal{"0.1"}, 30*time.Second
	w.offer(c, nil)
	w.waitFor(`(tip 2\.00 EUR)`)
	w.enter("1")
	w.waitFor(`(br\.gov\.bcb\.pix)`)
	w.waitFor(`("merchant_code":"MC0A1B2C3D","checkout_id":"c")`)
	w.pass(time.Second)
	w.enter("t") // not one of the choices
	w.waitFor("(none of the choices)")
	w.wantOutcome("c", waiting)
	if h, err := w.Heartbeat(t.Context(), "p"); err != nil || h.State != terminal.WaitingForCard {
		t.Errorf("heartbeat: got %s, %v, want WAITING_FOR_CARD", h.State, err)
	}
	if _, err := w.acquirer.(*sandbox.Acquirer).PayVoucher(t.Context(), c.Charge); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Second)
	w.waitFor("(Approved)")
	w.wantOutcome("c", charged)
	w.wantCharge("c", payments.Outcome{Decision: payments.Approved, ReturnCode: "00",
		Present: &payments.CardPresent{EntryMode: "QR_CODE_PIX", Tip: money.MustParse("2", "EUR"),
			Location: &payments.Location{Lat: 52.5208, Lon: 13.4094, Accuracy: 10}}})
	w.offer(w.newCheckout("next", "20"), nil)
	w.waitFor(`(\[t\]ap)`)
}

// TestPix_NotPaid checks that the code disappears when the payer cancels, the merchant stops the payment, the time is
// over or the acquirer has cancelled the code. The platform then asks the acquirer.
func TestPix_NotPaid(t *testing.T) {
	t.Parallel()
	w := newFixture(t).pairAndConfirm()
	for _, c := range []struct {
		id, shows string
		do        func() error
		want      terminal.Outcome
	}{
		{"cancelled", "(Cancelled)", func() error { w.enter("c"); return nil }, stopped("cancelled at the reader")},
		{"terminated", "(merchant has stopped)", func() error { return w.Terminate(t.Context(), "terminated") },
			stopped("terminated")},
		{"late", "(Nobody has paid in time)", func() error { w.pass(2 * time.Minute); return nil }, stopped("timed out")},
		{"elsewhere", "(cancelled at the acquirer)", func() error {
			_, err := w.acquirer.Cancel(t.Context(), "charge of elsewhere")
			w.pass(time.Second)
			return err
		}, stopped("")},
	} {
		w.offer(w.newPixCheckout(c.id), nil)
		w.waitFor("(Pay this Pix code)")
		if err := c.do(); err != nil {
			t.Errorf("%s: got %v, want no error", c.id, err)
		}
		w.waitFor(c.shows)
		w.pass(time.Second)
		w.wantOutcome(c.id, c.want)
	}
}
