package store

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// callbackItem is an outbox entry: due until it is delivered, then kept a
// while so that it can be replayed.
type callbackItem struct {
	key
	due
	identity.Tenant
	payments.Callback
	TTL time.Time `dynamo:"expires_at,unixtime,omitempty"`
}

// How long finished callbacks can be replayed.
const (
	keepDelivered = 31 * 24 * time.Hour
	keepDead      = 90 * 24 * time.Hour
)

func (s *Store) newCallbackItem(t identity.Tenant, c payments.Callback) callbackItem {
	item := callbackItem{key: callbackKey(c.ID), Tenant: t, Callback: c}
	switch c.State {
	case payments.CallbackOwed:
		item.due = dueAt(c.SweepAt(), item.key)
	case payments.CallbackDead:
		item.due = deadAt(c.NextAt, item.key)
		item.TTL = s.now().Add(keepDead)
	default:
		item.TTL = s.now().Add(keepDelivered)
	}
	return item
}

// putCallback owes a new callback.
func (s *Store) putCallback(t identity.Tenant, c payments.Callback) *dynamo.Put {
	return s.table.Put(s.newCallbackItem(t, c)).If("attribute_not_exists(pk)")
}

// Callback reads one callback and whose it is. Failure: NotFound.
func (s *Reader) Callback(ctx context.Context, id string) (identity.Tenant, payments.Callback, error) {
	var item callbackItem
	err := s.get(callbackKey(id)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return identity.Tenant{}, payments.Callback{}, failure.NotFound("There is no such callback.")
	}
	return item.Tenant, item.Callback, err
}

// SaveCallback records what became of one try. Of two tries that overlapped
// the first to finish counts; ErrStale tells the other.
func (s *Store) SaveCallback(ctx context.Context, t identity.Tenant, c payments.Callback, triesBefore int) error {
	err := s.table.Put(s.newCallbackItem(t, c)).If("tries = ? AND 'state' = ?", triesBefore,
		payments.CallbackOwed).Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return ErrStale
	}
	return err
}

// ReplayCallback owes a finished callback anew.
func (s *Store) ReplayCallback(ctx context.Context, t identity.Tenant, c payments.Callback) error {
	return s.table.Put(s.newCallbackItem(t, c)).If("attribute_exists(pk)").Run(ctx)
}
