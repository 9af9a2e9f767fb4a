package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// A merchant gets more shards when DynamoDB throttles its writes. The throttled process notes the shard (throttle.go).
// The sweep doubles the merchant's shards only if the shard was busy. When the whole table is throttled, small
// merchants are throttled too, and more shards would only slow them down.

// growthItem notes that a tenant's shard was throttled. It is due until the sweep has seen it.
type growthItem struct {
	key
	due
	Shard int       `dynamo:"shard"`
	At    time.Time `dynamo:"throttled_at"`
	TTL   time.Time `dynamo:"expires_at,unixtime"`
}

// keepGrowth is the time for which a note is kept after the sweep, to show why a merchant grew.
const keepGrowth = 7 * 24 * time.Hour

// noteThrottled notes the shard for the sweep. A later note replaces the note.
func (s *Store) noteThrottled(ctx context.Context, t identity.Tenant, shard int) error {
	now := s.now()
	item := growthItem{key: growthKey(t), Shard: shard, At: now, TTL: now.Add(keepGrowth)}
	item.due = s.shards.dueAt(now, item.key)
	return s.table.Put(item).Run(ctx)
}

// GrowShards doubles the shards of the tenant's merchant if a busy shard was throttled, unless they have grown since.
// It returns the merchant, and true if the shards grew. Repeating the call is safe, also after an interruption.
// Failure: NotFound. Error: audit.ErrNobody.
func (s *Store) GrowShards(ctx context.Context, by audit.By, t identity.Tenant) (merchant.Merchant, bool, error) {
	if err := by.Check(); err != nil {
		return merchant.Merchant{}, false, err
	}
	note, err := readOne[growthItem](ctx, s.View, growthKey(t), nil)
	if err != nil || note.Partition == "" { // the index lags
		return merchant.Merchant{}, false, err
	}
	busy, err := s.checkBusy(ctx, t, note.Shard, note.At)
	if err != nil {
		return merchant.Merchant{}, false, err
	}
	var m merchant.Merchant
	grown := false
	if busy {
		if m, grown, err = s.grow(ctx, by, t.Merchant, note.At); err != nil {
			return m, false, err
		}
	}
	return m, grown, s.settleNote(ctx, note)
}

// grow writes the merchant with more shards. Of several concurrent calls only one writes; the others return false.
func (s *Store) grow(ctx context.Context, by audit.By, code string, throttled time.Time) (merchant.Merchant, bool,
	error) {
	grown := false
	m, err := Retry(func(bool) (merchant.Merchant, error) {
		m, err := s.Merchant(ctx, code)
		if err != nil {
			return m, err
		}
		before := m
		if m, grown = m.Grow(throttled, s.now()); !grown {
			return m, nil
		}
		return s.SaveMerchant(ctx, by, before, m)
	})
	return m, grown && err == nil, err
}

// settleNote takes the note out of the due index, unless there is a later note.
func (s *Store) settleNote(ctx context.Context, note growthItem) error {
	at := note.At
	note.due = due{}
	return ifRefused(s.table.Put(note).If("throttled_at = ?", at).Run(ctx), nil)
}

// A shard is busy with 20 new checkouts, or 20 payments, refunds and chargebacks, a second. A shard can take 500 a
// second. A payment in twelve instalments writes twelve payables, so some 40 such payments already fill the shard.
const (
	busyFor     = 10 * time.Second
	DefaultBusy = 200
)

// checkBusy returns true if the shard took many new entries just before the time. It costs at most two queries of
// busyAt index entries each, and is called only for a throttled shard.
func (s *View) checkBusy(ctx context.Context, t identity.Tenant, shard int, until time.Time) (bool, error) {
	from, to := micros(until.Add(-busyFor)), micros(until)+afterTime
	for _, recent := range []*dynamo.Query{
		s.table.get(listPartition, checkoutsList(t, shard)).Range(listSort, dynamo.Between, from, to).Index(listIndex),
		s.table.get(historyPartition, historyList(t, shard)).Range(historySort, dynamo.Between, from,
			to).Index(historyIndex),
	} {
		n, err := recent.SearchLimit(s.busyAt).Count(ctx)
		if err != nil || n >= s.busyAt {
			return err == nil, err
		}
	}
	return false, nil
}
