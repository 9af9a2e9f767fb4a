package virtual

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// charging is the progress of a terminal that is asking the acquirer, or shows the code from the acquirer's answer. The
// terminal reports Waiting to the platform. Terminate no longer stops it, because the acquirer may have charged.
const charging terminal.Progress = "charging"

// Reasons for not charging, for people.
const (
	terminated = "terminated"
	unpaired   = "the reader was unpaired"
	notTaken   = "the acquirer did not take the payment"
)

// errLate reports a checkout, or a change of settings, that arrived after its deadline.
var errLate = errors.New("virtual: the deadline has passed")

// sale is a checkout at a terminal.
type sale struct {
	Pairing      string            `dynamo:"pairing"`
	Serial       string            `dynamo:"serial"`
	Charge       string            `dynamo:"charge"`
	Method       payments.Method   `dynamo:"method"`
	Tenant       string            `dynamo:"tenant"`
	Amount       money.Amount      `dynamo:"amount"`        // including the tip
	Tip          money.Amount      `dynamo:"tip,omitempty"` // without a currency when no tip could be chosen
	Merchant     string            `dynamo:"merchant"`
	CardType     string            `dynamo:"card_type,omitempty"`
	Installments int               `dynamo:"installments"`
	Until        time.Time         `dynamo:"until"`
	OfferedAt    time.Time         `dynamo:"offered_at"`
	Progress     terminal.Progress `dynamo:"progress"`
	Reason       string            `dynamo:"reason,omitempty"`
}

func newSale(c terminal.Checkout, serial string, now time.Time) sale {
	s := sale{Pairing: c.Pairing, Serial: serial, Charge: c.Charge, Method: c.Method, Tenant: c.Tenant,
		Merchant: c.Merchant, CardType: c.CardType, Installments: c.Installments, Until: c.Until, OfferedAt: now,
		Progress: terminal.Waiting}
	s.Tip, s.Amount = withTip(c)
	return s
}

func (s sale) isFinal() bool { return s.Progress == terminal.Charged || s.Progress == terminal.Stopped }

// stop returns the rule that stops a sale which waits for the cardholder.
func stop(reason string) func(sale) (sale, bool) {
	return func(s sale) (sale, bool) {
		waits := s.Progress == terminal.Waiting
		s.Progress, s.Reason = terminal.Stopped, reason
		return s, waits
	}
}

// state returns the state that the terminal shows until the sale is over.
func (s sale) state(now time.Time) terminal.State {
	switch {
	case s.Tip.Currency() != "" && now.Before(s.OfferedAt.Add(tipSelected)):
		return terminal.SelectingTip
	default:
		return terminal.WaitingForCard
	}
}

// request returns the terminal's request to the acquirer.
func (s sale) request(checkout string) acquirer.Charge {
	mode, verification := modeOf(s.Method, s.Amount, s.CardType)
	card, sent := Present(s.Charge, mode, s.CardType, verification)
	sent.Tip = s.Tip
	return acquirer.Charge{ID: s.Charge, Reference: acquirer.Reference{Tenant: s.Tenant, CheckoutID: checkout},
		Amount: s.Amount, Method: cmp.Or(s.Method, payments.AtReader), // older sales have no method
		Installments: s.Installments, Present: &sent, Summary: card, Descriptor: s.Merchant}
}

// chargesAt returns the time of the charge: for a card when the cardholder has presented it, for a Pix code as soon as
// the tip is selected.
func (s sale) chargesAt() time.Time {
	switch {
	case s.Method != payments.QRCodePix:
		return s.OfferedAt.Add(paysIn)
	case s.Tip.Currency() != "":
		return s.OfferedAt.Add(tipSelected)
	default:
		return s.OfferedAt
	}
}

// withAnswer returns the sale after the acquirer's answer. why is the reason if the terminal has cancelled the charge.
// Without an answer, or while a code is shown, the sale stays unchanged, and the terminal asks again. The acquirer
// refuses a cancelled charge.
func (s sale) withAnswer(o payments.Outcome, err error, why string) sale {
	switch {
	case err != nil, o.Decision == payments.Voucher:
	case o.Decision == payments.Cancelled:
		s.Progress, s.Reason = terminal.Stopped, why
	default:
		s.Progress = terminal.Charged
	}
	return s
}

// Offer asks the cardholder to pay a checkout. A checkout that was offered before stays unchanged. Errors:
// terminal.ErrOffline, terminal.ErrBusy, terminal.ErrUnpaired.
func (v *Terminals) Offer(ctx context.Context, c terminal.Checkout) error {
	for {
		first, err := read[sale](ctx, v.records, saleKey(c.ID))
		if !errors.Is(err, errNone) {
			return err
		}
		d, err := v.readFree(ctx, c.Pairing)
		if err != nil {
			return err
		}
		now := v.records.Time()
		if !now.Before(c.Until) {
			return errLate
		}
		taken := d.Record
		taken.Checkout = c.ID
		err = storeWithDevice(ctx, v.records, first.next(newSale(c, taken.Serial, now)), d.next(taken))
		if !errors.Is(err, errChanged) {
			return err
		}
	}
}

