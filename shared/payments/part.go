package payments

import (
	"errors"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// PayoutPart is one payout of a transaction, as a PAYOUT event shows it: all of it, or one installment.
type PayoutPart struct {
	Seq        int          `dynamo:"seq"` // from 1; a part that is paid again gets a new one
	Number     int          `dynamo:"n"`   // of the installment, from 1
	Amount     money.Amount `dynamo:"amount"`
	Fee        money.Amount `dynamo:"fee"`
	Deducted   money.Amount `dynamo:"deducted,omitempty"` // refunds and chargebacks taken from it before it was paid
	Gross      bool         `dynamo:"gross,omitempty"`    // gross settlement: the fee is billed, not kept back
	Status     EventStatus  `dynamo:"status"`
	EligibleAt time.Time    `dynamo:"eligible_at"` // from when a payout may include it
	PayoutID   string       `dynamo:"payout_id,omitempty"`
	Day        string       `dynamo:"payout_day,omitempty"` // of that payout, YYYY-MM-DD where the merchant is
}

// Net is what the merchant still gets with the part.
func (p PayoutPart) Net() money.Amount {
	if p.Gross {
		return minus(p.Amount, p.Deducted)
	}
	return minus(minus(p.Amount, p.Fee), p.Deducted)
}

// plan divides a captured transaction and its fee into payout parts (contract §6.7), monthly under TRUE_INSTALLMENT.
func (t Transaction) plan(now time.Time) ([]PayoutPart, []Payable) {
	n := 1
	if t.PayoutPlan == merchant.TrueInstallment {
		n = t.Installments
	}
	amounts, fees := t.Captured.Split(n), t.Fee.Split(n)
	parts, payables := make([]PayoutPart, len(amounts)), make([]Payable, len(amounts))
	for i := range parts {
		parts[i] = PayoutPart{Seq: i + 1, Number: i + 1, Amount: amounts[i], Fee: fees[i],
			Deducted: money.Zero(t.Captured.Currency()),
			Gross:    t.Gross, Status: EventScheduled, EligibleAt: monthsAfter(now, i)}
		payables[i] = t.payable(parts[i])
	}
	return parts, payables
}

// monthsAfter returns the time some months later, or the last day of a shorter month, where AddDate would go beyond.
func monthsAfter(at time.Time, months int) time.Time {
	later := at.AddDate(0, months, 0)
	if later.Day() != at.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}

// PayoutsTotal counts the payouts that the transaction has or will have, but no failed ones, which are replaced.
func (t Transaction) PayoutsTotal() int {
	n := 0
	for _, p := range t.Payouts {
		if p.Status != EventFailed {
			n++
		}
	}
	return n
}

// PlannedAt returns when a payout was planned: when the first became eligible, or itself if it replaces a failed one.
func (t Transaction) PlannedAt(i int) time.Time {
	p := t.Payouts[i]
	if slices.ContainsFunc(t.Payouts[:i], func(other PayoutPart) bool { return other.Number == p.Number }) {
		return p.EligibleAt
	}
	return t.Payouts[0].EligibleAt
}

// deduct takes an amount that went back to the payer from the transaction's scheduled payouts, the earliest first. It
// returns the changed payables and the rest of the amount, for other transactions.
func (t *Transaction) deduct(amount money.Amount) ([]Payable, money.Amount) {
	var payables []Payable
	t.Payouts = slices.Clone(t.Payouts)
	for i := range t.Payouts {
		p := &t.Payouts[i]
		if amount.IsZero() || p.Status != EventScheduled || p.Net().Sign() <= 0 {
			continue
		}
		taken := amount
		if more(amount, p.Net()) {
			taken = p.Net()
		}
		p.Deducted = plus(p.Deducted, taken)
		amount = minus(amount, taken)
		payables = append(payables, t.payable(*p))
	}
	return payables, amount
}

// ErrPayableMismatch reports a payable or record that contradicts its transaction, because one of them changed between
// two reads. If a fresh read shows the same, the data is wrong, and the payout stops.
var ErrPayableMismatch = errors.New("payments: the payable does not fit its transaction")

// CollectPart marks the payable's part as part of a payout of a day. Error: ErrPayableMismatch.
func (t Transaction) CollectPart(payable Payable, payoutID, day string) (Transaction, error) {
	i := t.part(payable.Seq)
	if i < 0 || t.Payouts[i].Status != EventScheduled || !minus(t.Payouts[i].Net(), payable.Amount).IsZero() {
		return t, ErrPayableMismatch
	}
	t.Payouts = slices.Clone(t.Payouts)
	t.Payouts[i].Status, t.Payouts[i].PayoutID, t.Payouts[i].Day = EventReconciled, payoutID, day
	return t, nil
}

// SettlePart closes a part that a payout took. An unpaid part is scheduled again under another number, as a new event
// (contract §6.5), and its payable returned. Error: ErrPayableMismatch.
func (t Transaction) SettlePart(seq int, payoutID string, paid bool, now time.Time) (Transaction, *Payable, error) {
	i := t.part(seq)
	if i < 0 || t.Payouts[i].Status != EventReconciled || t.Payouts[i].PayoutID != payoutID {
		return t, nil, ErrPayableMismatch
	}
	t.Payouts = slices.Clone(t.Payouts)
	t.UpdatedAt = shown(now)
	if paid {
		t.Payouts[i].Status = EventPaidOut
		return t, nil, nil
	}
	t.Payouts[i].Status = EventFailed
	again := t.Payouts[i]
	again.Seq, again.Status, again.EligibleAt = len(t.Payouts)+1, EventScheduled, now
	again.PayoutID, again.Day = "", ""
	t.Payouts = append(t.Payouts, again)
	payable := t.payable(again)
	return t, &payable, nil
}

func (t Transaction) part(seq int) int {
	return slices.IndexFunc(t.Payouts, func(p PayoutPart) bool { return p.Seq == seq })
}
