package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Held is what a merchant's refunds in flight take from its balance. Every
// refund under a floor passes this item's version, so that two of them cannot
// count on the same money.
type Held struct {
	Amount  money.Amount `dynamo:"amount"`
	Version int          `dynamo:"version"`
}

type heldItem struct {
	key
	Held
}

// Held reads what is held, consistently; nothing before the first time.
func (s *Reader) Held(ctx context.Context, t identity.Tenant, c money.Currency) (Held, error) {
	var item heldItem
	err := s.get(heldKey(t, c)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return Held{Amount: money.Zero(c)}, nil
	}
	return item.Held, err
}

// hold changes what is held, within a transaction whose other conditions make
// it happen once. before is what the decision to hold more was based on; nil
// when held money is given back, which may happen at any time.
func (s *Store) hold(t identity.Tenant, delta money.Amount, before *Held) *dynamo.Update {
	k := heldKey(t, delta.Currency())
	update := s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK)
	if before != nil && before.Version == 0 {
		return update.Set("amount", delta).Set("version", 1).If("attribute_not_exists(pk)")
	}
	update.SetExpr("'amount'.'v' = 'amount'.'v' + ?", delta.StoredNumber()).SetExpr("'version' = 'version' + ?", 1)
	if before == nil {
		return update.If("attribute_exists(pk)")
	}
	return update.If("'version' = ?", before.Version)
}
