package readers

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// begunReply is {data} of createReaderCheckout.
type begunReply struct {
	Data begunView `json:"data"`
}

type begunView struct {
	CheckoutID          string `json:"checkout_id"`
	ClientTransactionID string `json:"client_transaction_id"`
}

// createCheckout puts a checkout before the cardholder. Its id is the operation's, so that a repeated
// request under one Idempotency-Key finds what it made before, and offers that to the terminal again.
func (f family) createCheckout(ctx context.Context, req checkoutRequest) (begunReply, error) {
	caller := rest.Caller(ctx)
	drafted, err := f.draft(rest.Merchant(ctx), caller, req)
	if err != nil {
		return begunReply{}, err
	}
	drafted = drafted.MadeBy(caller, rest.Merchant(ctx), rest.OperationID(ctx))
	c, err := f.readers.Begin(ctx, caller.Tenant, req.ReaderID, drafted,
		func(r reader.Reader) error { return checkModel(drafted, r) })
	if err != nil {
		return begunReply{}, err
	}
	return begunReply{begunView{c.ID, c.ClientTransactionID()}}, nil
}

// checkoutPath names a checkout at a reader.
type checkoutPath struct {
	ReaderID string  `path:"reader_id"`
	ID       rest.ID `path:"checkout_id"`
}

// retrieveCheckout reads a checkout at the reader, after its outcome was asked for and recorded.
func (f family) retrieveCheckout(ctx context.Context, req checkoutPath) (checkoutReply, error) {
	c, err := f.readers.ResolveCheckout(ctx, rest.Caller(ctx), req.ReaderID, string(req.ID))
	if err != nil {
		return checkoutReply{}, err
	}
	return checkoutReply{viewCheckout(c)}, nil
}

// terminate stops the reader's checkout while it waits for the cardholder.
func (f family) terminate(ctx context.Context, req readerPath) (rest.Empty, error) {
	return rest.Empty{}, f.readers.Terminate(ctx, rest.Caller(ctx), req.ID)
}
