package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// refund is an entry of the books by which money of a charge goes back to its
// payer: a refund, or a chargeback. What it takes of the charge it takes when
// it is entered, so that the rest is never promised twice. Its Decision moves
// at most once, from OutcomeUnknown to Approved. One that is Cancelled is a tombstone:
// it was cancelled ahead of its arrival, and has nothing but its id.
type refund struct {
	ID         string            `dynamo:"id"`
	Kind       acquirer.Kind     `dynamo:"kind"` // Refunded or Chargeback
	ChargeID   string            `dynamo:"charge_id"`
	Tenant     string            `dynamo:"tenant,omitempty"`
	Amount     money.Amount      `dynamo:"amount"`
	Decision   payments.Decision `dynamo:"decision"`
	ReturnCode string            `dynamo:"return_code,omitempty"`
	DecidesAt  time.Time         `dynamo:"decides_at,omitempty"` // while OutcomeUnknown
	CreatedAt  time.Time         `dynamo:"created_at"`
}

func (r refund) approve() refund {
	r.Decision, r.ReturnCode = payments.Approved, codeApproved
	return r
}

func (r refund) decline(code string) refund {
	r.Decision, r.ReturnCode = payments.Declined, code
	return r
}

// takes says the refund uses up some of what its charge captured.
func (r refund) takes() bool {
	return r.Decision == payments.Approved || r.Decision == payments.OutcomeUnknown
}

// outcome is the refund in the port's words.
func (r refund) outcome() payments.Outcome {
	return payments.Outcome{Decision: r.Decision, ReturnCode: r.ReturnCode, TerminalID: terminalID}
}

// authorize decides a refund by its charge, which is zero when it is unknown,
// and by its amount. Errors: ErrNotTaken.
func (r refund) authorize(c charge) (refund, error) {
	minor := r.Amount.Minor()
	if minor == notTakenAmount {
		return r, fmt.Errorf("%w: the amount asks for it", acquirer.ErrNotTaken)
	}
	r.Tenant = c.Tenant
	code, declined := declinedRefunds[minor]
	switch {
	case c.ID == "":
		return r.decline(codeNoRecord), nil
	case !c.captures():
		return r.decline(codeInvalidTransaction), nil
	case !c.covers(r.Amount):
		return r.decline(codeInvalidAmount), nil
	case declined:
		return r.decline(code), nil
	case minor == unknownAmount:
		r.Decision, r.DecidesAt = payments.OutcomeUnknown, r.CreatedAt.Add(settlesAfter)
		return r, nil
	default:
		return r.approve(), nil
	}
}

// Refund returns part of a charge to its payer, or answers what became of the
// refund: Cancelled for one that was cancelled ahead of its arrival, whatever
// its amount asks for. Declined are: a charge that is unknown or captured
// nothing, more than is left of it, and the amounts that ask for it. Errors:
// ErrNotTaken, or an unknown outcome.
func (a *Acquirer) Refund(ctx context.Context, request acquirer.Refund) (payments.Outcome, error) {
	r, isNew, err := a.giveBack(ctx, refund{
		ID: request.ID, Kind: acquirer.Refunded, ChargeID: request.ChargeID, Amount: request.Amount, CreatedAt: a.books.Time(),
	}, refund.authorize)
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case r.Decision == payments.OutcomeUnknown && isNew:
		return payments.Outcome{}, errNoAnswer
	default:
		return a.settled(ctx, r)
	}
}

// CancelRefund refuses an id never seen from now on; a refund that was taken
// goes its way. After an error, asking again is safe.
func (a *Acquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	r, err := a.books.bury(ctx, refund{ID: id, Kind: acquirer.Refunded, Decision: payments.Cancelled,
		CreatedAt: a.books.Time()})
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.settled(ctx, r)
}

// settled is the outcome at the present time: a refund whose time has come is
// made first.
func (a *Acquirer) settled(ctx context.Context, r refund) (payments.Outcome, error) {
	if r.Decision == payments.OutcomeUnknown && !a.books.Time().Before(r.DecidesAt) {
		var err error
		if r, err = a.books.settle(ctx, r); err != nil {
			return payments.Outcome{}, err
		}
	}
	return r.outcome(), nil
}

// ErrTooMuch reports a chargeback of more than is left of what its charge
// captured, or of nothing, or in another currency.
var ErrTooMuch = errors.New("sandbox: more than is left of the captured amount")

// Chargeback plays the payer's issuer for an operator: it takes money of the
// charge back. An id known is fine, whatever else is asked. The platform
// learns of it from the Statement. Errors: ErrUnknownCharge, ErrTooMuch; after
// any other it is unknown whether it was entered, and asking again is safe.
func (a *Acquirer) Chargeback(ctx context.Context, chargeID, id string, amount money.Amount) error {
	_, _, err := a.giveBack(ctx, refund{
		ID: id, Kind: acquirer.Chargeback, ChargeID: chargeID, Amount: amount, CreatedAt: a.books.Time(),
	}, refund.insist)
	return err
}

// ChargedBack is which charge's the chargeback of the id is, and of how much:
// the first that was asked for under it.
func (a *Acquirer) ChargedBack(ctx context.Context, id string) (chargeID string, amount money.Amount, err error) {
	item, err := a.books.readRefund(ctx, refundKey(refund{ID: id, Kind: acquirer.Chargeback}))
	return item.ChargeID, item.Amount, err
}

// insist decides a chargeback, which asks nobody. Errors: ErrUnknownCharge,
// ErrTooMuch.
func (r refund) insist(c charge) (refund, error) {
	r.Tenant = c.Tenant
	switch {
	case c.ID == "":
		return r, acquirer.ErrUnknownCharge
	case !c.covers(r.Amount):
		return r, ErrTooMuch
	default:
		return r.approve(), nil
	}
}

// giveBack enters a refund of a charge that is brought up to date before: a
// refusal is for good, so it must not rest on what is overdue to be decided.
func (a *Acquirer) giveBack(ctx context.Context, r refund, rule func(refund, charge) (refund, error)) (refund, bool,
	error) {
	if _, err := a.LookUp(ctx, r.ChargeID); err != nil && !errors.Is(err, acquirer.ErrUnknownCharge) {
		return refund{}, false, err
	}
	return a.books.enter(ctx, r, rule)
}
