package transactions

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// identifiers name a transaction; clients know five (contract §6.1).
type identifiers struct {
	ID         rest.ID `query:"id"`
	InternalID string  `query:"internal_id" validate:"pattern=^[0-9]{1,19}$"`
	Code       string  `query:"transaction_code"`
	ForeignID  string  `query:"foreign_transaction_id"`
	ClientID   rest.ID `query:"client_transaction_id"`
}

func (q identifiers) given() int {
	n := 0
	for _, text := range []string{string(q.ID), q.InternalID, q.Code, q.ForeignID, string(q.ClientID)} {
		if text != "" {
			n++
		}
	}
	return n
}

// fit reports whether every given identifier is the transaction's.
func (q identifiers) fit(t payments.Transaction) bool {
	fits := func(given, has string) bool { return given == "" || given == has }
	return fits(string(q.ID), t.ID) && fits(q.InternalID, strconv.FormatInt(t.InternalID(), 10)) && fits(q.Code, t.Code) &&
		fits(q.ForeignID, t.ForeignID) && fits(string(q.ClientID), t.ClientTransactionID)
}

// code returns the code that follows from an identifier; "" for a foreign id. False: no transaction can have it.
func (q identifiers) code() (string, bool) {
	switch {
	case q.Code != "":
		return q.Code, true
	case q.ID != "":
		return payments.CodeOfID(string(q.ID)), true
	case q.ClientID != "":
		return payments.CodeWithin(string(q.ClientID))
	case q.InternalID != "":
		n, err := strconv.ParseInt(q.InternalID, 10, 64)
		if err != nil {
			return "", false
		}
		return payments.CodeOfInternalID(n)
	default:
		return "", true
	}
}

var errNoTransaction = failure.NotFound("There is no such transaction.")

// find reads the transaction that the identifiers name, with its events: of several the successful one, else the newest
// (contract §6.1). Failure: NotFound, also for one that the caller may not see.
func (f family) find(ctx context.Context, q identifiers) (store.Record, error) {
	caller := rest.Caller(ctx)
	records, err := f.candidates(ctx, caller.Tenant, q)
	if err != nil {
		return store.Record{}, err
	}
	records = slices.DeleteFunc(records, func(r store.Record) bool {
		return !q.fit(r.Transaction) || !caller.Sees(r.Creator)
	})
	if len(records) == 0 {
		return store.Record{}, errNoTransaction
	}
	return store.Preferred(records), nil
}

// candidates are the transactions that one of the identifiers leads to.
func (f family) candidates(ctx context.Context, t identity.Tenant, q identifiers) ([]store.Record, error) {
	code, ok := q.code()
	switch {
	case !ok:
		return nil, nil
	case code != "":
		return f.store.Transactions(ctx, t, code)
	}
	r, err := f.store.TransactionByForeignID(ctx, t, q.ForeignID)
	return []store.Record{r}, err
}

type detailRequest struct{ identifiers }

// detail is retrieveTransaction: exactly one identifier.
func (f family) detail(ctx context.Context, req detailRequest) (transaction, error) {
	if req.given() != 1 {
		return transaction{}, failure.Invalid("", "Give exactly one identifier.")
	}
	r, err := f.find(ctx, req.identifiers)
	if err != nil {
		return transaction{}, err
	}
	return f.view(ctx, r), nil
}

type legacyRequest struct {
	identifiers
	EventStatuses []payments.EventStatus `query:"event_statuses" validate:"one-of=PENDING|SCHEDULED|RECONCILED|PAID_OUT|REFUNDED|SUCCESSFUL|FAILED"` //nolint:lll // a tag cannot be broken
	EventTypes    []payments.EventType   `query:"event_types" validate:"one-of=PAYOUT|CHARGE_BACK|REFUND|PAYOUT_DEDUCTION"`
}

// legacyDetail is retrieveMyTransaction: any identifiers, all of which must be the transaction's.
func (f family) legacyDetail(ctx context.Context, req legacyRequest) (transaction, error) {
	if req.given() == 0 {
		return transaction{}, failure.Invalid("", "Give at least one identifier.")
	}
	r, err := f.find(ctx, req.identifiers)
	if err != nil {
		return transaction{}, err
	}
	return f.legacyView(ctx, r, req), nil
}

// legacyView is the view in the form of older clients (contract §6.3, §2.7).
func (f family) legacyView(ctx context.Context, r store.Record, req legacyRequest) transaction {
	v := f.view(ctx, r)
	v.ProcessAs, v.TaxEnabled = strings.ToLower(v.ProcessAs), r.AdvancedMode
	v.SimpleStatus = olderStatus(v.SimpleStatus)
	numberReceipts(v.Events, r)
	v.Events = slices.DeleteFunc(v.Events, func(e event) bool { return !req.shows(e.Status, e.Type) })
	v.TransactionEvents = slices.DeleteFunc(v.TransactionEvents, func(e transactionEvent) bool {
		return e.Type == payments.PayoutDeductionEvent || !req.shows(e.Status, e.Type)
	})
	return v
}

// olderStatus returns a simple status of the set without PAID_OUT and NON_COLLECTION.
func olderStatus(s payments.SimpleStatus) payments.SimpleStatus {
	switch s {
	case payments.SimplePaidOut:
		return payments.SimpleSuccessful
	case payments.SimpleNonCollection:
		return payments.SimpleChargeback
	default:
		return s
	}
}

// numberReceipts shows the receipt numbers given out so far.
func numberReceipts(shown []event, r store.Record) {
	for _, e := range r.Events {
		i := slices.IndexFunc(shown, func(s event) bool { return s.ID == e.NumericID() })
		if n, ok := r.Receipts[e.ID]; ok && i >= 0 {
			shown[i].ReceiptNo = strconv.FormatInt(n, 10)
		}
	}
}

func (req legacyRequest) shows(status payments.EventStatus, kind payments.EventType) bool {
	return (len(req.EventStatuses) == 0 || slices.Contains(req.EventStatuses, status)) &&
		(len(req.EventTypes) == 0 || slices.Contains(req.EventTypes, kind))
}
