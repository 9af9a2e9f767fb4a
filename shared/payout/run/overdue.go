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

// Walk is what to handle of one shard of what is due.
type Walk struct {
	Shard int
	After string                     // the entries after this store.Due.Position; "": from the longest overdue on
	By    time.Time                  // those due by then
	Of    func(identity.Tenant) bool // those of the tenants that it accepts; nil: of all
	// Lease is how long a walk that shall be the shard's only one can take; 0: others may harmlessly do the same.
	Lease time.Duration
}

const (
	// concurrency is how many tenants one walk handles at a time. To open a payout takes about 55 ms and 6 write units
	// of the shard's partition of the due index: 430 of its 1,000 a second (AWS). Payouts need some too.
	concurrency = 4
	// few is how many entries a walk handles without its lease, which costs more than to look at them twice.
	few = 10
	// PlanTime bounds the opening of one payout, so that slow ones (throttled partitions) do not use up each walk.
	PlanTime = 10 * time.Second
)

// WalkDue walks one shard of what is due, several tenants at a time, and calls run, several times at once, for each
// payout that it opens, or that was cut off or has to be polled. It starts no further one once starting ends; then rest
// is the walk that goes on, else nil. By stays the same, so the rest has nothing that a walk has opened or polled. An
// error of one tenant is logged and does not hold up the others.
func (r *Runner) WalkDue(ctx, starting context.Context, w Walk, run func(Planned) error) (rest *Walk, err error) {
	var failures failures
	var work sync.WaitGroup
	var oldest store.Oldest
	slots := make(chan struct{}, concurrency)
	lease := lease{store: r.Store, shard: w.Shard, holder: uuid.NewString(), lasts: w.Lease}
	for due, err := range r.Store.DuePayouts(starting, w.Shard, w.After, w.By) {
		slots <- struct{}{} // before the time is looked at: it may take a while
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
				failures.add(r.begin(ctx, due, run))
			}
		})
	}
	work.Wait()
	r.measure(ctx, &oldest)
	failures.add(lease.end(ctx))
	return rest, errors.Join(failures.all...)
}

// measure writes how late the walk was, of each mode of which anything was due.
func (r *Runner) measure(ctx context.Context, oldest *store.Oldest) {
	now := r.Store.Now()
	for _, mode := range identity.Modes {
		if age := oldest.Age(mode, now); age > 0 {
			r.Metrics.Write(ctx, now, mode.Name(), metric.OldestPayoutAge.Took(age))
		}
	}
}

// lease makes a walk the only one of its shard, once it is worth its cost.
type lease struct {
	store  *store.Store
	shard  int
	holder string
	lasts  time.Duration

	entries int
	taken   bool
}

// take is asked before each entry; false: another walk handles the rest.
func (l *lease) take(ctx context.Context) (alone bool, err error) {
	if l.entries++; l.entries != few+1 || l.lasts == 0 {
		return true, nil
	}
	l.taken, err = l.store.LeasePayouts(ctx, l.shard, l.holder, l.lasts)
	return l.taken, err
}

func (l *lease) end(ctx context.Context) error {
	if !l.taken {
		return nil
	}
	return l.store.ReleasePayouts(ctx, l.shard, l.holder)
}

// begin opens a tenant's payout, or resumes one, and has it run.
func (r *Runner) begin(ctx context.Context, due store.Due, run func(Planned) error) (err error) {
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
