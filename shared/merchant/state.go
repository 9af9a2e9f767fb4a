package merchant

import (
	"reflect"
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

// Changed lists the modes in which the state is paid out otherwise than before.
func (s State) Changed(before State) (modes []identity.Mode) {
	for _, mode := range identity.Modes {
		if s.Merchant.TimeZone != before.Merchant.TimeZone ||
			s.Merchant.Payouts.Of(mode) != before.Merchant.Payouts.Of(mode) ||
			!reflect.DeepEqual(s.Schedules.Of(mode), before.Schedules.Of(mode)) {
			modes = append(modes, mode)
		}
	}
	return modes
}

// Overdue says that the mode's cut-off has come.
func (s State) Overdue(mode identity.Mode, now time.Time) bool {
	p := s.Schedules.Of(mode)
	return p != nil && p.Version > 0 && !now.Before(p.NextAt)
}

// Rescheduled is the state with the mode's next cut-off by the settings and the
// time zone that it has now.
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
