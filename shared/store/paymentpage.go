package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// paymentPageItem leads from the id of a hosted checkout, which is all that the address of its
// page has, to the checkout's tenant.
type paymentPageItem struct {
	key
	identity.Tenant
}

// ErrNoPaymentPage is also the failure for a checkout that is not hosted.
var ErrNoPaymentPage = failure.NotFound("There is no such payment page.")

// HostedCheckout reads the checkout that has a payment page, consistently, and its tenant.
// Failure: NotFound, also for a checkout that is not hosted.
func (s *View) HostedCheckout(ctx context.Context, id string) (identity.Tenant, payments.Checkout, error) {
	item, err := readOne[paymentPageItem](ctx, s, paymentPageKey(id), ErrNoPaymentPage)
	if err != nil {
		return identity.Tenant{}, payments.Checkout{}, err
	}
	c, err := s.Checkout(ctx, item.Tenant, id)
	return item.Tenant, c, err
}
