// Package payout pays merchants what they are owed: it plans a payout when a
// period has ended, takes into it what became payable before, orders it at the
// bank once, and tells the transactions what became of it. Whoever is cut off
// is finished by the next message or tick: each step is one database
// transaction that says where the payout stands, so runs may be doubled, late
// or at the same time.
package payout

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Config is what a Payer works with.
type Config struct {
	Store *store.Store
	Banks map[identity.Mode]bank.Bank
	Log   *slog.Logger
}

// Payer is safe for concurrent use.
type Payer struct{ Config }

// New returns a Payer.
func New(c Config) *Payer { return &Payer{c} }

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
	// maxReplays bounds the retries after others changed what a step is
	// based on.
	maxReplays = 20
)

// errNoBank: there is none in the payout's mode that could take or cancel it.
var errNoBank = errors.New("payout: no bank")

// errContended: others change the payout so often that one's turn never came.
// They do its work, and the next message goes on.
var errContended = errors.New("payout: changed by others at every try")

// outdated says a step was based on what others have changed since, or while
// it was read: a row and its transaction are two reads, and a refund between
// them makes them differ. Rows that contradict their transactions at every try
// are the mistake that payments.ErrNotCollected tells of.
func outdated(err error) bool {
	return errors.Is(err, store.ErrStale) || errors.Is(err, payments.ErrNotCollected)
}

// Run takes a payout as far as it goes now; a repeated or doubled run changes
// nothing that was done. It answers true when there is nothing left to do
// before the payout is woken, and false when the context's time is nearly up.
func (p *Payer) Run(ctx context.Context, t identity.Tenant, id string) (bool, error) {
	stepping, cancel := untilLastStep(ctx)
	defer cancel()
	current, err := p.Store.Payout(ctx, t, id)
	if err != nil {
		return false, err
	}
	for stale := 0; stepping.Err() == nil; {
		next, rests, err := p.step(ctx, t, current)
		if outdated(err) {
			if stale++; stale == maxReplays {
				return false, errors.Join(errContended, err)
			}
			next, err = p.Store.Payout(ctx, t, id)
		} else {
			stale = 0
		}
		if err != nil || rests {
			return rests, err
		}
		current = next
	}
	return false, nil
}

// lastStep is kept free at the end of a run's time for the step under way: the
// bank's time and a few calls to the table.
const lastStep = bankTime + 10*time.Second

func untilLastStep(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-lastStep))
}

// step does the payout's next step and answers the payout as it stands then;
// true: there is no further one for now.
func (p *Payer) step(ctx context.Context, t identity.Tenant, current store.Payout) (next store.Payout, rests bool, err error) {
	switch current.Status {
	case payments.Collecting:
		next, err = p.collect(ctx, t, current)
	case payments.Sealed:
		return p.send(ctx, t, current)
	case payments.Sent:
		return p.ask(ctx, t, current)
	case payments.Paying, payments.Returning:
		next, err = p.tell(ctx, t, current)
	default:
		return current, true, nil
	}
	return next, false, err
}

// collect takes the next rows into the payout, or seals it when a consistent
// read of the table finds none: what becomes payable later has a later time,
// and goes into the next payout.
func (p *Payer) collect(ctx context.Context, t identity.Tenant, current store.Payout) (store.Payout, error) {
	rows, err := p.Store.UnpaidRows(ctx, t, current.Currency, current.Cutoff, takenAtOnce)
	if err != nil {
		return current, err
	}
	complete := len(rows) == 0
	if carried := current.Carried(); carried != nil && !complete {
		// Once a later payout has taken what this one lacks, it takes all else too.
		waits, err := p.Store.RowWaits(ctx, t, *carried)
		if err != nil {
			return current, err
		}
		complete = !waits
	}
	if complete {
		return p.Store.StepPayout(ctx, t, current.Seal(p.Store.Now()), current.To)
	}
	transactions, err := p.Store.TransactionsOf(ctx, t, rows)
	if err != nil {
		return current, err
	}
	collection, err := current.Collect(rows, transactions, p.Store.Now())
	if err != nil {
		return current, err
	}
	return p.Store.CollectPayout(ctx, t, collection)
}

