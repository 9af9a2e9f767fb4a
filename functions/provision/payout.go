package provision

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/optional"
)

// setPayout stores where a merchant is paid out: what is given of it. An account is
// VERIFIED and primary, because the operator vouches for it.
type setPayout struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // live or test; the first key's unless given
	merchant.BankAccountChange
	Held optional.Of[bool] `json:"held"` // true: no payout leaves until it is false
}

type payoutSet struct {
	settingsOwner
	Holder string                     `json:"holder,omitempty"`
	Ending string                     `json:"account_ending,omitempty"` // the last four characters of the number
	Status merchant.BankAccountStatus `json:"account_status,omitempty"`
	Held   bool                       `json:"held"`
	NextAt time.Time                  `json:"next_at,omitzero"` // when the period ends that is paid out next
}

func (o operator) setPayout(ctx context.Context, c setPayout) (payoutSet, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return payoutSet{}, err
	}
	id := uuid.NewString()
	state, err := banking.Open(o.App).ChangeBankAccounts(ctx, o.by, t, func(s merchant.State) (merchant.State, error) {
		return c.apply(s, t.Mode, id, o.Now())
	})
	if err != nil {
		return payoutSet{}, err
	}
	schedule := state.Schedule(t.Mode)
	if err = o.vouch(ctx, t, schedule.To); err != nil {
		return payoutSet{}, err
	}
	o.Log.InfoContext(ctx, "bank account changed", "tenant", t.String(), "account", schedule.To.ID, "held", schedule.Held)
	return payoutSet{settingsOwner: ownerOf(state.Merchant, t.Mode), Holder: schedule.To.Holder,
		Ending: schedule.To.Ending(), Status: schedule.To.Status, Held: schedule.Held,
		NextAt: schedule.NextAt}, nil
}

// apply changes where payouts go, and whether any do; id is for a new account.
func (c setPayout) apply(s merchant.State, mode identity.Mode, id string, now time.Time) (merchant.State, error) {
	if !c.Empty() {
		accounts := s.BankAccounts(mode)
		account, err := c.Apply(accounts.Payee(), id)
		if err != nil {
			return s, err
		}
		if accounts, err = accounts.Vouch(account, now); err != nil {
			return s, err
		}
		s = s.WithBankAccounts(mode, accounts)
	}
	if held, given := c.Held.Get(); given {
		schedule := s.Schedule(mode)
		schedule.Held = held
		s = s.WithSchedule(mode, schedule)
	}
	return s, nil
}
