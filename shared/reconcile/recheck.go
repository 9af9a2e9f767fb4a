package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
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
	looks = 4
)

// dossier is all the books tell of a suspect: a transaction, or a payout.
type dossier struct {
	suspect
	exists      bool
	waits       money.Currency // of its rows
	oldest      time.Time      // before all that happened to it
	transaction *payments.Transaction
	payout      *payout.Payout
	events      []payments.Event
	entries     []ledger.Entry
	evidence    []evidence
	movements   []acquirer.Movement
	bookings    []bank.Booking
	statementAt time.Time // when those statements were asked for
	before      *verdict  // of the last look
}

// recheck reads the suspects again and finds what is wrong with them now. The
// statements come before the table, as in the pass.
func (r *run) recheck(ctx context.Context, suspects []suspect) error {
	if n := len(suspects); n > maxSuspects {
		r.find(Difference{suspects[maxSuspects].tenant.String(), Unchecked, suspects[maxSuspects].id,
			fmt.Sprintf("and all after it: %d of %d transactions in doubt", n-maxSuspects, n)})
		suspects = suspects[:maxSuspects]
	}
	at := r.Store.Now()
	moved, err := r.movementsOf(ctx, suspects)
	if err != nil {
		return err
	}
	booked, err := r.bookingsOf(ctx, suspects)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(suspects, batch) {
		open := make([]*dossier, len(chunk))
		for i, s := range chunk {
			open[i] = &dossier{suspect: s, movements: moved[s.key()], bookings: booked[s.key()], statementAt: at}
		}
		if err := r.lookInto(ctx, open); err != nil {
			return err
		}
	}
	return nil
}

// key names the suspect among others.
func (s suspect) key() string { return s.tenant.String() + "#" + s.id }

// lookInto judges the suspects. A look takes several reads, between which
// things may change; but what changed during one look is done before the next.
// So only what two of them find alike is true. A suspect that never stands
// still is in good hands, and counts as open.
func (r *run) lookInto(ctx context.Context, open []*dossier) error {
	for range looks {
		if err := r.read(ctx, open); err != nil {
			return err
		}
		var still []*dossier
		for _, d := range open {
			if v := r.judge(d); v.final(d.before) {
				r.pronounce(d, v)
			} else {
				d.before = &v
				still = append(still, d)
			}
		}
		if open = still; len(open) == 0 {
			return nil
		}
	}
	r.report.Open += len(open)
	return nil
}

// read opens the dossiers anew. Rows come before the records that payouts make
// of them, so that none is overlooked.
func (r *run) read(ctx context.Context, open []*dossier) error {
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for _, d := range open {
		group.Go(func() error { return r.readOne(reading, d) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	tenants := map[identity.Tenant][]*dossier{}
	for _, d := range open {
		tenants[d.tenant] = append(tenants[d.tenant], d)
	}
	for t, theirs := range tenants {
		if err := r.readPayable(ctx, t, theirs); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads the transaction with its events and entries, or the payout.
func (r *run) readOne(ctx context.Context, d *dossier) error {
	*d = dossier{suspect: d.suspect, movements: d.movements, bookings: d.bookings, statementAt: d.statementAt,
		before: d.before, oldest: r.began}
	books := r.Store.AuditCode(ctx, d.tenant, payments.CodeOfID(d.id))
	if d.odd { // ids of payouts are no UUIDs
		books = both(books, r.Store.AuditPayout(ctx, d.tenant, d.id))
	}
	for a, err := range books {
		if err != nil {
			return err
		}
		d.take(a)
	}
	return nil
}

// readPayable walks the tenant's rows, and those of its payouts' records that
// may concern the suspects, once for all of them.
func (r *run) readPayable(ctx context.Context, t identity.Tenant, theirs []*dossier) error {
	wanted, where, oldest := map[string]*dossier{}, map[purse]bool{}, r.began
	for p := range r.leftovers.currencies {
		if p.tenant == t {
			where[p] = true
		}
	}
	for _, d := range theirs {
		wanted[d.id] = d
		where[purse{t, d.currency()}] = true
		if d.oldest.Before(oldest) {
			oldest = d.oldest
		}
	}
	delete(where, purse{tenant: t})
	books := r.Store.AuditRecords(ctx, t, oldest.AddDate(0, 0, -1).Format(time.DateOnly)) // wherever the merchant is
	for p := range where {
		books = both(r.Store.AuditPayables(ctx, t, p.currency), books)
	}
	for a, err := range books {
		if err != nil {
			return err
		}
		for _, e := range evidenceOf(a) {
			if d := wanted[e.about]; d != nil {
				d.evidence = append(d.evidence, e)
				if a.Payable != nil {
					d.waits = a.Payable.Amount.Currency()
				}
			}
		}
	}
	return nil
}

// both is one walk after the other.
func both(first, second books) books {
	return func(yield func(store.Audited, error) bool) {
		for _, walk := range []books{first, second} {
			for a, err := range walk {
				if !yield(a, err) {
					return
				}
			}
		}
	}
}

// take files an item, if it concerns the dossier.
func (d *dossier) take(a store.Audited) {
	for _, e := range evidenceOf(a) {
		if e.about != d.id {
			continue
		}
		d.evidence = append(d.evidence, e)
		switch {
		case a.Transaction != nil:
			d.exists, d.transaction, d.oldest = true, a.Transaction, a.Transaction.CreatedAt
		case a.Payout != nil:
			d.exists, d.payout = true, a.Payout
			if day, err := time.Parse(time.DateOnly, a.Payout.Day); err == nil && day.Before(d.oldest) {
				d.oldest = day
			}
		case a.Event != nil:
			d.events = append(d.events, *a.Event)
		case a.Entry != nil:
			d.entries = append(d.entries, *a.Entry)
		}
	}
}
