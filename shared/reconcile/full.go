package reconcile

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// lastStart is kept free at the end of a call. It is the time to finish the proofs of a chunk, and to save them.
	lastStart = 20 * time.Second
	// lateLines is the time by which a counterparty may book a line late. Each import reads the lines of this time again.
	lateLines = 48 * time.Hour
)

// Begin imports the statements, and begins a proof of the whole table in segments, which Segment carries on. The id
// names the run. Begin may be repeated.
func Begin(ctx context.Context, c Config, id string, segments int) (store.ProofRun, error) {
	r := newRun(c)
	if err := r.importLatest(ctx, func(store.StatementLine) {}); err != nil {
		return store.ProofRun{}, err
	}
	run := store.ProofRun{ID: id, At: r.began, Segments: segments}
	if err := c.Store.BeginProof(ctx, run); err != nil {
		return store.ProofRun{}, err
	}
	return c.Store.Proof(ctx, id)
}

// importLatest imports the lines that were booked since the last import, and those that may have been booked late.
func (r *run) importLatest(ctx context.Context, note func(store.StatementLine)) error {
	last, err := r.Store.Imports(ctx)
	if err != nil {
		return err
	}
	since := last.At
	if !since.IsZero() {
		since = since.Add(-lateLines)
	}
	if err := r.importStatements(ctx, since, note); err != nil {
		return err
	}
	last.At = r.began
	return r.Store.SaveImports(ctx, last)
}

// Segment proves as much of a segment of the run as there is time for. It returns true if the whole segment is proven.
// Otherwise call Segment again. Each part of a segment counts once, even if several calls prove it at the same time:
// the slower ones return store.ErrStale.
func Segment(ctx context.Context, c Config, id string, segment int) (whole bool, err error) {
	run, err := c.Store.Proof(ctx, id)
	if err != nil {
		return false, err
	}
	progress, err := c.Store.ProofSegment(ctx, id, segment)
	if err != nil || progress.Whole {
		return progress.Whole, err
	}
	r := newRun(c)
	r.importedAt = run.At
	starting, cancel := deadline.Early(ctx, lastStart)
	defer cancel()
	last, whole, err := r.proveSegment(ctx, starting, segment, run.Segments, progress.After.Key())
	if err == nil {
		err = r.checkReserves(ctx)
	}
	if err != nil {
		return false, err
	}
	for _, b := range slices.SortedFunc(maps.Values(r.book.breaks), Break.compare) { // before the progress: a part that is repeated finds them again
		if err := c.Store.SaveProofBreak(ctx, id, store.ProofBreak{Tenant: b.Tenant, Kind: string(b.Kind), ID: b.ID,
			Text: b.Text}); err != nil {
			return false, err
		}
	}
	progress.After, progress.Whole = store.PlaceOf(last), whole
	return whole, c.Store.SaveProofSegment(ctx, id, progress, r.book.counts)
}

// ReportOf returns the report of a run, and true if all its segments are proven.
func ReportOf(ctx context.Context, s *store.View, id string) (report Report, whole bool, err error) {
	run, err := s.Proof(ctx, id)
	if err != nil {
		return Report{}, false, err
	}
	segments, err := s.ProofSegments(ctx, id)
	if err != nil {
		return Report{}, false, err
	}
	counts, proven := map[string]int64{}, 0
	for _, progress := range segments {
		for name, n := range progress.Counts {
			counts[name] += n
		}
		if progress.Whole {
			proven++
		}
	}
	breaks := map[Break]bool{}
	for b, err := range s.ProofBreaks(ctx, id) {
		if err != nil {
			return Report{}, false, err
		}
		breaks[Break{b.Tenant, BreakKind(b.Kind), b.ID, b.Text}] = true
	}
	return newReport(run.At, counts, maps.Keys(breaks)), proven == run.Segments, nil
}
