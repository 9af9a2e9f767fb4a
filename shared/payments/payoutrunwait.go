package payments

import "time"

// WakeAt is when payoutplan wakes the payout; the zero time: never.
func (p Payout) WakeAt() time.Time {
	if p.Status == PayoutPaid || p.Status == PayoutFailed {
		return time.Time{}
	}
	return p.NextLook
}

// Waits is the payout that can go no further now: for an account, or for the
// bank's word. It is looked at again after a quarter of an hour, later every
// hour. False when it waited already, and was only looked at early: nothing
// changes.
func (p Payout) Waits(now time.Time) (Payout, bool) {
	if p.Looks > 0 && now.Before(p.NextLook) {
		return p, false
	}
	p.NextLook = now.Add(min(longestLook<<min(p.Looks, 2), time.Hour))
	p.Looks++
	return p, true
}

// ordersFor is how long the bank is asked again and again to take an order: long
// enough for its nights and repairs, short enough that what is in the payout goes
// into the next daily one but one.
const ordersFor = 24 * time.Hour

// GivesUp says that the order, which the bank did not take, is to be cancelled:
// it has been declined for a day, or would go to an account that has been
// replaced since. Only the bank can tell that it took none before.
func (p Payout) GivesUp(replaced bool, now time.Time) bool {
	return p.Status == Sent && (replaced || !now.Before(p.UpdatedAt.Add(ordersFor)))
}
