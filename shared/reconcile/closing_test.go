package reconcile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
)

// wantEntries checks that the closings have all entries from before now, each once.
func (h *history) wantEntries(when string) {
	h.Helper()
	if diff := cmp.Diff(h.sumsOfDays(time.Time{}, h.clock.Now()), h.closings()); diff != "" {
		h.Errorf("%s: the journal's closings (-want +got):\n%s", when, diff)
	}
}

// TestTick_FaultyLineOfPayment checks that each night reports a line that does not count, and that the payment's entry
// is in the closings nevertheless.
func TestTick_FaultyLineOfPayment(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1)
	h.records = true
	h.tick()
	for range 3 {
		h.pay()
	}
	m := h.movements[h.lastCapture()]
	m.LineID, m.Kind, m.Amount = "odd", acquirer.Kind("adjustment"), money.MustParse("1", "EUR")
	h.movements = append(h.movements, m)
	for night := range 3 {
		h.clock.Advance(25 * time.Hour)
		got, _ := h.tick()
		if diff := cmp.Diff(h.reconcile().Breaks, got.Breaks); diff != "" || got.Found != 1 {
			t.Errorf("night %d: got %+v, want the odd line, as a whole proof finds it:\n%s", night, got.Breaks, diff)
		}
		h.wantEntries("with an odd line")
	}
}
