package merchant

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// State is a merchant with its payout schedules. They change together, because
// the merchant's settings and time zone decide what the schedules' next cut-off
// is.
type State struct {
	Merchant  Merchant
	Schedules ByMode[*PayoutSchedule] // nil: payouts were never set up
}

// Payouts are how often, and where to, the tenant of the mode is paid out; the
// zero schedule when that was never set up.
func (s State) Payouts(mode identity.Mode) (PayoutSettings, PayoutSchedule) {
	var schedule PayoutSchedule
	if there := s.Schedules.Of(mode); there != nil {
		schedule = *there
	}
	return s.Merchant.Payouts.Of(mode), schedule
}

// WithPayouts is the state in which the tenant of the mode is paid out so.
func (s State) WithPayouts(mode identity.Mode, settings PayoutSettings, schedule PayoutSchedule) State {
	s.Merchant.Payouts = s.Merchant.Payouts.With(mode, settings)
	s.Schedules = s.Schedules.With(mode, &schedule)
	return s
}

// Overdue lists the modes whose cut-off has come.
func (s State) Overdue(now time.Time) (modes []identity.Mode) {
	for _, mode := range identity.Modes {
		if p := s.Schedules.Of(mode); p != nil && p.Version > 0 && !now.Before(p.NextAt) {
			modes = append(modes, mode)
		}
	}
	return modes
}

// Rescheduled is the state with the next cut-offs by the settings and time zone
// that it has now.
func (s State) Rescheduled(now time.Time) State {
	for _, mode := range identity.Modes {
		if p := s.Schedules.Of(mode); p != nil {
			next := *p
			if at := s.Merchant.Calendar(mode).NextCutoff(now).At; !at.Equal(p.NextAt) {
				next.NextAt = at
			}
			s.Schedules = s.Schedules.With(mode, &next)
		}
	}
	return s
}
