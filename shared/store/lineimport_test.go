package store_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// lineImport imports lines of the settlement s1 into a table.
type lineImport struct {
	*testing.T
	*store.Store
	clock *clock.Clock
	noted []store.StatementLine
}

func newLineImport(t *testing.T) *lineImport {
	t.Helper()
	c := clock.New()
	return &lineImport{T: t, Store: openTable(t, c, nil), clock: c}
}

var settlementS1 = ledger.OfSettlement("s1", "EUR")

// lineOfS1 returns a line about the settlement s1, with a fault or without.
func lineOfS1(kind, fault string) store.StatementLine {
	return store.StatementLine{Tenant: tenant, Subject: settlementS1.ID, Kind: kind, LineID: "1", ID: "s1",
		Amount: eur("10"), At: start, Fault: fault}
}

// entryOfS1 returns the entry that a settlement without a fault posts.
func entryOfS1(l store.StatementLine) *ledger.Entry {
	if l.Kind != "settlement" || l.Fault != "" {
		return nil
	}
	return ledger.MustEntry(l.LineID, ledger.Settlement, settlementS1, l.ImportedAt,
		ledger.Posting{Account: ledger.Bank, Amount: l.Amount},
		ledger.Posting{Account: ledger.AcquirerReceivable, Amount: l.Amount.Neg()})
}

// add imports lines, and then lets an hour pass.
func (i *lineImport) add(lines ...store.StatementLine) {
	i.Helper()
	with := noteIn(&i.noted)
	with.Entry = entryOfS1
	if _, err := i.ImportStatementLines(i.Context(), lines, with); err != nil {
		i.Fatal(err)
	}
	i.clock.Advance(time.Hour)
}

// want checks what is stored about the settlement: its lines, the times of its entries, and how often it was reopened.
func (i *lineImport) want(when string, reopened int, posted []time.Time, lines ...store.StatementLine) {
	i.Helper()
	items, err := collect(store.Reads{View: i.View, Consistent: true}.MoneyOfStatements(i.Context(), tenant,
		settlementS1.ID))
	if diff := cmp.Diff(lines, linesOf(items), storedtest.Options); err != nil || diff != "" {
		i.Errorf("%s: got error %v of the lines (-want +got):\n%s", when, err, diff)
	}
	entries, err := i.Entries(i.Context(), tenant, settlementS1)
	var got []time.Time
	for _, e := range entries {
		got = append(got, e.At)
	}
	if diff := cmp.Diff(posted, got); err != nil || diff != "" {
		i.Errorf("%s: got error %v of the entries (-want +got):\n%s", when, err, diff)
	}
	times := 0
	open, err := collect(i.OpenSubjects(i.Context(), tenant, ""))
	for _, p := range open {
		times += p.Reopened
	}
	if err != nil || times != reopened {
		i.Errorf("%s: got error %v, the settlement reopened %d times, want %d", when, err, times, reopened)
	}
}

// lose deletes the settlement's items of a kind.
func (i *lineImport) lose(kind store.Kind) {
	i.Helper()
	_, table := i.Raw()
	partition := string(kind) + "#" + tenant.String() + "#" + settlementS1.ID
	if err := table.Delete("pk", partition).Range("sk", "settlement#1").Run(i.Context()); err != nil {
		i.Fatal(err)
	}
}

// at returns the line as it is stored at a time.
func at(l store.StatementLine, t time.Time) store.StatementLine {
	l.ImportedAt = t
	return l
}

// TestImportStatementLines_Entry checks that a line posts its entry once. A lost line is stored again as it was, with
// the time of its entry, and reopens its subject.
func TestImportStatementLines_Entry(t *testing.T) {
	t.Parallel()
	i := newLineImport(t)
	line := lineOfS1("settlement", "")
	for range 2 {
		i.add(line)
		i.want("imported", 1, []time.Time{start}, at(line, start))
	}
	i.lose(store.KindStatement)
	i.add(line)
	i.want("lost", 2, []time.Time{start}, at(line, start))
	if len(i.noted) != 2 {
		t.Errorf("got the lines %+v noted, want two: a stored line is not noted", i.noted)
	}
}

