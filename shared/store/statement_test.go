package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedStatements = map[string]stored{
	"ImportStatementLines": {
		sets: "ImportedAt is now",
		write: func(w fixture) []storedtest.Read {
			l := storedtest.Fill(w, w.Filler, func(l *store.StatementLine) { l.Tenant = w.tenant })
			var got []store.StatementLine
			entry := storedtest.Fill(w, w.Filler, func(e *ledger.Entry) {
				e.About = ledger.Reference{Subject: ledger.SubjectSettlement, ID: l.Subject}
			})
			with := noteIn(&got)
			with.Entry = func(store.StatementLine) *ledger.Entry { return &entry }
			latest, err := w.ImportStatementLines(w.Context(), []store.StatementLine{l}, with)
			wantAnswer(w, []store.StatementLine{l}, got, err)
			l.ImportedAt = w.clock.Now()
			wantAnswer(w, l.ImportedAt, latest, nil)
			type read struct {
				Lines   []store.StatementLine
				Entries []ledger.Entry
				Open    []store.ProvenSubject
			}
			want := read{[]store.StatementLine{l}, []ledger.Entry{entry},
				[]store.ProvenSubject{{Tenant: w.tenant, ID: l.Subject, Open: true, Reopened: 1,
					ReopenedAt: w.clock.Now()}}}
			return []storedtest.Read{storedtest.Expect("the line, its entry and its subject", want,
				func(ctx context.Context) (r read, err error) {
					items, err := collect(store.Reads{View: w.View, Consistent: true}.MoneyOfStatements(ctx, w.tenant, l.Subject))
					r.Lines = linesOf(items)
					var errs [2]error
					r.Entries, errs[0] = w.Entries(ctx, w.tenant, entry.About)
					r.Open, errs[1] = collect(w.OpenSubjects(ctx, w.tenant, ""))
					return r, errors.Join(err, errs[0], errs[1])
				})}
		},
	},
	"BeginProof": {
		write: func(w fixture) []storedtest.Read {
			r := storedtest.Fill[store.ProofRun](w, w.Filler)
			w.must(w.BeginProof(w.Context(), r))
			return []storedtest.Read{storedtest.Expect("Proof", r, func(ctx context.Context) (store.ProofRun, error) {
				return w.Proof(ctx, r.ID)
			})}
		},
	},
	"SaveProofSegment": {
		sets: "Version is the next; it adds the counts to those of the progress",
		write: func(w fixture) []storedtest.Read {
			p := storedtest.Fill[store.ProofSegment](w, w.Filler)
			p.Version, p.Counts = 0, map[string]int64{"found": 1, "seen": 2} // not stored yet
			w.must(w.SaveProofSegment(w.Context(), "r", p, map[string]int64{"found": 3}))
			p.Version, p.Counts = 1, map[string]int64{"found": 4, "seen": 2}
			type read struct {
				One store.ProofSegment
				All []store.ProofSegment
			}
			return []storedtest.Read{storedtest.Expect("ProofSegment", read{p, []store.ProofSegment{p}},
				func(ctx context.Context) (read, error) {
					one, err := w.ProofSegment(ctx, "r", p.Segment)
					all, allErr := w.ProofSegments(ctx, "r")
					return read{one, all}, errors.Join(err, allErr)
				})}
		},
		unseen: storedtest.NotRead{"SEGMENT write_id": notRead},
	},
	"SaveProofBreak": {
		write: func(w fixture) []storedtest.Read {
			b := storedtest.Fill[store.ProofBreak](w, w.Filler)
			for range 2 { // the second one replaces the first
				w.must(w.SaveProofBreak(w.Context(), "r", b))
			}
			return []storedtest.Read{storedtest.Expect("ProofBreaks", []store.ProofBreak{b},
				func(ctx context.Context) ([]store.ProofBreak, error) { return collect(w.ProofBreaks(ctx, "r")) }),
				w.expiries(w.kept())}
		},
	},
	"SaveImports": {
		write: func(w fixture) []storedtest.Read {
			i := storedtest.Fill[store.Imports](w, w.Filler)
			w.must(w.SaveImports(w.Context(), i))
			return []storedtest.Read{storedtest.Expect("Imports", i, w.Imports)}
		},
	},
}

// kept returns the time when the table deletes a break that is written now.
func (w fixture) kept() time.Time { return w.clock.Now().Add(90 * 24 * time.Hour) }

// noteIn returns the import of lines that post no entries. It notes the lines in the list.
func noteIn(list *[]store.StatementLine) store.LineImport {
	return store.LineImport{
		Note: func(_ context.Context, lines []store.StatementLine) error {
			*list = append(*list, lines...)
			return nil
		},
		Entry: func(store.StatementLine) *ledger.Entry { return nil },
	}
}

