package reconcile_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// tick runs the schedule once: the whole run that it begins, in parts that have time for one chunk only. Each part runs
// twice at the same time. It returns the report and the run.
func (h *history) tick() (reconcile.Report, store.ProofRun) {
	h.Helper()
	h.n++
	run, open, err := reconcile.Tick(h.Context(), h.config(), fmt.Sprint("tick ", h.n))
	h.must(err)
	return h.finish(run, open), run
}

// finish proves the open segments of a run, and returns its report.
func (h *history) finish(run store.ProofRun, open []int) reconcile.Report {
	h.Helper()
	for _, segment := range open {
		for whole := false; !whole; {
			whole = h.provePart(run.ID, segment)
		}
	}
	report, proven, err := reconcile.ReportOf(h.Context(), h.store.View, run.ID)
	if err != nil || !proven {
		h.Fatalf("got proven %t, error %v; want the run proven", proven, err)
	}
	return report
}

// closed has a tenant's closings as the test compares them.
type closed struct {
	Sums, Balances map[string]int64
	Payments       int64 // successful ones
}

// euroDays returns the series of the days of a tenant's journal in euros.
func euroDays(t identity.Tenant) store.Series { return store.Series{Tenant: t, Currency: "EUR"} }

// closings returns the closings of all tenants, by tenant and day.
func (h *history) closings() map[string]closed {
	h.Helper()
	all := map[string]closed{}
	for _, t := range shops {
		for c, err := range h.store.Closings(h.Context(), euroDays(t), store.OpeningDay) {
			h.must(err)
			if len(c.Sums) == 0 { // only payments that moved no money
				continue
			}
			all[t.String()+" "+c.Day] = closed{c.Sums, c.Balances, c.Tallies[" SUCCESSFUL"].Count}
		}
	}
	return all
}

// sumsOfDays adds up all entries from before the time, by tenant and day. Entries of before the time since are in the
// opening closing.
func (h *history) sumsOfDays(since, until time.Time) map[string]closed {
	h.Helper()
	all := map[string]closed{}
	for a, err := range h.store.ScanReconciled(h.Context(), 0, 1, store.ItemKey{}) {
		h.must(err)
		if a.Entry == nil || !a.Entry.At.Before(until) {
			continue
		}
		day := a.Entry.At.Format(time.DateOnly)
		if a.Entry.At.Before(since) {
			day = store.OpeningDay
		}
		c := all[a.Tenant.String()+" "+day]
		if c.Sums == nil {
			c.Sums = map[string]int64{}
		}
		for _, p := range a.Entry.Postings {
			c.Sums[string(p.Account)] += p.Amount.Minor()
		}
		if a.Entry.Kind == ledger.Payment {
			c.Payments++
		}
		all[a.Tenant.String()+" "+day] = c
	}
	for _, t := range shops {
		balances := map[string]int64{}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if len(name) != len(t.String())+11 || name[:len(t.String())] != t.String() {
				continue
			}
			c := all[name]
			for account, minor := range c.Sums {
				balances[account] += minor
			}
			c.Balances = maps.Clone(balances)
			if all[name] = c; len(c.Sums) == 0 {
				delete(all, name)
			}
		}
	}
	return all
}

// settleAll settles all pending refunds, and carries on all payouts.
func (h *history) settleAll() {
	h.Helper()
	for range 3 {
		for _, p := range h.opened {
			_, err := h.payouts.Run(h.Context(), p.Tenant, p.ID)
			h.must(err)
		}
	}
	for range 20 * len(h.refunds) {
		h.settle()
	}
}

// TestTick_ClosingsOfEachDay checks the closings of several days, with payments, refunds, chargebacks and payouts
// between and during the nights. They have each entry exactly once.
func TestTick_ClosingsOfEachDay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, seed)
			h.records = true
			acts := func(n int) {
				for range n {
					h.act()
				}
			}
			acts(int(seed) * 20)
			_, first := h.tick()
			if first.Night {
				t.Fatal("got a night, want a proof of the whole table first")
			}
			var last store.ProofRun
			for night := range 5 {
				acts(25)
				h.settleAll()
				h.clock.Advance(time.Duration(h.IntN(30)) * time.Hour)
				acts(10)
				h.interferes = night == 2
				report, run := h.tick()
				h.interferes = false
				if last = run; report.Found != 0 || !run.Night {
					t.Fatalf("night %d: got %+v, want a night without breaks", night, report)
				}
			}
			h.settleAll()
			for range 2 {
				h.clock.Advance(time.Hour)
				report, run := h.tick()
				if last = run; report.Found != 0 {
					t.Fatalf("got %+v, want no breaks", report.Breaks)
				}
			}
			want := h.sumsOfDays(first.Until, last.Until)
			if diff := gocmp.Diff(want, h.closings()); diff != "" || len(want) < 6 {
				t.Errorf("%d closings (-want +got):\n%s", len(want), diff)
			}
		})
	}
}

// lastCapture returns the index of the latest capture in the statement that has an entry.
func (h *history) lastCapture() int {
	h.Helper()
	for i, m := range slices.Backward(h.movements) {
		t, _ := identity.ParseTenant(m.Tenant)
		if _, err := h.store.Transaction(h.Context(), t, m.ChargeID); m.Kind == acquirer.CaptureMovement && err == nil {
			return i
		}
	}
	h.Fatal("got no capture, want one")
	return 0
}

