package checkouts

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// updateRequest is the body of updateCheckout: absent fields keep their values, and a null
// valid_until removes the expiry (contract §13.1).
type updateRequest struct {
	ID          string              `path:"id"`
	Reference   *string             `json:"checkout_reference"`
	Amount      *money.Literal      `json:"amount"`
	Currency    *string             `json:"currency"`
	Description *string             `json:"description"`
	CustomerID  *string             `json:"customer_id"`
	ValidUntil  optional.Of[string] `json:"valid_until" empty:"refused"`
}

// maxUpdates bounds the retries after concurrent changes.
const maxUpdates = 10

// update is updateCheckout.
func (f family) update(ctx context.Context, req updateRequest) (checkout, error) {
	if req.CustomerID != nil {
		if err := f.checkCustomer(ctx, rest.Caller(ctx).Tenant, *req.CustomerID); err != nil {
			return checkout{}, err
		}
	}
	for range maxUpdates {
		c, err := f.updateOnce(ctx, req)
		if !errors.Is(err, store.ErrStale) {
			return c, err
		}
	}
	return checkout{}, failure.Transient(failure.Clash("CONFLICT", "", "the checkout is being changed by others; try again"))
}

func (f family) updateOnce(ctx context.Context, req updateRequest) (checkout, error) {
	tenant := rest.Caller(ctx).Tenant
	c, err := f.store.Checkout(ctx, tenant, req.ID)
	if err != nil {
		return checkout{}, err
	}
	now := f.store.Now()
	if err := c.CheckUpdatable(now); err != nil {
		return checkout{}, err
	}
	renamed := req.Reference != nil && *req.Reference != c.Reference
	if c, err = req.apply(c, rest.Merchant(ctx), now); err != nil {
		return checkout{}, err
	}
	save := f.store.SaveCheckout
	if renamed {
		save = f.store.RenameCheckout
	}
	if c, err = save(ctx, tenant, c); err != nil {
		return checkout{}, err
	}
	return f.view(c), nil
}

// apply is the checkout with the request's changes, checked as at creation.
func (req updateRequest) apply(c payments.Checkout, m merchant.Merchant, now time.Time) (payments.Checkout, error) {
	if req.Reference != nil {
		if err := checkReference(*req.Reference); err != nil {
			return c, err
		}
		c.Reference = *req.Reference
	}
	if req.Description != nil {
		if err := checkDescription(*req.Description); err != nil {
			return c, err
		}
		c.Description = *req.Description
	}
	if req.CustomerID != nil {
		if *req.CustomerID == "" && c.Purpose == payments.PurposeSetupRecurring {
			return c, failure.Missing("customer_id")
		}
		c.CustomerID = *req.CustomerID
	}
	var err error
	if c.Amount, err = req.amount(c, m); err != nil {
		return c, err
	}
	if req.ValidUntil.Given() {
		c.ValidUntil, err = validUntil(req.ValidUntil.Or(""), now)
	}
	return c, err
}

// amount checks amount and currency together: either may be left out.
func (req updateRequest) amount(c payments.Checkout, m merchant.Merchant) (money.Amount, error) {
	literal, currency := money.Literal(c.Amount.String()), string(c.Amount.Currency())
	if req.Amount != nil {
		literal = *req.Amount
	}
	if req.Currency != nil {
		currency = *req.Currency
	}
	return amountOf(literal, currency, m, c.Purpose)
}