// send settles on the account and enters the order into the books, before the
// bank hears of it. Without a verified account the payout waits (contract §6.7).
func (p *Payer) send(ctx context.Context, t identity.Tenant, current store.Payout) (store.Payout, bool, error) {
	schedule, err := p.Store.PayoutSchedule(ctx, t)
	if err != nil {
		return current, false, err
	}
	if !schedule.To.Payable() {
		return p.wait(ctx, t, current)
	}
	next, err := p.Store.StepPayout(ctx, t, current.Send(p.Store.Now()), schedule.To)
	return next, false, err
}

// ask orders the transfer, or asks what became of it: the payout's id makes
// both the same.
func (p *Payer) ask(ctx context.Context, t identity.Tenant, current store.Payout) (store.Payout, bool, error) {
	o, err := p.order(ctx, t, current)
	if err != nil {
		p.Log.WarnContext(ctx, "bank without an answer", "tenant", t.String(), "payout", current.ID, "error", err)
		o = bank.Outcome{State: bank.Accepted}
	}
	now := p.Store.Now()
	var step payments.PayoutStep
	switch o.State {
	case bank.Paid:
		step = current.Paid(now)
	case bank.Rejected:
		step = current.Rejected(o.Reason, now)
	default:
		return p.wait(ctx, t, current)
	}
	next, err := p.Store.StepPayout(ctx, t, step, current.To)
	return next, false, err
}

// wait puts the payout's next look off. When others have changed the payout it
// may no longer have to wait.
func (p *Payer) wait(ctx context.Context, t identity.Tenant, current store.Payout) (store.Payout, bool, error) {
	waits, changed := current.Waits(p.Store.Now())
	if !changed {
		return current, true, nil
	}
	next, err := p.Store.StepPayout(ctx, t, payments.PayoutStep{Payout: waits}, current.To)
	return next, err == nil, err
}

// order has the bank make the transfer, or say what became of it. One that it
// does not take is cancelled in the end: one request that was not taken tells
// nothing of others, of which one may be executed or on its way.
func (p *Payer) order(ctx context.Context, t identity.Tenant, current store.Payout) (bank.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, bankTime)
	defer cancel()
	b := p.Banks[t.Mode]
	if b == nil {
		return bank.Outcome{}, errNoBank
	}
	o, err := b.Transfer(ctx, bank.Transfer{ID: current.ID, Tenant: t.String(), Amount: current.Total, To: current.To,
		Reference: current.Reference()})
	if !errors.Is(err, bank.ErrNotTaken) {
		return o, err
	}
	schedule, unread := p.Store.PayoutSchedule(ctx, t)
	if unread != nil || !current.GivesUp(!schedule.To.Same(current.To), p.Store.Now()) {
		return o, errors.Join(err, unread)
	}
	return b.Cancel(ctx, current.ID)
}

// tell brings the outcome to the payout's next records and their transactions,
// or ends it when none is left.
func (p *Payer) tell(ctx context.Context, t identity.Tenant, current store.Payout) (store.Payout, error) {
	atOnce := takenAtOnce
	if current.Status == payments.Paying {
		atOnce = paidAtOnce
	}
	records, err := p.Store.RecordsToTell(ctx, t, current.Payout, atOnce)
	if err != nil {
		return current, err
	}
	rows := make([]payments.Unpaid, len(records))
	for i, r := range records {
		rows[i] = r.Unpaid
	}
	transactions, err := p.Store.TransactionsOf(ctx, t, rows)
	if err != nil {
		return current, err
	}
	events, err := p.Store.DeductionsOf(ctx, t, rows)
	if err != nil {
		return current, err
	}
	telling, err := current.Tell(records, transactions, events, p.Store.Now())
	if err != nil {
		return current, err
	}
	return p.Store.TellPayout(ctx, t, telling, current.To)
}
