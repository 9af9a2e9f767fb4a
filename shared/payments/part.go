package payments

import (
	"errors"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// PayoutPart is one payout of a transaction, as a PAYOUT event shows it: the whole amount or one installment.
type PayoutPart struct {
	Seq        int          `dynamo:"seq"` // from 1; a part that is scheduled again gets a new Seq
	Number     int          `dynamo:"n"`   // of the installment, from 1
	Amount     money.Amount `dynamo:"amount"`
	Fee        money.Amount `dynamo:"fee"`
	Deducted   money.Amount `dynamo:"deducted,omitempty"` // refunds and chargebacks taken from it before its payout
	Gross      bool         `dynamo:"gross,omitempty"`    // gross settlement: the fee is billed, not kept back
	Status     EventStatus  `dynamo:"status"`
	EligibleAt time.Time    `dynamo:"eligible_at"` // earliest time for a payout to include it
	PayoutID   string       `dynamo:"payout_id,omitempty"`
	Day        string       `dynamo:"payout_day,omitempty"` // day of that payout, YYYY-MM-DD in the merchant's time zone
}

// Net returns the amount that the merchant still gets for the part.
func (p PayoutPart) Net() money.Amount {
	if p.Gross {
		return minus(p.Amount, p.Deducted)
	}
	return minus(minus(p.Amount, p.Fee), p.Deducted)
}

// planPayouts divides a captured transaction and its fee into payouts (contract §6.7). Under TRUE_INSTALLMENT the
// payouts are monthly.
func (t Transaction) planPayouts(now time.Time) ([]PayoutPart, []Payable) {
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
		payables[i] = t.payableOf(parts[i])
	}
	return parts, payables
}

// monthsAfter returns the time some months later. In a month that is too short, it returns the last day. AddDate would
// go on into the next month.
func monthsAfter(at time.Time, months int) time.Time {
	later := at.AddDate(0, months, 0)
	if later.Day() != at.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}

// PayoutsTotal counts the payouts that the transaction has or will have. It leaves out failed payouts, because other
// payouts replace them.
func (t Transaction) PayoutsTotal() int {
	n := 0
	for _, p := range t.Payouts {
		if p.Status != EventFailed {
			n++
		}
	}
	return n
}

// PlannedAt returns the time when payout i was planned. If the payout replaces a failed payout, this is the EligibleAt
// of payout i. Otherwise it is the EligibleAt of the first payout.
func (t Transaction) PlannedAt(i int) time.Time {
	p := t.Payouts[i]
	if slices.ContainsFunc(t.Payouts[:i], func(other PayoutPart) bool { return other.Number == p.Number }) {
		return p.EligibleAt
	}
	return t.Payouts[0].EligibleAt
}

// deduct reduces the transaction's scheduled payouts by an amount that went back to the payer, the earliest payout
// first. It returns the changed payables, and the rest that other transactions must cover.
func (t *Transaction) deduct(amount money.Amount) ([]Payable, money.Amount) {
	var payables []Payable
	t.Payouts = slices.Clone(t.Payouts)
	for i := range t.Payouts {
		p := &t.Payouts[i]
		if amount.IsZero() || p.Status != EventScheduled || p.Net().Sign() <= 0 {
			continue
		}
		taken := amount
		if exceeds(amount, p.Net()) {
			taken = p.Net()
		}
		p.Deducted = plus(p.Deducted, taken)
		amount = minus(amount, taken)
		payables = append(payables, t.payableOf(*p))
	}
	return payables, amount
}

// ErrPayableMismatch reports a payable or record that contradicts its transaction, because one of them changed between
// two reads. If a fresh read shows the same, the data is wrong, and the payout stops.
var ErrPayableMismatch = errors.New("payments: the payable does not fit its transaction")

// CollectPart assigns the payable's part to a payout and its day. Error: ErrPayableMismatch.
func (t Transaction) CollectPart(payable Payable, payoutID, day string) (Transaction, error) {
	i := t.partIndex(payable.Seq)
	if i < 0 || t.Payouts[i].Status != EventScheduled || !minus(t.Payouts[i].Net(), payable.Amount).IsZero() {
		return t, ErrPayableMismatch
	}
	t.Payouts = slices.Clone(t.Payouts)
	t.Payouts[i].Status, t.Payouts[i].PayoutID, t.Payouts[i].Day = EventReconciled, payoutID, day
	return t, nil
}

// SettlePart closes a part that a payout took. If the part was not paid, SettlePart schedules it again under a new
// Seq, as a new event (contract §6.5), and returns its payable. Error: ErrPayableMismatch.
func (t Transaction) SettlePart(seq int, payoutID string, paid bool, now time.Time) (Transaction, *Payable, error) {
	i := t.partIndex(seq)
	if i < 0 || t.Payouts[i].Status != EventReconciled || t.Payouts[i].PayoutID != payoutID {
		return t, nil, ErrPayableMismatch
	}
	t.Payouts = slices.Clone(t.Payouts)
	t.UpdatedAt = truncateToMillis(now)
	if paid {
		t.Payouts[i].Status = EventPaidOut
		return t, nil, nil
	}
	t.Payouts[i].Status = EventFailed
	again := t.Payouts[i]
	again.Seq, again.Status, again.EligibleAt = len(t.Payouts)+1, EventScheduled, now
	again.PayoutID, again.Day = "", ""
	t.Payouts = append(t.Payouts, again)
	payable := t.payableOf(again)
	return t, &payable, nil
}

func (t Transaction) partIndex(seq int) int {
	return slices.IndexFunc(t.Payouts, func(p PayoutPart) bool { return p.Seq == seq })
}
