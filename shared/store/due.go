package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
)

// Due is something whose time has come: a checkout of a tenant, or a callback.
type Due struct {
	Tenant     account.Tenant
	CheckoutID string
	CallbackID string
}

// DueBy finds at most limit things per shard that were due by the time, the
// longest overdue first. The index lags, so what it names may have been
// looked after already.
func (s *Store) DueBy(ctx context.Context, at time.Time, limit int) ([]Due, error) {
	return s.dueIn(ctx, "DUE", time.Time{}, at, limit)
}

// DeadCallbacks finds callbacks given up between two times, at most limit per shard.
func (s *Store) DeadCallbacks(ctx context.Context, from, to time.Time, limit int) ([]Due, error) {
	return s.dueIn(ctx, "DEAD", from, to, limit)
}

func (s *Store) dueIn(ctx context.Context, queue string, from, to time.Time, limit int) ([]Due, error) {
	var found []Due
	for n := range dueShards {
		var keys []key
		err := s.table.Get(duePartition, fmt.Sprintf("%s#%d", queue, n)).
			Range(dueSort, dynamo.Between, dueBound(from), micros(to)+"#~").
			Index(dueIndex).Limit(limit).All(ctx, &keys)
		if err != nil {
			return found, err
		}
		for _, k := range keys {
			if d, ok := k.due(); ok {
				found = append(found, d)
			}
		}
	}
	return found, nil
}

// dueBound is the lowest sort key at the time; the zero time is before all.
func dueBound(at time.Time) string {
	if at.IsZero() {
		return "0"
	}
	return micros(at)
}

// due reads what the key names.
func (k key) due() (Due, bool) {
	if id, ok := strings.CutPrefix(k.PK, "CALLBACK#"); ok {
		return Due{CallbackID: id}, true
	}
	parts := strings.SplitN(k.PK, "#", 4)
	if len(parts) != 4 || parts[2] != "CHECKOUT" {
		return Due{}, false
	}
	return Due{Tenant: account.Tenant{Mode: account.Mode(parts[0]), Merchant: parts[1]}, CheckoutID: parts[3]}, true
}
