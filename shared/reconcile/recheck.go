package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// maxSuspects limits the time of the second reading. There can be more suspects only if something is wrong everywhere.
	maxSuspects = 100_000
	// batchSize is the number of suspects that are read, and kept in memory, at a time.
	batchSize = 500
	// readers is the number of suspects that are read in parallel.
	readers = 16
	// maxReadings limits the readings of a suspect that keeps changing.
	maxReadings = 4
)

// reading has the records of a suspect as one reading finds them.
type reading struct {
	suspect
	exists      bool
	payablesIn  money.Currency // currency of the payables
	oldest      time.Time      // a time before the suspect's first record was written
	transaction *payments.Transaction
	payout      *payout.Payout
	events      []payments.Event
	entries     []ledger.Entry
	sides       []sides
	movements   []acquirer.Movement
	bankLines   []bank.StatementLine
	statementAt time.Time // time when the two statements were requested
	before      *result   // result of the previous reading
}

// recheck reads the suspects again and finds their breaks. Like the first pass, recheck reads the statements first.
func (r *run) recheck(ctx context.Context, suspects []suspect) error {
	if n := len(suspects); n > maxSuspects {
		r.addBreak(Break{suspects[maxSuspects].tenant.String(), Unchecked, suspects[maxSuspects].id,
			fmt.Sprintf("%d of %d suspected transactions and payouts were not checked: this one and all after it",
				n-maxSuspects, n)})
		suspects = suspects[:maxSuspects]
	}
	at := r.Store.Now()
	movements, err := r.readMovements(ctx, suspects)
	if err != nil {
		return err
	}
	bankLines, err := r.readBankLines(ctx, suspects)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(suspects, batchSize) {
		open := make([]*reading, len(chunk))
		for i, s := range chunk {
			open[i] = &reading{suspect: s, movements: movements[s.key()], bankLines: bankLines[s.key()], statementAt: at}
		}
		if err := r.confirm(ctx, open); err != nil {
			return err
		}
	}
	return nil
}

// key returns a key that is unique among all suspects.
func (s suspect) key() string { return s.tenant.String() + "#" + s.id }

// confirm checks the suspects until two readings agree. Records may change during a reading, but such a change is
// complete before the next reading. A suspect that changes during every reading is still being processed, and counts as
// open.
func (r *run) confirm(ctx context.Context, open []*reading) error {
	for range maxReadings {
		if err := r.read(ctx, open); err != nil {
			return err
		}
		var again []*reading
		for _, s := range open {
			if found := r.findBreaks(s); found.isFinal(s.before) {
				r.addResult(s, found)
			} else {
				s.before = &found
				again = append(again, s)
			}
		}
		if open = again; len(open) == 0 {
			return nil
		}
	}
	r.report.Open += len(open)
	return nil
}

// read reads the suspects. It reads the payables before the records of payouts. A payout may turn a payable into a
// record meanwhile, and in the opposite order read would miss both.
func (r *run) read(ctx context.Context, open []*reading) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for _, s := range open {
		group.Go(func() error { return r.readOne(groupCtx, s) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	tenants := map[identity.Tenant][]*reading{}
	for _, s := range open {
		tenants[s.tenant] = append(tenants[s.tenant], s)
	}
	for t, theirs := range tenants {
		if err := r.readPayables(ctx, t, theirs); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads either the transaction with its events and entries, or the payout.
func (r *run) readOne(ctx context.Context, s *reading) error {
	*s = reading{suspect: s.suspect, movements: s.movements, bankLines: s.bankLines, statementAt: s.statementAt,
		before: s.before, oldest: r.began}
	all := r.Store.MoneyOfCode(ctx, s.tenant, payments.CodeOfID(s.id))
	if s.notUUID {
		all = concat(all, r.Store.MoneyOfPayout(ctx, s.tenant, s.id))
	}
	for a, err := range all {
		if err != nil {
			return err
		}
		s.add(a)
	}
	return nil
}

// readPayables reads a tenant's payables, and the payout records that may be about the suspects. It reads them only
// once for all suspects.
func (r *run) readPayables(ctx context.Context, t identity.Tenant, theirs []*reading) error {
	byID, keys, oldest := map[string]*reading{}, map[balanceKey]bool{}, r.began
	for key := range r.matcher.currencies {
		if key.tenant == t {
			keys[key] = true
		}
	}
	for _, s := range theirs {
		byID[s.id] = s
		keys[balanceKey{t, s.currency()}] = true
		if s.oldest.Before(oldest) {
			oldest = s.oldest
		}
	}
	delete(keys, balanceKey{tenant: t})
	// A payout's day is a day in the merchant's time zone, which may be a day before the UTC date.
	all := r.Store.MoneyOfRecords(ctx, t, oldest.AddDate(0, 0, -1).Format(time.DateOnly))
	m, err := r.Store.Merchant(ctx, t.Merchant)
	if err != nil && !failure.Is(err, failure.KindNotFound) {
		return err
	}
	for key := range keys {
		all = concat(r.Store.MoneyOfPayables(ctx, t, m.ShardCount(), key.currency), all)
	}
	for a, err := range all {
		if err != nil {
			return err
		}
		for _, item := range sidesOf(a) {
			if s := byID[item.about]; s != nil {
				s.sides = append(s.sides, item)
				if a.Payable != nil {
					s.payablesIn = a.Payable.Amount.Currency()
				}
			}
		}
	}
	return nil
}

// concat returns a walk through the first and then the second walk.
func concat(first, second items) items {
	return func(yield func(store.ReconciledItem, error) bool) {
		for _, walk := range []items{first, second} {
			for a, err := range walk {
				if !yield(a, err) {
					return
				}
			}
		}
	}
}

// add adds an item to the reading if the item is about the suspect.
func (s *reading) add(a store.ReconciledItem) {
	for _, item := range sidesOf(a) {
		if item.about != s.id {
			continue
		}
		s.sides = append(s.sides, item)
		switch {
		case a.Transaction != nil:
			s.exists, s.transaction, s.oldest = true, a.Transaction, a.Transaction.CreatedAt
		case a.Payout != nil:
			s.exists, s.payout = true, a.Payout
			if day, err := time.Parse(time.DateOnly, a.Payout.Day); err == nil && day.Before(s.oldest) {
				s.oldest = day
			}
		case a.Event != nil:
			s.events = append(s.events, *a.Event)
		case a.Entry != nil:
			s.entries = append(s.entries, *a.Entry)
		}
	}
}
