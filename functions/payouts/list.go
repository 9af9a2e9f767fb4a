package payouts

import (
	"context"
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type listRequest struct {
	StartDate string        `query:"start_date"`
	EndDate   string        `query:"end_date"`
	Format    format        `query:"format"`
	Limit     rest.PageSize `query:"limit"`
	Order     order         `query:"order"`
}

type format string

const (
	asJSON format = "json"
	asCSV  format = "csv"
)

// UnmarshalText takes one of the formats.
func (f *format) UnmarshalText(text []byte) error { return rest.OneOf(f, text, asJSON, asCSV) }

type order string

const (
	ascending  order = "asc"
	descending order = "desc"
)

// UnmarshalText takes one of the orders.
func (o *order) UnmarshalText(text []byte) error { return rest.OneOf(o, text, ascending, descending) }

// most is how many records a page has at most, and without a limit (contract
// §2.6).
const most = 9999

// record is the spec's Payout. All nine fields are always there (contract §6.7).
type record struct {
	ID              int64                 `json:"id"`
	Type            payments.UnpaidKind   `json:"type"`
	Amount          money.Amount          `json:"amount"`
	Date            string                `json:"date"`
	Currency        money.Currency        `json:"currency"`
	Fee             money.Amount          `json:"fee"`
	Status          payments.RecordStatus `json:"status"`
	Reference       string                `json:"reference"`
	TransactionCode string                `json:"transaction_code"`
}

// list is row 25: the records of the payouts of some days, both inclusive, as
// JSON or as CSV.
func (f family) list(ctx context.Context, req listRequest) (any, error) {
	limit, err := req.check()
	if err != nil {
		return nil, err
	}
	found, err := f.store.PayoutRecords(ctx, rest.Caller(ctx).Tenant, req.StartDate, req.EndDate, req.Order == descending, limit)
	if err != nil {
		return nil, err
	}
	records := make([]record, len(found))
	for i, r := range found {
		records[i] = view(r)
	}
	if req.Format == asCSV {
		return rest.Document{ContentType: "text/plain;charset=UTF-8", Body: table(records)}, nil
	}
	return records, nil
}

// check answers the limit, or all that is wrong with the request.
func (req listRequest) check() (int, error) {
	var faults failure.List
	for _, day := range []struct{ param, text string }{{"start_date", req.StartDate}, {"end_date", req.EndDate}} {
		var date rest.Date
		switch {
		case day.text == "":
			faults = append(faults, failure.Missing(day.param))
		case date.UnmarshalText([]byte(day.text)) != nil:
			faults = append(faults, failure.Invalid(day.param, "must be a date, YYYY-MM-DD"))
		}
	}
	limit, err := req.Limit.Within(most, most)
	if err != nil {
		faults = append(faults, failure.Of(err))
	}
	if len(faults) == 0 && req.EndDate < req.StartDate { // of one form, so they compare as text
		faults = append(faults, failure.Invalid("", "negative date range"))
	}
	return limit, faults.Err()
}

// view shows a record: the type tells the direction, so that no amount is
// negative.
func view(r payments.PayoutRecord) record {
	amount := r.Amount
	if amount.Sign() < 0 {
		amount = amount.Neg()
	}
	return record{ID: r.Number(), Type: r.Kind, Amount: amount, Date: r.Day, Currency: amount.Currency(), Fee: r.Fee,
		Status: r.Status, Reference: r.Reference, TransactionCode: r.Code}
}

// table is the records as CSV (RFC 4180), with its header.
func table(records []record) []byte {
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{{"id", "type", "amount", "date", "currency", "fee", "status", "reference", "transaction_code"}}
	for _, r := range records {
		rows = append(rows, []string{strconv.FormatInt(r.ID, 10), string(r.Type), r.Amount.String(), r.Date, string(r.Currency),
			r.Fee.String(), string(r.Status), r.Reference, r.TransactionCode})
	}
	_ = w.WriteAll(rows) // into memory
	return []byte(text.String())
}
