package merchant

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Calendar says when the payouts of a merchant are due.
type Calendar struct {
	Settings Settings
	Where    *time.Location // the merchant is
}

// Calendar is that of the merchant's payouts in the mode.
func (m Merchant) Calendar(mode identity.Mode) Calendar {
	return Calendar{m.Settings.Of(mode), m.Location()}
}

// NextCutoff is the first one after now: tomorrow's midnight, Monday's or that
// of the first of the month, where the merchant is.
func (c Calendar) NextCutoff(now time.Time) Cutoff { return c.Settings.step(now, c.Where, +1) }

// LastCutoff is the latest one not after now.
func (c Calendar) LastCutoff(now time.Time) Cutoff { return c.Settings.step(now, c.Where, 0) }

// PayoutDay returns the day, YYYY-MM-DD, of the first payout of what becomes eligible then (contract §6.7); "" when
// only an operator's command pays it out.
func (c Calendar) PayoutDay(eligible time.Time) string {
	if c.Settings.OnDemand {
		return ""
	}
	return c.NextCutoff(eligible).Day
}
