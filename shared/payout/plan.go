package payout

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Planned is a payout that is to be run.
type Planned struct {
	Tenant identity.Tenant `json:"tenant"`
	ID     string          `json:"payout"`
}

// regular names the payouts of a schedule; those on demand are named by their
// operation, behind onDemand.
const (
	regular  = "regular"
	onDemand = "on demand "
)

// Plan opens the payout of a tenant whose cut-off has come, and moves the
// schedule to the next. It answers false when there is nothing to pay, or
// nobody to pay it to: what waits then goes into the next. Ticks that were
// missed are made up for by one payout, and doubled ones find it done.
func (p *Payer) Plan(ctx context.Context, t identity.Tenant) (Planned, bool, error) {
	for range maxReplays {
		schedule, err := p.Store.PayoutSchedule(ctx, t)
		if err != nil {
			return Planned{}, false, err
		}
		now := p.Store.Now()
		if now.Before(schedule.NextAt) {
			return Planned{}, false, nil
		}
		where := schedule.Location()
		cutoff := schedule.Settings.LastCutoff(now, where)
		due, err := p.due(ctx, t, schedule, cutoff)
		if err != nil {
			return Planned{}, false, err
		}
		schedule.NextAt = schedule.Settings.NextCutoff(now, where).At
		var opened *payments.Payout
		planned := Planned{Tenant: t, ID: payments.PayoutID(t.String(), schedule.Currency, cutoff.Day, regular)}
		if due {
			payout := payments.NewPayout(planned.ID, schedule.Currency, cutoff.Day, cutoff.At, now)
			opened = &payout
		}
		err = p.Store.OpenPayout(ctx, t, schedule, opened)
		switch {
		case errors.Is(err, store.ErrStale):
			continue
		case failure.Is(err, failure.Conflict): // the period was paid before its settings changed
			due, err = false, p.Store.OpenPayout(ctx, t, schedule, nil)
		}
		if !errors.Is(err, store.ErrStale) {
			return planned, due && err == nil, err
		}
	}
	return Planned{}, false, errContended
}

// due says there is something to pay, and somebody to pay it to.
func (p *Payer) due(ctx context.Context, t identity.Tenant, schedule merchant.PayoutSchedule, cutoff merchant.Cutoff) (bool, error) {
	if schedule.Settings.OnDemand || !schedule.To.Payable() {
		return false, nil
	}
	return p.Store.HasUnpaid(ctx, t, schedule.Currency, cutoff.At)
}

// OnDemand opens a payout of all that waits now, whatever the schedule says
// (contract §6.7); repeated by the same operation it is the same one, also on
// another day. It answers false when nothing waits. Failure: NotFound without
// an account.
func (p *Payer) OnDemand(ctx context.Context, t identity.Tenant, operation string) (Planned, bool, error) {
	schedule, err := p.Store.PayoutSchedule(ctx, t)
	if err != nil {
		return Planned{}, false, err
	}
	planned := Planned{Tenant: t, ID: payments.PayoutID(t.String(), schedule.Currency, "", onDemand+operation)}
	if _, err := p.Store.Payout(ctx, t, planned.ID); !failure.Is(err, failure.NotFound) {
		return planned, err == nil, err
	}
	now := p.Store.Now()
	day := now.In(schedule.Location()).Format(time.DateOnly)
	waits, err := p.Store.HasUnpaid(ctx, t, schedule.Currency, now)
	if err != nil || !waits {
		return planned, false, err
	}
	return planned, true, p.Store.CreatePayout(ctx, t, payments.NewPayout(planned.ID, schedule.Currency, day, now, now))
}

// Everybody is every tenant.
func Everybody(identity.Tenant) bool { return true }

// Overdue walks one shard of what is due, of the tenants that are meant, and
// answers the payouts to run: those it opens, and those whose runner was cut
// off or whose bank must be asked. It begins with no other once starting ends.
// What goes wrong with one tenant is reported and does not hold up the others.
func (p *Payer) Overdue(ctx, starting context.Context, shard int, of func(identity.Tenant) bool, run func(Planned) error) error {
	var failures []error
	for due, err := range p.Store.DuePayouts(starting, shard, p.Store.Now()) {
		switch {
		case starting.Err() != nil:
			return errors.Join(append(failures, ctx.Err())...)
		case err != nil:
			return errors.Join(append(failures, err)...)
		}
		if !of(due.Tenant) {
			continue
		}
		planned, ok := Planned{Tenant: due.Tenant, ID: due.PayoutID}, true
		if due.Schedule {
			planned, ok, err = p.Plan(ctx, due.Tenant)
		}
		if err == nil && ok {
			err = run(planned)
		}
		if err != nil {
			p.Log.ErrorContext(ctx, "payout not planned", "tenant", due.Tenant.String(), "payout", due.PayoutID, "error", err)
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// SetSchedule stores how a tenant is paid out. The next cut-off is that of the
// new settings. A period that has ended is planned by the old ones, so that
// nobody waits longer for it by changing them. Errors: change's.
func (p *Payer) SetSchedule(ctx context.Context, t identity.Tenant, change func(merchant.PayoutSchedule) (merchant.PayoutSchedule, error)) (merchant.PayoutSchedule, error) {
	for range maxReplays {
		schedule, err := p.Store.PayoutSchedule(ctx, t)
		if err != nil && !failure.Is(err, failure.NotFound) {
			return schedule, err
		}
		now := p.Store.Now() // one moment: a cut-off between two would be neither planned nor next
		if schedule.Version > 0 && !now.Before(schedule.NextAt) {
			if _, _, err := p.Plan(ctx, t); err != nil {
				return schedule, err
			}
			continue
		}
		if schedule, err = change(schedule); err != nil {
			return schedule, err
		}
		schedule.NextAt = schedule.Settings.NextCutoff(now, schedule.Location()).At
		if err = p.Store.SavePayoutSchedule(ctx, t, schedule); !errors.Is(err, store.ErrStale) {
			return schedule, err
		}
	}
	return merchant.PayoutSchedule{}, errContended
}
