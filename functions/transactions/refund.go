package transactions

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type refundRequest struct {
	ID     rest.ID       `path:"txn_id"` // the transaction's id or code
	Amount money.Literal `json:"amount"` // "" refunds the rest
}

// refund handles refundTransaction.
func (f family) refund(ctx context.Context, req refundRequest) (rest.NoContent, error) {
	return rest.NoContent{}, f.refundAmount(ctx, string(req.ID), req.Amount)
}

type refundPaymentRequest struct {
	ID     rest.ID       `path:"transaction_id"` // the transaction's id or code
	Amount money.Literal `json:"amount"`         // "" refunds the rest
}

// createRefund handles createRefund. If the amount is too high or too low, the answer includes the allowed range.
func (f family) createRefund(ctx context.Context, req refundPaymentRequest) (struct{}, error) {
	err := f.refundAmount(ctx, string(req.ID), req.Amount)
	var above *payments.AmountTooHighError
	var below *payments.AmountTooLowError
	switch {
	case errors.As(err, &above):
		err = newAmountError(above.Minimum, above.Refundable, "amount_too_high", "The amount exceeds what is left to refund.")
	case errors.As(err, &below):
		err = newAmountError(below.Minimum, below.Refundable, "amount_too_low",
			"The amount is below the minimum that can be refunded.")
	}
	return struct{}{}, err
}

// refundAmount refunds the amount. All requests with the same Idempotency-Key make one refund. Failures: those of
// processing.Refund.
func (f family) refundAmount(ctx context.Context, id string, amount money.Literal) error {
	caller := rest.Caller(ctx)
	owner := rest.Merchant(ctx)
	minimum, err := owner.MinimumBalanceIn(caller.Tenant.Mode)
	if err != nil {
		return err
	}
	return f.processing.Refund(ctx, caller.Tenant, processing.RefundRequest{
		TransactionID: id, Operation: rest.OperationID(ctx), Amount: amount, By: caller,
		Country: owner.Country, MinimumBalance: minimum})
}

// invalidAmount is an entry in createRefund's list of errors (contract §13.4). Amounts are in minor units.
type invalidAmount struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`
	Max    int64  `json:"max_refundable_amount"`
	Min    int64  `json:"min_refundable_amount"`
}

// newAmountError returns createRefund's failure, with the smallest and the largest amount that can be refunded.
func newAmountError(least, most money.Amount, reason, detail string) error {
	const code = "INVALID_AMOUNT"
	e := failure.Unprocessable(detail).WithCode(code)
	e.Errors = []invalidAmount{{Code: code, Detail: detail, Reason: reason, Max: most.Minor(), Min: least.Minor()}}
	return e
}
