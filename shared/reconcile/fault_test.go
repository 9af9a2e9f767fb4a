package reconcile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestTick_BadLines checks that a line that breaks the port's rules is a break, night after night, and that all other
// lines are imported. Such a line posts no entry, unless only its day is wrong. Then nights report the line only until
// they have added its entry.
func TestTick_BadLines(t *testing.T) {
	t.Parallel()
	day, long := 24*time.Hour, strings.Repeat("x", 3000)
	plain := func(m *acquirer.Movement, kind acquirer.Kind) {
		m.Kind, m.Fee, m.Reserve = kind, money.Amount{}, money.Amount{}
	}
	for name, test := range map[string]struct {
		spoil func(*acquirer.Movement)
		want  string
		posts int
	}{
		"no settlement":    {func(m *acquirer.Movement) { m.SettlementID = "" }, "it names no settlement", 0},
		"no tenant":        {func(m *acquirer.Movement) { m.Tenant = "T#MC1#2" }, "it names no tenant", 0},
		"no id":            {func(m *acquirer.Movement) { m.LineID = "" }, "it has no id", 0},
		"a long tenant":    {func(m *acquirer.Movement) { m.Tenant = "x#" + long }, "it names no tenant", 0},
		"a long code":      {func(m *acquirer.Movement) { m.Tenant = "T#" + long }, "it names no tenant", 0},
		"no charge":        {func(m *acquirer.Movement) { plain(m, acquirer.CaptureMovement) }, "it names no charge", 0},
		"another currency": {func(m *acquirer.Movement) { m.Fee = money.MustParse("1", "USD") }, "different currencies", 0},
		"an unknown kind":  {func(m *acquirer.Movement) { m.Kind = "adjustment" }, "its kind is unknown", 0},
		"a bank's kind":    {func(m *acquirer.Movement) { m.Kind = "payment" }, "its kind is unknown", 0},
		"no amount":        {func(m *acquirer.Movement) { m.Amount = money.Amount{} }, "its amount has no currency", 0},
		"a long kind": {func(m *acquirer.Movement) {
			m.Kind, m.LineID = acquirer.Kind(long[:900]), long[:900]
		}, "its kind is unknown", 0},
		"a negative capture": {func(m *acquirer.Movement) {
			plain(m, acquirer.CaptureMovement)
			m.Amount, m.ChargeID = m.Amount.Neg(), "c"
		}, "its amount is not above zero", 0},
		"a return of nothing": {func(m *acquirer.Movement) {
			plain(m, acquirer.SettlementReturnedMovement)
			m.Amount = money.Zero("EUR")
		}, "its amount is zero", 0},
		"a fee of a return": {func(m *acquirer.Movement) {
			plain(m, acquirer.SettlementReturnedMovement)
			m.Fee = money.MustParse("1", "EUR")
		}, "its kind has no fee", 0},
		"a reserve of a fee": {func(m *acquirer.Movement) {
			plain(m, acquirer.FeeMovement)
			m.Reserve = money.MustParse("1", "EUR")
		}, "its kind has no reserve", 0},
		"a settlement of tomorrow": {func(m *acquirer.Movement) { m.AvailableOn = m.At.Add(day) }, "and available on", 1},
		"a fee of last week": {func(m *acquirer.Movement) {
			plain(m, acquirer.FeeMovement)
			m.AvailableOn = m.At.Add(-2 * day)
		}, "and available on", 1},
		"a fee of next year": {func(m *acquirer.Movement) {
			plain(m, acquirer.FeeMovement)
			m.AvailableOn = m.At.Add(acquirer.AvailableAfter + day)
		}, "and available on", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			bad := h.settlementOf(tested)
			test.spoil(bad)
			for night := range 2 {
				h.tick()
				h.clock.Advance(time.Hour)
				got, _ := h.tick()
				isFault := func(b reconcile.Break) bool {
					return b.Kind == "movement_unexpected" && strings.Contains(b.Text, test.want)
				}
				want := h.reconcile().Breaks
				if !slices.ContainsFunc(want, isFault) {
					t.Errorf("night %d: got %+v by a whole proof, want an unexpected movement: %s", night, want, test.want)
				}
				if night > 0 && test.posts > 0 {
					want = slices.DeleteFunc(want, isFault)
				}
				if diff := cmp.Diff(want, got.Breaks, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("night %d (-want +night):\n%s", night, diff)
				}
			}
			posted := map[bool]int{}
			for a, err := range h.store.ScanReconciled(t.Context(), 0, 1, store.ItemKey{}) {
				h.must(err)
				if a.Entry != nil && a.Entry.About.Subject == ledger.SubjectSettlement {
					posted[a.Entry.ID == bad.LineID]++
				}
			}
			if posted[true] != test.posts || posted[false] != len(shops)-1 {
				t.Errorf("got entries %v, want %d of the line, and one for each other shop", posted, test.posts)
			}
		})
	}
}

// TestTick_LinesWithoutID checks that lines without an id are told apart by each part of their content, and that each
// of them is stored and reported once.
func TestTick_LinesWithoutID(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	of := *h.settlementOf(tested)
	changes := []func(*acquirer.Movement){
		func(*acquirer.Movement) {}, func(*acquirer.Movement) {}, // twice the same
		func(m *acquirer.Movement) { m.ID = "i" }, func(m *acquirer.Movement) { m.ChargeID = "i" },
		func(m *acquirer.Movement) { m.Tenant = shops[0].String() },
		func(m *acquirer.Movement) { m.Kind = "settlement_returned" },
		func(m *acquirer.Movement) { m.SettlementID += "2" },
		func(m *acquirer.Movement) { m.Amount = add(m.Amount, 1) }, func(m *acquirer.Movement) { m.Fee = add(m.Fee, 1) },
		func(m *acquirer.Movement) { m.Reserve = add(m.Reserve, 1) },
		func(m *acquirer.Movement) { m.Reserve = money.MustParse("1", "USD") },
		func(m *acquirer.Movement) { m.At = m.At.Add(-1) },
		func(m *acquirer.Movement) { m.AvailableOn = m.AvailableOn.Add(-24 * time.Hour) },
	}
	for _, change := range changes {
		m := of
		m.LineID = ""
		change(&m)
		h.movements = append(h.movements, m)
	}
	for range 2 {
		h.tick()
		h.clock.Advance(time.Hour)
	}
	ids := map[string]bool{}
	got := h.reconcile()
	for _, b := range got.Breaks {
		if strings.Contains(b.Text, "it has no id") {
			ids[b.ID] = true
		}
	}
	if len(ids) != len(changes)-1 {
		t.Errorf("got %d lines without an id, want %d: %+v", len(ids), len(changes)-1, got.Breaks)
	}
}
