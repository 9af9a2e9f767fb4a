package receipts

import (
	"context"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

type retrieveRequest struct {
	ID           string `path:"id"`                       // of the transaction, or its code
	MerchantCode string `query:"mid" validate:"required"` // the caller's
	EventID      *int64 `query:"tx_event_id"`             // of one of its refunds
}

// retrieve is retrieveReceipt.
func (f family) retrieve(ctx context.Context, req retrieveRequest) (receipt, error) {
	tenant := rest.Caller(ctx).Tenant
	if req.MerchantCode != tenant.Merchant {
		return receipt{}, failure.Invalid("mid", "is not a valid merchant code")
	}
	r, err := f.store.FindTransaction(ctx, tenant, req.ID)
	if failure.Is(err, failure.KindNotFound) {
		return receipt{}, absent(req.ID)
	} else if err != nil {
		return receipt{}, err
	}
	paper := payment(r)
	if req.EventID != nil {
		e, ok := r.Event(*req.EventID)
		if !ok || e.Type != payments.RefundEvent {
			return receipt{}, absent(strconv.FormatInt(*req.EventID, 10))
		}
		paper = refund(r, e)
	}
	if err := f.number(ctx, tenant, paper); err != nil {
		return receipt{}, err
	}
	return view(paper, rest.Merchant(ctx)), nil
}

// absent is contract §6.6's: nothing of the id is known.
func absent(id string) error { return failure.NotFound("No such tx event " + id) }

// number gives the receipt its number when it is read for the first time.
// Only of money that moved there are numbered receipts, so that a series holds
// no void ones.
func (f family) number(ctx context.Context, t identity.Tenant, p paper) error {
	if _, has := p.record.Receipts[p.id]; has || !p.moved {
		return nil
	}
	n, err := f.store.NumberReceipt(ctx, t, p.record.Code, p.id)
	if err == nil {
		p.record.Receipts[p.id] = n
	}
	return err
}
