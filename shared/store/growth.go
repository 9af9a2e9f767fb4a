package store

import (
	"context"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// Merchants grow by what DynamoDB throttles. A throttled process notes the shard (throttle.go). The sweep doubles the
// merchant's shards if the shard really takes much: a table that is throttled as a whole throttles small merchants too,
// whom more shards would only slow down.

// growthItem notes that a tenant's shard was throttled. It is due until the sweep has seen it.
type growthItem struct {
	key
	due
	Shard int       `dynamo:"shard"`
	At    time.Time `dynamo:"throttled_at"`
	TTL   time.Time `dynamo:"expires_at,unixtime"`
}

// keepGrowth is how long a note is kept after the sweep, to see why a merchant grew.
const keepGrowth = 7 * 24 * time.Hour

// noteThrottled has sweep look at the shard. A later note replaces it.
func (s *Store) noteThrottled(ctx context.Context, t identity.Tenant, shard int) error {
	now := s.now()
	item := growthItem{key: growthKey(t), Shard: shard, At: now, TTL: now.Add(keepGrowth)}
	item.due = s.shards.dueAt(now, item.key)
	return s.table.Put(item).Run(ctx)
}

// GrowShards doubles the shards of the tenant's merchant if a busy shard was throttled, unless they have grown since.
// It returns the merchant, and whether it has grown. It may be repeated, also after an interruption. Failure: NotFound.
// Error: audit.ErrNobody.
func (s *Store) GrowShards(ctx context.Context, by audit.By, t identity.Tenant) (merchant.Merchant, bool, error) {
	if err := by.Check(); err != nil {
		return merchant.Merchant{}, false, err
	}
	note, err := readOne[growthItem](ctx, s.View, growthKey(t), nil)
	if err != nil || note.Partition == "" { // the index lags
		return merchant.Merchant{}, false, err
	}
	busy, err := s.isBusy(ctx, t, note.Shard, note.At)
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

// grow writes the merchant with more shards; only one of several writers does.
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

// settleNote takes the note out of the due index, unless there is a later one.
func (s *Store) settleNote(ctx context.Context, note growthItem) error {
	at := note.At
	note.due = due{}
	return ifRefused(s.table.Put(note).If("throttled_at = ?", at).Run(ctx), nil)
}

// A shard is busy with 20 new checkouts, or 20 payments, refunds and chargebacks, a second. It takes 500; a payment in
// twelve instalments writes twelve payables, so some 40 of them are enough.
const (
	busyFor     = 10 * time.Second
	DefaultBusy = 200
)

// isBusy reports whether the shard took much until the time. It costs at most what
// two queries of as many index entries do, and only a shard that was throttled.
func (s *View) isBusy(ctx context.Context, t identity.Tenant, shard int, until time.Time) (bool, error) {
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
