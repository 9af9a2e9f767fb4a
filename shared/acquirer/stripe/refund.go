package stripe

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const (
	// repeatTime is the time during which a refund's request is repeated. Stripe keeps idempotency keys for 24 hours.
	repeatTime = 23 * time.Hour
	// lateTime is the time after which no request for a refund can still be on its way.
	lateTime = 24 * time.Hour
)

// refundObject is a refund as Stripe has it.
type refundObject struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Metadata map[string]string `json:"metadata"`
}

func (r refundObject) stripeID() string { return r.ID }

// decide returns the outcome of the refund, or nil while it is pending.
func (r refundObject) decide() *outcome {
	switch r.Status {
	case "succeeded":
		return &outcome{Decision: payments.Approved, ReturnCode: codeApproved, AcquirerReference: r.ID}
	case "failed", "canceled":
		return &outcome{Decision: payments.Declined, ReturnCode: codeDoNotHonour, AcquirerReference: r.ID}
	default: // pending, requires_action
		return nil
	}
}

// Refund refunds a part of an approved charge or all of it. For a known id it returns that refund's outcome. Errors:
// ErrNotTaken; after any other error the outcome is unknown.
func (a *Acquirer) Refund(ctx context.Context, request acquirer.Refund) (payments.Outcome, error) {
	r, err := a.records.readRefund(ctx, request.ID)
	if errors.Is(err, errUnknownRefund) {
		planned, planErr := a.planRefund(ctx, request)
		if planErr != nil {
			return payments.Outcome{}, notTaken("%w", planErr)
		}
		r, err = a.records.createRefund(ctx, planned)
	}
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case r.Outcome != nil:
		return r.Outcome.inPort(), nil
	case r.Name != "" || a.records.Time().Sub(r.SentAt) >= repeatTime:
		return a.findRefund(ctx, r)
	default:
		return a.sendRefund(ctx, r)
	}
}

// planRefund returns the refund to store. It is declined if its charge is unknown, is not approved, moved no money, or
// is in another currency.
func (a *Acquirer) planRefund(ctx context.Context, request acquirer.Refund) (refund, error) {
	r := refund{ID: request.ID, ChargeID: request.ChargeID, Amount: request.Amount, SentAt: a.records.Time()}
	c, err := a.records.readCharge(ctx, request.ChargeID)
	var o payments.Outcome
	if err == nil {
		o, err = a.readOutcome(ctx, c)
	}
	switch {
	case err != nil && !errors.Is(err, acquirer.ErrUnknownCharge):
		return r, err
	case err != nil || o.Decision != payments.Approved || c.Verification:
		r.Outcome = declinedAs(codeNoRecord)
	case c.Amount.Currency() != request.Amount.Currency() || request.Amount.Sign() <= 0:
		r.Outcome = declinedAs(codeInvalidAmount)
	}
	r.Intent, r.Tenant, r.CheckoutID = c.Intent, c.Tenant, c.CheckoutID
	return r, nil
}

// sendRefund has Stripe make the refund. The idempotency key makes each repetition safe. A request with wrong
// credentials is not taken.
func (a *Acquirer) sendRefund(ctx context.Context, r refund) (payments.Outcome, error) {
	units, _ := toStripe(r.Amount)
	form := url.Values{"payment_intent": {r.Intent}, "amount": {strconv.FormatInt(units, 10)}}
	setOurs(form, metaRefund, r.ID)
	setOurs(form, metaCharge, r.ChargeID)
	setOurs(form, metaTenant, r.Tenant)
	setOurs(form, metaCheckout, r.CheckoutID)
	var made refundObject
	err := a.api.send(ctx, call{method: http.MethodPost, path: "/v1/refunds", key: "refund-" + r.ID, form: form}, &made)
	f, isDecline := asDecline(err)
	switch {
	case err == nil:
		return a.settleRefund(ctx, r, made)
	case isDecline:
		return a.concludeRefund(ctx, r, declined(f))
	case isMissing(err):
		return a.concludeRefund(ctx, r, declinedAs(codeNoRecord))
	case isRefused(err):
		return a.concludeRefund(ctx, r, declinedAs(codeInvalidAmount))
	default: // also a wrong key: the refund is stored, and is sent again
		return payments.Outcome{}, err
	}
}

// findRefund returns the outcome of a refund whose request is not repeated. After lateTime no request can make the
// refund any more. If Stripe does not have the refund then, the refund is declined.
func (a *Acquirer) findRefund(ctx context.Context, r refund) (payments.Outcome, error) {
	made, err := a.readRefund(ctx, r)
	switch {
	case err == nil:
		return a.settleRefund(ctx, r, made)
	case errors.Is(err, errUnknownRefund) && a.records.Time().Sub(r.SentAt) >= lateTime:
		return a.concludeRefund(ctx, r, declinedAs(codeMalfunction))
	case errors.Is(err, errUnknownRefund):
		return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
	default:
		return payments.Outcome{}, err
	}
}

// readRefund reads the refund at Stripe by its id, or else finds it among the refunds of its intent. Errors:
// errUnknownRefund.
func (a *Acquirer) readRefund(ctx context.Context, r refund) (refundObject, error) {
	if r.Name != "" {
		var made refundObject
		err := a.api.send(ctx, call{method: http.MethodGet, path: "/v1/refunds/" + r.Name}, &made)
		return made, err
	}
	for made, err := range listAll[refundObject](ctx, a.api, "/v1/refunds", url.Values{"payment_intent": {r.Intent}}) {
		if err != nil || made.Metadata[metaRefund] == r.ID {
			return made, err
		}
	}
	return refundObject{}, errUnknownRefund
}

// settleRefund stores the refund's outcome. For a pending refund it stores Stripe's id, because a repeated request
// would return the refund as it was at first.
func (a *Acquirer) settleRefund(ctx context.Context, r refund, made refundObject) (payments.Outcome, error) {
	if o := made.decide(); o != nil {
		return a.concludeRefund(ctx, r, o)
	}
	if r.Name == "" && isName(made.ID) {
		r.Name = made.ID
		return a.concludeRefund(ctx, r, nil)
	}
	return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
}

// concludeRefund stores the refund with its final outcome, if it has one. If another call has stored an outcome first,
// concludeRefund returns that one.
func (a *Acquirer) concludeRefund(ctx context.Context, r refund, o *outcome) (payments.Outcome, error) {
	r.Outcome = o
	stored, err := a.records.updateRefund(ctx, r)
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case stored.Outcome == nil:
		return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
	default:
		return stored.Outcome.inPort(), nil
	}
}

// CancelRefund stores a tombstone for an unknown id. A refund that was sent cannot be cancelled. CancelRefund then
// returns the outcome that Stripe knows.
func (a *Acquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	r, err := a.records.readRefund(ctx, id)
	if errors.Is(err, errUnknownRefund) {
		r, err = a.records.createRefund(ctx, refund{ID: id, Outcome: &outcome{Decision: payments.Cancelled}})
	}
	switch {
	case err != nil:
		return payments.Outcome{}, err
	case r.Outcome != nil:
		return r.Outcome.inPort(), nil
	default:
		return a.findRefund(ctx, r)
	}
}
