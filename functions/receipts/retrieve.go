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
	ID           rest.ID `path:"id"`                       // of the transaction, or its code
	MerchantCode string  `query:"mid" validate:"required"` // the caller's
	EventID      *int64  `query:"tx_event_id"`             // of one of its refunds
}

// retrieve is retrieveReceipt.
func (f family) retrieve(ctx context.Context, req receiptRequest) (receipt, error) {
	about, err := f.find(ctx, req)
	if err != nil {
		return receipt{}, err
	}
	a, err := f.store.Account(ctx, rest.Caller(ctx).Tenant.Merchant)
	return view(about, rest.Merchant(ctx), a), err
}

// find is what the receipt is about, which is numbered now if it was not before.
func (f family) find(ctx context.Context, req receiptRequest) (subject, error) {
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
	about := payment(r)
	if req.EventID != nil {
		e, ok := r.Event(*req.EventID)
		if !ok || e.Type != payments.RefundEvent {
			return subject{}, notFound(strconv.FormatInt(*req.EventID, 10))
		}
		about = refund(r, e)
	}
	return about, f.assignNumber(ctx, tenant, about)
}

// notFound has the message of contract §6.6.
func notFound(id string) error { return failure.NotFound("No such tx event " + id) }

// assignNumber numbers the receipt when first read, if money moved: a series has no void numbers.
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

// subject is what one receipt is about: a payment or a refund of it.
type subject struct {
	record     store.Record // of the payment
	id         string       // of the transaction, or the refund's event
	refund     bool         // it is about a refund
	amount     money.Amount
	sale       money.Amount // the amount without the tip
	tip        money.Amount
	status     payments.TransactionStatus
	returnCode string
	at         time.Time
	moved      bool // the money moved
}

// payment is the receipt of the transaction itself.
func payment(r store.Record) subject {
	return subject{record: r, id: r.ID, amount: r.Amount, sale: r.Sale(), tip: r.Tip, status: r.Status,
		returnCode: r.ReturnCode, at: r.CreatedAt, moved: r.Status == payments.TransactionSuccessful && !r.OnlyChecked()}
}

// refund is the receipt of a refund: its lines and sums are of the refunded amount, which may include some of a tip.
func refund(r store.Record, e payments.Event) subject {
	return subject{record: r, id: e.ID, refund: true, amount: e.Amount, sale: e.Amount,
		tip: money.Zero(e.Amount.Currency()), status: e.HistoryItem().Status(), returnCode: e.ReturnCode, at: e.CreatedAt,
		moved: e.Status == payments.EventRefunded}
}

func (p subject) link(token string, now time.Time) payments.ReceiptLink {
	l := payments.ReceiptLink{TokenHash: identity.Hash(token), TransactionID: p.record.ID,
		ExpiresAt: payments.ReceiptLinkEnd(now)}
	if p.refund {
		l.EventID = p.id
	}
	return l
}

// behind is what a link leads to; false if it is no more.
func behind(l payments.ReceiptLink, r store.Record) (subject, bool) {
	if l.EventID == "" {
		return payment(r), true
	}
	at := slices.IndexFunc(r.Events, func(e payments.Event) bool { return e.ID == l.EventID })
	if at < 0 {
		return subject{}, false
	}
	return refund(r, r.Events[at]), true
}
