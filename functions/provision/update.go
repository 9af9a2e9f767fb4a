package provision

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// updateMerchant changes facts of a merchant: those given. Country, currency
// and sandbox stay, because what is stored rests on them.
//
// The merchant's credentials carry copies of the facts, which are rewritten
// after the merchant itself. Should the command fail in between, some
// credentials go by the facts of before until it is repeated.
type updateMerchant struct {
	MerchantCode string `json:"merchant_code"`
	facts
	Profile json.RawMessage `json:"profile"` // what is given of it; "" takes a text back
}

type merchantUpdated struct {
	MerchantCode string `json:"merchant_code"`
	Version      int    `json:"version"` // how often the merchant has changed
}

// maxTries bounds how often an operator's change is made anew because another
// came first.
const maxTries = 10

var errContended = failure.Clash("CONFLICT", "", "somebody else keeps changing this; try again")

func (o operator) updateMerchant(ctx context.Context, c updateMerchant) (merchantUpdated, error) {
	if c.MerchantCode == "" {
		return merchantUpdated{}, failure.Missing("merchant_code")
	}
	for range maxTries {
		m, err := o.applyUpdate(ctx, c)
		if errors.Is(err, store.ErrStale) {
			continue
		}
		if err == nil {
			err = o.Store.RewriteCopies(ctx, m)
		}
		if err == nil {
			err = o.moveCutoffs(ctx, m)
		}
		if err != nil {
			return merchantUpdated{}, err
		}
		o.Log.InfoContext(ctx, "merchant updated", "merchant", m.Code, "version", m.Version)
		return merchantUpdated{MerchantCode: m.Code, Version: m.Version}, nil
	}
	return merchantUpdated{}, errContended
}

// applyUpdate changes the merchant itself, unless it is as it should be.
func (o operator) applyUpdate(ctx context.Context, c updateMerchant) (merchant.Merchant, error) {
	before, profileBefore, err := o.Store.MerchantProfile(ctx, c.MerchantCode)
	if err != nil {
		return before, err
	}
	m, err := c.apply(before)
	if err != nil {
		return before, err
	}
	profile, err := mergeProfile(profileBefore, c.Profile)
	if err != nil || (m == before && profile == profileBefore) {
		return before, err
	}
	return o.Store.UpdateMerchant(ctx, m, profile)
}
