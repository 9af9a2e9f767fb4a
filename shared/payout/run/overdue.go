package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Walk selects the due entries of a shard.
type Walk struct {
	Shard int
	After string                     // entries after this store.Due.Position; "": from the longest overdue on
	By    time.Time                  // entries due by then
	Of    func(identity.Tenant) bool // entries of tenants that it accepts; nil: of all
	// Lease bounds the time of a walk that must be the shard's only one; 0: others may harmlessly do the same.
	Lease time.Duration
}

const (
	// concurrency is the number of tenants that a walk handles at a time. Opening a payout takes about 55 ms and 6 write
	// units of the shard's partition of the due index: 430 of its 1,000 a second (AWS). Payouts need some too.
	concurrency = 4
	// entriesWithoutLease is the number of entries that a walk handles without its lease, which costs more than to look
	// at them twice.
	entriesWithoutLease = 10
	// PlanTime bounds the opening of one payout, so that slow ones (throttled partitions) do not use up each walk.
	PlanTime = 10 * time.Second
)

// WalkDue walks the due entries of one shard, several tenants at a time. It calls run, several times at once, for each
// payout that it opens, or that was cut off or has to be polled. Once starting ends, it starts no further entry, and
// rest is the walk that remains; else rest is nil. By stays the same, so the rest has no entry that a walk has opened
// or polled. An error of one tenant is logged and does not hold up the others.
func (r *Runner) WalkDue(ctx, starting context.Context, w Walk, run func(Planned) error) (rest *Walk, err error) {
	var failures failures
	var work sync.WaitGroup
	var oldest store.Oldest
	slots := make(chan struct{}, concurrency)
	lease := lease{store: r.Store, shard: w.Shard, holder: uuid.NewString(), lasts: w.Lease}
	for due, err := range r.Store.DuePayouts(starting, w.Shard, w.After, w.By) {
		slots <- struct{}{} // before the check of the time: it may take a while
		if starting.Err() != nil {
			rest = &w
			failures.add(ctx.Err())
			break
		}
		alone, refused := lease.take(ctx)
		if failures.add(errors.Join(err, refused)) || !alone {
			break
		}
		w.After = due.Position
		work.Go(func() {
			defer func() { <-slots }()
			if w.Of == nil || w.Of(due.Tenant) {
				oldest.Note(due)
				failures.add(r.startPayout(ctx, due, run))
			}
		})
	}
	work.Wait()
	r.measureAge(ctx, &oldest)
	failures.add(lease.release(ctx))
	return rest, errors.Join(failures.all...)
}

// measureAge writes the age of the oldest due entry, for each mode that has one.
func (r *Runner) measureAge(ctx context.Context, oldest *store.Oldest) {
	now := r.Store.Now()
	for _, mode := range identity.Modes {
		if age := oldest.Age(mode, now); age > 0 {
			r.Metrics.Write(ctx, now, mode.Name(), metric.OldestPayoutAge.Took(age))
		}
	}
}

// lease makes a walk the only one of its shard, once that is worth its cost. The lease saves the work that doubled
// messages and later ticks would repeat; walks are correct without it.
type lease struct {
	store  *store.Store
	shard  int
	holder string
	lasts  time.Duration

	entries int
	taken   bool
}

// take counts an entry, and takes the lease after the first few. It returns false if another walk handles the rest.
func (l *lease) take(ctx context.Context) (alone bool, err error) {
	if l.entries++; l.entries != entriesWithoutLease+1 || l.lasts == 0 {
		return true, nil
	}
	l.taken, err = l.store.LeasePayouts(ctx, l.shard, l.holder, l.lasts)
	return l.taken, err
}

func (l *lease) release(ctx context.Context) error {
	if !l.taken {
		return nil
	}
	return l.store.ReleasePayouts(ctx, l.shard, l.holder)
}

// startPayout opens or resumes a tenant's payout, and has it run.
func (r *Runner) startPayout(ctx context.Context, due store.Due, run func(Planned) error) (err error) {
	planned, ok := Planned{Tenant: due.Tenant, ID: due.PayoutID}, true
	defer func() {
		if err != nil {
			r.Log.ErrorContext(ctx, "payout not opened", "tenant", due.Tenant.String(), "payout", planned.ID, "error", err)
		}
	}()
	defer failure.Recover(&err)
	if due.Schedule {
		planning, cancel := context.WithTimeout(ctx, PlanTime)
		defer cancel()
		planned, ok, err = r.Plan(planning, due.Tenant)
	}
	if err == nil && ok {
		err = run(planned)
	}
	return err
}

type failures struct {
	mu  sync.Mutex
	all []error
}

func (f *failures) add(err error) bool {
	if err == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, err)
	return true
}
