package merchant

import (
	"reflect"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// State is a merchant with its payout schedules and bank accounts. They change together. The settings and the time zone
// decide when the schedules pay out next, and the bank accounts decide where the money goes.
type State struct {
	Merchant  Merchant
	Schedules ByMode[*PayoutSchedule] // nil: payouts were never set up
	Accounts  ByMode[*BankAccounts]   // nil: not read, and so not changed
}

// BankAccounts returns the mode's bank accounts, or none if they were not read.
func (s State) BankAccounts(mode identity.Mode) BankAccounts {
	if read := s.Accounts.Of(mode); read != nil {
		return *read
	}
	return BankAccounts{}
}

// WithBankAccounts returns the state with other bank accounts of the mode. Payouts then go to their payee. The first
// payee also sets up the schedule.
func (s State) WithBankAccounts(mode identity.Mode, accounts BankAccounts) State {
	s.Accounts = s.Accounts.With(mode, &accounts)
	if accounts.Paid == "" {
		return s
	}
	schedule := s.Schedule(mode)
	schedule.To = accounts.Payee()
	return s.WithSchedule(mode, schedule)
}

// Schedule returns the mode's payout schedule, or the zero schedule when payouts were never set up.
func (s State) Schedule(mode identity.Mode) PayoutSchedule {
	if there := s.Schedules.Of(mode); there != nil {
		return *there
	}
	return PayoutSchedule{}
}

// WithSchedule returns the state with another payout schedule of the mode.
func (s State) WithSchedule(mode identity.Mode, schedule PayoutSchedule) State {
	s.Schedules = s.Schedules.With(mode, &schedule)
	return s
}

// WithSettings returns the state with other settings of the mode.
func (s State) WithSettings(mode identity.Mode, settings Settings) State {
	s.Merchant.Settings = s.Merchant.Settings.With(mode, settings)
	return s
}

// PayoutsChanged returns the modes in which the payout schedule, the period, the on-demand setting or the time zone
// differs. These decide if, when and where payouts are made.
func (s State) PayoutsChanged(before State) (modes []identity.Mode) {
	for _, mode := range identity.Modes {
		now, then := s.Merchant.Settings.Of(mode), before.Merchant.Settings.Of(mode)
		if s.Merchant.TimeZone != before.Merchant.TimeZone || now.Period != then.Period || now.OnDemand != then.OnDemand ||
			!reflect.DeepEqual(s.Schedules.Of(mode), before.Schedules.Of(mode)) {
			modes = append(modes, mode)
		}
	}
	return modes
}

// Overdue returns true if the mode's cut-off has passed.
func (s State) Overdue(mode identity.Mode, now time.Time) bool {
	p := s.Schedules.Of(mode)
	return p != nil && p.Version > 0 && !now.Before(p.NextAt)
}

// Rescheduled returns the state with the mode's next cut-off by its current settings and time zone.
func (s State) Rescheduled(mode identity.Mode, now time.Time) State {
	p := s.Schedules.Of(mode)
	if p == nil {
		return s
	}
	next := *p
	if at := s.Merchant.Calendar(mode).NextCutoff(now).At; !at.Equal(p.NextAt) {
		next.NextAt = at
	}
	s.Schedules = s.Schedules.With(mode, &next)
	return s
}
