// Package run pays merchants. Runner.Plan opens a payout at a tenant's cut-off. Runner.Run collects the payables that
// became eligible before the cut-off, requests one transfer under the payout's id, and applies the outcome to the
// transactions. Each step is one database transaction that also writes the payout's status. So runs may be interrupted,
// repeated, late or concurrent.
package run

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Config configures a Runner.
type Config struct {
	Store *store.Store
	Banks map[identity.Mode]bank.Bank
	Log   *slog.Logger

	Metrics metric.Log
}

// Runner plans and runs payouts. It is safe for concurrent use.
type Runner struct{ Config }

// New returns a Runner.
func New(c Config) *Runner { return &Runner{c} }

const (
	// bankTime bounds a step's calls to the bank.
	bankTime = 20 * time.Second
	// verifyTime bounds a question to the bank about an account. It is short, because a client may be waiting for the
	// answer.
	verifyTime = 5 * time.Second
	// takenAtOnce and paidAtOnce are the numbers of payables in one step. A database transaction has at most 100 items. A
	// payable that is collected or returned needs three: the payable, its record and its transaction. A paid payable needs
	// its record and a transaction or deduction. Four further items are the payout and, while collecting, the reserve and
	// the carried balance before and after the step.
	takenAtOnce = (100 - 4) / 3
	paidAtOnce  = (100 - 1) / 2
)

var errNoBank = errors.New("payout: no bank of payouts in this mode")

// Run takes a payout's steps and may be repeated. It returns true once the payout is final or has to wait, and false if
// the time is nearly up.
func (r *Runner) Run(ctx context.Context, t identity.Tenant, id string) (bool, error) {
	stepping, cancel := deadline.Early(ctx, lastStep)
	defer cancel()
	current, err := r.Store.Payout(ctx, t, id)
	for waits := false; err == nil && stepping.Err() == nil; {
		if current, waits, err = r.advance(ctx, t, current); waits {
			return true, err
		}
	}
	return false, err
}

// advance takes the payout's next step. It tries again if another writer changed the payout. It also tries again if a
// payable and its transaction differ, because a refund may have come between the two reads. If they differ at every
// try, advance returns payments.ErrPayableMismatch.
func (r *Runner) advance(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	var waits bool
	var mismatch error
	next, err := store.Retry(func(again bool) (next payout.Payout, err error) {
		if again {
			if current, err = r.Store.Payout(ctx, t, current.ID); err != nil {
				return current, err
			}
		}
		next, waits, err = r.takeStep(ctx, t, current)
		if mismatch = nil; errors.Is(err, payments.ErrPayableMismatch) {
			mismatch, err = err, store.ErrStale
		}
		return next, err
	})
	if mismatch != nil && errors.Is(err, store.ErrContended) {
		err = mismatch // if stored data contradict each other at every try, we made a mistake
	}
	return next, waits, err
}

// lastStep is the time that a run keeps free for its last step: the bank's time, and a few calls to the table.
const lastStep = bankTime + 10*time.Second

// takeStep takes the payout's next step and returns the payout after it. If waits is true, there is no further step for
// now.
func (r *Runner) takeStep(ctx context.Context, t identity.Tenant, current payout.Payout) (next payout.Payout,
	waits bool, err error) {
	switch current.Status {
	case payout.Collecting:
		next, err = r.collect(ctx, t, current)
	case payout.Sealed:
		return r.send(ctx, t, current)
	case payout.Sent:
		return r.transfer(ctx, t, current)
	case payout.Paying, payout.Returning:
		next, err = r.applyOutcome(ctx, t, current)
	default:
		return current, true, nil
	}
	return next, false, err
}

