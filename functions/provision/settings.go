package provision

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// updateSettings changes a merchant's settings in a mode: those given.
type updateSettings struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // live or test; the first key's unless given
	merchant.OperatorSettingsChange
}

// settingsOwner is whose settings, or whose bank account, an answer shows.
type settingsOwner struct {
	MerchantCode string         `json:"merchant_code"`
	Mode         string         `json:"mode"`
	Currency     money.Currency `json:"currency"`
	TimeZone     string         `json:"time_zone"`
}

func ownerOf(m merchant.Merchant, mode identity.Mode) settingsOwner {
	return settingsOwner{MerchantCode: m.Code, Mode: mode.Name(), Currency: m.Currency, TimeZone: m.TimeZone}
}

type settingsUpdated struct {
	settingsOwner
	merchant.SettingsView
	ExpectedMax money.Amount `json:"expected_max_transaction_amount,omitzero"`
	NextAt      time.Time    `json:"next_at,omitzero"` // as in payoutSet; absent without a bank account
}

func (o operator) updateSettings(ctx context.Context, c updateSettings) (settingsUpdated, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return settingsUpdated{}, err
	}
	state, err := banking.Open(o.App).ChangeMerchant(ctx, o.by, t.Merchant, func(s merchant.State) (merchant.State,
		error) {
		changed, refused := c.Apply(s.Merchant.Settings.Of(t.Mode), s.Merchant.Currency)
		return s.WithSettings(t.Mode, changed), refused
	})
	if err != nil {
		return settingsUpdated{}, err
	}
	settings := state.Merchant.Settings.Of(t.Mode)
	o.Log.InfoContext(ctx, "settings updated", "tenant", t.String(), "version", state.Merchant.Version)
	return settingsUpdated{settingsOwner: ownerOf(state.Merchant, t.Mode), SettingsView: settings.View(),
		ExpectedMax: settings.ExpectedMax, NextAt: state.Schedule(t.Mode).NextAt}, nil
}
