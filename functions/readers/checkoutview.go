package readers

import (
	"cmp"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// checkoutReply is {data} of contract §13.7.
type checkoutReply struct {
	Data checkoutView `json:"data"`
}

// checkoutView is the checkout data of contract §13.7. Every key is always there.
type checkoutView struct {
	CheckoutID          string                      `json:"checkout_id"`
	ClientTransactionID string                      `json:"client_transaction_id"`
	CreatedAt           rest.Timestamp              `json:"created_at"`
	UpdatedAt           rest.Timestamp              `json:"updated_at"`
	ValidUntil          *rest.Timestamp             `json:"valid_until"`
	Status              string                      `json:"status"`
	PaymentStatus       *payments.TransactionStatus `json:"payment_status"` // null before there is a transaction
	PaymentType         payments.Method             `json:"payment_type"`
	CardType            *string                     `json:"card_type"`
	Installments        *int                        `json:"installments"`
	Firmware            string                      `json:"reader_firmware_version"`
	Serial              string                      `json:"reader_serial_number"`
	Total               totalView                   `json:"total_amount"`
	Reason              *string                     `json:"payment_failure_reason"` // null unless it ended unpaid
}

// totalView is the amount that was asked for, without a tip.
type totalView struct {
	Currency  money.Currency `json:"currency"`
	MinorUnit int            `json:"minor_unit"` // the currency's decimals
	Value     int64          `json:"value"`
}

// statuses are the checkout's by its transaction's, while nothing is open.
var statuses = map[payments.TransactionStatus]string{
	payments.TransactionSuccessful: "successful",
	payments.TransactionFailed:     "failed",
	payments.TransactionCancelled:  "cancelled",
}

func viewCheckout(c payments.Checkout) checkoutView {
	sale, until, currency := c.Reader, rest.Timestamp(c.ReaderDeadline()), c.Amount.Currency()
	v := checkoutView{
		CheckoutID: c.ID, ClientTransactionID: c.ClientTransactionID(), CreatedAt: rest.Timestamp(c.CreatedAt),
		UpdatedAt: rest.Timestamp(c.CreatedAt), ValidUntil: &until, Status: "pending",
		PaymentType: cmp.Or(c.PaymentType, payments.CardMethod), Firmware: sale.Firmware, Serial: sale.Serial,
		Total: totalView{Currency: currency, MinorUnit: currency.Scale(), Value: c.Amount.Minor()},
	}
	if !sale.UpdatedAt.IsZero() {
		v.UpdatedAt = rest.Timestamp(sale.UpdatedAt)
	}
	if n := len(c.Transactions); n > 0 {
		v.PaymentStatus = &c.Transactions[n-1].Status
	}
	if !c.AttemptOpen() && v.PaymentStatus != nil {
		v.Status = statuses[*v.PaymentStatus]
	}
	if sale.CardType != "" {
		v.CardType = &sale.CardType
	}
	if sale.Reason != "" {
		v.Reason = &sale.Reason
	}
	if sale.Installments > 0 {
		v.Installments = &sale.Installments
	}
	return v
}
