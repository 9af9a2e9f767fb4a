package merchant

import (
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// PayoutPeriod is how often a merchant is paid out (contract §7.2).
type PayoutPeriod string

// The periods.
const (
	Daily   PayoutPeriod = "daily"
	Weekly  PayoutPeriod = "weekly"  // on Mondays
	Monthly PayoutPeriod = "monthly" // on the first
)

// PayoutSettings say when a merchant is paid out (contract §6.7, §7.2).
type PayoutSettings struct {
	Period   PayoutPeriod `dynamo:"period"`
	OnDemand bool         `dynamo:"on_demand,omitempty"` // only by an operator's command
}

// DefaultPayoutSettings are contract §7.2's.
var DefaultPayoutSettings = PayoutSettings{Period: Daily}

// ErrPeriod reports a payout period that is none.
var ErrPeriod = errors.New("account: unknown payout period")

// Check refuses an unknown period.
func (s PayoutSettings) Check() error {
	switch s.Period {
	case Daily, Weekly, Monthly:
		return nil
	default:
		return ErrPeriod
	}
}

// Cutoff ends the period of a payout: what became payable before it is paid
// out on its Day.
type Cutoff struct {
	Day string    // of the payout, YYYY-MM-DD, where the merchant is
	At  time.Time // the day's first moment there, in UTC
}

// NextCutoff is the first one after now, where the merchant is: tomorrow's
// midnight, Monday's or that of the first of the month.
func (s PayoutSettings) NextCutoff(now time.Time, where *time.Location) Cutoff {
	return s.step(now, where, +1)
}

// LastCutoff is the latest one not after now.
func (s PayoutSettings) LastCutoff(now time.Time, where *time.Location) Cutoff {
	return s.step(now, where, 0)
}

// step finds the first day of the period that now falls into, or of one later.
func (s PayoutSettings) step(now time.Time, where *time.Location, periods int) Cutoff {
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

// firstMoment is when a civil day begins. Where clocks are changed at midnight
// that is not always what time.Date makes of it: a day whose midnight is skipped
// begins when they are put forward, and one whose midnight comes twice, because
// they are put back to it, with the first.
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

// BankAccountStatus is where an account stands (contract §7.3).
type BankAccountStatus string

// The statuses.
const (
	BankAccountPending  BankAccountStatus = "PENDING_VERIFICATION"
	BankAccountVerified BankAccountStatus = "VERIFIED"
	BankAccountRejected BankAccountStatus = "REJECTED"
)

// BankAccount is where a merchant is paid out.
type BankAccount struct {
	ID            string            `dynamo:"id"`
	Holder        string            `dynamo:"account_holder_name"`
	IBAN          string            `dynamo:"iban,omitempty"`
	BIC           string            `dynamo:"swift,omitempty"`
	BankCode      string            `dynamo:"bank_code,omitempty"`      // national, where there is no IBAN
	AccountNumber string            `dynamo:"account_number,omitempty"` // likewise
	Status        BankAccountStatus `dynamo:"status"`
}

// Number is the account's IBAN, or what its country has instead.
func (b BankAccount) Number() string {
	if b.IBAN != "" {
		return b.IBAN
	}
	return b.AccountNumber
}

// Payable says payouts may go to the account (contract §6.7). A number that is
// no IBAN needs its bank named beside it.
func (b BankAccount) Payable() bool {
	routed := b.IBAN != "" || b.AccountNumber != "" && (b.BankCode != "" || b.BIC != "")
	return routed && b.Status == BankAccountVerified
}

// Same says that an order to either names one account of one holder, whatever
// we call it and whether or not it is verified.
func (b BankAccount) Same(other BankAccount) bool {
	b.ID, b.Status = other.ID, other.Status
	return b == other
}

// PayoutSchedule is when and where to a tenant is paid out next.
type PayoutSchedule struct {
	Currency money.Currency `dynamo:"currency"`
	TimeZone string         `dynamo:"time_zone,omitempty"` // IANA name; "": UTC
	Settings PayoutSettings `dynamo:"settings"`
	To       BankAccount    `dynamo:"to"`
	NextAt   time.Time      `dynamo:"next_at"` // the next cut-off
	Version  int            `dynamo:"version"` // of the stored item, from 1
}
