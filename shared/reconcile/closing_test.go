package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// wantEntries checks that the closings have all entries from before now, each once.
func (h *history) wantEntries(when string) {
	h.Helper()
	if diff := cmp.Diff(h.sumsOfDays(time.Time{}, h.clock.Now()), h.closings()); diff != "" {
		h.Errorf("%s: the journal's closings (-want +got):\n%s", when, diff)
	}
}

// TestTick_FaultyLineOfPayment checks that each night reports a line that does not count, and that the payment's entry
// is in the closings once nevertheless.
func TestTick_FaultyLineOfPayment(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind  acquirer.Kind
		later bool // the line comes after the night that adds the payment
	}{
		"an unknown kind": {kind: "adjustment"}, "an unknown kind, later": {kind: "adjustment", later: true},
		"a settlement": {kind: acquirer.SettlementMovement}, "a settlement, later": {acquirer.SettlementMovement, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, 1)
			h.records = true
			h.tick()
			for range 3 {
				h.pay()
			}
			if test.later {
				h.clock.Advance(time.Hour)
				h.tick()
			}
			m := h.movements[h.lastCapture()]
			m.LineID, m.Kind, m.Amount, m.At = "odd", test.kind, money.MustParse("1", "EUR"), h.clock.Now()
			h.movements = append(h.movements, m)
			for night := range 3 {
				h.clock.Advance(25 * time.Hour)
				got, _ := h.tick()
				if diff := cmp.Diff(h.reconcile().Breaks, got.Breaks); diff != "" || got.Found != 1 {
					t.Errorf("night %d: got %+v, want the odd line, as a whole proof finds it:\n%s", night, got.Breaks, diff)
				}
				h.wantEntries("with an odd line")
			}
		})
	}
}

// wantClosed checks that no subject of the tested tenant is open.
func (h *history) wantClosed() {
	h.Helper()
	for p, err := range h.store.OpenSubjects(h.Context(), tested, "") {
		h.must(err)
		h.Errorf("got %+v, want it closed", p)
	}
}

// TestTick_SettlementTwiceAtOnce checks that nights add the entry of a settlement once, and close the settlement in the
// end, if two of them begin at the time of its import.
func TestTick_SettlementTwiceAtOnce(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	for range 2 {
		h.tick()
	}
	for range 2 {
		h.clock.Advance(time.Hour)
		h.wantSame("settled")
		h.wantEntries("settled")
		h.wantClosed()
	}
}

// wantForgotten checks that nights have closed a settlement, and that the table has deleted what they remembered.
func (h *history) wantForgotten(s acquirer.Movement) {
	h.Helper()
	h.wantClosed()
	found, err := h.store.ProvenSubjects(h.Context(), tested, []string{ledger.OfSettlement(s.SettlementID, "EUR").ID})
	if err != nil || len(found) > 0 {
		h.Fatalf("got %+v, error %v; want nothing remembered", found, err)
	}
}

// settled maps names of cases to the time from a settlement to the next change of its subject.
var settled = map[string]time.Duration{"a day later": 24 * time.Hour, "after it is forgotten": 20 * 24 * time.Hour}

// TestTick_SettlementCorrected checks that a correction ends the break of a settlement, and that nights add only the
// correction, even if the settlement was closed so long ago that nothing is remembered about it.
func TestTick_SettlementCorrected(t *testing.T) {
	t.Parallel()
	for name, wait := range settled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			s := h.settlementOf(tested)
			broken := differs(tested.String(), s.SettlementID, "gross amount", gross(*s), gross(*s)-5)
			s.Amount = add(s.Amount, -5)
			for range 2 {
				h.wantSame("short", broken)
				h.clock.Advance(time.Hour)
			}
			h.clock.Advance(wait)
			if wait > store.ProvenKept {
				h.wantForgotten(*s)
			}
			open := money.MustParse("0.05", "EUR")
			h.must(h.store.CorrectSettlement(t.Context(), byTest, tested, *ledger.MustEntry("c", ledger.SettlementCorrected,
				ledger.OfSettlement(s.SettlementID, "EUR"), h.clock.Now(),
				ledger.Posting{Account: ledger.AcquirerDifferences, Amount: open},
				ledger.Posting{Account: ledger.AcquirerReceivable, Amount: open.Neg()}), nil))
			for range 2 {
				h.clock.Advance(24 * time.Hour)
				h.wantSame("corrected")
				h.wantEntries("corrected")
			}
		})
	}
}

// TestTick_SettlementReturned checks that nights add only the new line and entry of a settlement that comes back from
// the bank, even if nothing is remembered about the settlement.
func TestTick_SettlementReturned(t *testing.T) {
	t.Parallel()
	for name, wait := range settled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			for range 2 {
				h.wantSame("settled")
				h.clock.Advance(time.Hour)
			}
			h.clock.Advance(wait)
			back := *h.settlementOf(tested)
			if wait > store.ProvenKept {
				h.wantForgotten(back)
			}
			back.LineID, back.Kind, back.At, back.AvailableOn = "back", acquirer.SettlementReturnedMovement, h.clock.Now(),
				h.clock.Now()
			back.Fee, back.Reserve = money.Amount{}, money.Amount{}
			h.movements = append(h.movements, back)
			for range 2 {
				h.tick()
				h.wantAvailable()
				h.clock.Advance(time.Hour)
			}
			h.wantSame("returned")
			h.wantEntries("returned")
		})
	}
}

// TestTick_SettlementLongBefore checks that a night adds a settlement that a proof of the whole table has imported,
// even if no night has begun for a long time since then.
func TestTick_SettlementLongBefore(t *testing.T) {
	t.Parallel()
	for _, days := range []int{1, 20} {
		t.Run(fmt.Sprint(days, " days"), func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.charge()
			h.tick() // a tenant's first night adds everything
			h.settleDay(firstDay)
			h.reconcile()
			for range 2 {
				h.clock.Advance(time.Duration(days) * 24 * time.Hour)
				h.wantSame("settled")
				h.wantEntries("settled")
				h.wantAvailable()
			}
		})
	}
}
