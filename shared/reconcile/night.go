package reconcile

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// night is a part of a segment of a night. It walks tenants, and the stages of each tenant. What it has proven is saved
// in steps: each writes the progress, the closings that it adds to, and what is remembered about subjects, in one
// transaction. So each entry is added to a closing exactly once.
type night struct {
	*run
	proof    store.ProofRun
	progress store.ProofSegment

	tenant identity.Tenant // the current one
	begun  bool            // an earlier night has proven it
	where  *time.Location
	shards int
	since  time.Time // a transaction of this time or later is new: Since, or the epoch in the tenant's first night

	settled map[money.Currency]bool // the currencies of the tenant's closings in store.AcquirerBook

	closings map[dayKey]store.Closing // what the current step adds
	subjects map[subject]store.ProvenSubject
}

// dayKey identifies a closing.
type dayKey struct {
	store.Series
	day string
}

func (k dayKey) compare(other dayKey) int {
	return store.Closing{Series: k.Series, Day: k.day}.Compare(store.Closing{Series: other.Series, Day: other.day})
}

// seriesName returns the name of a series in store.NightPlace.Touched.
func seriesName(s store.Series) string { return string(s.Book) + "#" + string(s.Currency) }

// parseSeriesName returns the tenant's series with a name.
func parseSeriesName(t identity.Tenant, name string) store.Series {
	book, currency, _ := strings.Cut(name, "#")
	return store.Series{Tenant: t, Book: store.Book(book), Currency: money.Currency(currency)}
}

// proveNight proves as much of a segment of a night as there is time for. It returns true if the segment is proven.
func proveNight(ctx context.Context, r *run, proof store.ProofRun, progress store.ProofSegment) (bool, error) {
	n := &night{run: r, proof: proof, progress: progress}
	n.clearStep()
	starting, cancel := deadline.Early(ctx, lastStart)
	defer cancel()
	whole, err := n.proveTenants(ctx, starting)
	if err == nil {
		err = n.save(ctx, nil) // the reserves may take long
	}
	if err == nil {
		err = r.checkReserves(ctx)
	}
	if err == nil {
		err = n.saveBreaks(ctx, proof.ID)
	}
	if err != nil || !whole {
		return false, err
	}
	n.progress.Whole = true
	return true, n.save(ctx, nil)
}

// proveTenants proves the tenants of the segment until the context starting ends. It returns true if all are proven.
func (n *night) proveTenants(ctx, starting context.Context) (bool, error) {
	for listed, err := range n.Store.Tenants(ctx, n.progress.Segment, n.progress.Night.Tenant) {
		if err != nil {
			return false, err
		}
		if t := listed.Tenant.String(); t != n.progress.Night.Tenant {
			n.progress.Night = store.NightPlace{Tenant: t}
		}
		whole, err := n.proveTenant(ctx, starting, listed)
		if err != nil || !whole {
			return false, err
		}
		n.progress.Night = store.NightPlace{Tenant: listed.Tenant.String() + afterTenant}
		if starting.Err() != nil {
			return false, nil
		}
	}
	return true, nil
}

// afterTenant makes a name that sorts after a tenant, and before all tenants that follow.
const afterTenant = " "

// proveTenant proves what has changed of a tenant. It returns true if all is proven.
func (n *night) proveTenant(ctx, starting context.Context, listed store.ListedTenant) (bool, error) {
	m, err := n.Store.Merchant(ctx, listed.Tenant.Merchant)
	if err != nil && !failure.Is(err, failure.KindNotFound) { // an unknown tenant may have lines of a statement
		return false, err
	}
	n.tenant, n.begun, n.where, n.shards = listed.Tenant, listed.Begun, m.Location(), m.ShardCount()
	n.settled = map[money.Currency]bool{}
	for _, currency := range listed.Settled {
		n.settled[money.Currency(currency)] = true
	}
	if n.since = n.proof.Since; !n.begun {
		n.since = epoch
	}
	stages := []func(context.Context) candidates{n.open, n.created, n.changed, n.payouts, n.parts}
	for n.progress.Night.Stage < len(stages) {
		whole, err := n.walk(ctx, starting, stages[n.progress.Night.Stage](ctx))
		if err != nil || !whole {
			return false, err
		}
		n.progress.Night.Stage++
		n.progress.Night.Position = ""
	}
	if len(n.closings) > 0 || !n.begun { // Balance reads the closings
		if err := n.save(ctx, &listed.Tenant); err != nil {
			return false, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.progress.Night.Touched)) {
		err := n.Store.Balance(ctx, parseSeriesName(n.tenant, name), n.progress.Night.Touched[name])
		if err != nil {
			return false, err
		}
	}
	if err := n.checkSettled(ctx); err != nil || len(n.book.breaks) == 0 {
		return err == nil, err
	}
	return true, n.checkCurrent(ctx)
}

// checkCurrent returns store.ErrStale if another call about the segment was faster. That call may have added to
// closings without carrying their balances forward yet, so that checkSettled has found breaks that do not exist.
func (n *night) checkCurrent(ctx context.Context) error {
	latest, err := n.Store.ProofSegment(ctx, n.proof.ID, n.progress.Segment)
	if err == nil && latest.Version != n.progress.Version {
		return store.ErrStale
	}
	return err
}

