package sandbox_test

import (
	"fmt"
	"iter"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/parties"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
)

// statement collects the lines by id; no two may share one.
func (w *world) statement(t *testing.T) map[string]bank.StatementLine {
	t.Helper()
	lines := map[string]bank.StatementLine{}
	for b, err := range w.Statement(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := lines[b.ID]; twice {
			t.Errorf("%s comes twice", b.ID)
		}
		lines[b.ID] = b
	}
	return lines
}

func TestStatementTellsWhatLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if lines := w.statement(t); len(lines) != 0 {
		t.Errorf("empty books: %v", lines)
	}
	started := w.Now()
	for _, number := range []string{sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN, sandbox.SilentIBAN,
		sandbox.NotTakenIBAN} {
		_, _ = w.Transfer(t.Context(), order(number, number))
	}
	want := map[string]bank.StatementLine{}
	add := func(id string, at time.Time) {
		want[id] = bank.StatementLine{ID: id, Tenant: "T#MC1", Amount: money.MustParse("10", "EUR"), At: at}
	}
	add(sandbox.SilentIBAN, started)
	if got := w.statement(t); !maps.Equal(got, want) {
		t.Errorf("before anybody looks: %v, want %v", got, want)
	}
	w.Pass(time.Minute)
	w.mustBe(t, order(sandbox.PaidIBAN, sandbox.PaidIBAN), paid)
	w.mustBe(t, order(sandbox.UnknownIBAN, sandbox.UnknownIBAN), rejected("AC01"))
	add(sandbox.PaidIBAN, w.Now())
	if got := w.statement(t); !maps.Equal(got, want) {
		t.Errorf("after: %v, want %v", got, want)
	}
}

// large fills the table with bookings of 200 KB, five to a page of a scan.
func (w *world) large(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		o := order(fmt.Sprint("p", i), sandbox.SilentIBAN)
		o.Tenant = strings.Repeat("x", 200_000)
		if _, err := w.Transfer(t.Context(), o); err == nil {
			t.Fatal("the silent account answered")
		}
	}
}

func TestStatementGoesOverPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const transfers = 12
	w.large(t, transfers)
	sum := int64(0)
	for _, b := range parties.WalkPages(t, w.Wire, "Scan", transfers, func() iter.Seq2[bank.StatementLine, error] {
		return w.Statement(t.Context())
	}) {
		sum += b.Amount.Minor()
	}
	if lines := w.statement(t); len(lines) != transfers || sum != transfers*1000 {
		t.Errorf("%d lines of %d in all", len(lines), sum)
	}
}

// The checks of others rest on this: a second booking would show.
func TestExecutedSeesEachEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := order("p", sandbox.PaidIBAN)
	w.mustBe(t, o, accepted)
	w.Pass(2 * time.Second)
	w.mustBe(t, o, paid)
	var items []map[string]any
	if err := w.Table.Scan().All(t.Context(), &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items { // what the conditions prevent
		if sk := item["sk"].(string); strings.HasPrefix(sk, "STATEMENT_LINE#") {
			item["sk"] = sk + "X"
			if err := w.Table.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.mustHaveLeft(t, "p", 2)
	w.mustHaveLeft(t, "never ordered", 0)
}

func TestNoAccountNumberIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustBe(t, order("p", sandbox.PaidIBAN), accepted)
	w.Pass(2 * time.Second)
	w.mustBe(t, order("p", sandbox.PaidIBAN), paid)
	var items []map[string]any
	if err := w.Table.Scan().All(t.Context(), &items); err != nil || len(items) != 2 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	if text := fmt.Sprint(items); strings.Contains(text, sandbox.PaidIBAN) || strings.Contains(text, "Corner Shop") {
		t.Errorf("the books tell of the account: %s", text)
	}
}
