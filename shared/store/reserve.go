package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Reserve is the part of a merchant's balance that is kept for pending refunds. Every refund under a minimum balance
// changes the reserve's version, so that no two refunds count on the same money.
type Reserve struct {
	Amount  money.Amount `dynamo:"amount"`
	Version int          `dynamo:"version"`
}

// Reserve reads the reserve, consistently. It is zero before the first refund.
func (s *View) Reserve(ctx context.Context, t identity.Tenant, c money.Currency) (Reserve, error) {
	var reserve Reserve
	err := s.get(reserveKey(t, c)).One(ctx, &reserve)
	if errors.Is(err, dynamo.ErrNotFound) {
		return Reserve{Amount: money.Zero(c)}, nil
	}
	return reserve, err
}

// reserveUpdate returns the update that adds delta to the reserve. Other conditions of the transaction make the change
// happen once. before is the reserve that the decision was based on. It is nil when money is released, which is always
// allowed.
func (s *Store) reserveUpdate(t identity.Tenant, delta money.Amount, before *Reserve) *dynamo.Update {
	update := s.update(reserveKey(t, delta.Currency()))
	if before != nil && before.Version == 0 {
		return update.Set("amount", delta).Set("version", 1).If("attribute_not_exists(pk)")
	}
	update.SetExpr("'amount'.'v' = 'amount'.'v' + ?", delta.StoredNumber()).SetExpr("'version' = 'version' + ?", 1)
	if before == nil {
		return update.If("attribute_exists(pk)")
	}
	return update.If("'version' = ?", before.Version)
}
