// Package sandbox is the acquirer of test mode. It plays another party: it
// keeps books of its own, under keys of its own, knows the platform only by
// the port, and remembers every charge across restarts. What a payment comes
// to is decided by its card and amount (contract §12) or by the payer on the
// issuer's and banks' pages, for which it has the methods.
//
// No card number enters its books in any form: a stored card is remembered by
// the part it plays.
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

// Config is what the sandbox works with.
type Config struct {
	DB      *dynamo.DB
	Table   dynamo.Table
	Secret  []byte           // at least 32 bytes; makes page tokens and answers unforgeable
	BaseURL string           // where its pages are, without a trailing slash
	Now     func() time.Time // nil: the system's clock
}

// Acquirer is the sandbox. It is safe for concurrent use.
type Acquirer struct {
	books   books
	secret  []byte
	baseURL string
}

var _ acquirer.Acquirer = (*Acquirer)(nil)

// minSecret is the least length of the secret, that of its HMAC's output.
const minSecret = 32

// New returns the sandbox. It panics when the secret is too short, which no
// payer should have to find out.
func New(c Config) *Acquirer {
	if len(c.Secret) < minSecret {
		panic("sandbox: the secret is shorter than 32 bytes")
	}
	return &Acquirer{books: books{table.Client{DB: c.DB, Table: c.Table, Now: c.Now}}, secret: c.Secret, baseURL: c.BaseURL}
}

// errNoAnswer is what the platform sees of a charge or refund of 42.25: it was
// taken, but the answer did not arrive.
var errNoAnswer = errors.New("sandbox: no answer in time")

// Charge takes the charge as contract §12 says, or answers what became of it.
func (a *Acquirer) Charge(ctx context.Context, request acquirer.Charge) (payments.Outcome, error) {
	planned, err := a.plan(ctx, request)
	if errors.Is(err, acquirer.ErrNotTaken) {
		return a.unlessKnown(ctx, request.ID, err)
	}
	if err != nil {
		return payments.Outcome{}, err
	}
	c, isNew, err := a.books.open(ctx, planned, a.pageToken(planned))
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

// unlessKnown refuses a charge, but one that was taken before (or cancelled
// ahead of its arrival) is answered for all the same.
func (a *Acquirer) unlessKnown(ctx context.Context, id string, refusal error) (payments.Outcome, error) {
	o, err := a.LookUp(ctx, id)
	if errors.Is(err, acquirer.ErrUnknownCharge) {
		return payments.Outcome{}, refusal
	}
	return o, err
}

// LookUp answers where the charge stands. Errors: ErrUnknownCharge.
func (a *Acquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return a.after(a.books.move(ctx, id, a.upToDate))
}

// Cancel stops a charge that waits for its payer; an id never seen is refused
// from now on.
func (a *Acquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	o, err := a.after(a.books.move(ctx, id, func(c charge) charge { return a.upToDate(c).cancel() }))
	if !errors.Is(err, acquirer.ErrUnknownCharge) {
		return o, err
	}
	tombstone := charge{ID: id, Decision: payments.Cancelled, CreatedAt: a.books.Time()}
	c, isNew, err := a.books.open(ctx, tombstone, "")
	if err == nil && !isNew { // the charge itself was faster: it is known now
		return a.Cancel(ctx, id)
	}
	return a.after(c, err)
}

// Forget drops a stored card. An unknown token is fine.
func (a *Acquirer) Forget(ctx context.Context, token string) error {
	return a.books.forget(ctx, token)
}

// upToDate is the charge at the present time: what was pending is decided
// once its time has come.
func (a *Acquirer) upToDate(c charge) charge {
	if c.Decision == payments.OutcomeUnknown && !a.books.Time().Before(c.DecidesAt) {
		return c.approve()
	}
	return c
}

// after turns the books' word into the port's.
func (a *Acquirer) after(c charge, err error) (payments.Outcome, error) {
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.outcome(c), nil
}
