package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// ErrNoPaymentPage is the failure for an unknown page, and for a checkout that is not hosted.
var ErrNoPaymentPage = failure.NotFound("There is no such payment page.")

// HostedCheckout reads the checkout of a payment page, and the checkout's tenant. The page's item leads from the id in
// the page's address to the tenant. Failure: NotFound, also for a checkout that is not hosted.
func (s *View) HostedCheckout(ctx context.Context, id string) (identity.Tenant, payments.Checkout, error) {
	t, err := readOne[identity.Tenant](ctx, s, paymentPageKey(id), ErrNoPaymentPage)
	if err != nil {
		return identity.Tenant{}, payments.Checkout{}, err
	}
	c, err := s.Checkout(ctx, t, id)
	return t, c, err
}
