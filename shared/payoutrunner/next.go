package payoutrunner

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Next is when the tenant's period ends, if it is paid something then by its
// schedule; nil: it is not.
func (r *Runner) Next(ctx context.Context, t identity.Tenant) (*time.Time, error) {
	schedule, m, err := r.terms(ctx, t)
	if failure.Is(err, failure.KindNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	pays, err := r.pays(ctx, t, schedule, m, schedule.NextAt)
	if err != nil || !pays {
		return nil, err
	}
	return &schedule.NextAt, nil
}

// maxNextLooks bounds what is looked at of one shard for the next payout.
const maxNextLooks = 100

// NextOf is the earliest Next of the tenants that are meant; nil: there is
// none, or none was found before starting ended.
func (r *Runner) NextOf(ctx, starting context.Context, of func(identity.Tenant) bool) (*time.Time, error) {
	var next *time.Time
	for shard := range store.DueShards {
		at, err := r.nextOfShard(ctx, starting, shard, of)
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
func (r *Runner) nextOfShard(ctx, starting context.Context, shard int,
	of func(identity.Tenant) bool) (*time.Time, error) {
	looks := 0
	for due, err := range r.Store.DuePayouts(ctx, shard, endOfTime) {
		if err != nil {
			return nil, err
		}
		if looks++; looks > maxNextLooks || starting.Err() != nil {
			break
		}
		if !due.Schedule || !of(due.Tenant) {
			continue
		}
		if at, err := r.Next(ctx, due.Tenant); err != nil || at != nil {
			return at, err
		}
	}
	return nil, nil
}

// endOfTime is after every cut-off.
var endOfTime = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
