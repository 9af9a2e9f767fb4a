package reconcile

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// firstSegments is the number of segments of the proof of the whole table that precedes the first night.
	firstSegments = 16
	// settling is the time after which the indexes show every write. A night leaves what is younger to the next night.
	settling = 15 * time.Minute
)

// Tick begins the next run of the schedule, under the id, or returns the latest run if that is not finished. The first
// run proves the whole table. Every later run is a night: it proves what has changed since the Until of the run before.
// Tick also returns the segments that are not proven.
func Tick(ctx context.Context, c Config, id string) (run store.ProofRun, open []int, err error) {
	nights, err := c.Store.Nights(ctx)
	if err != nil {
		return run, nil, err
	}
	next := store.ProofRun{ID: id, Segments: firstSegments}
	if nights.Latest != "" {
		latest, latestErr := c.Store.Proof(ctx, nights.Latest)
		if latestErr != nil {
			return run, nil, latestErr
		}
		if open, err = openSegments(ctx, c.Store.View, latest); err != nil || len(open) > 0 {
			return latest, open, err
		}
		next = store.ProofRun{ID: id, Segments: store.TenantShards, Night: true, Since: latest.Until, LinesSince: latest.At}
	}
	if run, err = begin(ctx, c, next); err != nil {
		return run, nil, err
	}
	nights.Latest = id
	if err = c.Store.SaveNights(ctx, nights); err != nil {
		return run, nil, err
	}
	open, err = openSegments(ctx, c.Store.View, run)
	return run, open, err
}

// openSegments returns the segments of a run that are not proven.
func openSegments(ctx context.Context, s *store.View, run store.ProofRun) ([]int, error) {
	progress, err := s.ProofSegments(ctx, run.ID)
	proven := map[int]bool{}
	for _, p := range progress {
		proven[p.Segment] = p.Whole
	}
	var open []int
	for segment := range run.Segments {
		if !proven[segment] {
			open = append(open, segment)
		}
	}
	return open, err
}

// reopen makes the next night prove the subjects of new lines. It leaves out transactions and payouts that were created
// since the Until of the latest run, because the next night proves these anyway. A missing subject is proven, too.
func (r *run) reopen(ctx context.Context, lines []store.StatementLine) error {
	nights, err := r.Store.Nights(ctx)
	if err != nil {
		return err
	}
	var latest store.ProofRun
	if nights.Latest != "" { // otherwise the first night proves everything that exists
		if latest, err = r.Store.Proof(ctx, nights.Latest); err != nil {
			return err
		}
	}
	keys := make([]store.ItemKey, len(lines))
	for i, l := range lines {
		keys[i] = subject{l.Tenant, l.Subject}.key()
	}
	items, err := store.Reads{View: r.Store.View}.MoneyByKey(ctx, keys)
	if err != nil {
		return err
	}
	isNew := map[store.ItemKey]bool{}
	for _, a := range items {
		isNew[a.Key] = a.Transaction != nil && !a.Transaction.CreatedAt.Before(latest.Until) ||
			a.Payout != nil && !a.Payout.CreatedAt.Before(latest.Until)
	}
	for i, l := range lines {
		if isNew[keys[i]] {
			continue
		}
		err := r.Store.ListTenant(ctx, l.Tenant) // which may be unknown
		if err == nil {
			err = r.Store.Reopen(ctx, l.Tenant, l.Subject)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

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

	closings map[dayKey]store.Closing // what the current step adds
	subjects map[subject]store.ProvenSubject
}

// dayKey identifies a closing.
type dayKey struct {
	balanceKey
	day string
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
	for _, currency := range slices.Sorted(maps.Keys(n.progress.Night.Touched)) {
		err := n.Store.Balance(ctx, n.tenant, money.Currency(currency), n.progress.Night.Touched[currency])
		if err != nil {
			return false, err
		}
	}
	return true, nil
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
		sum.Tenant, sum.Currency, sum.Day = day.tenant, day.currency, day.day
		n.closings[day] = sum
		if n.progress.Night.Touched == nil {
			n.progress.Night.Touched = map[string]string{}
		}
		if first := n.progress.Night.Touched[string(day.currency)]; first == "" || day.day < first {
			n.progress.Night.Touched[string(day.currency)] = day.day
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
		if _, ok := actualMovement(l); ok {
			counts[movementCount]++
		} else {
			counts[bankLineCount]++
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

func (n *night) clearStep() {
	n.closings, n.subjects = map[dayKey]store.Closing{}, map[subject]store.ProvenSubject{}
	clear(n.book.counts)
}