// linesOf returns the lines of statements among the items.
func linesOf(items []store.ReconciledItem) []store.StatementLine {
	var lines []store.StatementLine
	for _, a := range items {
		if a.Line != nil {
			lines = append(lines, *a.Line)
		}
	}
	return lines
}

// TestImportStatementLines_Known checks that a known line is neither changed nor noted, and that a line of an
// unknown tenant is kept.
func TestImportStatementLines_Known(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	line := func(tenant identity.Tenant, id, amount string) store.StatementLine {
		return store.StatementLine{Tenant: tenant, Subject: "s", Kind: "capture", LineID: id, ID: "s", Amount: eur(amount),
			At: start}
	}
	known, changed := line(tenant, "1", "10"), line(tenant, "1", "11")
	unknown := line(identity.Tenant{Mode: "T"}, "2", "12")
	for i, c := range []struct{ lines, want []store.StatementLine }{
		{nil, nil},
		{[]store.StatementLine{known, known}, []store.StatementLine{known}},
		{[]store.StatementLine{unknown, changed}, []store.StatementLine{unknown}},
	} {
		var got []store.StatementLine
		_, err := s.ImportStatementLines(t.Context(), c.lines, noteIn(&got))
		if diff := cmp.Diff(c.want, got, storedtest.Options); err != nil || diff != "" {
			t.Errorf("%d: got error %v (-want +got):\n%s", i, err, diff)
		}
	}
	found, err := collect(s.ScanReconciled(t.Context(), 0, 1, store.ItemKey{}))
	got := map[identity.Tenant][]store.StatementLine{}
	for _, a := range found {
		got[a.Tenant] = append(got[a.Tenant], linesOf([]store.ReconciledItem{a})...)
	}
	known.ImportedAt, unknown.ImportedAt = start, start
	want := map[identity.Tenant][]store.StatementLine{tenant: {known}, unknown.Tenant: {unknown}}
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
}

// TestScanReconciled_Continued checks that a scan that is continued after any item yields the items that follow.
func TestScanReconciled_Continued(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var lines []store.StatementLine
	for i := range 20 {
		lines = append(lines, store.StatementLine{Tenant: tenant, Subject: fmt.Sprint(i % 7), Kind: "capture",
			LineID: fmt.Sprint(i), Amount: eur("1"), At: start})
	}
	if _, err := s.ImportStatementLines(t.Context(), lines, noteIn(new([]store.StatementLine))); err != nil {
		t.Fatal(err)
	}
	n := 0
	for segment := range 3 {
		all, err := collect(s.ScanReconciled(t.Context(), segment, 3, store.ItemKey{}))
		n += len(all)
		for i, a := range all {
			rest, restErr := collect(s.ScanReconciled(t.Context(), segment, 3, a.Key))
			if diff := cmp.Diff(all[i+1:], rest, storedtest.Options); err != nil || restErr != nil || diff != "" {
				t.Errorf("segment %d after %d: got errors %v, %v (-want +got):\n%s", segment, i, err, restErr, diff)
			}
		}
	}
	if n != len(lines) {
		t.Errorf("got %d items, want %d", n, len(lines))
	}
}

// TestMoneyOfPayables checks that the records of payables are found in each payout from a day on, without other
// records, until their ids are deleted.
func TestMoneyOfPayables(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, day := range []string{"2026-01-01", "2026-01-02", "2026-01-03"} {
		storePayout(t, s, day, 3, "1", false)
	}
	for _, c := range []struct {
		from string
		ids  []string
		want []string
	}{
		{"2025-12-31", []string{"2026-01-02-01"}, []string{"2026-01-02-01"}},
		{"2026-01-02", []string{"2026-01-03-00", "2026-01-02-02"}, []string{"2026-01-02-02", "2026-01-03-00"}},
		{"2026-01-03", []string{"2026-01-02-01"}, nil}, {"2026-01-01", []string{"unknown"}, nil},
		{"2026-02-01", []string{"2026-01-02-01"}, nil}, {"2026-01-01", nil, nil},
	} {
		ids, found := map[string]bool{}, []string(nil)
		for _, id := range c.ids {
			ids[id] = true
		}
		for a, err := range (store.Reads{View: s.View, Consistent: true}).MoneyOfPayables(t.Context(), tenant, c.from, ids) {
			if err != nil || a.Record == nil || a.Key != store.RecordKey(tenant, *a.Record) {
				t.Fatalf("%v from %s: got %+v, error %v; want a record under its key", c.ids, c.from, a, err)
			}
			found = append(found, a.Record.ID)
			delete(ids, a.Record.ID)
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("%v from %s: got %v, want %v", c.ids, c.from, found, c.want)
		}
	}
}
