package run

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// Next is the tenant's next cut-off, if its schedule will open a payout then;
// nil: it will not.
func (r *Runner) Next(ctx context.Context, t identity.Tenant) (*time.Time, error) {
	schedule, m, err := r.settings(ctx, t)
	if failure.Is(err, failure.KindNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	will, err := r.willPay(ctx, t, schedule, m, schedule.NextAt)
	if err != nil || !will {
		return nil, err
	}
	return &schedule.NextAt, nil
}

// maxSchedulesRead is how many entries of one shard are read to find the next
// payout.
const maxSchedulesRead = 100

// NextOf is the earliest Next of the tenants that of accepts; nil: there is none,
// or none was found before starting ended.
func (r *Runner) NextOf(ctx, starting context.Context, of func(identity.Tenant) bool) (*time.Time, error) {
	var next *time.Time
	for shard := range r.Store.DueShards() {
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

// nextOfShard walks a shard's schedules in the order of their cut-offs. The index
// lags, so each schedule is read itself.
func (r *Runner) nextOfShard(ctx, starting context.Context, shard int,
	of func(identity.Tenant) bool) (*time.Time, error) {
	read := 0
	for due, err := range r.Store.DuePayouts(ctx, shard, "", endOfTime) {
		if err != nil {
			return nil, err
		}
		if read++; read > maxSchedulesRead || starting.Err() != nil {
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
