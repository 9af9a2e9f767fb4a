package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// maxSuspects bounds the time of the second look. There are that many
	// only when something is wrong everywhere.
	maxSuspects = 100_000
	// batch of suspects is read at a time, and kept meanwhile.
	batch = 500
	// readers of suspects work at the same time.
	readers = 16
	// looks is how often a suspect is read that changes while it is.
	looks = 3
)

// dossier is all the books tell of a suspect.
type dossier struct {
	suspect
	state       state
	transaction *payments.Transaction
	events      []payments.Event
	entries     []payments.Entry
	rows        []payments.Unpaid
	movements   []acquirer.Movement
	statementAt time.Time // when that statement was asked for
	evidence    []evidence
}

// state tells one state of a transaction from the next: whatever is written
// for a transaction is written with a new one.
type state struct {
	version int
	status  payments.TransactionStatus
}

// recheck reads the suspects again and finds what is wrong with them now. The
// statement comes before the table, as in the pass.
func (r *run) recheck(ctx context.Context, suspects []suspect) error {
	if n := len(suspects); n > maxSuspects {
		r.find(account.Tenant{}, Unchecked, "", fmt.Sprintf("%d of %d suspect transactions", n-maxSuspects, n))
		suspects = suspects[:maxSuspects]
	}
	at := r.Store.Now()
	moved, err := r.movementsOf(ctx, suspects)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(suspects, batch) {
		open := make([]*dossier, len(chunk))
		for i, s := range chunk {
			open[i] = &dossier{suspect: s, movements: moved[s.key()], statementAt: at}
		}
		if err := r.lookInto(ctx, open); err != nil {
			return err
		}
	}
	return nil
}

// key names the suspect among the movements.
func (s suspect) key() string { return s.tenant.String() + "#" + s.id }

// movementsOf reads the statements again for those suspects whom they concern.
func (r *run) movementsOf(ctx context.Context, suspects []suspect) (map[string][]acquirer.Movement, error) {
	moved := map[string][]acquirer.Movement{}
	for _, s := range suspects {
		if s.moves {
			moved[s.key()] = nil
		}
	}
	if len(moved) == 0 {
		return nil, nil
	}
	return moved, r.statements(ctx, func(t account.Tenant, m acquirer.Movement) {
		key := suspect{tenant: t, id: m.ChargeID}.key()
		if _, wanted := moved[key]; wanted {
			moved[key] = append(moved[key], m)
		}
	})
}

// lookInto judges each suspect by a state that it kept while all of it was
// read. One that never stands still is in good hands, and counts as open.
func (r *run) lookInto(ctx context.Context, open []*dossier) error {
	for range looks {
		if err := each(ctx, open, r.read); err != nil {
			return err
		}
		if err := r.readRows(ctx, open); err != nil {
			return err
		}
		changed := make([]bool, len(open))
		if err := each(ctx, open, func(ctx context.Context, d *dossier) error {
			now, err := r.stateOf(ctx, d)
			changed[slices.Index(open, d)] = now != d.state
			return err
		}); err != nil {
			return err
		}
		var still []*dossier
		for i, d := range open {
			if changed[i] {
				still = append(still, d)
			} else {
				r.judge(d)
			}
		}
		if open = still; len(open) == 0 {
			return nil
		}
	}
	r.report.Open += len(open)
	return nil
}

// each does something with all dossiers, several at the same time.
func each(ctx context.Context, all []*dossier, do func(context.Context, *dossier) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for _, d := range all {
		group.Go(func() error { return do(ctx, d) })
	}
	return group.Wait()
}

// read opens the dossier anew with the transaction, its events and entries.
func (r *run) read(ctx context.Context, d *dossier) error {
	*d = dossier{suspect: d.suspect, movements: d.movements, statementAt: d.statementAt}
	for a, err := range r.Store.AuditCode(ctx, d.tenant, payments.CodeOfID(d.id)) {
		if err != nil {
			return err
		}
		if subjectOf(a) == d.id {
			d.take(a)
		}
	}
	return nil
}

func (d *dossier) take(a store.Audited) {
	switch {
	case a.Transaction != nil:
		d.transaction = a.Transaction
		d.state = state{a.Transaction.Version, a.Transaction.Status}
	case a.Event != nil:
		d.events = append(d.events, *a.Event)
	case a.Entry != nil:
		d.entries = append(d.entries, *a.Entry)
	case a.Row != nil:
		d.rows = append(d.rows, *a.Row)
	}
	d.evidence = append(d.evidence, evidenceOf(a))
}

// readRows walks the rows of each tenant once for all its suspects.
func (r *run) readRows(ctx context.Context, open []*dossier) error {
	wanted, where := map[string]*dossier{}, map[purse]bool{}
	tenants := map[account.Tenant]bool{}
	for _, d := range open {
		wanted[d.key()], tenants[d.tenant] = d, true
		if d.transaction != nil {
			where[purse{d.tenant, d.currency()}] = true
		}
	}
	for p := range r.ledger.currencies {
		if tenants[p.tenant] {
			where[p] = true
		}
	}
	for p := range where {
		for a, err := range r.Store.AuditUnpaid(ctx, p.tenant, p.currency) {
			if err != nil {
				return err
			}
			if d := wanted[suspect{tenant: a.Tenant, id: subjectOf(a)}.key()]; d != nil {
				d.take(a)
			}
		}
	}
	return nil
}

// stateOf is the suspect's state now; zero while there is no transaction.
func (r *run) stateOf(ctx context.Context, d *dossier) (state, error) {
	records, err := r.Store.Transactions(ctx, d.tenant, payments.CodeOfID(d.id))
	for _, record := range records {
		if record.ID == d.id {
			return state{record.Version, record.Status}, err
		}
	}
	return state{}, err
}
