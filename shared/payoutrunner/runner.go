// Package payoutrunner pays merchants what they are owed: it plans a payout when a
// period has ended, takes into it what became payable before, orders it at the
// bank once, and tells the transactions what became of it. Whoever is cut off
// is finished by the next message or tick: each step is one database
// transaction that says where the payout stands, so runs may be doubled, late
// or at the same time.
package payoutrunner

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Config is what a Runner works with.
type Config struct {
	Store *store.Store
	Banks map[identity.Mode]bank.Bank
	Log   *slog.Logger
}

// Runner is safe for concurrent use.
type Runner struct{ Config }

// New returns a Runner.
func New(c Config) *Runner { return &Runner{c} }

const (
	// bankTime bounds a step's calls to the bank.
	bankTime = 20 * time.Second
	// A database transaction has at most 100 items. A row that is taken, or
	// comes back, is three of them: itself, its record and its transaction. One
	// that was paid is a record and a transaction or deduction. Beside them are
	// the payout, and when rows are taken the held balance and what the payout
	// lacked before and lacks then.
	takenAtOnce = (100 - 4) / 3
	paidAtOnce  = (100 - 1) / 2
)

// errNoBank: there is none in the payout's mode that could take or cancel it.
var errNoBank = errors.New("payoutrunner: no bank of payouts in this mode")

// Run takes a payout as far as it goes now; a repeated or doubled run changes
// nothing that was done. It answers true when there is nothing left to do
// before the payout is woken, and false when the context's time is nearly up.
func (r *Runner) Run(ctx context.Context, t identity.Tenant, id string) (bool, error) {
	stepping, cancel := deadline.Early(ctx, lastStep)
	defer cancel()
	current, err := r.Store.Payout(ctx, t, id)
	for rests := false; err == nil && stepping.Err() == nil; {
		if current, rests, err = r.advance(ctx, t, current); rests {
			return true, err
		}
	}
	return false, err
}

// advance does the payout's next step, on the payout as it is by then when
// others have changed what the step was based on, or while it was read: a row
// and its transaction are two reads, and a refund between them makes them
// differ. Rows that contradict their transactions at every try are the mistake
// that payments.ErrPayableMismatch tells of.
func (r *Runner) advance(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	var rests bool
	var mismatch error
	next, err := store.Retry(func(again bool) (next payout.Payout, err error) {
		if again {
			if current, err = r.Store.Payout(ctx, t, current.ID); err != nil {
				return current, err
			}
		}
		next, rests, err = r.step(ctx, t, current)
		if mismatch = nil; errors.Is(err, payments.ErrPayableMismatch) {
			mismatch, err = err, store.ErrStale
		}
		return next, err
	})
	if mismatch != nil && errors.Is(err, store.ErrContended) {
		err = mismatch // books that contradict each other are a fault of ours, not a race
	}
	return next, rests, err
}

// lastStep is kept free at the end of a run's time for the step under way: the
// bank's time and a few calls to the table.
const lastStep = bankTime + 10*time.Second

// step does the payout's next step and answers the payout as it stands then;
// true: there is no further one for now.
func (r *Runner) step(ctx context.Context, t identity.Tenant, current payout.Payout) (next payout.Payout,
	rests bool, err error) {
	switch current.Status {
	case payout.Collecting:
		next, err = r.collect(ctx, t, current)
	case payout.Sealed:
		return r.send(ctx, t, current)
	case payout.Sent:
		return r.ask(ctx, t, current)
	case payout.Paying, payout.Returning:
		next, err = r.applyOutcome(ctx, t, current)
	default:
		return current, true, nil
	}
	return next, false, err
}

