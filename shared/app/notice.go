package app

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// SendSandboxNotice sends the platform a signed notice of the sandbox, as a real acquirer does. If the notice is lost,
// polls and the sweep find the outcome, also if the sandbox does not answer. SendSandboxNotice returns the checkout of
// the hint after that.
func (a *App) SendSandboxNotice(ctx context.Context, h acquirer.Hint) (payments.Checkout, error) {
	header, body, err := a.Sandbox.NewNotice(h)
	if err == nil {
		err = a.Processing.HandleNotice(ctx, identity.Test, header, body)
	}
	if err != nil && !failure.Is(err, failure.KindUpstream) {
		return payments.Checkout{}, err
	}
	t, ok := identity.ParseTenant(h.Tenant)
	if !ok {
		return payments.Checkout{}, store.ErrNoCheckout
	}
	return a.Store.AnyCheckout(ctx, t, h.CheckoutID)
}
