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

// Payouts are the mode's payout settings and schedule; the zero schedule when
// payouts were never set up.
func (s State) Payouts(mode identity.Mode) (PayoutSettings, PayoutSchedule) {
	var schedule PayoutSchedule
	if there := s.Schedules.Of(mode); there != nil {
		schedule = *there
	}
	return s.Merchant.Payouts.Of(mode), schedule
}

// WithPayouts is the state with the mode's payout settings and schedule
// replaced.
func (s State) WithPayouts(mode identity.Mode, settings PayoutSettings, schedule PayoutSchedule) State {
	s.Merchant.Payouts = s.Merchant.Payouts.With(mode, settings)
	s.Schedules = s.Schedules.With(mode, &schedule)
	return s
}

// Changed lists the modes whose payouts differ from before.
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

// Overdue reports whether the mode's cut-off has passed.
func (s State) Overdue(mode identity.Mode, now time.Time) bool {
	p := s.Schedules.Of(mode)
	return p != nil && p.Version > 0 && !now.Before(p.NextAt)
}

// Rescheduled is the state with the mode's next cut-off by its current
// settings and time zone.
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
