package payouts

import (
	"context"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// listRequest has only strings, so that check can report all faults at once. The list includes the start date and the
// end date.
type listRequest struct {
	StartDate string `query:"start_date" validate:"required date"`
	EndDate   string `query:"end_date" validate:"required date"`
	Format    format `query:"format" validate:"one-of=json|csv"`
	Limit     string `query:"limit" validate:"integer=1..9999"`
	Order     order  `query:"order" validate:"one-of=asc|desc"`
}

type format string

const asCSV format = "csv" // the default is JSON

type order string

const descending order = "desc" // the default is ascending

// maxRecords is the highest limit of a page, and also the default (contract §2.6).
const maxRecords = 9999

// list handles listPayouts and listMyPayouts. It returns the records of payouts from one day to another as JSON or CSV.
func (f family) list(ctx context.Context, req listRequest) (any, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	found, err := f.store.PayoutRecords(ctx, rest.Caller(ctx).Tenant, req.StartDate, req.EndDate,
		req.Order == descending, req.limit())
	if err != nil {
		return nil, err
	}
	records := make([]record, len(found))
	for i, r := range found {
		records[i] = view(r)
	}
	if req.Format == asCSV {
		return rest.Document{ContentType: "text/plain;charset=UTF-8", Body: encodeCSV(records)}, nil
	}
	return records, nil
}

// check returns all faults of the request (contract §6.7).
func (req listRequest) check() error {
	faults := validate.Forms(req)
	dated := !faults.Names("start_date") && !faults.Names("end_date")
	if dated && req.EndDate < req.StartDate { // these dates sort correctly as text
		faults = slices.Insert(faults, 0, failure.Invalid("", "negative date range"))
	}
	return faults.Err()
}

// limit returns the number of records to serve. Call check first.
func (req listRequest) limit() int {
	if n, err := strconv.Atoi(req.Limit); err == nil {
		return n
	}
	return maxRecords
}

// record is the response object of a payout. All nine fields are always present (contract §6.7).
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

// view returns the response object of a record. Amounts are never negative, because the record's type tells the
// direction.
func view(r payout.Record) record {
	amount := r.Amount
	if amount.Sign() < 0 {
		amount = amount.Neg()
	}
	return record{ID: r.NumericID(), Type: r.Kind, Amount: amount, Date: r.Day, Currency: amount.Currency(), Fee: r.Fee,
		Status: r.Status, Reference: r.Reference, TransactionCode: r.Code}
}

// encodeCSV encodes the records as CSV with a header (RFC 4180). Unlike in the RFC, lines end with LF alone, because
// clients split lines at LF.
func encodeCSV(records []record) []byte {
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{{"id", "type", "amount", "date", "currency", "fee", "status", "reference", "transaction_code"}}
	for _, r := range records {
		rows = append(rows, []string{strconv.FormatInt(r.ID, 10), string(r.Type), r.Amount.String(),
			r.Date, string(r.Currency),
			r.Fee.String(), string(r.Status), r.Reference, r.TransactionCode})
	}
	_ = w.WriteAll(rows) // writing to memory never fails
	return []byte(text.String())
}
