package store

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// ProofRun is a proof of the whole table, or of what has changed in a time (a night). A queue carries it on in
// segments.
type ProofRun struct {
	ID       string    `dynamo:"id"`
	At       time.Time `dynamo:"at"`              // when the statements had been imported
	Segments int       `dynamo:"segments"`        // of the table, or of the directory of tenants
	Night    bool      `dynamo:"night,omitempty"` // of the directory
	// A night adds the entries from Since until before Until, and the lines that were imported after LinesSince and until
	// At. The night after any run has that run's Until as its Since, and that run's At as its LinesSince.
	Since      time.Time `dynamo:"since,omitempty"`
	Until      time.Time `dynamo:"until"`
	LinesSince time.Time `dynamo:"lines_since,omitempty"`
}

// Place is the key of an item, as a value of another item.
type Place struct {
	Partition string `dynamo:"partition"`
	Sort      string `dynamo:"sort"`
}

// PlaceOf returns the place of an item.
func PlaceOf(k ItemKey) Place { return Place{k.PK, k.SK} }

// Key returns the key of the item.
func (p Place) Key() ItemKey { return key{p.Partition, p.Sort} }

// ProofSegment is the progress of a segment of a run. Each part of the segment adds what it has counted exactly once,
// with the write that moves After on.
type ProofSegment struct {
	Segment int              `dynamo:"segment"`
	After   Place            `dynamo:"after"`           // of the last item that was proven
	Whole   bool             `dynamo:"whole"`           // the segment is proven
	Night   NightPlace       `dynamo:"night,omitempty"` // of a night, in place of After
	Counts  map[string]int64 `dynamo:"counts"`          // by names that reconcile chooses
	Version int              `dynamo:"version"`
}

// ProofBreak is a break that a run has found, as in reconcile.Break.
type ProofBreak struct {
	Tenant string `dynamo:"tenant"`
	Kind   string `dynamo:"kind"`
	ID     string `dynamo:"id"`
	Text   string `dynamo:"text"`
}

const (
	proofSort          = "RUN"
	proofSegmentPrefix = "SEGMENT#"
	proofBreakPrefix   = "BREAK#"
)

// breaksKept is the time after which the table deletes a run's breaks, which the log has, too.
const breaksKept = 90 * 24 * time.Hour

func proofKey(run, sort string) key { return key{KindProof.named(run), sort} }

// BeginProof stores a new run. Its id must be new.
func (s *Store) BeginProof(ctx context.Context, r ProofRun) error {
	return s.table.Put(storedItem{key: proofKey(r.ID, proofSort), value: r}).Run(ctx)
}

// Proof reads a run. Failure: NotFound.
func (s *View) Proof(ctx context.Context, run string) (ProofRun, error) {
	return readOne[ProofRun](ctx, s, proofKey(run, proofSort), failure.NotFound("There is no such proof."))
}

// ProofSegment reads the progress of a segment. A segment that has not begun has no key, no counts and version 0.
func (s *View) ProofSegment(ctx context.Context, run string, segment int) (ProofSegment, error) {
	found, err := readOne[ProofSegment](ctx, s, proofKey(run, segmentSort(segment)), nil)
	found.Segment = segment
	return found, err
}

func segmentSort(segment int) string { return proofSegmentPrefix + strconv.Itoa(segment) }

// ProofSegments reads the progress of all segments that have begun.
func (s *View) ProofSegments(ctx context.Context, run string) ([]ProofSegment, error) {
	var segments []ProofSegment
	err := s.prefixed(KindProof.named(run), proofSegmentPrefix).All(ctx, &segments)
	return segments, err
}

// SaveProofSegment saves the progress of a segment, and adds counts to those that were saved before. Error: ErrStale
// when another message about the segment was faster.
func (s *Store) SaveProofSegment(ctx context.Context, run string, progress ProofSegment,
	counts map[string]int64) error {
	progress.Counts = addSums(progress.Counts, counts)
	progress.Version++
	return s.save(ctx, newItem(proofKey(run, segmentSort(progress.Segment)), progress, progress.Version))
}

// SaveProofBreak stores a break of a run. Equal breaks are stored once. Breaks of the same tenant, kind and id are
// equal if their texts are, up to the amount by which something is off.
func (s *Store) SaveProofBreak(ctx context.Context, run string, b ProofBreak) error {
	about, _, _ := strings.Cut(b.Text, ": off by ")
	sort := proofBreakPrefix + digest(fmt.Sprintf("%q %q %q %q", b.Tenant, b.Kind, b.ID, about))
	item := storedItem{key: proofKey(run, sort), value: b, TTL: s.now().Add(breaksKept)}
	return s.table.Put(item).Run(ctx)
}

// ProofBreaks walks the breaks of a run.
func (s *View) ProofBreaks(ctx context.Context, run string) iter.Seq2[ProofBreak, error] {
	return each[ProofBreak](ctx, s.prefixed(KindProof.named(run), proofBreakPrefix).Iter())
}

// Imports is the progress of the import of statements.
type Imports struct {
	At time.Time `dynamo:"at"` // the lines that were booked before this time are stored
}

// importsKey returns a key that no run has, because the id of a run is not empty.
func importsKey() key { return proofKey("", "IMPORTS") }

// Imports reads the progress of the import. It is zero before the first import.
func (s *View) Imports(ctx context.Context) (Imports, error) {
	return readOne[Imports](ctx, s, importsKey(), nil)
}

// SaveImports saves the progress of the import. If two imports run at the same time, the earlier time may stay. Then
// the next import reads some lines once more.
func (s *Store) SaveImports(ctx context.Context, i Imports) error {
	return s.table.Put(storedItem{key: importsKey(), value: i}).Run(ctx)
}
