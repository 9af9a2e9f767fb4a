// Package sandbox simulates an acquirer for test mode. Call it only through the port: it is independent of the platform
// and keeps its own records. Either the card and the amount decide the outcome of a payment (contract §12), or the
// payer decides it on the pages of functions/sandbox.
//
// The sandbox stores no card number in any form. For a stored card it keeps only the scenario.
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

// Config configures the sandbox.
type Config struct {
	DB      *dynamo.DB
	Table   dynamo.Table
	Secret  func() []byte    // at least 32 bytes; prevents forged page tokens and answers
	BaseURL string           // address of the sandbox's pages, without a trailing slash
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

// errNoAnswer is the error for a charge or refund of 42.25. The sandbox has taken the request, but the answer is lost.
var errNoAnswer = errors.New("sandbox: no answer in time")

// Charge takes the charge by the rules of contract §12. For a known id it returns the outcome of that charge.
func (a *Acquirer) Charge(ctx context.Context, request acquirer.Charge) (payments.Outcome, error) {
	planned, err := a.planCharge(ctx, request)
	if errors.Is(err, acquirer.ErrNotTaken) {
		return a.lookUpOr(ctx, request.ID, err)
	}
	if err != nil {
		return payments.Outcome{}, err
	}
	c, isNew, err := a.records.createCharge(ctx, planned, a.pageToken(planned))
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

// lookUpOr returns the outcome of a charge that was taken or cancelled before. For an unknown id it returns the
// refusal.
func (a *Acquirer) lookUpOr(ctx context.Context, id string, refusal error) (payments.Outcome, error) {
	o, err := a.LookUp(ctx, id)
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return payments.Outcome{}, refusal
	}
	return o, err
}

// LookUp returns the charge's outcome. Errors: ErrUnknownCharge.
func (a *Acquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return a.toOutcome(a.records.move(ctx, id, a.approveIfDue))
}

// Cancel cancels a charge that waits for its payer. For an unknown id it stores a tombstone, so that the sandbox
// refuses a later charge with that id.
func (a *Acquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	o, err := a.toOutcome(a.records.move(ctx, id, func(c charge) charge { return a.approveIfDue(c).cancel() }))
	if !errors.Is(err, acquirer.ErrUnknownCharge) {
		return o, err
	}
	tombstone := charge{ID: id, Decision: payments.Cancelled, CreatedAt: a.records.Time()}
	c, isNew, err := a.records.createCharge(ctx, tombstone, "")
	if err == nil && !isNew { // the charge arrived meanwhile
		return a.Cancel(ctx, id)
	}
	return a.toOutcome(c, err)
}

// DeleteCard deletes a stored card. It succeeds for an unknown token, too.
func (a *Acquirer) DeleteCard(ctx context.Context, token string) error {
	return a.records.deleteCard(ctx, token)
}

// approveIfDue approves a pending charge whose time has come. It returns any other charge unchanged.
func (a *Acquirer) approveIfDue(c charge) charge {
	if c.Decision == payments.OutcomeUnknown && !a.records.Time().Before(c.DecidesAt) {
		return c.approve()
	}
	return c
}

// toOutcome converts a stored charge to the port's outcome. It returns a given error unchanged.
func (a *Acquirer) toOutcome(c charge, err error) (payments.Outcome, error) {
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.outcome(c), nil
}
