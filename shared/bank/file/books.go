package file

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// The entities:
//
//	entity   pk                           sk
//	order    FILEBANK#ORDER#<id>          ORDER               or a tombstone in its place
//	waiting  FILEBANK#WAITING#<currency>  <ordered at>#<id>   while the order is in no file
//	export   FILEBANK#EXPORT#<id>         EXPORT
//	paid     FILEBANK#PAID                <paid at>#<id>      the statement
const (
	orderSort     = "ORDER"
	exportSort    = "EXPORT"
	paidPartition = "FILEBANK#PAID"
)

func orderKey(id string) table.Key  { return table.NewKey("FILEBANK#ORDER#"+id, orderSort) }
func exportKey(id string) table.Key { return table.NewKey("FILEBANK#EXPORT#"+id, exportSort) }

func waitingPartition(c money.Currency) string { return "FILEBANK#WAITING#" + string(c) }

func (o order) waitingKey() table.Key {
	return table.NewKey(waitingPartition(o.Amount.Currency()), micros(o.OrderedAt)+"#"+o.ID)
}

// micros is a fixed-width UTC time that sorts as text.
func micros(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// standing is where an order is. It moves forward only: waiting, exported,
// settled; or from waiting to rejected.
type standing string

const (
	waiting  standing = "waiting"
	exported standing = "exported"
	paid     standing = standing(bank.Paid)
	rejected standing = standing(bank.Rejected)
)

// order is a transfer with what became of it. The transfer never changes. One
// that was cancelled ahead of its arrival is a tombstone, and has nothing but
// its id.
type order struct {
	bank.Transfer
	Standing  standing
	Reason    string // of a rejection
	ExportID  string // the file it is in
	OrderedAt time.Time
	SettledAt time.Time
}

// settle is the order with the bank's last word.
func (o order) settle(word bank.Outcome, now time.Time) order {
	o.Standing, o.Reason, o.SettledAt = standing(word.State), word.Reason, now
	return o
}

func (o order) settled() bool { return o.Standing == paid || o.Standing == rejected }

// outcome is the order in the port's words.
func (o order) outcome() bank.Outcome {
	if !o.settled() {
		return bank.Outcome{State: bank.Accepted}
	}
	return bank.Outcome{State: bank.State(o.Standing), Reason: o.Reason}
}

// paidItem is a line of the statement.
type paidItem struct {
	table.Key
	ID     string       `dynamo:"id"`
	Tenant string       `dynamo:"tenant"`
	Amount money.Amount `dynamo:"amount"`
	PaidAt time.Time    `dynamo:"paid_at"`
}

func (i paidItem) line() bank.StatementLine {
	return bank.StatementLine{ID: i.ID, Tenant: i.Tenant, Amount: i.Amount, At: i.PaidAt}
}

// books are the records in the table.
type books struct{ table.Books }

// open enters a new order. For an id that is known it answers the order of
// old; whose reply was lost finds its own.
func (b books) open(ctx context.Context, o order) (order, error) {
	tx := b.Transaction().Put(b.Table.Put(itemOf(o)).If("attribute_not_exists(pk)"))
	if o.Standing == waiting {
		tx.Put(b.Table.Put(waitingItem{Key: o.waitingKey(), ID: o.ID}))
	}
	cause := tx.Run(ctx)
	if cause == nil {
		return o, nil
	}
	stored, err := b.order(ctx, o.ID)
	switch {
	case errors.Is(err, bank.ErrUnknownTransfer):
		return order{}, cause
	case err != nil:
		return order{}, errors.Join(cause, err)
	default:
		return stored, nil
	}
}

// move applies a rule to an order, on its fresh state whenever somebody else
// was faster, and answers the order as it then stands; whose reply was lost
// finds the rule fulfilled.
func (b books) move(ctx context.Context, id string, rule func(order) (order, error)) (order, error) {
	var cause error
	for tried := standing(""); ; {
		before, err := b.order(ctx, id)
		if err != nil {
			return order{}, errors.Join(cause, err)
		}
		if cause != nil && before.Standing == tried {
			return order{}, cause
		}
		after, err := rule(before)
		if err != nil || after.Standing == before.Standing {
			return before, err
		}
		tx := b.Transaction()
		b.step(tx, before, after)
		if cause = tx.Run(ctx); cause == nil {
			return after, nil
		}
		tried = before.Standing
	}
}

// step writes an order's next standing with what follows from it. Its
// condition lets each standing be left once.
func (b books) step(tx *dynamo.WriteTx, before, after order) {
	tx.Put(b.Table.Put(itemOf(after)).If("standing = ?", before.Standing))
	if before.Standing == waiting {
		k := before.waitingKey()
		tx.Delete(b.Delete(k))
	}
	if after.Standing == paid {
		tx.Put(b.Table.Put(paidItem{Key: table.NewKey(paidPartition, micros(after.SettledAt)+"#"+after.ID),
			ID: after.ID, Tenant: after.Tenant, Amount: after.Amount, PaidAt: after.SettledAt}))
	}
}

func (b books) order(ctx context.Context, id string) (order, error) {
	var item orderItem
	k := orderKey(id)
	err := b.Get(k).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return order{}, bank.ErrUnknownTransfer
	}
	return item.order(), err
}

// orders reads many, by id; those that are unknown are absent.
func (b books) orders(ctx context.Context, ids []string) (map[string]order, error) {
	found := make(map[string]order, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	batch := b.Table.Batch("pk", "sk").Get().Consistent(true)
	for _, id := range ids {
		k := orderKey(id)
		batch.And(dynamo.Keys{k.PK, k.SK})
	}
	var items []orderItem
	if err := batch.All(ctx, &items); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, err
	}
	for _, item := range items {
		found[item.ID] = item.order()
	}
	return found, nil
}

// waiting are the ids of the oldest orders in no file.
func (b books) waiting(ctx context.Context, currency money.Currency, limit int) ([]string, error) {
	var items []waitingItem
	err := b.Table.Get("pk", waitingPartition(currency)).Consistent(true).Limit(limit).All(ctx, &items)
	if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, err
	}
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids, nil
}

// paid are the lines of the statement.
func (b books) paid() *dynamo.Query {
	return b.Table.Get("pk", paidPartition).Consistent(true)
}
