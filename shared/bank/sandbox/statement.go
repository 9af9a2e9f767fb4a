package sandbox

import (
	"context"
	"iter"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Statement walks every line, page by page. A real bank sends a statement; the
// sandbox scans the whole table, which only test mode can afford. Lines written
// during the walk may be missing. An error ends it.
func (b *Bank) Statement(ctx context.Context) iter.Seq2[bank.StatementLine, error] {
	return table.Walk(ctx, b.records.Table.Scan().Consistent(true).
		Filter("begins_with(pk, ?) AND begins_with(sk, ?)", transferPrefix, lineSort), lineItem.line)
}

func (i lineItem) line() bank.StatementLine {
	return bank.StatementLine{ID: i.ID, Tenant: i.Tenant, Amount: i.Amount, At: i.BookedAt}
}

// Executed counts and sums up the payments of a transfer: more than one is a
// defect. It reads their statement lines, not the transfer. The sum of none is the
// zero Amount.
func (b *Bank) Executed(ctx context.Context, id string) (int, money.Amount, error) {
	var items []lineItem
	err := b.records.Table.Get("pk", transferPrefix+id).Range("sk", dynamo.BeginsWith, lineSort).
		Consistent(true).All(ctx, &items)
	if err != nil || len(items) == 0 {
		return 0, money.Amount{}, err
	}
	sum := money.Zero(items[0].Amount.Currency())
	for _, item := range items {
		if sum, err = sum.Add(item.Amount); err != nil {
			return 0, money.Amount{}, err
		}
	}
	return len(items), sum, nil
}
