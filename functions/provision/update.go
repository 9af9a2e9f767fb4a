package provision

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// updateMerchant changes terms of a merchant: those given. Country, currency
// and sandbox cannot change, because stored data depends on them.
type updateMerchant struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	merchant.Terms
}

type merchantUpdated struct {
	MerchantCode string `json:"merchant_code"`
	Version      int    `json:"version"` // one more with each change
}

func (o operator) updateMerchant(ctx context.Context, c updateMerchant) (merchantUpdated, error) {
	state, err := banking.Open(o.App).ChangeMerchant(ctx, o.by, c.MerchantCode, func(s merchant.State) (merchant.State,
		error) {
		changed, err := c.Apply(s.Merchant)
		if changed != s.Merchant {
			changed.UpdatedAt = o.Now()
		}
		s.Merchant = changed
		return s, err
	})
	if err != nil {
		return merchantUpdated{}, err
	}
	o.Log.InfoContext(ctx, "merchant updated", "merchant", c.MerchantCode, "version", state.Merchant.Version)
	return merchantUpdated{MerchantCode: c.MerchantCode, Version: state.Merchant.Version}, nil
}
