package transactions

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Page sizes of the history (contract §2.6).
const (
	defaultHistoryLimit = 10
	maxHistoryLimit     = 1000
)

// historyPlan describes the items to list, for both versions of the operation.
type historyPlan struct {
	code           string // code of the only transaction to list; "" lists all transactions
	order          historyOrder
	limit          int // items per page
	oldest, newest edge
	filter         payments.HistoryFilter
	caller         identity.Principal
	changes        store.Changes // with changes_since
	partial        bool          // the caller sees only payments of checkouts that the caller created
}

// edge is one end of the requested range. If both are given, the ref counts and the time does not.
type edge struct {
	ref         string // id of an item
	refIncluded bool
	at          *time.Time
	inclusive   bool // true includes an item at exactly that time
}

func (r historyRequest) plan() historyPlan {
	if r.Order == "" {
		r.Order = ascending
	}
	return historyPlan{
		code: r.Code, order: r.Order, limit: r.Limit.Capped(defaultHistoryLimit, maxHistoryLimit),
		oldest: edge{ref: string(r.OldestRef), at: r.OldestTime}, newest: edge{ref: string(r.NewestRef), at: r.NewestTime},
		filter: payments.HistoryFilter{Users: convert[string](r.Users), Types: r.Types, ChangesSince: r.ChangesSince},
	}
}

// after returns the plan of the page that begins after the item with the id.
func (p historyPlan) after(id string) historyPlan {
	if p.order == descending {
		p.newest = edge{ref: id}
	} else {
		p.oldest = edge{ref: id}
	}
	return p
}

// query encodes the plan as a query string, with the parameters of both versions.
func (p historyPlan) query() string {
	q := url.Values{"order": {string(p.order)}, "limit": {strconv.Itoa(p.limit)}}
	for name, values := range map[string][]string{
		"users[]": p.filter.Users, "statuses[]": convert[string](p.filter.Statuses), "payment_types[]": p.filter.PaymentTypes,
		"entry_modes[]": p.filter.EntryModes, "types[]": convert[string](p.filter.Types), "readers[]": p.filter.Readers,
	} {
		if len(values) > 0 {
			q[name] = values
		}
	}
	if p.code != "" {
		q.Set("transaction_code", p.code)
	}
	if p.filter.Area != nil {
		q.Set("geo_coordinates", p.filter.Area.String())
	}
	setTime(q, "changes_since", p.filter.ChangesSince)
	p.oldest.addTo(q, "oldest")
	p.newest.addTo(q, "newest")
	return q.Encode()
}

func (e edge) addTo(q url.Values, name string) {
	if e.ref == "" {
		setTime(q, name+"_time", e.at)
		return
	}
	q.Set(name+"_ref", e.ref)
	if e.refIncluded {
		q.Set(name+"_incl", "true")
	}
}

func setTime(q url.Values, name string, at *time.Time) {
	if at != nil {
		q.Set(name, at.Format(time.RFC3339Nano))
	}
}

// readRange reads the positions of the refs. A sealed ref may name an item that the caller may not see, and the page
// then begins after that item. Any other ref must name an item that the caller may see. Failure: Invalid.
func (f family) readRange(ctx context.Context, p historyPlan) (store.Range, error) {
	span := store.Range{NewestFirst: p.order == descending}
	var err error
	if span.Oldest, err = f.readBound(ctx, p.caller, p.oldest, "oldest_ref"); err != nil {
		return span, err
	}
	span.Newest, err = f.readBound(ctx, p.caller, p.newest, "newest_ref")
	return span, err
}

func (f family) readBound(ctx context.Context, caller identity.Principal, e edge, param string) (*store.Bound, error) {
	if e.ref == "" {
		if e.at == nil {
			return nil, nil
		}
		return &store.Bound{At: *e.at, Inclusive: e.inclusive}, nil
	}
	id, sees := e.ref, caller.Sees
	if sealed, ok := openRef(f.cursorKeys(f.store.Now()), caller, e.ref); ok {
		id, sees = sealed, func(string) bool { return true }
	}
	place, err := f.store.HistoryPlace(ctx, caller.Tenant, id, sees)
	if failure.Is(err, failure.KindNotFound) {
		return nil, failure.Invalid(param, "must be the id of an item of the history")
	}
	place.Inclusive = e.refIncluded
	return &place, err
}

type historyRequest struct {
	Code         string               `query:"transaction_code"`
	Order        historyOrder         `query:"order" validate:"one-of=ascending|descending"`
	Limit        rest.PageSize        `query:"limit"`
	Users        []rest.Email         `query:"users"`
	Types        []payments.EventType `query:"types" validate:"one-of=PAYMENT|REFUND|CHARGE_BACK"`
	ChangesSince *time.Time           `query:"changes_since"`
	NewestTime   *time.Time           `query:"newest_time"`
	NewestRef    rest.ID              `query:"newest_ref"`
	OldestTime   *time.Time           `query:"oldest_time"`
	OldestRef    rest.ID              `query:"oldest_ref"`
}

type currentHistoryRequest struct {
	historyRequest
	Statuses     []payments.HistoryStatus `query:"statuses" validate:"one-of=SUCCESSFUL|CANCELLED|FAILED|PENDING|REFUNDED|CHARGE_BACK"`                          //nolint:lll // a struct tag must be one line
	PaymentTypes []string                 `query:"payment_types" validate:"one-of=ECOM|RECURRING|BOLETO|POS|CASH|BITCOIN|BALANCE|MOTO|DIRECT_DEBIT|APM|UNKNOWN"` //nolint:lll // a struct tag must be one line
	EntryModes   []entryMode              `query:"entry_modes"`
}

type legacyHistoryRequest struct {
	historyRequest
	Statuses     []payments.HistoryStatus `query:"statuses" validate:"one-of=SUCCESSFUL|CANCELLED|FAILED"`
	PaymentTypes []string                 `query:"payment_types" validate:"one-of=CASH|POS|ECOM|BITCOIN|BALANCE"`
	Readers      []string                 `query:"readers"`
	Area         *payments.Area           `query:"geo_coordinates"`
	NewestIncl   bool                     `query:"newest_incl"`
	OldestIncl   bool                     `query:"oldest_incl"`
}

type historyOrder string

const (
	ascending  historyOrder = "ascending"
	descending historyOrder = "descending"
)

type entryMode string

// neverEntered lists published entry modes that no transaction has (contract §6.2).
var neverEntered = []string{"SOFORT", "GIROPAY", "NONE", "MANUAL_ENTRY", "MAGSTRIPE_FALLBACK", "DIRECT_DEBIT", "MOTO",
	"CONTACTLESS_MAGSTRIPE", "N/A"}

// Values returns all published entry modes. Any other entry mode is refused (contract §2.5).
func (entryMode) Values() []string { return append(payments.EntryModes(), neverEntered...) }

// convert converts strings from one type to another.
func convert[To, From ~string](from []From) []To {
	if from == nil {
		return nil
	}
	to := make([]To, len(from))
	for i, value := range from {
		to[i] = To(value)
	}
	return to
}
