package provision

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// setPayout stores where and when a merchant is paid out: what is given of it,
// until merchants have endpoints for that.
type setPayout struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // live or test; the first key's unless given
	merchant.BankAccountChange
	merchant.PayoutChange
}

type payoutSet struct {
	MerchantCode string                     `json:"merchant_code"`
	Mode         string                     `json:"mode"`
	Currency     money.Currency             `json:"currency"`
	TimeZone     string                     `json:"time_zone"`
	Period       merchant.PayoutPeriod      `json:"period"`
	OnDemand     bool                       `json:"on_demand"`
	Holder       string                     `json:"holder,omitempty"`
	Ending       string                     `json:"account_ending,omitempty"` // the last four characters of the number
	Status       merchant.BankAccountStatus `json:"account_status,omitempty"`
	NextAt       time.Time                  `json:"next_at"` // when the period ends that is paid out next
}

func (o operator) setPayout(ctx context.Context, c setPayout) (payoutSet, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return payoutSet{}, err
	}
	id := uuid.NewString()
	state, err := banking.Open(o.App).ChangeMerchant(ctx, t.Merchant, func(s merchant.State) (merchant.State, error) {
		return c.apply(s, t.Mode, id)
	})
	if err != nil {
		return payoutSet{}, err
	}
	m := state.Merchant
	settings, schedule := state.Payouts(t.Mode)
	o.Log.InfoContext(ctx, "payout settings changed", "tenant", t.String(), "period", settings.Period,
		"account", schedule.To.Status)
	return payoutSet{MerchantCode: m.Code, Mode: t.Mode.Name(), Currency: m.Currency, TimeZone: m.TimeZone,
		Period: settings.Period, OnDemand: settings.OnDemand, Holder: schedule.To.Holder,
		Ending: ending(schedule.To.Number()),
		Status: schedule.To.Status, NextAt: schedule.NextAt}, nil
}

// apply changes how payouts are made in a mode; id is that of a new account.
func (c setPayout) apply(s merchant.State, mode identity.Mode, id string) (merchant.State, error) {
	settings, schedule := s.Payouts(mode)
	settings, err := c.PayoutChange.Apply(settings)
	if err != nil {
		return s, err
	}
	schedule.To, err = c.BankAccountChange.Apply(schedule.To, id)
	return s.WithPayouts(mode, settings, schedule), err
}

// ending is the last four characters.
func ending(number string) string { return number[max(0, len(number)-4):] }
