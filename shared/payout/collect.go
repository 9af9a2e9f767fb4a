package payout

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Collection is a step of a payout that takes rows into it, to be written in
// one database transaction.
type Collection struct {
	Payout       Payout            // Version is still that of the item read
	Rows         []payments.Unpaid // that wait no longer
	Records      []Record
	Transactions []payments.Transaction // those of the rows, each once
	Carry        *payments.Unpaid       // a new row, of what the payout lacks
}

// Collect takes rows into the payout. transactions are those of the rows that
// are parts, by id. Errors: payments.ErrNotCollected, money's for a sum that is
// too large.
//
// What the payout lacks is carried forward in the same step, because a refund
// could count on it otherwise (contract §6.4). The row of the step before is
// replaced.
func (p Payout) Collect(rows []payments.Unpaid, transactions map[string]payments.Transaction,
	now time.Time) (Collection, error) {
	c := Collection{Payout: p, Rows: slices.Clone(rows)}
	if before := p.Carried(); before != nil {
		c.Rows = append(c.Rows, *before)
	}
	changed := changes{read: transactions, written: map[string]payments.Transaction{}}
	for _, row := range rows {
		if row.Kind == payments.UnpaidPart {
			t, err := changed.of(row).TakePart(row, p.ID, p.Day)
			if err != nil {
				return c, err
			}
			changed.written[t.ID] = t
		}
		var err error
		if c.Payout.Total, err = c.Payout.Total.Add(row.Amount); err != nil {
			return c, err
		}
		c.Records = append(c.Records, p.record(row))
		c.Payout.Records++
	}
	c.Transactions = changed.all()
	c.Payout = c.Payout.at(Collecting, now)
	c.Carry = c.Payout.Carried()
	return c, nil
}

// Carried is the row in which a payout that is collecting has carried forward
// what it lacks; nil: it lacks nothing. Only a payout of a later cut-off takes
// it.
func (p Payout) Carried() *payments.Unpaid {
	if p.Total.Sign() >= 0 {
		return nil
	}
	return &payments.Unpaid{ID: "carried#" + p.ID + "#" + strconv.Itoa(p.Records),
		Kind: payments.UnpaidBalance, Amount: p.Total,
		Fee: money.Zero(p.Currency), EligibleAt: p.Cutoff}
}

// changes are the transactions of rows or records, each as it was read or as
// the row before left it.
type changes struct {
	read, written map[string]payments.Transaction
}

func (c changes) of(row payments.Unpaid) payments.Transaction {
	if t, ok := c.written[row.TransactionID]; ok {
		return t
	}
	return c.read[row.TransactionID]
}

// all are those that changed, by id.
func (c changes) all() []payments.Transaction {
	var all []payments.Transaction
	for _, id := range slices.Sorted(maps.Keys(c.written)) {
		all = append(all, c.written[id])
	}
	return all
}
