package provision

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// setPayout stores where a merchant is paid out: what is given of it.
type setPayout struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // live or test; the first key's unless given
	merchant.BankAccountChange
}

type payoutSet struct {
	settingsOwner
	Holder string                     `json:"holder,omitempty"`
	Ending string                     `json:"account_ending,omitempty"` // the last four characters of the number
	Status merchant.BankAccountStatus `json:"account_status,omitempty"`
	NextAt time.Time                  `json:"next_at"` // when the period ends that is paid out next
}

func (o operator) setPayout(ctx context.Context, c setPayout) (payoutSet, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return payoutSet{}, err
	}
	id := uuid.NewString()
	state, err := banking.Open(o.App).ChangeMerchant(ctx, t.Merchant, func(s merchant.State) (merchant.State, error) {
		schedule := s.Schedule(t.Mode)
		var err error
		schedule.To, err = c.Apply(schedule.To, id)
		return s.WithSchedule(t.Mode, schedule), err
	})
	if err != nil {
		return payoutSet{}, err
	}
	schedule := state.Schedule(t.Mode)
	o.Log.InfoContext(ctx, "bank account changed", "tenant", t.String(), "account", schedule.To.Status)
	return payoutSet{settingsOwner: ownerOf(state.Merchant, t.Mode), Holder: schedule.To.Holder,
		Ending: ending(schedule.To.Number()), Status: schedule.To.Status, NextAt: schedule.NextAt}, nil
}

// ending is the last four characters.
func ending(number string) string { return number[max(0, len(number)-4):] }
