package sandbox

import (
	"context"
	"crypto/rand"
	"iter"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// movementItem has a random key, so that money that moved twice would show: only
// the conditions on its charge or refund prevent that.
type movementItem struct {
	table.Key
	ID      string        `dynamo:"id"` // of the charge, refund or chargeback
	Kind    acquirer.Kind `dynamo:"kind"`
	Tenant  string        `dynamo:"tenant,omitempty"`
	Amount  money.Amount  `dynamo:"amount"`
	MovedAt time.Time     `dynamo:"moved_at"`
}

// movementPrefix begins the sort keys of one kind.
func movementPrefix(kind acquirer.Kind) string { return strings.ToUpper(string(kind)) + "#" }

// movement is money of a charge that moves now.
func (b records) movement(kind acquirer.Kind, chargeID, id, tenant string, amount money.Amount) movementItem {
	return movementItem{
		Key: table.NewKey(chargePartition(chargeID), movementPrefix(kind)+rand.Text()),
		ID:  id, Kind: kind, Tenant: tenant, Amount: amount, MovedAt: b.Time(),
	}
}

func (m movementItem) line() acquirer.Movement {
	return acquirer.Movement{
		ID: m.ID, ChargeID: strings.TrimPrefix(m.PK, chargePrefix), Tenant: m.Tenant,
		Kind: m.Kind, Amount: m.Amount, At: m.MovedAt,
	}
}

// Statement walks every movement of money, page by page. A real acquirer sends a
// settlement file; the sandbox scans the whole table for its own keys, which is
// acceptable in test mode only. Movements during the walk may be missing. An error
// ends it.
func (a *Acquirer) Statement(ctx context.Context) iter.Seq2[acquirer.Movement, error] {
	return table.Walk(ctx, a.records.Table.Scan().Consistent(true).
		Filter("begins_with(pk, ?) AND sk <> ?", chargePrefix, chargeSort), movementItem.line)
}

// Moved sums up the movements of a charge by kind. It reads the stored movements,
// not the charge or its refunds.
func (a *Acquirer) Moved(ctx context.Context, chargeID string) (map[acquirer.Kind]money.Amount, error) {
	movements, err := a.records.movements(ctx, chargeID)
	if err != nil {
		return nil, err
	}
	sums := map[acquirer.Kind]money.Amount{}
	for _, m := range movements {
		sum, ok := sums[m.Kind]
		if !ok {
			sum = money.Zero(m.Amount.Currency())
		}
		if sums[m.Kind], err = sum.Add(m.Amount); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// movements are those of one charge, the other items of its partition.
func (b records) movements(ctx context.Context, chargeID string) ([]movementItem, error) {
	var items, movements []movementItem
	err := b.Table.Get("pk", chargePartition(chargeID)).Consistent(true).All(ctx, &items)
	for _, m := range items {
		if m.SK != chargeSort {
			movements = append(movements, m)
		}
	}
	return movements, err
}
