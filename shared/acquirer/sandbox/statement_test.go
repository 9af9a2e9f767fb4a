package sandbox_test

import (
	"fmt"
	"iter"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// readStatement returns the statement's lines by kind and id, without the random ids of lines. It fails the test if two
// lines share these, or if the statement since the beginning has other lines.
func (w *fixture) readStatement(t *testing.T) map[string]acquirer.Movement {
	t.Helper()
	lines := w.readStatementSince(t, time.Time{})
	if since := w.readStatementSince(t, clock.Start); !maps.Equal(since, lines) {
		t.Errorf("got %v since the beginning, want %v", since, lines)
	}
	return lines
}

func (w *fixture) readStatementSince(t *testing.T, since time.Time) map[string]acquirer.Movement {
	t.Helper()
	lines, ids := map[string]acquirer.Movement{}, map[string]bool{}
	for m, err := range w.Statement(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(m.Kind, " ", m.ID+m.SettlementID)
		if _, twice := lines[name]; twice || ids[m.LineID] || m.LineID == "" {
			t.Errorf("got %s twice or without an id of its own: %q", name, m.LineID)
		}
		ids[m.LineID] = true
		m.LineID = ""
		lines[name] = m
	}
	return lines
}

func TestStatement_EveryMovement(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if lines := w.readStatement(t); len(lines) != 0 {
		t.Errorf("got %v of empty records, want no lines", lines)
	}
	started := w.Now()
	w.mustCharge(t, storingCharge("c", plainCard)) // a charge of 10
	w.mustCharge(t, cardCharge("declined", plainCard, "11.00"))
	w.mustCharge(t, cardCharge("asked", askingCard, "10"))
	w.mustCharge(t, cardCharge("large", plainCard, "100"))
	w.mustRefund(t, refundOf("c", "refused", "10.01"))
	wantUnknown(t)(w.Refund(t.Context(), refundOf("large", "silent", "42.25")))
	w.Advance(time.Minute)
	w.mustRefund(t, refundOf("c", "r", "4"))
	w.mustChargeback(t, "c", "b", "6")
	want := map[string]acquirer.Movement{}
	add := func(kind acquirer.Kind, chargeID, id, amount, fee string, at time.Time) {
		want[fmt.Sprint(kind, " ", id)] = acquirer.Movement{ID: id, ChargeID: chargeID, Tenant: "T#MC1",
			Kind: kind, Amount: money.MustParse(amount, "EUR"), At: at, Fee: money.MustParse(fee, "EUR"),
			AvailableOn: clock.Start.Truncate(24*time.Hour).AddDate(0, 0, 1)}
	}
	add(acquirer.CaptureMovement, "c", "c", "10", "0.10", started)
	add(acquirer.CaptureMovement, "large", "large", "100", "1", started)
	add(acquirer.RefundMovement, "c", "r", "4", "0", w.Now())
	add(acquirer.ChargebackMovement, "c", "b", "6", "0", w.Now())
	if got := w.readStatement(t); !maps.Equal(got, want) {
		t.Errorf("before the silent refund is decided: got %v, want %v", got, want)
	}
	w.mustRefund(t, refundOf("large", "silent", "42.25"))
	add(acquirer.RefundMovement, "large", "silent", "42.25", "0", w.Now())
	if got := w.readStatement(t); !maps.Equal(got, want) {
		t.Errorf("after: got %v, want %v", got, want)
	}
}

// TestStatement_Since checks that a statement since a time has the movements of this time and of later days, and the
// settlements that were booked since then.
func TestStatement_Since(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	var times []time.Time
	for i := range 4 {
		times = append(times, w.Now())
		w.mustCharge(t, cardCharge(fmt.Sprint(i), plainCard, "10"))
		w.Advance(20 * time.Hour)
	}
	settlements := []int{2, 2, 1, 1} // of the first two days, booked two midnights later
	for i, since := range times {
		want := len(times) - i + settlements[i]
		if lines := w.readStatementSince(t, since); len(lines) != want {
			t.Errorf("since %s: got %v, want %d lines", since, lines, want)
		}
	}
	if lines := w.readStatementSince(t, w.Now()); len(lines) != 0 {
		t.Errorf("since now: got %v, want no lines", lines)
	}
}

// TestStatement_Settlements checks that the sandbox settles each UTC day's movements two midnights later, less its fee,
// for each tenant and currency. A settlement is negative if refunds exceed captures. It is the same whenever it is
// read.
func TestStatement_Settlements(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "10"))
	w.mustCharge(t, cardCharge("d", plainCard, "0.50")) // the fee is rounded half to even, to nothing
	other := cardCharge("o", plainCard, "30")
	other.Reference.Tenant = "T#MC2"
	w.mustCharge(t, other)
	dollars := cardCharge("$", plainCard, "7")
	dollars.Amount = money.MustParse("7", "USD")
	w.mustCharge(t, dollars)
	w.mustRefund(t, refundOf("c", "r", "4"))
	day := clock.Start.Truncate(24 * time.Hour)
	want := map[string]acquirer.Movement{}
	settle := func(days int, tenant, net, fee string, c money.Currency) {
		on := day.AddDate(0, 0, days)
		id := "sbx-" + on.Format(time.DateOnly)
		m := acquirer.Movement{LineID: id + "-" + tenant + "-" + string(c), SettlementID: id, Tenant: tenant,
			Kind: acquirer.SettlementMovement, Amount: money.MustParse(net, c), Fee: money.MustParse(fee, c), AvailableOn: on,
			At: on.AddDate(0, 0, 1)}
		want[m.LineID] = m
	}
	check := func(now time.Time) {
		t.Helper()
		w.Advance(now.Sub(w.Now()))
		for _, since := range []time.Time{{}, clock.Start, day.AddDate(0, 0, 2)} {
			got := map[string]acquirer.Movement{}
			for m, err := range w.Statement(t.Context(), since) {
				if err != nil {
					t.Fatal(err)
				}
				if m.Kind == acquirer.SettlementMovement {
					got[m.LineID] = m
				}
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b money.Amount) bool { return a == b })); diff != "" {
				t.Errorf("at %s, since %s (-want +got):\n%s", now, since, diff)
			}
		}
	}
	check(day.AddDate(0, 0, 2).Add(-time.Millisecond))
	settle(1, "T#MC1", "6.40", "0.10", "EUR")
	settle(1, "T#MC2", "29.70", "0.30", "EUR")
	settle(1, "T#MC1", "6.93", "0.07", "USD")
	check(day.AddDate(0, 0, 2))
	w.mustChargeback(t, "o", "b", "20")
	settle(3, "T#MC2", "-20", "0", "EUR")
	check(day.AddDate(0, 0, 4))
}

