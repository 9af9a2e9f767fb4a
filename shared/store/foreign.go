package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// foreignItem is stored under a client's own id (contract §6.1). If an online checkout took the id as its reference,
// the item names the checkout. For a payment at a reader, the item's key names the transaction. Several payments at
// readers may share an id.
type foreignItem struct {
	key
	CheckoutID string `dynamo:"checkout_id,omitempty"`
}

// paymentPrefix begins the sort keys of payments at readers.
const paymentPrefix = "PAYMENT#"

// foreignKey sorts the payments with a client's own id in the order that contract §6.1 prefers: successful payments
// last, then the newest last. A payment that was pending before it succeeded has two items.
func foreignKey(t identity.Tenant, tx payments.Transaction) key {
	group := "0#"
	if tx.Status == payments.TransactionSuccessful {
		group = "1#"
	}
	return key{referenceKey(t, tx.ForeignID).PK, paymentPrefix + group + micros(tx.CreatedAt) + "#" + bounded(tx.ID)}
}

// putForeign stores an item for a payment at a reader under the client's own id, if the payment has such an id. The
// item is written together with the transaction, and is the same each time.
func (s *Store) putForeign(tx *dynamo.WriteTx, t identity.Tenant, of payments.Transaction) {
	if of.Reader != "" && of.ForeignID != "" {
		tx.Put(s.table.Put(foreignItem{key: foreignKey(t, of)}))
	}
}

// TransactionByForeignID reads the transaction with a client's own id. That is a transaction of the online checkout
// with the reference, or of a payment at a reader. Of several, it returns the successful one, else the newest (contract
// §6.1). A reference belongs to its first checkout for good. Failure: NotFound.
func (s *View) TransactionByForeignID(ctx context.Context, t identity.Tenant, id string) (Record, error) {
	var filed []foreignItem // the reference has the last key, right after the preferred payment
	err := s.table.get(partitionKey, referenceKey(t, id).PK).Consistent(true).Order(dynamo.Descending).Limit(2).
		All(ctx, &filed)
	if err != nil {
		return Record{}, err
	}
	var found []Record
	for _, item := range preferredOf(filed) {
		var r Record
		if item.CheckoutID != "" {
			r, err = s.findCheckoutTransaction(ctx, t, item.CheckoutID, id)
		} else {
			r, err = s.Transaction(ctx, t, item.SK[strings.LastIndex(item.SK, "#")+1:])
		}
		switch {
		case err == nil:
			found = append(found, r)
		case !failure.Is(err, failure.KindNotFound):
			return Record{}, err
		}
	}
	if len(found) == 0 {
		return Record{}, errNoTransaction
	}
	return Preferred(found), nil
}

// preferredOf returns the checkout with the reference, if any, and the preferred payment.
func preferredOf(filed []foreignItem) []foreignItem {
	if len(filed) > 1 && filed[0].CheckoutID == "" {
		return filed[:1]
	}
	return filed
}

// findCheckoutTransaction reads the transaction of an online checkout by a reference that the checkout has or had.
func (s *View) findCheckoutTransaction(ctx context.Context, t identity.Tenant, checkout,
	reference string) (Record, error) {
	c, err := s.Checkout(ctx, t, checkout)
	if err != nil {
		return Record{}, err
	}
	attempts := slices.Clone(c.Transactions)
	slices.Reverse(attempts)
	slices.SortStableFunc(attempts, func(a, b payments.CheckoutTransaction) int {
		return cmp.Compare(statusRank(a.Status), statusRank(b.Status))
	})
	for _, attempt := range attempts {
		r, err := s.Transaction(ctx, t, attempt.ID)
		if err != nil || r.ForeignID == reference {
			return r, err
		}
	}
	return Record{}, errNoTransaction
}
