package payout

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// OutcomeStep is a step of a payout that applies its outcome to some records.
type OutcomeStep struct {
	Payout       Payout // Version is still that of the item read
	Records      []Record
	Transactions []payments.Transaction // those of the parts, each once
	Events       []payments.Event       // the deductions
	Payables     []payments.Payable     // for another payout
}

// ApplyOutcome applies the payout's outcome to its next records, in their order; without any it closes the payout.
// events are those of the deductions, by id. Error: payments.ErrPayableMismatch.
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
	t := OutcomeStep{Payout: p.at(p.Status, now)}
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
		tx, payable, err := changed.of(r.Payable).SettlePart(r.Seq, r.PayoutID, paid, now)
		if err != nil {
			return t, err
		}
		changed.written[tx.ID] = tx
		if payable != nil {
			t.Payables = append(t.Payables, *payable)
		}
	}
	t.Transactions = changed.all()
	t.Payout.OutcomeAppliedTo = records[len(records)-1].ID
	return t, nil
}

// applyToDeduction settles a deduction or, if the payout failed, makes it payable again.
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

// DueAt is when payoutopen starts the payout's next run; the zero time means never.
func (p Payout) DueAt() time.Time {
	if p.Status == Paid || p.Status == Failed {
		return time.Time{}
	}
	return p.NextPoll
}

// firstWait is how long a payout waits for its next poll. Each wait is twice as long, up to longestWait.
const (
	firstWait   = 15 * time.Minute
	longestWait = time.Hour
)

// ScheduleNextPoll sets the next poll of a payout that waits for an account or the bank; false after an early poll.
func (p Payout) ScheduleNextPoll(now time.Time) (Payout, bool) {
	if p.Polls > 0 && now.Before(p.NextPoll) {
		return p, false
	}
	p.NextPoll = now.Add(min(firstWait<<min(p.Polls, 2), longestWait))
	p.Polls++
	return p, true
}

// sendsFor is how long the bank is asked: through its nights and repairs, but before the daily payout after the next.
const sendsFor = 24 * time.Hour

// ShouldCancel reports whether to have the bank cancel a transfer that it did not take: after a day, or after a change
// of account. Only the bank can know that it did not take it earlier.
func (p Payout) ShouldCancel(account merchant.BankAccount, now time.Time) bool {
	return p.Status == Sent && (!account.Same(p.To) || !now.Before(p.UpdatedAt.Add(sendsFor)))
}
