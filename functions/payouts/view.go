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

// view shows a record. No amount is negative: the type says the direction.
func view(r payout.Record) record {
	amount := r.Amount
	if amount.Sign() < 0 {
		amount = amount.Neg()
	}
	return record{ID: r.NumericID(), Type: r.Kind, Amount: amount, Date: r.Day, Currency: amount.Currency(), Fee: r.Fee,
		Status: r.Status, Reference: r.Reference, TransactionCode: r.Code}
}

// encodeCSV is the records as CSV with a header, by RFC 4180, except that lines end
// with LF alone, by which clients split.
func encodeCSV(records []record) []byte {
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
