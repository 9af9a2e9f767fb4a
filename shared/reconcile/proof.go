package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// provers is the number of subjects that are proven in parallel.
	provers = 16
	// maxReadings limits the readings of a subject that keeps changing.
	maxReadings = 4
)

// subject identifies a transaction or a payout. An id that belongs to neither is a subject, too: of items that no
// transaction or payout explains.
type subject struct {
	tenant identity.Tenant
	id     string
}

// isTransaction returns true if the id has the form of a transaction's id. A payout's id has no hyphens.
func (s subject) isTransaction() bool {
	u, err := uuid.Parse(s.id)
	return err == nil && u.String() == s.id
}

// task is a subject to prove.
type task struct {
	subject
	primary bool // counts what is open; the other tasks of a subject only prove their extras
	// extras has the keys of items about the subject that its proof may not read. An item that the proof does not read is
	// not expected, so it is a break.
	extras []store.ItemKey
	// consistent: already the first reading shows all writes. Set it for a subject that may be found only once, because a
	// reading that lags behind may show neither its line nor its entry, and so no break.
	consistent bool
}

// reading has the records of a subject as one reading finds them.
type reading struct {
	task
	store            store.Reads
	exists           bool
	transaction      *payments.Transaction
	payout           *payout.Payout
	events           []payments.Event
	entries          []ledger.Entry
	lines            []store.StatementLine
	payablesIn       money.Currency // currency of the payables
	expected, actual []line
	sums             sums
	strayDays        []string               // days of the payout's records that are extras
	breaks           []Break                // of single items
	extrasRead       map[store.ItemKey]bool // true: the reading has read the extra
}

// proveAll proves subjects, several in parallel, and adds the results to the report.
func (r *run) proveAll(ctx context.Context, tasks []*task) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(provers)
	for _, t := range tasks {
		group.Go(func() error {
			found, err := r.prove(ctx, *t)
			if err == nil {
				r.addResult(*t, found)
			}
			return err
		})
	}
	return group.Wait()
}

// prove reads a subject until two readings agree, or one finds no break. Records may change during a reading, but such
// a change is complete before the next reading. A subject that changes during every reading is still being processed,
// and counts as open. Most subjects have no break, so the first reading may lag behind writes, for half the price.
func (r *run) prove(ctx context.Context, t task) (result, error) {
	var before *result
	for n := range maxReadings {
		s, err := r.read(ctx, t, n > 0 || t.consistent)
		if err != nil {
			return result{}, err
		}
		found := r.findBreaks(s)
		found.reading, found.readings = s, n+1
		if found.isFinal(before) {
			return found, nil
		}
		before = &found
	}
	return result{open: 1, readings: maxReadings, reading: before.reading, changing: true}, nil
}

// read reads everything about a subject: what is stored under its own keys, and then what these items expect elsewhere.
func (r *run) read(ctx context.Context, t task, consistent bool) (*reading, error) {
	s := &reading{task: t, store: store.Reads{View: r.Store.View, Consistent: consistent},
		extrasRead: make(map[store.ItemKey]bool, len(t.extras))}
	for _, k := range t.extras {
		s.extrasRead[k] = false
	}
	// The lines come first: a line that is read then has its entry, unless its outcome is pending.
	err := s.addAll(s.store.MoneyOfStatements(ctx, s.tenant, s.id))
	err = errors.Join(err, s.addAll(s.store.MoneyOfCode(ctx, s.tenant, payments.CodeOfID(s.id))))
	if !s.isTransaction() {
		err = errors.Join(err, s.addAll(s.store.MoneyOfPayout(ctx, s.tenant, s.id)))
	}
	for _, readMore := range []func(context.Context, *reading) error{
		r.readParts, r.readDeductions, r.readExtras, r.readRecords, r.readShortfall} {
		if err == nil {
			err = readMore(ctx, s)
		}
	}
	return s, err
}

// readParts reads the payable or record of each part of the transaction, by key.
func (r *run) readParts(ctx context.Context, s *reading) error {
	if s.transaction == nil {
		return nil
	}
	var keys []store.ItemKey
	for _, p := range s.transaction.Payouts {
		if k, ok := partKey(s.tenant, *s.transaction, p); ok {
			keys = append(keys, k)
			continue
		}
		// The part is of a time when parts had no day.
		if err := s.addRecords(ctx, dayBefore(s.transaction.CreatedAt), map[string]bool{partID(*s.transaction, p): true},
			func(r payout.Record) bool { return r.PayoutID == p.PayoutID }); err != nil {
			return err
		}
	}
	items, err := s.store.MoneyByKey(ctx, keys)
	for _, a := range items {
		s.add(a)
	}
	return err
}

