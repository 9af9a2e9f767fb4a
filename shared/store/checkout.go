package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// checkoutItem is a checkout as stored. It is listed by time, and is in the due index while the sweep has work for it.
type checkoutItem struct {
	key
	due
	ListPartition string `dynamo:"list_pk,omitempty"` // of online checkouts
	ListSort      string `dynamo:"list_sk,omitempty"`
	WriteID       string `dynamo:"write_id"` // lets the writer recognise its own last write
	payments.Checkout
}

// UnmarshalDynamoItem reads the attributes, and the id and merchant from the key.
func (i *checkoutItem) UnmarshalDynamoItem(stored dynamo.Item) error {
	type plain checkoutItem
	if err := dynamo.UnmarshalItem(stored, (*plain)(i)); err != nil {
		return err
	}
	p, ok := ParsePartition(i.PK)
	if !ok {
		return fmt.Errorf("store: a checkout is stored in %s", i.PK)
	}
	i.Checkout = i.Restored(p.Last, p.Tenant.Merchant)
	return nil
}

// maxListed is the limit of the checkouts list (contract §2.6).
const maxListed = 1000

// maxBatchRead is the number of keys that one BatchGetItem reads.
const maxBatchRead = 100

func (s *Store) newCheckoutItem(t identity.Tenant, c payments.Checkout, version int) checkoutItem {
	k := checkoutKey(t, c.ID)
	c.Version = version
	item := checkoutItem{key: k, Checkout: c, WriteID: newWriteID()}
	if c.Reader == nil {
		item.ListPartition, item.ListSort = checkoutsList(t, c.Shard), micros(c.CreatedAt)+"#"+c.ID
	}
	if at := c.DueAt(); !at.IsZero() {
		item.due = s.shards.dueAt(at, k)
	}
	return item
}

// CreateCheckout stores a new checkout and takes its reference. If a checkout with the id is already stored, it returns
// that checkout. Failure: Conflict DUPLICATED_CHECKOUT when another checkout has the reference.
func (s *Store) CreateCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	item := s.newCheckoutItem(t, c, 1)
	tx := s.db.WriteTx().
		Put(s.table.Put(item).If("attribute_not_exists(pk)")).
		Put(s.putReferenceGuard(t, c))
	if c.Hosted() {
		tx.Put(s.table.Put(storedItem{key: paymentPageKey(c.ID), value: t}))
	}
	err := tx.Run(ctx)
	if err == nil {
		return item.Checkout, nil
	}
	return s.findCreatedCheckout(ctx, t, c, err)
}

// putReferenceGuard returns the put that reserves a reference for the checkout. The checkout keeps its former
// references.
func (s *Store) putReferenceGuard(t identity.Tenant, c payments.Checkout) *dynamo.Put {
	guard := foreignItem{key: referenceKey(t, c.Reference), CheckoutID: c.ID}
	return s.table.Put(guard).If("attribute_not_exists(pk) OR checkout_id = ?", c.ID)
}

// findCreatedCheckout explains a failed creation. It returns the checkout if an earlier try stored it. Failure:
// Conflict DUPLICATED_CHECKOUT when another checkout has the reference.
func (s *Store) findCreatedCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout,
	cause error) (payments.Checkout, error) {
	owner, err := s.readReferenceOwner(ctx, t, c.Reference)
	switch {
	case err != nil:
		return payments.Checkout{}, errors.Join(cause, err)
	case owner == "":
		return payments.Checkout{}, cause
	case owner != c.ID:
		return payments.Checkout{}, errDuplicate
	default:
		return s.Checkout(ctx, t, c.ID)
	}
}

var errDuplicate = failure.Conflict("A checkout with this checkout_reference already exists.").
	WithCode("DUPLICATED_CHECKOUT")

// readReferenceOwner returns the id of the checkout that took the reference, or "".
func (s *View) readReferenceOwner(ctx context.Context, t identity.Tenant, reference string) (string, error) {
	guard, err := readOne[foreignItem](ctx, s, referenceKey(t, reference), nil)
	return guard.CheckoutID, err
}

// ErrNoCheckout is the failure of every read of an unknown checkout.
var ErrNoCheckout = failure.NotFound("There is no such checkout.").WithSlug("checkout-not-found")

// Checkout reads one online checkout, consistently. Failure: NotFound, also for a checkout at a reader, because the
// operations of merchants and payers on checkouts do not apply to it.
func (s *View) Checkout(ctx context.Context, t identity.Tenant, id string) (payments.Checkout, error) {
	c, err := s.AnyCheckout(ctx, t, id)
	if err == nil && c.Reader != nil {
		return payments.Checkout{}, ErrNoCheckout
	}
	return c, err
}

// AnyCheckout reads one checkout, online or at a reader, consistently. Failure: NotFound.
func (s *View) AnyCheckout(ctx context.Context, t identity.Tenant, id string) (payments.Checkout, error) {
	item, err := readOne[checkoutItem](ctx, s, checkoutKey(t, id), ErrNoCheckout)
	return item.Checkout, err
}