// chargeLarge fills the table with charges of 200 KB, so that a page of a scan has five.
func (w *fixture) chargeLarge(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		c := cardCharge(fmt.Sprint("c", i), plainCard, "10")
		c.Descriptor = strings.Repeat("x", 200_000)
		w.mustCharge(t, c)
		w.mustRefund(t, refundOf(c.ID, fmt.Sprint("r", i), "1"))
		w.mustChargeback(t, c.ID, fmt.Sprint("b", i), "2")
	}
}

func TestStatement_SeveralPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const charges = 12
	w.chargeLarge(t, charges)
	sums := map[acquirer.Kind]int64{}
	for _, m := range counterpartytest.WalkPages(t, w.Wire, "Scan", 3*charges, func() iter.Seq2[acquirer.Movement, error] {
		return w.Statement(t.Context(), time.Time{})
	}) {
		sums[m.Kind] += m.Amount.Minor()
	}
	want := map[acquirer.Kind]int64{acquirer.CaptureMovement: charges * 1000, acquirer.RefundMovement: charges * 100,
		acquirer.ChargebackMovement: charges * 200}
	if lines := w.readStatement(t); len(lines) != 3*charges || !maps.Equal(sums, want) {
		t.Errorf("got %d lines, sums %v, want %d, %v", len(lines), sums, 3*charges, want)
	}
}

func TestMoved_CountsDuplicates(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.mustCharge(t, cardCharge("c", plainCard, "10"))
	w.mustRefund(t, refundOf("c", "r", "4"))
	for _, item := range w.scan(t) { // store a duplicate, which the conditions would prevent
		if sk := item["sk"].(string); strings.HasPrefix(sk, "REFUND#") {
			item["sk"] = sk + "X"
			if err := w.Table.Put(item).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.checkMoved(t, "c", "10", "8", "")
	if o := must(t)(w.LookUp(t.Context(), "c")); o.Decision != payments.Approved || w.countCaptures(t, "c") != 1 {
		t.Errorf("got %+v and %d captures, want approved and 1", o, w.countCaptures(t, "c"))
	}
}
