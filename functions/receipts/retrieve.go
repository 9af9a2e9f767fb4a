package receipts

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

type receiptRequest struct {
	ID           rest.ID `path:"id"`                       // id or code of the transaction
	MerchantCode string  `query:"mid" validate:"required"` // code of the caller's merchant
	EventID      *int64  `query:"tx_event_id"`             // id of a refund's event
}

// retrieve handles retrieveReceipt.
func (f family) retrieve(ctx context.Context, req receiptRequest) (receipt, error) {
	about, err := f.findAndNumber(ctx, req)
	if err != nil {
		return receipt{}, err
	}
	a, err := f.store.Account(ctx, rest.Caller(ctx).Tenant.Merchant)
	return view(about, rest.Merchant(ctx), a), err
}

// findAndNumber reads the subject of a receipt, and numbers the receipt if it has no number yet.
func (f family) findAndNumber(ctx context.Context, req receiptRequest) (subject, error) {
	caller := rest.Caller(ctx)
	tenant := caller.Tenant
	if req.MerchantCode != tenant.Merchant {
		return subject{}, failure.Invalid("mid", "is not a valid merchant code")
	}
	r, err := f.store.FindTransaction(ctx, tenant, string(req.ID))
	if failure.Is(err, failure.KindNotFound) || err == nil && !caller.Sees(r.Creator) {
		return subject{}, notFound(string(req.ID))
	} else if err != nil {
		return subject{}, err
	}
	about := newPaymentSubject(r)
	if req.EventID != nil {
		e, ok := r.Event(*req.EventID)
		if !ok || e.Type != payments.RefundEvent {
			return subject{}, notFound(strconv.FormatInt(*req.EventID, 10))
		}
		about = newRefundSubject(r, e)
	}
	return about, f.assignNumber(ctx, tenant, about)
}

// notFound returns the failure with the message of contract §6.6.
func notFound(id string) error { return failure.NotFound("No such tx event " + id) }

// assignNumber assigns the receipt its number when the receipt is first read. Without a movement of money it assigns
// none, because a series must have no void numbers.
func (f family) assignNumber(ctx context.Context, t identity.Tenant, p subject) error {
	if _, has := p.record.Receipts[p.id]; has || !p.moved {
		return nil
	}
	n, err := f.store.NumberReceipt(ctx, t, p.record.Code, p.id)
	if err == nil {
		p.record.Receipts[p.id] = n
	}
	return err
}

// subject is the payment or refund that a receipt documents.
type subject struct {
	record     store.Record // record of the payment
	id         string       // id of the transaction, or of the refund's event
	refund     bool         // true for the receipt of a refund
	amount     money.Amount
	sale       money.Amount // the amount without the tip
	tip        money.Amount
	status     payments.TransactionStatus
	returnCode string
	at         time.Time
	moved      bool // true once the money has moved
}

// newPaymentSubject returns the subject of the transaction's own receipt.
func newPaymentSubject(r store.Record) subject {
	return subject{record: r, id: r.ID, amount: r.Amount, sale: r.Sale(), tip: r.Tip, status: r.Status,
		returnCode: r.ReturnCode, at: r.CreatedAt, moved: r.Status == payments.TransactionSuccessful && !r.OnlyChecked()}
}

// newRefundSubject returns the subject of a refund's receipt. Its product lines divide the refunded amount, which may
// include part of the tip.
func newRefundSubject(r store.Record, e payments.Event) subject {
	return subject{record: r, id: e.ID, refund: true, amount: e.Amount, sale: e.Amount,
		tip: money.Zero(e.Amount.Currency()), status: e.HistoryItem().Status(), returnCode: e.ReturnCode, at: e.CreatedAt,
		moved: e.Status == payments.EventRefunded}
}

func (p subject) newLink(token string, now time.Time) payments.ReceiptLink {
	l := payments.ReceiptLink{TokenHash: identity.Hash(token), TransactionID: p.record.ID,
		ExpiresAt: payments.ReceiptLinkEnd(now)}
	if p.refund {
		l.EventID = p.id
	}
	return l
}

// newLinkSubject returns the subject of a link's receipt, or false if it no longer exists.
func newLinkSubject(l payments.ReceiptLink, r store.Record) (subject, bool) {
	if l.EventID == "" {
		return newPaymentSubject(r), true
	}
	at := slices.IndexFunc(r.Events, func(e payments.Event) bool { return e.ID == l.EventID })
	if at < 0 {
		return subject{}, false
	}
	return newRefundSubject(r, r.Events[at]), true
}
