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
	// lateMovements and lateBankLines are the times by which an acquirer and a bank may show a line late. Each import
	// reads the lines of this time again. A bank has only one line for a payout, and its weekends are long.
	lateMovements = 24 * time.Hour
	lateBankLines = 7 * 24 * time.Hour
)

// Begin imports the statements, and begins a proof of the whole table in segments, which Segment carries on. The id
// names the run.
func Begin(ctx context.Context, c Config, id string, segments int) (store.ProofRun, error) {
	return begin(ctx, c, store.ProofRun{ID: id, Segments: segments})
}

func begin(ctx context.Context, c Config, of store.ProofRun) (store.ProofRun, error) {
	r := newRun(c)
	if err := r.importLatest(ctx); err != nil {
		return store.ProofRun{}, err
	}
	of.At, of.Until = r.began, r.began.Add(-settling).Truncate(time.Millisecond)
	if of.Until.Before(of.Since) { // a clock went back
		of.Until = of.Since
	}
	return of, c.Store.BeginProof(ctx, of)
}

// importLatest imports the lines that were booked since the last import, and those that may have been booked late. The
// next night proves each transaction and payout that has a new line, and that it would not find otherwise.
func (r *run) importLatest(ctx context.Context) error {
	last, err := r.Store.Imports(ctx)
	if err != nil {
		return err
	}
	var movements, bankLines time.Time
	if !last.At.IsZero() {
		movements, bankLines = last.At.Add(-lateMovements), last.At.Add(-lateBankLines)
	}
	if err := r.importStatements(ctx, movements, bankLines); err != nil {
		return err
	}
	return r.Store.SaveImports(ctx, store.Imports{At: r.began})
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
	r.importedAt = run.Until // a statement may not show the latest lines yet
	if run.Night {
		return proveNight(ctx, r, run, progress)
	}
	starting, cancel := deadline.Early(ctx, lastStart)
	defer cancel()
	last, whole, err := r.proveSegment(ctx, starting, segment, run.Segments, progress.After.Key())
	if err == nil {
		err = r.checkReserves(ctx)
	}
	if err != nil {
		return false, err
	}
	if err := r.saveBreaks(ctx, id); err != nil {
		return false, err
	}
	progress.After, progress.Whole = store.PlaceOf(last), whole
	return whole, c.Store.SaveProofSegment(ctx, id, progress, r.book.counts)
}

// saveBreaks saves the breaks that were found since the last call. Call it before the progress is saved, because a part
// that is repeated finds them again.
func (r *run) saveBreaks(ctx context.Context, id string) error {
	for _, b := range slices.SortedFunc(maps.Values(r.book.breaks), Break.compare) {
		if err := r.Store.SaveProofBreak(ctx, id, store.ProofBreak{Tenant: b.Tenant, Kind: string(b.Kind), ID: b.ID,
			Text: b.Text}); err != nil {
			return err
		}
	}
	clear(r.book.breaks)
	return nil
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
