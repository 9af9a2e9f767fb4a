package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/store"
)

// chargeback records a chargeback that the acquirer reported. In test mode the sandbox records it first (contract §12).
//
// Each id is recorded once. Without an id, the command derives an id from the transaction, the number of its earlier
// chargebacks, and the amount. So the command may be repeated until it succeeds. After that, it records another
// chargeback.
type chargeback struct {
	tenantArguments
	Transaction string        `json:"transaction" validate:"required"` // the transaction's id or code
	ID          string        `json:"id"`                              // the acquirer's id; generated unless given
	Amount      money.Literal `json:"amount"`                          // default: the amount that can still be refunded
	Lost        bool          `json:"lost"`                            // true if the merchant cannot pay (NON_COLLECTION)
}

type chargedBack struct {
	ID              string                `json:"id"` // the given or generated id
	EventID         int64                 `json:"event_id"`
	TransactionID   string                `json:"transaction_id"`
	TransactionCode string                `json:"transaction_code"`
	Amount          money.Amount          `json:"amount"`
	Currency        money.Currency        `json:"currency"`
	SimpleStatus    payments.SimpleStatus `json:"simple_status"` // status of the transaction
}

// maxChargebackID limits the acquirer's id, in bytes. The id becomes part of a key.
const maxChargebackID = 255

func (o operator) recordChargeback(ctx context.Context, t identity.Tenant, c chargeback) (chargedBack, error) {
	if len(c.ID) > maxChargebackID {
		return chargedBack{}, failure.Invalid("id", "must be at most 255 bytes")
	}
	r, err := o.Store.FindTransaction(ctx, t, c.Transaction)
	if err != nil {
		return chargedBack{}, err
	}
	request, err := o.resolveChargeback(ctx, t, r, c)
	if err != nil {
		return chargedBack{}, err
	}
	e, err := o.Processing.Chargeback(ctx, t, request)
	if err != nil {
		return chargedBack{}, err
	}
	if r, err = o.Store.FindTransaction(ctx, t, r.ID); err != nil {
		return chargedBack{}, err
	}
	o.Log.InfoContext(ctx, "chargeback recorded", "merchant", t.Merchant, "transaction", r.ID, "event", e.ID)
	return chargedBack{ID: request.ID, EventID: e.NumericID(), TransactionID: r.ID, TransactionCode: r.Code,
		Amount: e.Amount, Currency: e.Amount.Currency(), SimpleStatus: r.SimpleStatus()}, nil
}

// resolveChargeback returns the chargeback as the acquirer recorded it. In test mode it enters the chargeback in the
// sandbox, but only after the platform's checks have accepted the chargeback.
func (o operator) resolveChargeback(ctx context.Context, t identity.Tenant, r store.Record,
	c chargeback) (processing.ChargebackRequest, error) {
	request := processing.ChargebackRequest{TransactionID: r.ID, ID: c.ID, Amount: c.Amount, Lost: c.Lost}
	amount, err := c.amount(r)
	if err != nil {
		return request, err
	}
	if request.ID == "" {
		request.ID = nextChargebackID(r, amount)
	}
	if known, ok := r.ChargebackBy(request.ID); ok {
		if c.Amount != "" && known.Amount != amount {
			return request, errOtherAmount
		}
		return request, nil
	}
	if _, err = r.Chargeback(payments.Checkout{}, request.ID, &amount, c.Lost, "", o.Now()); err != nil {
		return request, err
	}
	if t.Mode == identity.Test {
		if amount, err = o.enterInSandbox(ctx, r, request.ID, amount, c.Amount != ""); err != nil {
			return request, err
		}
	}
	request.Amount = money.Literal(amount.String())
	return request, nil
}

// enterInSandbox records the chargeback in the sandbox and returns its amount. If the command is repeated, it returns
// the first run's amount.
func (o operator) enterInSandbox(ctx context.Context, r store.Record, id string, amount money.Amount,
	exact bool) (money.Amount, error) {
	err := o.Sandbox.Chargeback(ctx, r.ID, id, amount)
	if errors.Is(err, acquirer.ErrUnknownCharge) || errors.Is(err, sandbox.ErrTooMuch) {
		return amount, failure.Conflict("The acquirer has no such amount to charge back.").WithCause(err)
	}
	if err != nil {
		return amount, err
	}
	chargeID, entered, err := o.Sandbox.ChargedBack(ctx, id)
	switch {
	case err != nil:
		return amount, err
	case chargeID != r.ID:
		return amount, errOtherTransaction
	case exact && entered != amount:
		return amount, errOtherAmount
	default:
		return entered, nil
	}
}

var (
	errOtherAmount      = failure.Conflict("The chargeback with this id has another amount.")
	errOtherTransaction = failure.Conflict("The chargeback with this id belongs to another transaction.")
)

func (c chargeback) amount(r store.Record) (money.Amount, error) {
	if c.Amount == "" {
		return r.Refundable, nil
	}
	amount, err := c.Amount.In(r.Amount.Currency())
	if err != nil {
		return amount, failure.Invalid("amount", money.Expected(err)).WithCause(err)
	}
	return amount, nil
}

func nextChargebackID(r store.Record, amount money.Amount) string {
	before := slices.DeleteFunc(slices.Clone(r.Events), func(e payments.Event) bool {
		return e.Type != payments.ChargebackEvent
	})
	return fmt.Sprintf("chargeback-%s-%d-%d", r.Code, len(before)+1, amount.Minor())
}
