package merchant

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Calendar computes the due days of a merchant's payouts.
type Calendar struct {
	Settings Settings
	Where    *time.Location // the merchant's time zone
}

// Calendar returns the calendar of the merchant's payouts in the mode.
func (m Merchant) Calendar(mode identity.Mode) Calendar {
	return Calendar{m.Settings.Of(mode), m.Location()}
}

// NextCutoff returns the first cut-off after now. It is at the next midnight, or at the midnight that begins the next
// Monday or the next month, in the merchant's time zone.
func (c Calendar) NextCutoff(now time.Time) Cutoff { return c.Settings.cutoff(now, c.Where, +1) }

// LastCutoff returns the latest cut-off that is not after now.
func (c Calendar) LastCutoff(now time.Time) Cutoff { return c.Settings.cutoff(now, c.Where, 0) }

// PayoutDay returns the day, YYYY-MM-DD, of the first payout after a payable becomes eligible (contract §6.7). It
// returns "" when only an operator's command pays the merchant out.
func (c Calendar) PayoutDay(eligible time.Time) string {
	if c.Settings.OnDemand {
		return ""
	}
	return c.NextCutoff(eligible).Day
}
