// Package stripe is the acquirer of live mode: Stripe's PaymentIntents, behind the port. A charge takes three steps.
// The package creates an intent, which moves no money. Then it pins the intent to our id by a conditional write. Only
// the call that has pinned the intent confirms it. So two calls never charge twice, and every other call only reads.
//
// The package keeps its own records and no card number. It writes each final outcome once. Stripe may forget why a
// cancelled intent failed, so later calls return the stored outcome.
//
// The package has a small client of form-encoded requests instead of github.com/stripe/stripe-go. That module has types
// for the whole API, which would slow down the start of each function. It also repeats and logs requests on its own
// terms.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Config configures the acquirer.
type Config struct {
	DB    *dynamo.DB
	Table dynamo.Table
	Now   func() time.Time // nil: the system's clock
	// NoticeNow returns the system's time, which is compared with the times in Stripe's notices; nil: as Now.
	NoticeNow func() time.Time

	Key           func() string     // secret key of the account
	NoticeSecrets func() []string   // signing secrets of the webhook endpoint: the current one and the one before
	BaseURL       string            // address of the API, without a trailing slash; "": Stripe's
	Network       http.RoundTripper // nil: a network with the package's limits of time
}

// Acquirer charges at Stripe. It is safe for concurrent use.
type Acquirer struct {
	records       records
	api           *client
	noticeNow     func() time.Time
	noticeSecrets func() []string
}

var _ acquirer.Acquirer = (*Acquirer)(nil)

// New returns the acquirer.
func New(c Config) *Acquirer {
	stored := records{table.Client{DB: c.DB, Table: c.Table, Now: c.Now}}
	if c.NoticeNow == nil {
		c.NoticeNow = stored.Time
	}
	return &Acquirer{records: stored, api: newClient(c, stored.Time), noticeNow: c.NoticeNow,
		noticeSecrets: c.NoticeSecrets}
}

// Summary returns the full summary of the card.
func (*Acquirer) Summary(c *payments.Card) payments.CardSummary { return c.Summary() }

// LookUp returns the charge's outcome. For a charge whose intent nothing has confirmed yet, it returns
// ErrUnknownCharge. Errors: ErrUnknownCharge.
func (a *Acquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	c, err := a.records.readCharge(ctx, id)
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.readOutcome(ctx, c)
}

// Complete returns the outcome that Stripe knows, because payers come back by a link. No issuer gives an answer, so an
// answer is never valid. Errors: ErrUnknownCharge, ErrBadAnswer.
func (a *Acquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	c, err := a.records.readCharge(ctx, id)
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case answer != "":
		return payments.Outcome{}, acquirer.ErrBadAnswer
	default:
		return a.readOutcome(ctx, c)
	}
}

// Cancel cancels the charge's intent. It returns Cancelled only after Stripe has confirmed this. For an unknown id it
// stores a tombstone, so that no later call can pin an intent to the id.
func (a *Acquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	c, err := a.records.readCharge(ctx, id)
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		c, _, err = a.records.create(ctx, charge{ID: id, Outcome: &outcome{Decision: payments.Cancelled}})
	}
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case c.Outcome != nil:
		return c.Outcome.inPort(), nil
	default:
		return a.cancelIntent(ctx, c, nil)
	}
}

// readOutcome returns the stored outcome of a charge, or else reads the charge's intent. Errors: ErrUnknownCharge.
func (a *Acquirer) readOutcome(ctx context.Context, c charge) (payments.Outcome, error) {
	if c.Outcome != nil {
		return c.Outcome.inPort(), nil
	}
	i, err := a.readIntent(ctx, c.Intent)
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.settle(ctx, c, i)
}

// asRunning replaces ErrUnknownCharge by OutcomeUnknown, for charges that another call may still confirm.
func asRunning(o payments.Outcome, err error) (payments.Outcome, error) {
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
	}
	return o, err
}

// settle returns the outcome that the intent shows. It stores a final outcome first. An intent that failed could be
// confirmed again, so settle cancels it before it declines. Errors: ErrUnknownCharge.
func (a *Acquirer) settle(ctx context.Context, c charge, i intent) (payments.Outcome, error) {
	switch {
	case i.isFinal():
		return a.close(ctx, c, i)
	case i.Status == statusNew, i.Status == statusFailed && i.failure() == nil:
		return payments.Outcome{}, acquirer.ErrUnknownCharge
	case i.Status == statusFailed:
		return a.cancelIntent(ctx, c, declined(*i.failure()))
	case i.Status == statusHeld && c.Verification:
		return a.cancelIntent(ctx, c, c.approved(i))
	case i.Status == statusAction && c.Unattended:
		return a.cancelIntent(ctx, c, declined(authenticationRequired))
	case i.Status == statusAction:
		return i.waiting(), nil
	default: // processing, or a status that this version of the API does not have
		return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
	}
}

// cancelIntent cancels the charge's intent, and concludes the charge with the outcome closing, or as Cancelled if that
// is nil. It stores closing first, because Stripe may forget why the intent failed, and another call may see the
// cancelled intent before this call concludes. If Stripe decided the charge before, cancelIntent concludes with that
// outcome. While Stripe refuses to cancel the intent, it returns OutcomeUnknown.
func (a *Acquirer) cancelIntent(ctx context.Context, c charge, closing *outcome) (payments.Outcome, error) {
	var err error
	if closing != nil && c.Closing == nil {
		c.Closing = closing
		if c, err = a.records.update(ctx, c); err != nil {
			return payments.Outcome{}, err
		}
	}
	if c.Outcome != nil {
		return c.Outcome.inPort(), nil
	}
	var i intent
	err = a.api.send(ctx, call{method: http.MethodPost, path: intentPath(c.Intent) + "/cancel",
		form: expanding(c.Intent)}, &i)
	if isRefused(err) {
		i, err = a.readIntent(ctx, c.Intent)
	}
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case i.isFinal():
		return a.close(ctx, c, i)
	default:
		return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
	}
}

// close concludes the charge of a final intent. The charge may have been read before another call stored why it cancels
// the intent, so close reads the charge again.
func (a *Acquirer) close(ctx context.Context, c charge, i intent) (_ payments.Outcome, err error) {
	if i.Status == statusCanceled && c.Closing == nil {
		if c, err = a.records.readCharge(ctx, c.ID); err != nil {
			return payments.Outcome{}, err
		}
	}
	if c.Outcome != nil {
		return c.Outcome.inPort(), nil
	}
	c.Outcome = c.closed(i)
	if c, err = a.records.update(ctx, c); err != nil {
		return payments.Outcome{}, err
	}
	return c.Outcome.inPort(), nil
}

func notTaken(format string, values ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{acquirer.ErrNotTaken}, values...)...)
}