// TestImportStatementLines_LostEntry checks that a stored line posts its lost entry again, with the line's time and
// amount, and reopens its subject.
func TestImportStatementLines_LostEntry(t *testing.T) {
	t.Parallel()
	i := newLineImport(t)
	line := lineOfS1("settlement", "")
	i.add(line)
	i.lose(store.KindJournal)
	other := line
	other.Amount = eur("11")
	for range 2 {
		i.add(other)
		i.want("lost", 2, []time.Time{start}, at(line, start))
	}
	entries, err := i.Entries(t.Context(), tenant, settlementS1)
	want := []ledger.Entry{*entryOfS1(at(line, start))}
	if diff := cmp.Diff(want, entries, storedtest.Options); err != nil || diff != "" {
		t.Errorf("got error %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]store.StatementLine{line, at(line, start)}, i.noted, storedtest.Options); diff != "" {
		t.Errorf("noted lines (-want +got):\n%s", diff)
	}
}

// TestImportStatementLines_Mended checks that only a line without a fault replaces a line with a fault: with a new
// time, with its entry if it posts one, and with its subject reopened. A line without a fault stays as it is.
func TestImportStatementLines_Mended(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"settlement", "capture"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			i := newLineImport(t)
			faulty, other, mended := lineOfS1(kind, "a fault"), lineOfS1(kind, "another fault"), lineOfS1(kind, "")
			other.Amount = eur("11")
			i.add(faulty)
			i.add(other)
			i.want("with a fault", 0, nil, at(faulty, start))
			now := i.clock.Now()
			var posted []time.Time
			if kind == "settlement" {
				posted = []time.Time{now}
			}
			i.add(mended)
			i.want("mended", 1, posted, at(mended, now))
			i.add(other)
			i.want("with a fault again", 1, posted, at(mended, now))
			if diff := cmp.Diff([]store.StatementLine{faulty, mended}, i.noted, storedtest.Options); diff != "" {
				t.Errorf("noted lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestImportStatementLines_MendedTwice checks that the faster of two importers replaces a line with a fault, and posts
// its entry.
func TestImportStatementLines_MendedTwice(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"settlement", "capture"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			i := newLineImport(t)
			i.add(lineOfS1(kind, "a fault"))
			faster, mended := i.clock.Now(), lineOfS1(kind, "")
			latest, err := i.ImportStatementLines(t.Context(), []store.StatementLine{mended}, store.LineImport{Entry: entryOfS1,
				Note: func(context.Context, []store.StatementLine) error { // it has read the line, and not replaced it
					i.add(mended) //nolint:contextcheck // another importer
					return nil
				}})
			if err != nil || !latest.Equal(faster) {
				t.Errorf("got the line of %v, error %v; want that of %v", latest, err, faster)
			}
			var posted []time.Time
			if kind == "settlement" {
				posted = []time.Time{faster}
			}
			i.want("mended by both", 1, posted, at(mended, faster))
		})
	}
}

// TestImportStatementLines_Unreadable checks that a stored line that cannot be read stops no other line.
func TestImportStatementLines_Unreadable(t *testing.T) {
	t.Parallel()
	i := newLineImport(t)
	line := lineOfS1("capture", "")
	i.add(line)
	_, table := i.Raw()
	items, err := collect(store.Reads{View: i.View, Consistent: true}.MoneyOfStatements(t.Context(), tenant,
		settlementS1.ID))
	if err != nil || len(items) != 1 {
		t.Fatalf("got %+v, error %v; want one line", items, err)
	}
	k := items[0].Key
	damaged := table.Update("pk", k.PK).Range("sk", k.SK).Set("amount", &types.AttributeValueMemberBOOL{Value: true})
	if err := damaged.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := line
	next.LineID = "2"
	i.add(line, next)
	if diff := cmp.Diff([]store.StatementLine{line, next}, i.noted, storedtest.Options); diff != "" {
		t.Errorf("noted lines (-want +got):\n%s", diff)
	}
}

// TestImportStatementLines_OneSubject checks that the lines of one subject are stored one after another: a line is
// stamped only when the line before it is stored.
func TestImportStatementLines_OneSubject(t *testing.T) {
	t.Parallel()
	i := newLineImport(t)
	var lines []store.StatementLine
	for n := range 8 {
		l := lineOfS1("capture", "")
		l.LineID = strconv.Itoa(n)
		lines = append(lines, l)
	}
	var stamped atomic.Int64
	with := noteIn(&i.noted)
	with.Entry = func(l store.StatementLine) *ledger.Entry {
		if l.ImportedAt.IsZero() {
			return nil
		}
		items, err := collect(store.Reads{View: i.View, Consistent: true}.MoneyOfStatements(t.Context(), tenant,
			settlementS1.ID))
		if before := int(stamped.Add(1)) - 1; err != nil || len(items) != before {
			t.Errorf("line %d: got %d stored lines, error %v, want %d", before, len(items), err, before)
		}
		return nil
	}
	if _, err := i.ImportStatementLines(t.Context(), lines, with); err != nil || stamped.Load() != 8 {
		t.Errorf("got error %v after %d lines, want none after 8", err, stamped.Load())
	}
}
