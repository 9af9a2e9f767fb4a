package payout

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// WakeAt is when payoutplan wakes the payout; the zero time: never.
func (p Payout) WakeAt() time.Time {
	if p.Status == Paid || p.Status == Failed {
		return time.Time{}
	}
	return p.NextPoll
}

// firstWait is how long a payout waits before it is looked at again; each
// further wait is twice as long, up to longestWait.
const (
	firstWait   = 15 * time.Minute
	longestWait = time.Hour
)

// ScheduleNextPoll is the payout that can go no further now: for an account, or for the
// bank's word. It is looked at again after a quarter of an hour, later every
// hour. False when it waited already, and was only looked at early: nothing
// changes.
func (p Payout) ScheduleNextPoll(now time.Time) (Payout, bool) {
	if p.Polls > 0 && now.Before(p.NextPoll) {
		return p, false
	}
	p.NextPoll = now.Add(min(firstWait<<min(p.Polls, 2), longestWait))
	p.Polls++
	return p, true
}

// ordersFor is how long the bank is asked again and again to take an order: long
// enough for its nights and repairs, short enough that what is in the payout goes
// into the next daily one but one.
const ordersFor = 24 * time.Hour

// ShouldCancel says that the order, which the bank did not take, is to be cancelled:
// it has been declined for a day, or would go to another account than the
// merchant has by now. Only the bank can tell that it took none before.
func (p Payout) ShouldCancel(account merchant.BankAccount, now time.Time) bool {
	return p.Status == Sent && (!account.Same(p.To) || !now.Before(p.UpdatedAt.Add(ordersFor)))
}
