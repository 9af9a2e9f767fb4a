package payout

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// DueAt is when payoutopen starts the payout's next run; the zero time means never.
func (p Payout) DueAt() time.Time {
	if p.Status == Paid || p.Status == Failed {
		return time.Time{}
	}
	return p.NextPoll
}

// firstWait is how long a payout waits before it is polled again. Each further wait
// is twice as long, up to longestWait.
const (
	firstWait   = 15 * time.Minute
	longestWait = time.Hour
)

// ScheduleNextPoll sets the next poll of a payout that cannot continue now: it waits
// for a verified account, or for the bank's answer. It is false when the poll was
// early, so that nothing changes.
func (p Payout) ScheduleNextPoll(now time.Time) (Payout, bool) {
	if p.Polls > 0 && now.Before(p.NextPoll) {
		return p, false
	}
	p.NextPoll = now.Add(min(firstWait<<min(p.Polls, 2), longestWait))
	p.Polls++
	return p, true
}

// sendsFor is how long the bank is asked to take a transfer: long enough for its
// nights and repairs, short enough that the payables go into the daily payout after
// the next.
const sendsFor = 24 * time.Hour

// ShouldCancel reports whether a transfer that the bank did not take is to be
// cancelled: the bank has declined it for a day, or the merchant's account has
// changed. Only the bank can know that it did not take it earlier.
func (p Payout) ShouldCancel(account merchant.BankAccount, now time.Time) bool {
	return p.Status == Sent && (!account.Same(p.To) || !now.Before(p.UpdatedAt.Add(sendsFor)))
}