// listedCheckout is a checkout's entry in the list index.
type listedCheckout struct {
	key
	Sort string `dynamo:"list_sk"`
}

// Checkouts walks a tenant's checkouts of all shards, newest first, at most 1000. It reads their items in calls of 100,
// so a caller that stops early saves the rest. The index lags by moments.
func (s *View) Checkouts(ctx context.Context, t identity.Tenant, shards int) iter.Seq2[payments.Checkout, error] {
	return func(yield func(payments.Checkout, error) bool) {
		listed, err := s.listCheckouts(ctx, t, shards)
		for batch := range slices.Chunk(listed, maxBatchRead) {
			var found []payments.Checkout
			found, err = readInOrder(ctx, s, batch, false,
				func(i checkoutItem) (key, payments.Checkout) { return i.key, i.Checkout })
			if err != nil {
				break
			}
			for _, c := range found {
				if !yield(c, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(payments.Checkout{}, err)
		}
	}
}

// listCheckouts returns the keys of the newest checkouts.
func (s *View) listCheckouts(ctx context.Context, t identity.Tenant, shards int) ([]key, error) {
	var listed []key
	for found, err := range (sharded[listedCheckout]{
		query: func(shard int) *dynamo.Query {
			return s.table.get(listPartition, checkoutsList(t, shard)).Index(listIndex).Order(dynamo.Descending)
		},
		position: func(c listedCheckout) string { return c.Sort },
		newest:   true, shards: shards, first: maxListed, most: maxListed,
	}).walk(ctx) {
		if err != nil {
			return nil, err
		}
		listed = append(listed, found.key)
	}
	return listed, nil
}

// CheckoutsByReference lists the checkout with the reference, if any.
func (s *View) CheckoutsByReference(ctx context.Context, t identity.Tenant,
	reference string) ([]payments.Checkout, error) {
	owner, err := s.readReferenceOwner(ctx, t, reference)
	if err != nil || owner == "" {
		return nil, err
	}
	c, err := s.Checkout(ctx, t, owner)
	if err != nil || c.Reference != reference { // renamed since; the guard stays
		return nil, err
	}
	return []payments.Checkout{c}, nil
}

// SaveCheckout replaces a checkout, and nothing else.
func (s *Store) SaveCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	item := s.newCheckoutItem(t, c, c.Version+1)
	err := s.putCheckout(item).Run(ctx)
	return s.resolveCheckout(ctx, item, err)
}

// RenameCheckout saves a checkout under a new reference. The old reference stays taken: a guard is never deleted.
// Failure: Conflict DUPLICATED_CHECKOUT. Error: ErrStale.
func (s *Store) RenameCheckout(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error) {
	item := s.newCheckoutItem(t, c, c.Version+1)
	err := s.db.WriteTx().Put(s.putCheckout(item)).Put(s.putReferenceGuard(t, c)).Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		owner, readErr := s.readReferenceOwner(ctx, t, c.Reference)
		if readErr == nil && owner != "" && owner != c.ID {
			return payments.Checkout{}, errDuplicate
		}
	}
	return s.resolveCheckout(ctx, item, err)
}

// putCheckout returns the put of the checkout. The put requires that the stored version is the version before the
// item's.
func (s *Store) putCheckout(item checkoutItem) *dynamo.Put {
	return s.table.Put(item).If("version = ?", item.Version-1)
}

// resolveCheckout returns the checkout if the write was applied, even if the write returned an error.
func (s *Store) resolveCheckout(ctx context.Context, item checkoutItem, err error) (payments.Checkout, error) {
	if err = s.resolveWrite(ctx, item.key, written{item.WriteID, item.Version}, nil, err); err != nil {
		return payments.Checkout{}, err
	}
	return item.Checkout, nil
}

// Apply writes a checkout's change completely or not at all: the checkout, its transaction with the journal entry and
// the payables, the saved card, the payer's session and the callback. Error: ErrStale.
func (s *Store) Apply(ctx context.Context, t identity.Tenant,
	change payments.CheckoutChange) (payments.Checkout, error) {
	item := s.newCheckoutItem(t, change.Checkout, change.Checkout.Version+1)
	tx := s.db.WriteTx().Idempotent(true).Put(s.putCheckout(item))
	if change.Transaction != nil {
		tx.Put(s.putTransaction(t, *change.Transaction))
		s.putForeign(tx, t, *change.Transaction)
	}
	if change.Entry != nil {
		tx.Put(s.putEntry(t, *change.Entry))
	}
	for _, payable := range change.Payables {
		tx.Put(s.putNewPayable(t, payable))
	}
	if change.Instrument != nil {
		tx.Update(s.instrumentUpdate(t, *change.Instrument))
	}
	if change.Session != nil {
		tx.Put(s.putSession(t, *change.Session))
	}
	if change.Callback != nil {
		tx.Put(s.putCallback(t, *change.Callback))
	}
	return s.resolveCheckout(ctx, item, tx.Run(ctx))
}
