package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
)

// CreateReaderCheckout stores a new checkout as the latest at the reader. Of two concurrent checkouts only one is
// stored. If a checkout with the id is already stored, CreateReaderCheckout returns that checkout. Error: ErrStale when
// the reader changed meanwhile or is gone.
func (s *Store) CreateReaderCheckout(ctx context.Context, t identity.Tenant, r reader.Reader,
	c payments.Checkout) (payments.Checkout, error) {
	r.Checkout, r.Version = c.ID, r.Version+1
	item := s.newCheckoutItem(t, c, 1)
	err := s.db.WriteTx().Idempotent(true).
		Put(s.table.Put(item).If("attribute_not_exists(pk)")).
		Put(s.replace(cardReaderItem(t, r))).
		Run(ctx)
	return resolveCreation(item.Checkout, err, func() (payments.Checkout, bool, error) {
		stored, err := s.AnyCheckout(ctx, t, c.ID)
		return stored, err == nil, ignoreNotFound(err)
	})
}
