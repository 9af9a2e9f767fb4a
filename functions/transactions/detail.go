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

// identifiers holds the identifiers in a request, which name a transaction. Clients know a transaction by five
// identifiers (contract §6.1).
type identifiers struct {
	ID         rest.ID `query:"id"`
	InternalID string  `query:"internal_id" validate:"pattern=^[0-9]{1,19}$"`
	Code       string  `query:"transaction_code"`
	ForeignID  string  `query:"foreign_transaction_id"`
	ClientID   rest.ID `query:"client_transaction_id"`
}

// identifierNames lists the identifiers for messages.
const identifierNames = "id, internal_id, transaction_code, foreign_transaction_id, client_transaction_id"

func (q identifiers) count() int {
	n := 0
	for _, text := range []string{string(q.ID), q.InternalID, q.Code, q.ForeignID, string(q.ClientID)} {
		if text != "" {
			n++
		}
	}
	return n
}

// matches returns true if every given identifier belongs to the transaction.
func (q identifiers) matches(t payments.Transaction) bool {
	fits := func(given, has string) bool { return given == "" || given == has }
	return fits(string(q.ID), t.ID) && fits(q.InternalID, strconv.FormatInt(t.InternalID(), 10)) && fits(q.Code, t.Code) &&
		fits(q.ForeignID, t.ForeignID) && fits(string(q.ClientID), t.ClientTransactionID)
}

// code returns the transaction code that follows from an identifier, or "" for a foreign id. It returns false if no
// transaction can have the identifier.
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

// find reads the transaction that the identifiers name, with its events. If they name several transactions, it returns
// the successful one, else the newest one (contract §6.1). Failure: NotFound, even if the transaction exists but the
// caller may not see it.
func (f family) find(ctx context.Context, q identifiers) (store.Record, error) {
	caller := rest.Caller(ctx)
	records, err := f.findCandidates(ctx, caller.Tenant, q)
	if err != nil {
		return store.Record{}, err
	}
	records = slices.DeleteFunc(records, func(r store.Record) bool {
		return !q.matches(r.Transaction) || !caller.Sees(r.Creator)
	})
	if len(records) == 0 {
		return store.Record{}, errNoTransaction
	}
	return store.Preferred(records), nil
}

// findCandidates returns the transactions that the first given identifier names.
func (f family) findCandidates(ctx context.Context, t identity.Tenant, q identifiers) ([]store.Record, error) {
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

// retrieve handles retrieveTransaction, which takes exactly one identifier.
func (f family) retrieve(ctx context.Context, req detailRequest) (transaction, error) {
	if req.count() != 1 {
		return transaction{}, failure.Invalid("", "Give exactly one of "+identifierNames+".")
	}
	r, err := f.find(ctx, req.identifiers)
	if err != nil {
		return transaction{}, err
	}
	return f.newTransaction(ctx, r), nil
}

type legacyRequest struct {
	identifiers
	EventStatuses []payments.EventStatus `query:"event_statuses" validate:"one-of=PENDING|SCHEDULED|RECONCILED|PAID_OUT|REFUNDED|SUCCESSFUL|FAILED"` //nolint:lll // a struct tag must be one line
	EventTypes    []payments.EventType   `query:"event_types" validate:"one-of=PAYOUT|CHARGE_BACK|REFUND|PAYOUT_DEDUCTION"`
}

// retrieveLegacy handles retrieveMyTransaction. All its identifiers must belong to the same transaction.
func (f family) retrieveLegacy(ctx context.Context, req legacyRequest) (transaction, error) {
	if req.count() == 0 {
		return transaction{}, failure.Invalid("", "Give at least one of "+identifierNames+".")
	}
	r, err := f.find(ctx, req.identifiers)
	if err != nil {
		return transaction{}, err
	}
	return f.newLegacyTransaction(ctx, r, req), nil
}

// newLegacyTransaction returns the detail in the form of older clients (contract §6.3, §2.7).
func (f family) newLegacyTransaction(ctx context.Context, r store.Record, req legacyRequest) transaction {
	v := f.newTransaction(ctx, r)
	v.ProcessAs, v.TaxEnabled = strings.ToLower(v.ProcessAs), r.AdvancedMode
	v.SimpleStatus = legacyStatus(v.SimpleStatus)
	addReceiptNumbers(v.Events, r)
	v.Events = slices.DeleteFunc(v.Events, func(e event) bool { return !req.shows(e.Status, e.Type) })
	v.TransactionEvents = slices.DeleteFunc(v.TransactionEvents, func(e transactionEvent) bool {
		return e.Type == payments.PayoutDeductionEvent || !req.shows(e.Status, e.Type)
	})
	return v
}

// legacyStatus maps a simple status to the older set of statuses, which lacks PAID_OUT and NON_COLLECTION.
func legacyStatus(s payments.SimpleStatus) payments.SimpleStatus {
	switch s {
	case payments.SimplePaidOut:
		return payments.SimpleSuccessful
	case payments.SimpleNonCollection:
		return payments.SimpleChargeback
	default:
		return s
	}
}

// addReceiptNumbers adds to the events the receipt numbers that have been assigned so far.
func addReceiptNumbers(shown []event, r store.Record) {
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
