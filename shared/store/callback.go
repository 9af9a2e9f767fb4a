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

// callbackItem is an entry of the outbox: due until it is delivered, then kept
// so that it can be replayed.
type callbackItem struct {
	key
	due
	identity.Tenant
	payments.Callback
	TTL time.Time `dynamo:"expires_at,unixtime,omitempty"`
}

// How long callbacks that are no longer due are kept for a replay.
const (
	keepDelivered = 31 * 24 * time.Hour
	keepDead      = 90 * 24 * time.Hour
)

func (s *Store) newCallbackItem(t identity.Tenant, c payments.Callback) callbackItem {
	item := callbackItem{key: callbackKey(c.ID), Tenant: t, Callback: c}
	switch c.State {
	case outbox.Pending:
		item.due = s.shards.dueAt(c.SweepAt(), item.key)
	case outbox.Dead:
		item.due = s.shards.deadAt(c.NextAt, item.key)
		item.TTL = s.now().Add(keepDead)
	default:
		item.TTL = s.now().Add(keepDelivered)
	}
	return item
}

// putCallback adds a callback to the outbox.
func (s *Store) putCallback(t identity.Tenant, c payments.Callback) *dynamo.Put {
	return s.table.Put(s.newCallbackItem(t, c)).If("attribute_not_exists(pk)")
}

// Callback reads one callback and its tenant. Failure: NotFound.
func (s *View) Callback(ctx context.Context, id string) (identity.Tenant, payments.Callback, error) {
	item, err := readOne[callbackItem](ctx, s, callbackKey(id), failure.NotFound("There is no such callback."))
	return item.Tenant, item.Callback, err
}

// SaveCallback records the result of one try. Of two tries that overlapped the
// first result is recorded; the other gets ErrStale.
func (s *Store) SaveCallback(ctx context.Context, t identity.Tenant, c payments.Callback, triesBefore int) error {
	err := s.table.Put(s.newCallbackItem(t, c)).If("tries = ? AND 'state' = ?", triesBefore,
		outbox.Pending).Run(ctx)
	return ifRefused(err, ErrStale)
}

// ReplayCallback makes a finished callback due again.
func (s *Store) ReplayCallback(ctx context.Context, t identity.Tenant, c payments.Callback) error {
	return s.table.Put(s.newCallbackItem(t, c)).If("attribute_exists(pk)").Run(ctx)
}
