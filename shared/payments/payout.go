package payments

import (
	"slices"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// PayoutPlan is how a transaction is paid out to its merchant (contract §6.7).
type PayoutPlan string

// The plans.
const (
	SinglePayment          PayoutPlan = "SINGLE_PAYMENT"
	TrueInstallment        PayoutPlan = "TRUE_INSTALLMENT"
	AcceleratedInstallment PayoutPlan = "ACCELERATED_INSTALLMENT"
)

// PayoutPart is one payout of a transaction: the whole of it, or one
// installment. It is what a PAYOUT event shows.
type PayoutPart struct {
	Seq        int          `dynamo:"seq"` // from 1; a part that is paid anew has another
	Number     int          `dynamo:"n"`   // of the installment, from 1
	Amount     money.Amount `dynamo:"amount"`
	Fee        money.Amount `dynamo:"fee"`
	Deducted   money.Amount `dynamo:"deducted"`        // refunds and charge-backs taken from it before it was paid
	Gross      bool         `dynamo:"gross,omitempty"` // gross settlement: the fee is billed, not kept back
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

// UnpaidKind says what an unpaid row comes from.
type UnpaidKind string

// The kinds; the values are those of the payout records they become (contract
// §6.7).
const (
	UnpaidPart       UnpaidKind = "PAYOUT"
	UnpaidRefund     UnpaidKind = "REFUND_DEDUCTION"
	UnpaidChargeBack UnpaidKind = "CHARGE_BACK_DEDUCTION"
	UnpaidBalance    UnpaidKind = "BALANCE_DEDUCTION" // what an earlier payout lacked
)

// Unpaid is a row that waits for the merchant's next payout: a credit for each
// part of a transaction, a debit for what a refund or charge-back has to take
// from other transactions. The sum of a merchant's rows is what is owed to it.
type Unpaid struct {
	ID            string       `dynamo:"id"` // of the part, <transaction id>#<seq>, or of the deduction event
	Kind          UnpaidKind   `dynamo:"kind"`
	TransactionID string       `dynamo:"transaction_id"`
	Code          string       `dynamo:"transaction_code"`
	Seq           int          `dynamo:"seq,omitempty"` // of the part
	Amount        money.Amount `dynamo:"amount"`        // what it adds to the payout: debits are negative
	Fee           money.Amount `dynamo:"fee"`
	EligibleAt    time.Time    `dynamo:"eligible_at"`
}

// unpaid is the part's row.
func (t Transaction) unpaid(p PayoutPart) Unpaid {
	return Unpaid{ID: t.ID + "#" + strconv.Itoa(p.Seq), Kind: UnpaidPart, TransactionID: t.ID, Code: t.Code,
		Seq: p.Seq, Amount: p.Net(), Fee: p.Fee, EligibleAt: p.EligibleAt}
}

// plan divides a captured transaction, and its fee, into the parts of its
// payout (contract §6.7): installments a month apart under TRUE_INSTALLMENT,
// else one.
func (t Transaction) plan(now time.Time) ([]PayoutPart, []Unpaid) {
	n := 1
	if t.PayoutPlan == TrueInstallment {
		n = t.Installments
	}
	amounts, fees := t.Captured.Split(n), t.Fee.Split(n)
	parts, rows := make([]PayoutPart, len(amounts)), make([]Unpaid, len(amounts))
	for i := range parts {
		parts[i] = PayoutPart{Seq: i + 1, Number: i + 1, Amount: amounts[i], Fee: fees[i], Deducted: money.Zero(t.Captured.Currency()),
			Gross: t.Gross, Status: EventScheduled, EligibleAt: monthsAfter(now, i)}
		rows[i] = t.unpaid(parts[i])
	}
	return parts, rows
}

// monthsAfter is the same day and time so many months later, or the month's last
// day where it has no such day: AddDate would go on into the next, which then
// had two installments.
func monthsAfter(at time.Time, months int) time.Time {
	later := at.AddDate(0, months, 0)
	if later.Day() != at.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}

// deduct takes an amount that went back to the payer from what the merchant
// still gets for the transaction, the earliest payout first, and answers the
// changed rows. What is left is to be taken from other transactions.
func (t *Transaction) deduct(amount money.Amount) ([]Unpaid, money.Amount) {
	var rows []Unpaid
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
		rows = append(rows, t.unpaid(*p))
	}
	return rows, amount
}
