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

// refund is a refund or chargeback as the sandbox stores it. It reduces what is left
// of its charge when it is stored, so that the same money is never refunded twice.
// Its Decision changes at most once, from OutcomeUnknown to Approved. One that is
// Cancelled is a tombstone: it was cancelled before it was requested, and has
// nothing but its id.
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

// takes reports whether the refund reduces what is left of its charge.
func (r refund) takes() bool {
	return r.Decision == payments.Approved || r.Decision == payments.OutcomeUnknown
}

// outcome is the refund as the port returns it.
func (r refund) outcome() payments.Outcome {
	return payments.Outcome{Decision: r.Decision, ReturnCode: r.ReturnCode, TerminalID: terminalID}
}

// authorize decides a refund by its charge, which is zero when it is unknown, and
// its amount. Errors: ErrNotTaken.
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

// Refund returns money of a charge to its payer, or returns the refund's outcome,
// which is Cancelled if it was cancelled before. It is Declined when the charge is
// unknown or captured nothing, when less is left of it, and for the amounts of
// declinedRefunds. Errors: ErrNotTaken, or an unknown outcome.
func (a *Acquirer) Refund(ctx context.Context, request acquirer.Refund) (payments.Outcome, error) {
	r, isNew, err := a.storeRefund(ctx, refund{
		ID: request.ID, Kind: acquirer.RefundMovement, ChargeID: request.ChargeID, Amount: request.Amount,
		CreatedAt: a.records.Time(),
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

// CancelRefund makes sure that a refund with an unknown id is refused later; a
// refund that was taken is not stopped. It may be repeated after an error.
func (a *Acquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	r, err := a.records.enterTombstone(ctx, refund{ID: id, Kind: acquirer.RefundMovement, Decision: payments.Cancelled,
		CreatedAt: a.records.Time()})
	if err != nil {
		return payments.Outcome{}, err
	}
	return a.settled(ctx, r)
}

// settled is the outcome as of now: a pending refund is approved first if its time
// has come.
func (a *Acquirer) settled(ctx context.Context, r refund) (payments.Outcome, error) {
	if r.Decision == payments.OutcomeUnknown && !a.records.Time().Before(r.DecidesAt) {
		var err error
		if r, err = a.records.settle(ctx, r); err != nil {
			return payments.Outcome{}, err
		}
	}
	return r.outcome(), nil
}

// ErrTooMuch reports a chargeback of more than is left of what its charge
// captured, or of nothing, or in another currency.
var ErrTooMuch = errors.New("sandbox: more than is left of the captured amount")

// Chargeback lets an operator act as the payer's issuer, who takes money of the
// charge back. A known id changes nothing. The platform finds it in the Statement.
// Errors: ErrUnknownCharge, ErrTooMuch; after any other it is unknown whether the
// chargeback was stored, and the call may be repeated.
func (a *Acquirer) Chargeback(ctx context.Context, chargeID, id string, amount money.Amount) error {
	_, _, err := a.storeRefund(ctx, refund{
		ID: id, Kind: acquirer.ChargebackMovement, ChargeID: chargeID, Amount: amount, CreatedAt: a.records.Time(),
	}, refund.chargeBack)
	return err
}

// ChargedBack is the charge and the amount of the chargeback with the id.
func (a *Acquirer) ChargedBack(ctx context.Context, id string) (chargeID string, amount money.Amount, err error) {
	item, err := a.records.readRefund(ctx, refundKey(refund{ID: id, Kind: acquirer.ChargebackMovement}))
	return item.ChargeID, item.Amount, err
}

// chargeBack decides a chargeback: it is approved if the charge covers it. Errors:
// ErrUnknownCharge, ErrTooMuch.
func (r refund) chargeBack(c charge) (refund, error) {
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

// storeRefund stores a refund, after its charge has been brought up to date: a refund
// that is declined stays so, which must not happen because a charge is pending
// whose time has come.
func (a *Acquirer) storeRefund(ctx context.Context, r refund, rule func(refund, charge) (refund, error)) (refund, bool,
	error) {
	if _, err := a.LookUp(ctx, r.ChargeID); err != nil && !errors.Is(err, acquirer.ErrUnknownCharge) {
		return refund{}, false, err
	}
	return a.records.enter(ctx, r, rule)
}
