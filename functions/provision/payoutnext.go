package provision

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// maxNextLooks bounds what is looked at of one shard for the next payout.
const maxNextLooks = 100

// nextPayout is when the first period ends in which something waits to be paid
// out by schedule; nil: nothing does.
func (o operator) nextPayout(ctx context.Context, s payoutScope) (*time.Time, error) {
	if s.tenant != nil {
		at, waits, err := o.endsWithSomething(ctx, *s.tenant)
		if err != nil || !waits {
			return nil, err
		}
		return &at, nil
	}
	var next *time.Time
	for shard := range store.DueShards {
		at, err := o.nextOfShard(ctx, s, shard)
		if err != nil {
			return nil, err
		}
		if at != nil && (next == nil || at.Before(*next)) {
			next = at
		}
	}
	return next, nil
}

// nextOfShard walks a shard's schedules in the order of their cut-offs. The
// index lags: one that has moved on since is found by where it stands now.
func (o operator) nextOfShard(ctx context.Context, s payoutScope, shard int) (*time.Time, error) {
	looks := 0
	for due, err := range o.Store.DuePayouts(ctx, shard, endOfTime) {
		if err != nil {
			return nil, err
		}
		if looks++; looks > maxNextLooks || almostOver(ctx) {
			break
		}
		if !due.Schedule || !s.includes(due.Tenant) {
			continue
		}
		at, waits, err := o.endsWithSomething(ctx, due.Tenant)
		if err != nil || waits {
			return &at, err
		}
	}
	return nil, nil
}

// endsWithSomething is when the tenant's period ends, and whether it will be
// paid something then.
func (o operator) endsWithSomething(ctx context.Context, t identity.Tenant) (time.Time, bool, error) {
	schedule, err := o.Store.PayoutSchedule(ctx, t)
	if failure.Is(err, failure.NotFound) {
		return time.Time{}, false, nil
	}
	if err != nil || !schedule.To.Payable() {
		return time.Time{}, false, err
	}
	m, err := o.Store.Merchant(ctx, t.Merchant)
	if err != nil || m.Payouts.Of(t.Mode).OnDemand {
		return time.Time{}, false, err
	}
	waits, err := o.Store.HasUnpaid(ctx, t, m.Currency, schedule.NextAt)
	return schedule.NextAt, waits, err
}

// endOfTime is after every cut-off.
var endOfTime = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