// readFree reads the terminal of a pairing. Error: terminal.ErrBusy while it has an open checkout; those of readOnline.
func (v *Terminals) readFree(ctx context.Context, pairing string) (item[device], error) {
	d, err := v.readOnline(ctx, pairing)
	if err != nil || d.Record.Checkout == "" {
		return d, err
	}
	s, err := v.advance(ctx, d.Record.Checkout)
	if err == nil && !s.isFinal() {
		err = terminal.ErrBusy
	}
	return d, err
}

// readOnline reads the terminal of a confirmed pairing. Errors: terminal.ErrUnpaired, terminal.ErrOffline.
func (v *Terminals) readOnline(ctx context.Context, pairing string) (item[device], error) {
	d, err := readPaired(ctx, v.records, pairing)
	switch {
	case err != nil:
		return d, err
	case !d.Record.isConfirmed(v.records.Time()):
		return d, terminal.ErrUnpaired
	case d.Record.isOffline():
		return d, terminal.ErrOffline
	default:
		return d, nil
	}
}

// Outcome returns the terminal's progress with a checkout. A terminal that is offline makes no progress. Error:
// terminal.ErrUnknownCheckout.
func (v *Terminals) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	s, err := v.advance(ctx, checkout)
	if errors.Is(err, errNone) {
		return terminal.Outcome{}, terminal.ErrUnknownCheckout
	}
	if err != nil {
		return terminal.Outcome{}, err
	}
	if s.Progress == charging {
		s.Progress = terminal.Waiting
	}
	return terminal.Outcome{Progress: s.Progress, Reason: s.Reason}, nil
}

// Terminate stops a checkout that waits for the cardholder. Errors: terminal.ErrOffline, terminal.ErrUnknownCheckout.
func (v *Terminals) Terminate(ctx context.Context, checkout string) error {
	s, err := read[sale](ctx, v.records, saleKey(checkout))
	if errors.Is(err, errNone) {
		return terminal.ErrUnknownCheckout
	}
	if err != nil {
		return err
	}
	d, err := read[device](ctx, v.records, deviceKey(s.Record.Serial))
	if err != nil {
		return err
	}
	if s.Record.Progress == terminal.Waiting && d.Record.Pairing == s.Record.Pairing && d.Record.isOffline() {
		return terminal.ErrOffline
	}
	_, err = change(ctx, v.records, s.Key, stop(terminated))
	return err
}

// advance makes the terminal do what is due for a checkout by now, and returns the checkout. Error: errNone.
func (v *Terminals) advance(ctx context.Context, checkout string) (sale, error) {
	k := saleKey(checkout)
	stored, err := read[sale](ctx, v.records, k)
	s := stored.Record
	if err != nil || s.isFinal() {
		return s, err
	}
	d, err := read[device](ctx, v.records, deviceKey(s.Serial))
	switch {
	case err != nil:
		return s, err
	case d.Record.Pairing != s.Pairing && s.Progress == terminal.Waiting:
		return change(ctx, v.records, k, stop(unpaired))
	case d.Record.isOffline(), v.records.Time().Before(s.chargesAt()):
		return s, nil
	default:
		return v.pay(ctx, checkout)
	}
}

// pay charges at the acquirer. It first stores that the terminal is charging, so that Terminate does not stop a
// terminal that may have charged.
func (v *Terminals) pay(ctx context.Context, checkout string) (sale, error) {
	k := saleKey(checkout)
	s, err := change(ctx, v.records, k, func(s sale) (sale, bool) {
		waits := s.Progress == terminal.Waiting
		if waits {
			s.Progress = charging
		}
		return s, waits
	})
	if err != nil || s.isFinal() {
		return s, err
	}
	o, why, chargeErr := v.charge(ctx, s.request(checkout))
	return change(ctx, v.records, k, func(s sale) (sale, bool) {
		if s.Progress != charging {
			return s, false
		}
		s = s.withAnswer(o, chargeErr, why)
		return s, s.isFinal()
	})
}

// charge asks the acquirer to charge. If the acquirer did not take this request, an earlier request may still charge,
// so charge then cancels at the acquirer, and returns the reason.
func (v *Terminals) charge(ctx context.Context, request acquirer.Charge) (payments.Outcome, string, error) {
	o, err := v.acquirer.Charge(ctx, request)
	if !errors.Is(err, acquirer.ErrNotTaken) {
		return o, "", err
	}
	o, err = v.acquirer.Cancel(ctx, request.ID)
	return o, notTaken, err
}
