package provision

import (
	"context"
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// updateMerchant changes terms of a merchant: those given. Country, currency
// and sandbox cannot change, because stored data depends on them.
type updateMerchant struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	merchant.Terms
	Profile json.RawMessage `json:"profile"` // the fields given; "" removes a text
}

type merchantUpdated struct {
	MerchantCode string `json:"merchant_code"`
	Version      int    `json:"version"` // one more with each change
}

func (o operator) updateMerchant(ctx context.Context, c updateMerchant) (merchantUpdated, error) {
	state, err := banking.Open(o.App).ChangeMerchant(ctx, c.MerchantCode, func(s merchant.State) (merchant.State, error) {
		var err error
		if s.Merchant, err = c.Apply(s.Merchant); err != nil {
			return s, err
		}
		s.Merchant.Profile, err = mergeProfile(s.Merchant.Profile, c.Profile)
		return s, err
	})
	if err != nil {
		return merchantUpdated{}, err
	}
	o.Log.InfoContext(ctx, "merchant updated", "merchant", c.MerchantCode, "version", state.Merchant.Version)
	return merchantUpdated{MerchantCode: c.MerchantCode, Version: state.Merchant.Version}, nil
}