// collect collects the next payables. If a consistent read finds none, it seals the payout, because a payable that is
// written later is eligible later.
func (r *Runner) collect(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, error) {
	payables, err := r.Store.Payables(ctx, t, max(current.Shards, 1), current.Records/takenAtOnce, current.Currency,
		current.Cutoff, takenAtOnce)
	if err != nil {
		return current, err
	}
	complete := len(payables) == 0
	if carried := current.CarriedForward(); carried != nil && !complete {
		// If a later payout has taken this payout's negative balance, the later payout also takes the other payables.
		exists, readErr := r.Store.PayableExists(ctx, t, *carried)
		if readErr != nil {
			return current, readErr
		}
		complete = !exists
	}
	if complete {
		return r.Store.StepPayout(ctx, t, current.Seal(r.Store.Now()))
	}
	transactions, err := r.Store.TransactionsOf(ctx, t, payables)
	if err != nil {
		return current, err
	}
	collection, err := current.Collect(payables, transactions, r.Store.Now())
	if err != nil {
		return current, err
	}
	return r.Store.CollectPayout(ctx, t, collection)
}

// send records the bank account and posts the journal entry, before the transfer is requested. It waits while there is
// no verified account, and while payouts are held (contract §6.7). It also waits until the sweep, within a minute, has
// asked the bank about the primary account. If the account or the schedule changes meanwhile, send tries again.
func (r *Runner) send(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	schedule, err := r.Store.PayoutSchedule(ctx, t)
	if err != nil {
		return current, false, err
	}
	accounts, err := r.Store.BankAccounts(ctx, t)
	if err != nil {
		return current, false, err
	}
	if !schedule.CanPay() || accounts.PayeeUnknown(r.Store.Now()) {
		return r.scheduleNextPoll(ctx, t, current)
	}
	next, err := r.Store.SendPayout(ctx, t, current.Send(schedule.To, r.Store.Now()), schedule)
	return next, false, err
}

// transfer requests the transfer or polls it. Both are the same call, because the payout's id is the idempotency key.
func (r *Runner) transfer(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool, error) {
	o, err := r.requestTransfer(ctx, t, current)
	if err != nil {
		r.Log.WarnContext(ctx, "bank gave no answer", "tenant", t.String(), "payout", current.ID, "error", err)
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
		return r.scheduleNextPoll(ctx, t, current)
	}
	next, err := r.Store.StepPayout(ctx, t, step)
	if err == nil && o.State == bank.Rejected {
		r.Metrics.Write(ctx, now, t.Mode.Name(), metric.FailedPayouts.Once())
	}
	return next, false, err
}

// scheduleNextPoll schedules the next poll. It returns ErrStale if another writer changed the payout, which may then no
// longer have to wait.
func (r *Runner) scheduleNextPoll(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, bool,
	error) {
	scheduled, changed := current.ScheduleNextPoll(r.Store.Now())
	if !changed {
		return current, true, nil
	}
	next, err := r.Store.StepPayout(ctx, t, payout.Step{Payout: scheduled})
	return next, err == nil, err
}

// requestTransfer orders the transfer at the bank. If the bank does not take the transfer, and a day has passed or the
// account has been replaced, requestTransfer cancels the transfer at the bank. One refused order proves nothing about
// other orders of this transfer, which may have been executed or be on their way.
func (r *Runner) requestTransfer(ctx context.Context, t identity.Tenant, current payout.Payout) (bank.Outcome, error) {
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

// applyOutcome applies the outcome to the payout's next records and their transactions. If no records are left, it ends
// the payout.
func (r *Runner) applyOutcome(ctx context.Context, t identity.Tenant, current payout.Payout) (payout.Payout, error) {
	atOnce := takenAtOnce
	if current.Status == payout.Paying {
		atOnce = paidAtOnce
	}
	records, err := r.Store.RecordsWithoutOutcome(ctx, t, current, atOnce)
	if err != nil {
		return current, err
	}
	payables := make([]payments.Payable, len(records))
	for i, record := range records {
		payables[i] = record.Payable
	}
	transactions, err := r.Store.TransactionsOf(ctx, t, payables)
	if err != nil {
		return current, err
	}
	events, err := r.Store.DeductionsOf(ctx, t, payables)
	if err != nil {
		return current, err
	}
	step, err := current.ApplyOutcome(records, transactions, events, r.Store.Now())
	if err != nil {
		return current, err
	}
	return r.Store.ApplyPayoutOutcome(ctx, t, step)
}