// collect takes the next rows into the payout, or seals it when a consistent
// read of the table finds none: what becomes payable later has a later time,
// and goes into the next payout.
func (r *Runner) collect(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, error) {
	rows, err := r.Store.Payables(ctx, t, current.Currency, current.Cutoff, takenAtOnce)
	if err != nil {
		return current, err
	}
	complete := len(rows) == 0
	if carried := current.CarriedForward(); carried != nil && !complete {
		// Once a later payout has taken what this one lacks, it takes all else too.
		waits, err := r.Store.PayableExists(ctx, t, *carried)
		if err != nil {
			return current, err
		}
		complete = !waits
	}
	if complete {
		return r.Store.StepPayout(ctx, t, current.Seal(r.Store.Now()))
	}
	transactions, err := r.Store.TransactionsOf(ctx, t, rows)
	if err != nil {
		return current, err
	}
	collection, err := current.Collect(rows, transactions, r.Store.Now())
	if err != nil {
		return current, err
	}
	return r.Store.CollectPayout(ctx, t, collection)
}

// send settles on the account and enters the order into the books, before the
// bank hears of it. Without a verified account the payout waits (contract §6.7).
func (r *Runner) send(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	schedule, err := r.Store.PayoutSchedule(ctx, t)
	if err != nil {
		return current, false, err
	}
	if !schedule.To.Payable() {
		return r.wait(ctx, t, current)
	}
	next, err := r.Store.StepPayout(ctx, t, current.Send(schedule.To, r.Store.Now()))
	return next, false, err
}

// ask orders the transfer, or asks what became of it: the payout's id makes
// both the same.
func (r *Runner) ask(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	o, err := r.order(ctx, t, current)
	if err != nil {
		r.Log.WarnContext(ctx, "bank without an answer", "tenant", t.String(), "payout", current.ID, "error", err)
		o = bank.Outcome{State: bank.Accepted}
	}
	now := r.Store.Now()
	var step payout.Step
	switch o.State {
	case bank.Paid:
		step = current.Paid(now)
	case bank.Rejected:
		step = current.Rejected(o.Reason, now)
	default:
		return r.wait(ctx, t, current)
	}
	next, err := r.Store.StepPayout(ctx, t, step)
	return next, false, err
}

// wait puts the payout's next look off. When others have changed the payout it
// may no longer have to wait.
func (r *Runner) wait(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	waits, changed := current.ScheduleNextPoll(r.Store.Now())
	if !changed {
		return current, true, nil
	}
	next, err := r.Store.StepPayout(ctx, t, payout.Step{Payout: waits})
	return next, err == nil, err
}

// order has the bank make the transfer, or say what became of it. One that it
// does not take is cancelled in the end: one request that was not taken tells
// nothing of others, of which one may be executed or on its way.
func (r *Runner) order(ctx context.Context, t identity.Tenant, current payout.Payout) (bank.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, bankTime)
	defer cancel()
	b := r.Banks[t.Mode]
	if b == nil {
		return bank.Outcome{}, errNoBank
	}
	o, err := b.Transfer(ctx, bank.Transfer{ID: current.ID, Tenant: t.String(), Amount: current.Total, To: current.To,
		Reference: current.Reference()})
	if !errors.Is(err, bank.ErrNotTaken) {
		return o, err
	}
	schedule, unread := r.Store.PayoutSchedule(ctx, t)
	if unread != nil || !current.ShouldCancel(schedule.To, r.Store.Now()) {
		return o, errors.Join(err, unread)
	}
	return b.Cancel(ctx, current.ID)
}

// applyOutcome applies the outcome to the payout's next records and their transactions,
// or ends it when none is left.
func (r *Runner) applyOutcome(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, error) {
	atOnce := takenAtOnce
	if current.Status == payout.Paying {
		atOnce = paidAtOnce
	}
	records, err := r.Store.RecordsWithoutOutcome(ctx, t, current, atOnce)
	if err != nil {
		return current, err
	}
	rows := make([]payments.Payable, len(records))
	for i, record := range records {
		rows[i] = record.Payable
	}
	transactions, err := r.Store.TransactionsOf(ctx, t, rows)
	if err != nil {
		return current, err
	}
	events, err := r.Store.DeductionsOf(ctx, t, rows)
	if err != nil {
		return current, err
	}
	step, err := current.ApplyOutcome(records, transactions, events, r.Store.Now())
	if err != nil {
		return current, err
	}
	return r.Store.ApplyPayoutOutcome(ctx, t, step)
}
