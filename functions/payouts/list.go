package payouts

import (
	"context"
	"encoding"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// listRequest is as the client wrote it, so that check tells all that is wrong
// and not only what is wrong with the forms.
type listRequest struct {
	StartDate string `query:"start_date"`
	EndDate   string `query:"end_date"`
	Format    string `query:"format"`
	Limit     string `query:"limit"`
	Order     string `query:"order"`
}

// wanted is a request that was checked.
type wanted struct {
	first, last rest.Date // both inclusive
	format      format
	limit       rest.PageSize
	order       order
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

// list is listPayouts and listMyPayouts: the records of the payouts of some days, both inclusive, as
// JSON or as CSV.
func (f family) list(ctx context.Context, req listRequest) (any, error) {
	w, err := req.check()
	if err != nil {
		return nil, err
	}
	found, err := f.store.PayoutRecords(ctx, rest.Caller(ctx).Tenant, w.first.String(), w.last.String(), w.order == descending, w.limit.Capped(most, most))
	if err != nil {
		return nil, err
	}
	records := make([]record, len(found))
	for i, r := range found {
		records[i] = view(r)
	}
	if w.format == asCSV {
		return rest.Document{ContentType: "text/plain;charset=UTF-8", Body: table(records)}, nil
	}
	return records, nil
}

// check reads the request, or answers all that is wrong with it (contract §6.7).
func (req listRequest) check() (wanted, error) {
	var w wanted
	var faults failure.List
	read := func(param, text string, to encoding.TextUnmarshaler) bool {
		if text == "" {
			return false
		}
		err := to.UnmarshalText([]byte(text))
		if err != nil {
			faults = append(faults, failure.Invalid(param, failure.Of(err).Message))
		}
		return err == nil
	}
	for _, day := range []struct {
		param, text string
		to          *rest.Date
	}{{"start_date", req.StartDate, &w.first}, {"end_date", req.EndDate, &w.last}} {
		if day.text == "" {
			faults = append(faults, failure.Missing(day.param))
		}
		read(day.param, day.text, day.to)
	}
	if len(faults) == 0 && w.last.Compare(w.first) < 0 {
		faults = append(faults, failure.Invalid("", "negative date range"))
	}
	read("format", req.Format, &w.format)
	if read("limit", req.Limit, &w.limit) {
		if _, err := w.limit.Within(most, most); err != nil {
			faults = append(faults, failure.Of(err))
		}
	}
	read("order", req.Order, &w.order)
	return w, faults.Err()
}
