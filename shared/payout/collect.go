package payout

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Collection is a step that collects payables into a payout. One database transaction writes it.
type Collection struct {
	Payout         Payout             // its Version is that of the item that was read
	Payables       []payments.Payable // payables that the step collects
	Records        []Record
	Transactions   []payments.Transaction // transactions of the payables, each once
	CarriedForward *payments.Payable      // a new payable with the negative total
}

// Collect returns the step that collects the payables. Payables of the kind PayablePart belong to transactions, which
// the map transactions holds by id.
// Errors: payments.ErrPayableMismatch, and those of package money.
//
// The same step carries a negative total forward. This amount replaces the total that the previous step carried.
// Otherwise a refund could count on money that is gone (contract §6.4).
func (p Payout) Collect(payables []payments.Payable, transactions map[string]payments.Transaction,
	now time.Time) (Collection, error) {
	c := Collection{Payout: p, Payables: slices.Clone(payables)}
	if before := p.CarriedForward(); before != nil {
		c.Payables = append(c.Payables, *before)
	}
	changed := changes{read: transactions, written: map[string]payments.Transaction{}}
	for _, payable := range payables {
		record := p.record(payable)
		if payable.Kind == payments.PayablePart {
			t, err := changed.transactionOf(payable).CollectPart(payable, p.ID, p.Day)
			if err != nil {
				return c, err
			}
			changed.written[t.ID], record.TransactionAt = t, t.CreatedAt
		}
		var err error
		if c.Payout.Total, err = c.Payout.Total.Add(payable.Amount); err != nil {
			return c, err
		}
		c.Records = append(c.Records, record)
		c.Payout.Records++
	}
	c.Transactions = changed.all()
	c.Payout = c.Payout.withStatus(Collecting, now)
	c.CarriedForward = c.Payout.CarriedForward()
	return c, nil
}

// CarriedForward returns the payable that carries the payout's negative total to a payout with a later cut-off. It
// returns nil if the total is not negative.
func (p Payout) CarriedForward() *payments.Payable {
	if p.Total.Sign() >= 0 {
		return nil
	}
	return &payments.Payable{ID: "carried#" + p.ID + "#" + strconv.Itoa(p.Records),
		Kind: payments.PayableBalanceDeduction, Amount: p.Total,
		Fee: money.Zero(p.Currency), EligibleAt: p.Cutoff}
}

// changes holds the transactions of the payables or records. read has them as they were read, and written has them with
// the changes by earlier payables or records.
type changes struct {
	read, written map[string]payments.Transaction
}

func (c changes) transactionOf(payable payments.Payable) payments.Transaction {
	if t, ok := c.written[payable.TransactionID]; ok {
		return t
	}
	return c.read[payable.TransactionID]
}

func (c changes) all() []payments.Transaction {
	var all []payments.Transaction
	for _, id := range slices.Sorted(maps.Keys(c.written)) {
		all = append(all, c.written[id])
	}
	return all
}
