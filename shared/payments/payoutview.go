package payments

import (
	"slices"
	"time"
)

// PayoutsTotal counts the payouts that the transaction has or will have: one
// that failed is made up for by another.
func (t Transaction) PayoutsTotal() int {
	n := 0
	for _, p := range t.Payouts {
		if p.Status != EventFailed {
			n++
		}
	}
	return n
}

// PlannedAt is when the payout at the index was planned: with all others of the
// transaction, whose first could be made at once; or, where it makes up for one
// that failed, when it could be made itself.
func (t Transaction) PlannedAt(i int) time.Time {
	p := t.Payouts[i]
	if slices.ContainsFunc(t.Payouts[:i], func(other PayoutPart) bool { return other.Number == p.Number }) {
		return p.EligibleAt
	}
	return t.Payouts[0].EligibleAt
}