// partKey returns the key of the payable or record of a transaction's part. It returns false if the part does not name
// the day of its payout.
func partKey(t identity.Tenant, of payments.Transaction, p payments.PayoutPart) (store.ItemKey, bool) {
	u := payments.Payable{ID: partID(of, p), Kind: payments.PayablePart, Shard: of.Shard, Amount: p.Amount,
		EligibleAt: p.EligibleAt}
	if p.Status == payments.EventScheduled {
		return store.PayableKey(t, u), true
	}
	return store.RecordKey(t, payout.Record{PayoutID: p.PayoutID, Day: p.Day, Payable: u}), p.Day != ""
}

// dayBefore returns the day before a time, as records are stored under it. A payout's day is a day in the merchant's
// time zone, which may be a day before the UTC date.
func dayBefore(at time.Time) string { return at.AddDate(0, 0, -1).Format(time.DateOnly) }

// readDeductions reads the debits or records of the transaction's deductions. It reads the debits before the records,
// because payouts turn debits into records.
func (r *run) readDeductions(ctx context.Context, s *reading) error {
	debits := map[string]bool{} // ids
	shards := map[int]bool{}    // whose debits were read
	from, others := "", map[string]bool{}
	for _, e := range s.events {
		if e.Type != payments.PayoutDeductionEvent {
			continue
		}
		if e.Status == payments.EventPending && !shards[e.Shard] {
			shards[e.Shard] = true
			if err := s.addDebits(s.store.MoneyOfDebits(ctx, s.tenant, e.Amount.Currency(), e.Shard), debits); err != nil {
				return err
			}
		}
		if others[e.ID] = true; from == "" || dayBefore(e.CreatedAt) < from {
			from = dayBefore(e.CreatedAt)
		}
	}
	maps.DeleteFunc(others, func(id string, _ bool) bool { return debits[id] })
	return s.addRecords(ctx, from, others, counts)
}

// counts returns true if the record stands for its payable. After a failed payout another record does so.
func counts(r payout.Record) bool { return r.Status != payout.RecordFailed }

// readExtras reads the extras that were not read yet.
func (r *run) readExtras(ctx context.Context, s *reading) error {
	var keys []store.ItemKey
	for k, read := range s.extrasRead {
		if !read {
			keys = append(keys, k)
		}
	}
	items, err := s.store.MoneyByKey(ctx, keys)
	for _, a := range items {
		if a.Record != nil && a.Record.PayoutID == s.id && a.Key == store.RecordKey(s.tenant, *a.Record) {
			s.strayDays = append(s.strayDays, a.Record.Day) // readRecords reads all records of this day
			continue
		}
		s.add(a)
	}
	return err
}

// readRecords reads the payout's records. Records of the payout under another day are extras.
func (r *run) readRecords(ctx context.Context, s *reading) error {
	days := map[string]bool{}
	if s.payout != nil {
		days[s.payout.Day] = true
	}
	for _, day := range s.strayDays {
		days[day] = true
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		if err := s.addAll(s.store.MoneyOfRecords(ctx, s.tenant, day, s.id)); err != nil {
			return err
		}
	}
	return nil
}

// readShortfall reads the debit or the record of the shortfall that the payout carries forward.
func (r *run) readShortfall(ctx context.Context, s *reading) error {
	if s.payout == nil || s.payout.Total.Sign() >= 0 {
		return nil
	}
	debits := map[string]bool{}
	err := s.addDebits(s.store.MoneyOfDebits(ctx, s.tenant, s.payout.Currency, 0), debits)
	if err != nil || len(debits) > 0 {
		return err
	}
	// Older payouts carried a shortfall forward only once they were complete, under an id without a step.
	ids := map[string]bool{s.payout.CarriedForward().ID: true, carriedPrefix + s.id: true}
	return s.addRecords(ctx, s.payout.Day, ids, func(r payout.Record) bool {
		if counts(r) {
			clear(ids) // only one of the two exists
		}
		return false
	})
}
