package payout

import (
	"time"

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

// ApplyOutcome applies the payout's outcome to its next records, in their order.
// Without any it closes the payout. events are those of the deductions, by id.
// Error: payments.ErrPayableMismatch.
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

// applyToDeduction settles a deduction or, if the payout failed, makes it payable
// again.
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
