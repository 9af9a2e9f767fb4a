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
	After string                     // entries after this store.Due.Position; "" starts with the longest overdue
	By    time.Time                  // entries that are due by this time
	Of    func(identity.Tenant) bool // returns true for tenants whose entries are walked; nil: all tenants
	// Lease bounds the time of a walk that must be its shard's only walk. With 0 there is no lease: other walks may do the
	// same work without harm.
	Lease time.Duration
}

const (
	// concurrency is the number of tenants that a walk handles at a time. Opening a payout takes about 55 ms and 6 write
	// units of the shard's partition of the due index. So a walk uses about 430 of the partition's 1,000 units a second
	// (AWS). Running the payouts needs some of the rest.
	concurrency = 4
	// entriesWithoutLease is the number of entries that a walk handles before it takes the lease. The lease costs more
	// than handling these few entries twice.
	entriesWithoutLease = 10
	// PlanTime bounds the opening of one payout. Otherwise slow payouts (throttled partitions) would use up the time of
	// each walk.
	PlanTime = 10 * time.Second
)

// WalkDue walks the due entries of one shard, several tenants at a time. It calls run for each payout that it opens,
// that was interrupted or that has to be polled; several calls run at once. When the context starting ends, WalkDue
// starts no further entry and returns the remaining walk as rest; otherwise rest is nil. An entry that was opened or
// polled becomes due again only after By. The rest has the same By, so it contains no such entry. If one tenant fails,
// WalkDue logs the error and continues with the others.
func (r *Runner) WalkDue(ctx, starting context.Context, w Walk, run func(Planned) error) (rest *Walk, err error) {
	var failures failures
	var work sync.WaitGroup
	var oldest store.Oldest
	slots := make(chan struct{}, concurrency)
	lease := lease{store: r.Store, shard: w.Shard, holder: uuid.NewString(), lasts: w.Lease}
	for due, err := range r.Store.DuePayouts(starting, w.Shard, w.After, w.By) {
		slots <- struct{}{} // waiting for a slot may take a while, so the time is checked afterwards
		if starting.Err() != nil {
			rest = &w
			failures.add(ctx.Err())
			break
		}
		alone, refused := lease.countEntry(ctx)
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

// measureAge writes a metric of the age of the oldest due entry, for each mode that has due entries.
func (r *Runner) measureAge(ctx context.Context, oldest *store.Oldest) {
	now := r.Store.Now()
	for _, mode := range identity.Modes {
		if age := oldest.Age(mode, now); age > 0 {
			r.Metrics.Write(ctx, now, mode.Name(), metric.OldestPayoutAge.Took(age))
		}
	}
}

// lease makes a walk the only walk of its shard, as soon as the walk has enough entries. The lease avoids work that
// repeated messages and later ticks would do again. Walks are correct without it.
type lease struct {
	store  *store.Store
	shard  int
	holder string
	lasts  time.Duration

	entries int
	taken   bool
}

// countEntry counts an entry. After the first few entries it takes the lease. It returns false if another walk has the
// lease and handles the rest.
func (l *lease) countEntry(ctx context.Context) (alone bool, err error) {
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

// startPayout opens a tenant's payout, or takes the payout that is to continue, and calls run with it.
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
