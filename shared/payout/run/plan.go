package run

import (
	"context"
	"reflect"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Planned identifies a payout that is to be run.
type Planned struct {
	Tenant identity.Tenant `json:"tenant"`
	ID     string          `json:"payout"`
}

// Plan opens the payout of a tenant whose cut-off has come, and moves the schedule on. It returns false if nothing is
// payable or no account is verified; the next payout then collects the payables. One payout makes up for all missed
// cut-offs. A repeated call opens no second payout.
func (r *Runner) Plan(ctx context.Context, t identity.Tenant) (Planned, bool, error) {
	var opened bool
	planned, err := store.Retry(func(bool) (planned Planned, err error) {
		planned, opened, err = r.planOnce(ctx, t)
		return planned, err
	})
	return planned, opened && err == nil, err
}

func (r *Runner) planOnce(ctx context.Context, t identity.Tenant) (Planned, bool, error) {
	schedule, m, err := r.readSettings(ctx, t)
	now := r.Store.Now()
	if err != nil || now.Before(schedule.NextAt) {
		return Planned{}, false, err
	}
	calendar := m.Calendar(t.Mode)
	cutoff := calendar.LastCutoff(now)
	due, err := r.checkWillPay(ctx, t, schedule, m, cutoff.At)
	if err != nil {
		return Planned{}, false, err
	}
	var opened *payout.Payout
	planned := Planned{Tenant: t, ID: payout.ID(t.String(), m.Currency, cutoff.Day, payout.Regular)}
	if due {
		opened = newPayout(m, planned.ID, cutoff.Day, cutoff.At, now)
	}
	schedule.NextAt = calendar.NextCutoff(now).At
	err = r.Store.OpenPayout(ctx, t, schedule, opened)
	if failure.Is(err, failure.KindConflict) { // this period was paid before the settings changed
		due, err = false, r.Store.OpenPayout(ctx, t, schedule, nil)
	}
	return planned, due && err == nil, err
}

// newPayout returns a payout of the shards that the merchant had after the cut-off. The number of shards only grows, so
// these shards have all earlier checkouts. Payables of newer shards, or from a clock that is behind, wait for the next
// payout.
func newPayout(m merchant.Merchant, id, day string, cutoff, now time.Time) *payout.Payout {
	p := payout.New(id, m.Currency, day, cutoff, now)
	p.Shards = m.Shards
	return &p
}

// checkWillPay returns true if the tenant's schedule opens a payout at the cut-off.
func (r *Runner) checkWillPay(ctx context.Context, t identity.Tenant, schedule merchant.PayoutSchedule,
	m merchant.Merchant, at time.Time) (bool, error) {
	if m.Settings.Of(t.Mode).OnDemand || !schedule.CanPay() {
		return false, nil
	}
	return r.Store.HasPayables(ctx, t, m.ShardCount(), m.Currency, at)
}

// readSettings reads a tenant's payout schedule, and then its merchant, whose settings the schedule follows. A change
// of the settings also writes the schedule. So a write over this version of the schedule fails if the two do not belong
// together.
func (r *Runner) readSettings(ctx context.Context, t identity.Tenant) (merchant.PayoutSchedule, merchant.Merchant,
	error) {
	schedule, err := r.Store.PayoutSchedule(ctx, t)
	if err != nil {
		return schedule, merchant.Merchant{}, err
	}
	m, err := r.Store.Merchant(ctx, t.Merchant)
	return schedule, m, err
}

// OpenOnDemand opens a payout of all payables that are eligible now (contract §6.7). A repeated operation gets the same
// payout, even on another day. OpenOnDemand returns false if nothing is payable. Failure: NotFound without a bank
// account.
func (r *Runner) OpenOnDemand(ctx context.Context, t identity.Tenant, operation string) (Planned, bool, error) {
	_, m, err := r.readSettings(ctx, t)
	if err != nil {
		return Planned{}, false, err
	}
	planned := Planned{Tenant: t, ID: payout.ID(t.String(), m.Currency, "", payout.OnDemand(operation))}
	if _, err = r.Store.Payout(ctx, t, planned.ID); !failure.Is(err, failure.KindNotFound) {
		return planned, err == nil, err
	}
	now := r.Store.Now()
	day := now.In(m.Location()).Format(time.DateOnly)
	waits, err := r.Store.HasPayables(ctx, t, m.ShardCount(), m.Currency, now)
	if err != nil || !waits {
		return planned, false, err
	}
	return planned, true, r.Store.CreatePayout(ctx, t, *newPayout(m, planned.ID, day, now, now))
}

// ChangeMerchant changes a merchant, and the accounts and times of its payouts, in one transaction. If a cut-off has
// come before the payout settings change, ChangeMerchant first plans the payout by the old settings, so that the change
// does not delay the payout. The next cut-off follows the new settings. A change without effect writes nothing.
// ChangeMerchant writes a mode's schedule only if that mode's payouts change, so test mode cannot get in the way of
// live payouts. It returns the errors of change; failure: NotFound.
func (r *Runner) ChangeMerchant(ctx context.Context, by audit.By, code string,
	change func(merchant.State) (merchant.State,
		error)) (merchant.State, error) {
	return r.changeState(ctx, by, func() (merchant.State, error) { return r.Store.MerchantState(ctx, code) }, change)
}

// changeState makes the change of ChangeMerchant. The function read returns the state to change.
func (r *Runner) changeState(ctx context.Context, by audit.By, read func() (merchant.State, error),
	change func(merchant.State) (merchant.State, error)) (merchant.State, error) {
	return store.Retry(func(bool) (merchant.State, error) {
		before, err := read()
		if err != nil {
			return before, err
		}
		code := before.Merchant.Code
		now := r.Store.Now() // read only once: a cut-off between two readings would be neither planned nor next
		after, err := change(before)
		if err != nil {
			return before, err
		}
		changed := after.PayoutsChanged(before)
		for _, mode := range changed {
			if before.Overdue(mode, now) {
				if _, _, err = r.Plan(ctx, identity.Tenant{Mode: mode, Merchant: code}); err == nil {
					err = store.ErrStale // the schedule has moved on
				}
				return before, err
			}
			after = after.Rescheduled(mode, now)
		}
		if reflect.DeepEqual(after, before) {
			return before, nil
		}
		return r.save(ctx, by, before, after, changed)
	})
}

// save writes the merchant, the schedules of the modes whose payouts changed, and the bank accounts if they were read.
func (r *Runner) save(ctx context.Context, by audit.By, before, state merchant.State,
	changed []identity.Mode) (merchant.State,
	error) {
	was := merchant.State{Merchant: before.Merchant, Accounts: before.Accounts}
	saving := merchant.State{Merchant: state.Merchant, Accounts: state.Accounts}
	for _, mode := range changed {
		was.Schedules = was.Schedules.With(mode, before.Schedules.Of(mode))
		saving.Schedules = saving.Schedules.With(mode, state.Schedules.Of(mode))
	}
	saved, err := r.Store.SaveMerchantState(ctx, by, was, saving)
	state.Merchant, state.Accounts = saved.Merchant, saved.Accounts
	for _, mode := range changed {
		state.Schedules = state.Schedules.With(mode, saved.Schedules.Of(mode))
	}
	return state, err
}

// Next returns the tenant's next cut-off, or nil if its schedule will not open a payout then.
func (r *Runner) Next(ctx context.Context, t identity.Tenant) (*time.Time, error) {
	schedule, m, err := r.readSettings(ctx, t)
	if failure.Is(err, failure.KindNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	will, err := r.checkWillPay(ctx, t, schedule, m, schedule.NextAt)
	if err != nil || !will {
		return nil, err
	}
	return &schedule.NextAt, nil
}

// maxSchedulesRead bounds the schedules that are read from one shard to find the next payout.
const maxSchedulesRead = 100

// NextOf returns the earliest Next of the tenants that the function of accepts. It returns nil if it found none before
// the context starting ended.
func (r *Runner) NextOf(ctx, starting context.Context, of func(identity.Tenant) bool) (*time.Time, error) {
	var next *time.Time
	for shard := range r.Store.DueShards() {
		at, err := r.findNextInShard(ctx, starting, shard, of)
		if err != nil {
			return nil, err
		}
		if at != nil && (next == nil || at.Before(*next)) {
			next = at
		}
	}
	return next, nil
}

// findNextInShard walks a shard's schedules in the order of their cut-offs. It reads each schedule again, because the
// index lags behind.
func (r *Runner) findNextInShard(ctx, starting context.Context, shard int,
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

// endOfTime is later than every cut-off.
var endOfTime = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
