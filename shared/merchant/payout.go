package merchant

import "time"

// PayoutPeriod is how often a merchant is paid out (contract §7.2).
type PayoutPeriod string

// The periods.
const (
	Daily   PayoutPeriod = "daily"
	Weekly  PayoutPeriod = "weekly"  // on Mondays
	Monthly PayoutPeriod = "monthly" // on the first
)

// Cutoff ends the period of a payout, which pays on its Day what became payable before.
type Cutoff struct {
	Day string    // of the payout, YYYY-MM-DD, where the merchant is
	At  time.Time // the day's first moment there, in UTC
}

// step finds the first day of the period that now falls into, or of one later.
func (s Settings) step(now time.Time, where *time.Location, periods int) Cutoff {
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

// firstMoment returns the beginning of a civil day. Where clocks change at midnight, time.Date may be wrong: a skipped
// midnight is when the clocks go forward, and of two midnights the first counts.
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

// PayoutSchedule says where, and when next, a tenant is paid out; the merchant's Settings say how often.
type PayoutSchedule struct {
	To      BankAccount `dynamo:"to"`             // BankAccounts.Payee
	Held    bool        `dynamo:"held,omitempty"` // by an operator: no payout leaves
	NextAt  time.Time   `dynamo:"next_at"`        // the next cut-off
	Version int         `dynamo:"version"`        // of the stored item, from 1
}

// CanPay reports whether payouts may leave now.
func (p PayoutSchedule) CanPay() bool { return !p.Held && p.To.CanReceive() }
