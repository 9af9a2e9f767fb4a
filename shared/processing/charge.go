package processing

import (
	"cmp"
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// sendCharge asks the acquirer to charge the checkout's attempt.
func (p *Processor) sendCharge(ctx context.Context, t identity.Tenant, c payments.Checkout, request PaymentRequest,
	instrument *payments.Instrument) (payments.Outcome, error) {
	charge := p.newCharge(t, c, request, instrument)
	return askTwice(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t.Mode).Charge(ctx, charge)
	})
}

// newCharge returns the charge of the checkout's attempt. The instrument is the saved card, if the request names one.
func (p *Processor) newCharge(t identity.Tenant, c payments.Checkout, request PaymentRequest,
	instrument *payments.Instrument) acquirer.Charge {
	a := c.Attempt
	charge := acquirer.Charge{
		ID: a.ID, Reference: acquirer.Reference{Tenant: t.String(), CheckoutID: c.ID}, Amount: c.Amount,
		Method: a.Method, Installments: a.Installments, Card: request.Card, Wallet: request.Wallet, Store: a.SaveAs != "",
		Verification: a.Verification, Payer: request.payer(c), Browser: request.PayerBrowser, Descriptor: c.Payee.Name,
		Seller: request.seller(t.Mode, c), ReturnURL: p.returnURL(c, request),
	}
	if a.WithMandate {
		charge.Consent = request.Consent
	}
	if charge.Store {
		charge.Customer = c.CustomerID
	}
	if instrument != nil {
		charge.Token, charge.Customer = instrument.Card.AcquirerToken, instrument.CustomerID
		if a.PaymentType == payments.RecurringPayment {
			charge.Agreement = &acquirer.Agreement{NetworkTransactionID: instrument.NetworkTransactionID}
		}
	}
	if request.Merchant.LowValue && charge.IsLowValue() {
		charge.Exemption = acquirer.LowValue
	}
	return charge
}

// seller returns the merchant for the acquirer. A merchant without a business name has the name that the payer saw.
func (r PaymentRequest) seller(mode identity.Mode, c payments.Checkout) acquirer.Seller {
	seller := acquirer.Seller{Country: c.Payee.Country, Trade: r.Merchant.Trade}
	seller.Name = cmp.Or(seller.Name, c.Payee.Name)
	if mode == identity.Live {
		seller.Account = r.Merchant.AcquirerAccount
	}
	return seller
}

// askTwice calls the acquirer again if the first answer is lost. The idempotency key makes the second call safe. If the
// second call returns ErrNotTaken, this says nothing about the first call, so the outcome stays unknown.
func askTwice(ctx context.Context, ask func(context.Context) (payments.Outcome, error)) (payments.Outcome, error) {
	o, err := askOnce(ctx, ask)
	if err == nil || errors.Is(err, acquirer.ErrNotTaken) || ctx.Err() != nil {
		return o, err
	}
	again, secondErr := askOnce(ctx, ask)
	if secondErr == nil {
		return again, nil
	}
	return again, err
}

func askOnce(ctx context.Context, ask func(context.Context) (payments.Outcome, error)) (payments.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, chargeTime)
	defer cancel()
	return ask(ctx)
}
