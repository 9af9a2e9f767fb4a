package sandbox_test

import (
	"fmt"
	"iter"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
)

// readStatement returns the statement's lines by id, without the random ids of lines. It fails the test if two lines
// share an id, or if the statement since the beginning has other lines.
func (w *fixture) readStatement(t *testing.T) map[string]bank.StatementLine {
	t.Helper()
	lines := w.readStatementSince(t, time.Time{})
	if since := w.readStatementSince(t, clock.Start); !maps.Equal(since, lines) {
		t.Errorf("got %v since the beginning, want %v", since, lines)
	}
	return lines
}

func (w *fixture) readStatementSince(t *testing.T, since time.Time) map[string]bank.StatementLine {
	t.Helper()
	lines, ids := map[string]bank.StatementLine{}, map[string]bool{}
	for b, err := range w.Statement(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		name := b.ID
		if _, twice := lines[name]; twice || ids[b.LineID] || b.LineID == "" {
			t.Errorf("got %s twice or without an id of its own: %q", name, b.LineID)
		}
		ids[b.LineID] = true
		b.LineID = ""
		lines[name] = b
	}
	return lines
}

func TestStatement(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if lines := w.readStatement(t); len(lines) != 0 {
		t.Errorf("got %v of no transfers, want no lines", lines)
	}
	started := w.Now()
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN, sandbox.LostAnswerIBAN,
		sandbox.NotTakenIBAN} {
		_, _ = w.Transfer(t.Context(), transferTo(number, number))
	}
	want := map[string]bank.StatementLine{}
	add := func(id string, at time.Time) {
		want[id] = bank.StatementLine{ID: id, Tenant: "T#MC1", Amount: money.MustParse("10", "EUR"), At: at}
	}
	add(sandbox.LostAnswerIBAN, started)
	if got := w.readStatement(t); !maps.Equal(got, want) {
		t.Errorf("before the next call: got %v, want %v", got, want)
	}
	w.Advance(time.Minute)
	w.mustTransfer(t, transferTo(sandbox.PaidIBAN, sandbox.PaidIBAN), paid)
	w.mustTransfer(t, transferTo(sandbox.UnknownIBAN, sandbox.UnknownIBAN), rejected("AC01"))
	add(sandbox.PaidIBAN, w.Now())
	if got := w.readStatement(t); !maps.Equal(got, want) {
		t.Errorf("after: got %v, want %v", got, want)
	}
}

// addLargeLines stores statement lines of 200 KB, so that a page of a scan has five.
func (w *fixture) addLargeLines(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		o := transferTo(fmt.Sprint("p", i), sandbox.LostAnswerIBAN)
		o.Tenant = strings.Repeat("x", 200_000)
		if _, err := w.Transfer(t.Context(), o); err == nil {
			t.Fatal("got no error, want one: the answer is lost")
		}
	}
}

func TestStatement_SeveralPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const transfers = 12
	w.addLargeLines(t, transfers)
	sum := int64(0)
	walk := func() iter.Seq2[bank.StatementLine, error] { return w.Statement(t.Context(), time.Time{}) }
	for _, b := range counterpartytest.WalkPages(t, w.Wire, "Scan", transfers, walk) {
		sum += b.Amount.Minor()
	}
	if lines := w.readStatement(t); len(lines) != transfers || sum != transfers*1000 {
		t.Errorf("got %d lines of %d in all, want %d of %d", len(lines), sum, transfers, transfers*1000)
	}
}

// TestExecuted checks that Executed counts a second payment of a transfer. Tests in other packages rely on this.
func TestExecuted(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := transferTo("p", sandbox.PaidIBAN)
	w.mustTransfer(t, o, accepted)
	w.Advance(2 * time.Second)
	w.mustTransfer(t, o, paid)
	var items []map[string]any
	if err := w.Table.Scan().All(t.Context(), &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items { // the bank's conditions would prevent this second line
		if sk := item["sk"].(string); strings.HasPrefix(sk, "STATEMENT_LINE#") {
			item["sk"] = sk + "X"
			if err := w.Table.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.mustHavePaid(t, "p", 2)
	w.mustHavePaid(t, "never requested", 0)
}

func TestRecords_NoAccountNumber(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustTransfer(t, transferTo("p", sandbox.PaidIBAN), accepted)
	w.Advance(2 * time.Second)
	w.mustTransfer(t, transferTo("p", sandbox.PaidIBAN), paid)
	var items []map[string]any
	if err := w.Table.Scan().All(t.Context(), &items); err != nil || len(items) != 2 {
		t.Fatalf("got %d items, %v, want 2", len(items), err)
	}
	if text := fmt.Sprint(items); strings.Contains(text, sandbox.PaidIBAN) || strings.Contains(text, "Corner Shop") {
		t.Errorf("got the table %s, want neither IBAN nor holder of the account in it", text)
	}
}
