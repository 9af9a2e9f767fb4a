package merchant

import "time"

// PayoutPeriod is the period of a merchant's payouts (contract §7.2).
type PayoutPeriod string

// The periods.
const (
	Daily   PayoutPeriod = "daily"
	Weekly  PayoutPeriod = "weekly"  // on Mondays
	Monthly PayoutPeriod = "monthly" // on the first
)

// Cutoff ends the period of a payout. The payout of Day pays all payables from before At.
type Cutoff struct {
	Day string    // of the payout, YYYY-MM-DD, in the merchant's time zone
	At  time.Time // the day's first moment in that zone, in UTC
}

// cutoff returns the first day of the period that contains now, or of the period that is the given number of periods
// later.
func (s Settings) cutoff(now time.Time, where *time.Location, periods int) Cutoff {
	year, month, day := now.In(where).Date()
	switch s.Period {
	case Monthly:
		return firstMoment(year, month+time.Month(periods), 1, where)
	case Weekly:
		sinceMonday := (int(now.In(where).Weekday()) + 6) % 7
		return firstMoment(year, month, day-sinceMonday+7*periods, where)
	default:
		return firstMoment(year, month, day+periods, where)
	}
}

// firstMoment returns the beginning of a civil day. time.Date may be wrong where clocks change at midnight. If midnight
// is skipped, the day begins when the clocks go forward. If midnight comes twice, the day begins at the first midnight.
func firstMoment(year int, month time.Month, day int, where *time.Location) Cutoff {
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC) // normalises the date
	name := midnight.Format(time.DateOnly)
	at := time.Date(midnight.Year(), midnight.Month(), midnight.Day(), 0, 0, 0, 0, where)
	since, until := at.ZoneBounds()
	before := since.Add(-time.Nanosecond)
	switch {
	case at.Format(time.DateOnly) < name:
		at = until
	case !since.IsZero() && before.Format(time.DateOnly) == name:
		_, offset := before.Zone()
		at = midnight.Add(-time.Duration(offset) * time.Second)
	}
	return Cutoff{Day: name, At: at.UTC()}
}

// PayoutSchedule tells where and when a tenant is next paid out. The period is in the merchant's Settings.
type PayoutSchedule struct {
	To      BankAccount `dynamo:"to"`             // the account that BankAccounts.Payee returned
	Held    bool        `dynamo:"held,omitempty"` // an operator stopped all payouts
	NextAt  time.Time   `dynamo:"next_at"`        // the next cut-off
	Version int         `dynamo:"version"`        // of the stored item, from 1
}

// CanPay returns true if payouts may be made now.
func (p PayoutSchedule) CanPay() bool { return !p.Held && p.To.CanReceive() }
