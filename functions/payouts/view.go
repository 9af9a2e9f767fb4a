package payouts

import (
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// record is a payout's response object; all nine fields are always there (contract §6.7).
type record struct {
	ID              int64                `json:"id"`
	Type            payments.PayableKind `json:"type"`
	Amount          money.Amount         `json:"amount"`
	Date            string               `json:"date"`
	Currency        money.Currency       `json:"currency"`
	Fee             money.Amount         `json:"fee"`
	Status          payout.RecordStatus  `json:"status"`
	Reference       string               `json:"reference"`
	TransactionCode string               `json:"transaction_code"`
}

// view shows a record: the type tells the direction, so that no amount is
// negative.
func view(r payout.Record) record {
	amount := r.Amount
	if amount.Sign() < 0 {
		amount = amount.Neg()
	}
	return record{ID: r.NumericID(), Type: r.Kind, Amount: amount, Date: r.Day, Currency: amount.Currency(), Fee: r.Fee,
		Status: r.Status, Reference: r.Reference, TransactionCode: r.Code}
}

// table is the records as CSV with its header, as RFC 4180 but for lines that end
// with LF alone: clients split by it.
func table(records []record) []byte {
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{{"id", "type", "amount", "date", "currency", "fee", "status", "reference", "transaction_code"}}
	for _, r := range records {
		rows = append(rows, []string{strconv.FormatInt(r.ID, 10), string(r.Type), r.Amount.String(),
			r.Date, string(r.Currency),
			r.Fee.String(), string(r.Status), r.Reference, r.TransactionCode})
	}
	_ = w.WriteAll(rows) // into memory
	return []byte(text.String())
}
