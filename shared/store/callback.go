package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type callbackItem struct {
	identity.Tenant
	payments.Callback
}

// Callbacks and mails that are no longer due are kept this long for a replay.
const (
	keepDelivered = 31 * 24 * time.Hour
	keepDead      = 90 * 24 * time.Hour
)

func (s *Store) newCallbackItem(t identity.Tenant, c payments.Callback) storedItem {
	item := storedItem{key: callbackKey(c.ID), value: callbackItem{t, c}}
	return s.outboxItem(item, c.Entry)
}

// outboxItem returns the item of an outbox entry. The item is due while the entry waits to be sent. After that it is
// kept for a replay.
func (s *Store) outboxItem(item storedItem, e outbox.Entry) storedItem {
	switch {
	case e.Waits():
		item.due = s.shards.dueAt(e.SweepAt(), item.key)
	case e.State == outbox.Dead:
		item.due = s.shards.deadAt(e.NextAt, item.key)
		item.TTL = s.now().Add(keepDead)
	default:
		item.TTL = s.now().Add(keepDelivered)
	}
	return item
}

func (s *Store) putCallback(t identity.Tenant, c payments.Callback) *dynamo.Put {
	return s.table.Put(s.newCallbackItem(t, c)).If("attribute_not_exists(pk)")
}

// Callback reads one callback and its tenant. Failure: NotFound.
func (s *View) Callback(ctx context.Context, id string) (identity.Tenant, payments.Callback, error) {
	item, err := readOne[callbackItem](ctx, s, callbackKey(id), failure.NotFound("There is no such callback."))
	return item.Tenant, item.Callback, err
}

// SaveCallback records the result of one try. Of two overlapping tries the first is recorded; the other gets ErrStale.
func (s *Store) SaveCallback(ctx context.Context, t identity.Tenant, c payments.Callback, triesBefore int) error {
	err := s.table.Put(s.newCallbackItem(t, c)).If("tries = ? AND 'state' = ?", triesBefore,
		outbox.Pending).Run(ctx)
	return ifRefused(err, ErrStale)
}

// ReplayCallback makes a finished callback due again.
func (s *Store) ReplayCallback(ctx context.Context, t identity.Tenant, c payments.Callback) error {
	return s.table.Put(s.newCallbackItem(t, c)).If("attribute_exists(pk)").Run(ctx)
}
