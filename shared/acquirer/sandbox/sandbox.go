// Package sandbox simulates an acquirer for test mode. It is independent of the platform: it keeps its own records and
// is called through the port only. A payment's outcome is decided by its card and amount (contract §12), or by the
// payer on the pages of functions/sandbox.
//
// It stores no card number in any form: of a stored card it keeps the scenario.
package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Config is the sandbox's configuration.
type Config struct {
	DB      *dynamo.DB
	Table   dynamo.Table
	Secret  func() []byte    // at least 32 bytes, for page tokens and answers that cannot be forged
	BaseURL string           // where its pages are, without a trailing slash
	Now     func() time.Time // nil: the system's clock
}

// Acquirer is the sandbox. It is safe for concurrent use.
type Acquirer struct {
	records records
	secret  func() []byte
	baseURL string
}

var _ acquirer.Acquirer = (*Acquirer)(nil)

// New returns the sandbox.
func New(c Config) *Acquirer {
	stored := records{table.Client{DB: c.DB, Table: c.Table, Now: c.Now}}
	return &Acquirer{records: stored, secret: c.Secret, baseURL: c.BaseURL}
}

// errNoAnswer is the error for a charge or refund of 42.25: it was taken, but the answer is lost.
var errNoAnswer = errors.New("sandbox: no answer in time")

// Charge takes the charge as contract §12 says, or returns its outcome.
func (a *Acquirer) Charge(ctx context.Context, request acquirer.Charge) (payments.Outcome, error) {
	planned, err := a.plan(ctx, request)
	if errors.Is(err, acquirer.ErrNotTaken) {
		return a.unlessKnown(ctx, request.ID, err)
	}
	if err != nil {
		return payments.Outcome{}, err
	}
	c, isNew, err := a.records.open(ctx, planned, a.pageToken(planned))
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case !isNew:
		return a.LookUp(ctx, request.ID)
	case c.Decision == payments.OutcomeUnknown:
		return payments.Outcome{}, errNoAnswer
	default:
		return a.outcome(c), nil
	}
}

// unlessKnown returns the outcome of a charge that was taken or cancelled before, else the refusal.
func (a *Acquirer) unlessKnown(ctx context.Context, id string, refusal error) (payments.Outcome, error) {
	o, err := a.LookUp(ctx, id)
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return payments.Outcome{}, refusal
	}
	return o, err
}

// LookUp returns the charge's outcome. Errors: ErrUnknownCharge.
func (a *Acquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return a.after(a.records.move(ctx, id, a.upToDate))
}

// Cancel cancels a charge that waits for its payer, and stores a tombstone for an unknown id, which then is refused.
func (a *Acquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	o, err := a.after(a.records.move(ctx, id, func(c charge) charge { return a.upToDate(c).cancel() }))
	if !errors.Is(err, acquirer.ErrUnknownCharge) {
		return o, err
	}
	tombstone := charge{ID: id, Decision: payments.Cancelled, CreatedAt: a.records.Time()}
	c, isNew, err := a.records.open(ctx, tombstone, "")
	if err == nil && !isNew { // the charge arrived meanwhile
		return a.Cancel(ctx, id)
	}
	return a.after(c, err)
}

// DeleteCard deletes a stored card. The token may be unknown.
func (a *Acquirer) DeleteCard(ctx context.Context, token string) error {
	return a.records.deleteCard(ctx, token)
}

// upToDate returns the charge as of now: approved if it was pending and its time has come.
func (a *Acquirer) upToDate(c charge) charge {
	if c.Decision == payments.OutcomeUnknown && !a.records.Time().Before(c.DecidesAt) {
		return c.approve()
	}
	return c
}

// after converts a stored charge to the port's outcome.
func (a *Acquirer) after(c charge, err error) (payments.Outcome, error) {
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.outcome(c), nil
}