// walk proves candidates until the context starting ends. It returns true if it has proven all of them.
func (n *night) walk(ctx, starting context.Context, all candidates) (bool, error) {
	var chunk []candidate
	chunks := 0
	for c, err := range all {
		if err != nil {
			return false, err
		}
		if chunk = append(chunk, c); len(chunk) < nightChunk {
			continue
		}
		if err := n.proveChunk(ctx, chunk); err != nil {
			return false, err
		}
		if chunk = nil; starting.Err() != nil {
			return false, nil
		}
		if chunks++; chunks%savedChunks == 0 {
			if err := n.save(ctx, nil); err != nil {
				return false, err
			}
		}
	}
	return true, n.proveChunk(ctx, chunk)
}

// nightChunk is the number of subjects that a night proves before it looks at the time.
const nightChunk = 32

// savedChunks is the number of chunks after which the progress is saved, so that a call that dies repeats only seconds.
const savedChunks = 64

// proveChunk proves candidates, and adds what they add to the step. It first saves a step that has no room for it.
func (n *night) proveChunk(ctx context.Context, chunk []candidate) error {
	if len(chunk) == 0 {
		return nil
	}
	all, err := n.proveCandidates(ctx, chunk)
	if err != nil {
		return err
	}
	for _, proven := range all {
		if n.size(proven) > store.MaxNightStep {
			if err := n.save(ctx, nil); err != nil {
				return err
			}
		}
		if n.size(proven) > store.MaxNightStep { // one subject with more days than a step can hold: no closing has it
			proven.closings, proven.learned = nil, n.remember(proven.candidate, true, proven.from, proven.linesFrom)
		}
		n.add(proven)
		n.progress.Night.Position = proven.position
	}
	n.progress.Night.Position = chunk[len(chunk)-1].position
	return nil
}

// size returns the number of items of the step with one more proven candidate.
func (n *night) size(p provenCandidate) int {
	size := len(n.closings) + len(n.subjects) + 1
	for day := range p.closings {
		if _, known := n.closings[day]; !known {
			size++
		}
	}
	return size
}

// add adds a proven candidate to the step.
func (n *night) add(p provenCandidate) {
	for day, closing := range p.closings {
		sum := n.closings[day].Add(closing)
		sum.Series, sum.Day = day.Series, day.day
		n.closings[day] = sum
		if n.progress.Night.Touched == nil {
			n.progress.Night.Touched = map[string]string{}
		}
		name := seriesName(day.Series)
		if first := n.progress.Night.Touched[name]; first == "" || day.day < first {
			n.progress.Night.Touched[name] = day.day
		}
	}
	if p.learned.ID != "" {
		n.subjects[subject{n.tenant, p.id}] = p.learned
	}
	n.addResult(task{subject: subject{n.tenant, p.id}, primary: p.kind != partOfPayout}, p.result)
	n.countReading(p.reading)
}

// countReading counts what a reading has found, and notes the reserves that it is about.
func (n *night) countReading(s *reading) {
	counts := n.book.counts
	if s.transaction != nil {
		counts[transactionCount]++
	}
	if s.payout != nil {
		counts[payoutCount]++
	}
	counts[entryCount] += int64(len(s.entries))
	for _, l := range s.lines {
		if isBankLine(l) {
			counts[bankLineCount]++
		} else {
			counts[movementCount]++
		}
	}
	for _, e := range s.events {
		if e.InReserve && (isPending(e) || !e.UpdatedAt.Before(n.proof.Since)) {
			n.book.reserves[balanceKey{n.tenant, e.Amount.Currency()}] = true
		}
	}
}

// save saves the step and the progress, and begins another step. If begun is not nil, the tenant is proven for the
// first time.
func (n *night) save(ctx context.Context, begun *identity.Tenant) error {
	if err := n.saveBreaks(ctx, n.proof.ID); err != nil {
		return err
	}
	if err := n.noteSettled(ctx); err != nil {
		return err
	}
	step := store.NightStep{Closings: slices.SortedFunc(maps.Values(n.closings), store.Closing.Compare),
		Subjects: slices.SortedFunc(maps.Values(n.subjects), store.ProvenSubject.Compare)}
	if n.begun {
		step.Day = n.day(n.proof.Since)
	} else {
		step.Begun = begun
	}
	progress, err := n.Store.SaveNightStep(ctx, n.proof, n.progress, n.book.counts, step)
	if err != nil {
		return err
	}
	n.progress = progress
	n.clearStep()
	return nil
}

// noteSettled notes the currencies of new closings in store.AcquirerBook, so that every later night checks them.
func (n *night) noteSettled(ctx context.Context) error {
	for _, day := range slices.SortedFunc(maps.Keys(n.closings), dayKey.compare) {
		if day.Book != store.AcquirerBook || n.settled[day.Currency] {
			continue
		}
		if err := n.Store.NoteSettled(ctx, n.tenant, day.Currency); err != nil {
			return err
		}
		n.settled[day.Currency] = true
	}
	return nil
}

func (n *night) clearStep() {
	n.closings, n.subjects = map[dayKey]store.Closing{}, map[subject]store.ProvenSubject{}
	clear(n.book.counts)
}
