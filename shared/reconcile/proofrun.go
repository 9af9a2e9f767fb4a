package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// firstSegments is the number of segments of the proof of the whole table that precedes the first night.
	firstSegments = 16
	// settling is the time after which the indexes show every write. A night leaves what is younger to the next night.
	settling = 15 * time.Minute
	// lastStart is kept free at the end of a call. It is the time to finish the proofs of a chunk, and to save them.
	lastStart = 20 * time.Second
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
	of.At, of.Until = r.linesUntil, r.began.Add(-settling).Truncate(time.Millisecond)
	if of.Until.Before(of.Since) { // a clock went back
		of.Until = of.Since
	}
	if of.At.Before(of.LinesSince) {
		of.At = of.LinesSince
	}
	return of, c.Store.BeginProof(ctx, of)
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
		whole, err = proveNight(ctx, r, run, progress)
		if errors.Is(err, store.ErrReopened) { // the next call repeats the step
			return false, nil
		}
		return whole, err
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
