package payout

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// OutcomeStep is a step that applies a payout's outcome to some records.
type OutcomeStep struct {
	Payout       Payout // its Version is that of the item that was read
	Records      []Record
	Transactions []payments.Transaction // transactions of the parts, each once
	Events       []payments.Event       // events of the deductions
	Payables     []payments.Payable     // payables for another payout to collect
}

// ApplyOutcome applies the payout's outcome to its next records, in their order. If there are no records, it closes the
// payout. The map events has the events of the deductions, by id. Error: payments.ErrPayableMismatch.
func (p Payout) ApplyOutcome(records []Record, transactions map[string]payments.Transaction,
	events map[string]payments.Event, now time.Time) (OutcomeStep, error) {
	paid := p.Status == Paying
	if len(records) == 0 {
		p.Status, p.UpdatedAt = Failed, now
		if paid {
			p.Status = Paid
		}
		return OutcomeStep{Payout: p}, nil
	}
	t := OutcomeStep{Payout: p.withStatus(p.Status, now)}
	changed := changes{read: transactions, written: map[string]payments.Transaction{}}
	for _, r := range records {
		r.Status = RecordFailed
		if paid {
			r.Status = RecordSuccessful
		}
		t.Records = append(t.Records, r)
		if r.Kind != payments.PayablePart {
			t.applyToDeduction(r, paid, events, now)
			continue
		}
		tx, payable, err := changed.transactionOf(r.Payable).SettlePart(r.Seq, r.PayoutID, paid, now)
		if err != nil {
			return t, err
		}
		changed.written[tx.ID] = tx
		if now.After(t.Payout.ChangedAt) { // the clocks of two processes may differ
			t.Payout.ChangedAt = now
		}
		if payable != nil {
			t.Payables = append(t.Payables, *payable)
		}
	}
	t.Transactions = changed.all()
	t.Payout.OutcomeAppliedTo = records[len(records)-1].ID
	return t, nil
}

// applyToDeduction settles a deduction. If the payout failed, the deduction becomes payable again.
func (t *OutcomeStep) applyToDeduction(r Record, paid bool, events map[string]payments.Event, now time.Time) {
	if !paid {
		payable := r.Payable
		payable.EligibleAt = now
		t.Payables = append(t.Payables, payable)
		return
	}
	if e, ok := events[r.ID]; ok {
		t.Events = append(t.Events, e.Deducted(now))
	}
}

// DueAt returns the time of the payout's next run, which payoutopen starts; the zero time means never.
func (p Payout) DueAt() time.Time {
	if p.Status == Paid || p.Status == Failed {
		return time.Time{}
	}
	return p.NextPoll
}

// firstWait is the time from a payout's first poll to the second. Each wait is twice as long as the one before, up to
// longestWait.
const (
	firstWait   = 15 * time.Minute
	longestWait = time.Hour
)

// ScheduleNextPoll sets the next poll of a payout that waits for an account or the bank. It returns false before the
// current poll is due.
func (p Payout) ScheduleNextPoll(now time.Time) (Payout, bool) {
	if p.Polls > 0 && now.Before(p.NextPoll) {
		return p, false
	}
	p.NextPoll = now.Add(min(firstWait<<min(p.Polls, 2), longestWait))
	p.Polls++
	return p, true
}

// sendsFor is the time during which the bank is asked to take a transfer. It is long enough for the bank's nights and
// repairs, but it ends before the daily payout of the day after the next.
const sendsFor = 24 * time.Hour

// ShouldCancel returns true if the bank should cancel a transfer that it did not take: after a day, or after a change
// of account. An earlier request may have been taken although its answer was lost, and only the bank can know that.
func (p Payout) ShouldCancel(account merchant.BankAccount, now time.Time) bool {
	return p.Status == Sent && (!account.Same(p.To) || !now.Before(p.UpdatedAt.Add(sendsFor)))
}