// TestTick_Breaks checks that a night finds the breaks that a proof of the whole table finds, night after night until
// they are mended. Until then the broken payment is in no closing. Then it reopens its day.
func TestTick_Breaks(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]struct {
		do     func(h *history) (mend func())
		kind   reconcile.BreakKind
		proven bool // the entry exists, so only the night keeps it out of the closing
	}{
		"a lost entry": {kind: "entry_missing", do: func(h *history) func() {
			m := h.movements[h.lastCapture()]
			_, table := h.store.Raw()
			var found []map[string]types.AttributeValue
			h.must(table.Scan().Filter("begins_with(pk, ?) AND sk = ?", "JOURNAL#", "payment#"+m.ID).All(h.Context(), &found))
			item := found[0]
			h.must(table.Delete("pk", text(item["pk"])).Range("sk", text(item["sk"])).Run(h.Context()))
			return func() { h.must(table.Put(item).Run(h.Context())) }
		}},
		"a late line": {kind: "movement_missing", proven: true, do: func(h *history) func() {
			i := h.lastCapture()
			late := h.movements[i]
			h.movements = slices.Delete(h.movements, i, i+1)
			return func() {
				late.At = h.clock.Now() // the acquirer books it days later
				h.movements = append(h.movements, late)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, 1)
			h.records = true
			_, first := h.tick()
			h.act()
			h.pay()
			h.clock.Advance(time.Hour)
			h.tick()
			h.clock.Advance(time.Hour)
			for range 9 {
				h.pay()
			}
			mend := damage.do(h)
			for night := range 2 {
				h.clock.Advance(25 * time.Hour)
				got, _ := h.tick()
				want := h.reconcile()
				if diff := gocmp.Diff(want.Breaks, got.Breaks); diff != "" || !slices.Contains(sortedKinds(got), damage.kind) {
					t.Errorf("night %d: got %+v, want %s, and what a whole proof finds:\n%s", night, got.Breaks, damage.kind, diff)
				}
			}
			all := h.sumsOfDays(first.Until, h.clock.Now())
			if same := gocmp.Equal(all, h.closings()); same == damage.proven {
				t.Errorf("got all entries in the closings: %t, want the broken payment held back", same)
			}
			mend()
			for range 2 { // the second night adds nothing
				h.clock.Advance(time.Hour)
				if got, _ := h.tick(); got.Found != 0 {
					t.Errorf("mended: got %+v, want no breaks", got.Breaks)
				}
				if diff := gocmp.Diff(h.sumsOfDays(first.Until, h.clock.Now()), h.closings()); diff != "" {
					t.Errorf("mended (-want +got):\n%s", diff)
				}
			}
			reopened := 0
			for _, tenant := range shops {
				for c, err := range h.store.Closings(t.Context(), euroDays(tenant), store.OpeningDay) {
					h.must(err)
					reopened += c.Reopened
				}
			}
			if reopened != 1 {
				t.Errorf("got %d closings reopened, want 1", reopened)
			}
		})
	}
}

// TestTick_LineOfNothing checks that a line about no transaction is found by each night, as by a whole proof: for a day
// it counts as open.
func TestTick_LineOfNothing(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1)
	h.tick()
	h.move(paid{tenant: shops[1], id: h.nextUUID()}, acquirer.CaptureMovement, "x", money.MustParse("5", "EUR"))
	h.clock.Advance(time.Hour)
	if got, _ := h.tick(); got.Found != 0 || got.Open != 1 {
		t.Errorf("after an hour: got %+v, want no breaks, 1 open", got)
	}
	for night := range 2 {
		h.clock.Advance(25 * time.Hour)
		got, _ := h.tick()
		if diff := gocmp.Diff(h.reconcile().Breaks, got.Breaks); diff != "" || got.Found != 1 {
			t.Errorf("night %d: got %+v, want 1 break, as a whole proof finds it:\n%s", night, got.Breaks, diff)
		}
	}
}

// TestTick_LateRefunds checks the closings when lines of refunds come a day late, while payouts settle the refunds'
// deductions. Until then each such payment has a break.
func TestTick_LateRefunds(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(4) {
		h := newHistory(t, seed)
		h.records = true
		_, first := h.tick()
		for range 3 {
			for range 50 {
				h.act()
			}
			h.settleAll()
			isRefund := func(m acquirer.Movement) bool { return m.Kind == acquirer.RefundMovement }
			isOther := func(m acquirer.Movement) bool { return !isRefund(m) }
			all := h.movements
			h.movements = slices.DeleteFunc(slices.Clone(all), isRefund)
			h.clock.Advance(time.Hour)
			broken, _ := h.tick()
			found += broken.Found
			h.movements = append(h.movements, slices.DeleteFunc(slices.Clone(all), isOther)...)
			h.clock.Advance(time.Hour)
			if mended, run := h.tick(); mended.Found > 0 {
				t.Errorf("seed %d, %+v: got breaks %+v, want none", seed, run, mended.Breaks)
			}
		}
		if diff := gocmp.Diff(h.sumsOfDays(first.Until, h.clock.Now()), h.closings()); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
	if found == 0 {
		t.Error("got no breaks, want some before the lines came")
	}
}
