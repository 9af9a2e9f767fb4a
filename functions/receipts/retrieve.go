package receipts

import (
	"context"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// receiptRequest names a receipt of the caller's.
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

// assignNumber gives the receipt its number when it is read for the first time.
// Only receipts of money that moved have numbers, so that a series has no void
// ones.
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
