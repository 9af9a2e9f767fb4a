package transactions

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

type legacyRequest struct {
	identifiers
	EventStatuses []payments.EventStatus `query:"event_statuses" validate:"one-of=PENDING|SCHEDULED|RECONCILED|PAID_OUT|REFUNDED|SUCCESSFUL|FAILED"` //nolint:lll // a tag cannot be broken
	EventTypes    []payments.EventType   `query:"event_types" validate:"one-of=PAYOUT|CHARGE_BACK|REFUND|PAYOUT_DEDUCTION"`
}

// legacyDetail is retrieveMyTransaction: any identifiers, all of which must
// be the transaction's.
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

// olderStatus is a simple status of the set without PAID_OUT and
// NON_COLLECTION.
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

// shows reports whether the filters let an event pass.
func (req legacyRequest) shows(status payments.EventStatus, kind payments.EventType) bool {
	return (len(req.EventStatuses) == 0 || slices.Contains(req.EventStatuses, status)) &&
		(len(req.EventTypes) == 0 || slices.Contains(req.EventTypes, kind))
}
