package checkouts

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// updateRequest is the body of updateCheckout. Fields that are absent do not change. If valid_until is null, the
// checkout no longer expires (contract §13.1).
type updateRequest struct {
	ID          rest.ID                    `path:"id"`
	Reference   optional.Of[string]        `json:"checkout_reference" validate:"min=1 text=90"`
	Description optional.Of[string]        `json:"description" validate:"lines=1000"`
	CustomerID  optional.Of[string]        `json:"customer_id"`
	Currency    optional.Of[string]        `json:"currency" validate:"currency"`
	Amount      optional.Of[money.Literal] `json:"amount"`
	ValidUntil  optional.Of[string]        `json:"valid_until" empty:"refused" validate:"date-time"`
}

// update handles updateCheckout.
func (f family) update(ctx context.Context, req updateRequest) (checkout.View, error) {
	if err := f.checkCustomer(ctx, rest.Caller(ctx).Tenant, req.CustomerID.Or("")); err != nil {
		return checkout.View{}, err
	}
	return store.Retry(func(bool) (checkout.View, error) { return f.updateOnce(ctx, req) })
}

func (f family) updateOnce(ctx context.Context, req updateRequest) (checkout.View, error) {
	tenant := rest.Caller(ctx).Tenant
	c, err := f.read(ctx, string(req.ID))
	if err != nil {
		return checkout.View{}, err
	}
	now := f.store.Now()
	if err = c.CheckUpdatable(now); err != nil {
		return checkout.View{}, err
	}
	renamed := req.Reference.Or(c.Reference) != c.Reference
	if c, err = req.apply(c, rest.Merchant(ctx), now); err != nil {
		return checkout.View{}, err
	}
	save := f.store.SaveCheckout
	if renamed {
		save = f.store.RenameCheckout
	}
	if c, err = save(ctx, tenant, c); err != nil {
		return checkout.View{}, err
	}
	return f.views.For(rest.Caller(ctx), c), nil
}

// apply returns the checkout with the request's changes. It checks them as createCheckout does.
func (req updateRequest) apply(c payments.Checkout, m merchant.Merchant, now time.Time) (payments.Checkout, error) {
	c.Reference = req.Reference.Or(c.Reference)
	c.Description = req.Description.Or(c.Description)
	c.CustomerID = req.CustomerID.Or(c.CustomerID)
	literal, currency := req.Amount.Or(money.Literal(c.Amount.String())), req.Currency.Or(string(c.Amount.Currency()))
	faults := validate.Fields(req, now).
		If(c.CustomerID == "" && c.Purpose == payments.PurposeSetupRecurring, failure.Missing("customer_id")).
		With(setAmount(&c, literal, currency, m))
	if req.ValidUntil.Given() {
		faults = faults.With(setValidUntil(&c, req.ValidUntil.Or(""), now))
	}
	return c, validate.Order(req, faults).First()
}
