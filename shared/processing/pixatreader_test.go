package processing_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// screen is a terminal that shows a code. Its reports may be false.
type screen struct {
	terminal.None
	says terminal.Outcome
}

func (s screen) Outcome(context.Context, string) (terminal.Outcome, error) { return s.says, nil }

// showPix creates a checkout at a reader whose terminal shows the checkout's Pix code. The function pay pays the code.
func (o *fixture) showPix(t *testing.T, says terminal.Outcome) (c payments.Checkout, pay func()) {
	t.Helper()
	o.Readers.Terminals = map[identity.Mode]terminal.Terminals{identity.Test: screen{says: says}}
	c = payments.Checkout{ID: uuid.NewString(), Reference: uuid.NewString(), Amount: money.MustParse("10.10", "BRL"),
		PaymentType: payments.Pix, Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CreatedAt: o.Now(),
		Reader: &payments.ReaderSale{ReaderID: "rdr_1", Serial: "S1", Model: "solo"}}
	c, err := o.store.CreateCheckout(t.Context(), tenant, c.BeginAtReader(payments.Attempt{ID: uuid.NewString()}, o.Now()))
	if err != nil {
		t.Fatal(err)
	}
	bank := o.Acquirers[identity.Test]
	shown, err := bank.Charge(t.Context(), acquirer.Charge{ID: c.Attempt.ID, Amount: c.Amount, Method: c.Attempt.Method,
		Present: &payments.CardPresent{EntryMode: "QR_CODE_PIX"}})
	if err != nil || shown.Decision != payments.Voucher {
		t.Fatalf("charge: got %s, %v, want a code", shown.Decision, err)
	}
	return c, func() {
		t.Helper()
		if _, err := o.sandbox().PayVoucher(t.Context(), c.Attempt.ID); err != nil {
			t.Errorf("pay: got %v, want no error", err)
		}
	}
}

// pixFate is the state of a Pix code, at the platform and at the acquirer.
type pixFate struct {
	Status   payments.CheckoutStatus
	Reason   string
	Decision payments.Decision // at the acquirer
}

var (
	pixWaits = pixFate{payments.CheckoutPending, "", payments.Voucher}
	pixPaid  = pixFate{payments.CheckoutPaid, "", payments.Approved}
)

func pixEnded(reason string) pixFate {
	return pixFate{payments.CheckoutFailed, reason, payments.Cancelled}
}

func (o *fixture) readPixFate(t *testing.T, id string) pixFate {
	t.Helper()
	c, err := o.store.AnyCheckout(t.Context(), tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	at, err := o.Acquirers[identity.Test].LookUp(t.Context(), c.Attempt.ID)
	if err != nil || len(c.Transactions) > 1 || c.AttemptOpen() != (c.Status == payments.CheckoutPending) {
		t.Errorf("got %+v, %v, want it open while PENDING, with one transaction at most", c, err)
	}
	return pixFate{c.Status, c.Reader.Reason, at.Decision}
}

// TestResolveAttempt_PixAtReader checks that the platform believes the acquirer, not the terminal, and that an unpaid
// code is cancelled once the attempt ends.
func TestResolveAttempt_PixAtReader(t *testing.T) {
	t.Parallel()
	waiting := terminal.Outcome{Progress: terminal.Waiting}
	stopped := terminal.Outcome{Progress: terminal.Stopped, Reason: "cancelled at the reader"}
	const soon, late = time.Second, 2 * time.Minute
	for name, c := range map[string]struct {
		says      terminal.Outcome
		after     time.Duration
		terminate bool
		want      pixFate // if the code is not paid
	}{
		"shown":                 {waiting, soon, false, pixWaits},
		"shown until the end":   {waiting, late - 1, false, pixWaits},
		"shown too long":        {waiting, late, false, pixEnded("timed out")},
		"silent":                {terminal.Outcome{}, soon, false, pixWaits},
		"silent too long":       {terminal.Outcome{}, late, false, pixEnded("timed out")},
		"charged, as it says":   {terminal.Outcome{Progress: terminal.Charged}, soon, false, pixWaits},
		"stopped":               {stopped, soon, false, pixEnded("cancelled at the reader")},
		"terminated":            {waiting, soon, true, pixEnded("terminated")},
		"terminated when over":  {waiting, late, true, pixEnded("timed out")},
		"terminated and silent": {terminal.Outcome{}, soon, true, pixEnded("terminated")},
	} {
		act := func(when string, checkout payments.Checkout, o *fixture, want pixFate) {
			t.Helper()
			o.Advance(c.after)
			by := o.ResolveAttempt
			if c.terminate {
				by = o.Readers.TerminateWaiting
			}
			if _, err := by(t.Context(), tenant, checkout); err != nil {
				t.Errorf("%s, %s: got %v, want no error", name, when, err)
			}
			if diff := cmp.Diff(want, o.readPixFate(t, checkout.ID)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, when, diff)
			}
		}
		o := newFixture(t)
		checkout, _ := o.showPix(t, c.says)
		act("not paid", checkout, o, c.want)
		checkout, pay := o.showPix(t, c.says)
		pay()
		act("paid before", checkout, o, pixPaid)
		if c.want != pixWaits {
			checkout, pay = o.showPix(t, c.says)
			o.onCancel = func(string) { pay() }
			act("paid while it is cancelled", checkout, o, pixPaid)
		}
	}
}

// forgetful is an acquirer that does not know the outcome of charges for a while.
type forgetful struct {
	acquirer.Acquirer
	until time.Time
	now   func() time.Time
}

func (f forgetful) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	if f.now().Before(f.until) {
		return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
	}
	return f.Acquirer.LookUp(ctx, id)
}

// TestResolveHint_PixUnknownAtFirst checks a code whose outcome the acquirer does not know at first. Like any other
// code, it is cancelled at the deadline.
func TestResolveHint_PixUnknownAtFirst(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c, _ := o.showPix(t, terminal.Outcome{Progress: terminal.Waiting})
	o.Acquirers[identity.Test] = forgetful{o.Acquirers[identity.Test], o.Now().Add(10 * time.Second), o.Now}
	for _, next := range []struct {
		after time.Duration
		want  pixFate
	}{
		{time.Second, pixFate{payments.CheckoutPending, "", payments.OutcomeUnknown}},
		{time.Minute, pixWaits},
		{time.Minute, pixEnded("timed out")},
	} {
		o.Advance(next.after)
		o.resolve(t, c)
		if diff := cmp.Diff(next.want, o.readPixFate(t, c.ID)); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", next.after, diff)
		}
	}
}

// TestTerminateWaiting_PixUnknownAtFirst checks that termination cancels a code whose outcome the acquirer does not
// know at first.
func TestTerminateWaiting_PixUnknownAtFirst(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c, _ := o.showPix(t, terminal.Outcome{Progress: terminal.Waiting})
	o.Acquirers[identity.Test] = forgetful{o.Acquirers[identity.Test], o.Now().Add(10 * time.Second), o.Now}
	o.Advance(time.Second)
	c = o.resolve(t, c)
	o.Advance(time.Minute)
	if _, err := o.Readers.TerminateWaiting(t.Context(), tenant, c); err != nil {
		t.Errorf("terminate: got %v, want no error", err)
	}
	if diff := cmp.Diff(pixEnded("terminated"), o.readPixFate(t, c.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
