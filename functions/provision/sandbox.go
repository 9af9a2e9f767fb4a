package provision

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// payVoucher pays a checkout's boleto or Pix code in test mode, like a payer's bank (contract §12). The command may be
// repeated.
type payVoucher struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	CheckoutID   string `json:"checkout_id" validate:"required"`
}

type voucherPaid struct {
	CheckoutID      string                  `json:"checkout_id"`
	Status          payments.CheckoutStatus `json:"status"`
	TransactionID   string                  `json:"transaction_id,omitempty"`
	TransactionCode string                  `json:"transaction_code,omitempty"`
}

func (o operator) payVoucher(ctx context.Context, c payVoucher) (voucherPaid, error) {
	m, err := o.Store.Merchant(ctx, c.MerchantCode)
	if err != nil {
		return voucherPaid{}, err
	}
	t := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
	checkout, err := o.Store.AnyCheckout(ctx, t, c.CheckoutID)
	if err == nil && checkout.Reader != nil { // poll the virtual terminal first, so that it shows the code
		checkout, err = o.Processing.ResolveAttempt(ctx, t, checkout)
	}
	if err != nil {
		return voucherPaid{}, err
	}
	if checkout.Attempt == nil {
		return voucherPaid{}, errNothingToPay
	}
	hint, err := o.Sandbox.PayVoucher(ctx, checkout.Attempt.ID)
	if errors.Is(err, sandbox.ErrNotPayable) || errors.Is(err, acquirer.ErrUnknownCharge) {
		return voucherPaid{}, errNothingToPay.WithCause(err)
	}
	if err != nil {
		return voucherPaid{}, err
	}
	if checkout, err = o.SendSandboxNotice(ctx, hint); err != nil {
		return voucherPaid{}, err
	}
	paid := voucherPaid{CheckoutID: checkout.ID, Status: checkout.Status}
	if final, ok := checkout.SuccessfulTransaction(); ok {
		paid.TransactionID, paid.TransactionCode = final.ID, final.Code
	}
	return paid, nil
}

var errNothingToPay = failure.Conflict("The checkout does not wait for a boleto or Pix payment.")

// setReaderOffline takes a virtual reader (test mode only) offline or online (contract §13.7). The command may be
// repeated.
type setReaderOffline struct {
	tenantArguments
	ReaderID string `json:"reader_id" validate:"required"`
	Offline  *bool  `json:"offline" validate:"required"`
}

type readerSet struct {
	ReaderID string `json:"reader_id"`
	Offline  bool   `json:"offline"`
}

func (o operator) setReaderOffline(ctx context.Context, t identity.Tenant, c setReaderOffline) (readerSet, error) {
	err := o.Virtual.SetOffline(ctx, t.String(), c.ReaderID, *c.Offline)
	if errors.Is(err, terminal.ErrUnpaired) {
		return readerSet{}, failure.NotFound("The merchant has no such virtual reader.").WithCause(err)
	}
	return readerSet{c.ReaderID, *c.Offline}, err
}
