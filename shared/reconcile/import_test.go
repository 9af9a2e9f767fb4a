package reconcile_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// TestTick_ReopensInParallel checks that an import reopens the subjects of its lines at the same time, and lists their
// tenant once.
func TestTick_ReopensInParallel(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	unknown := identity.Tenant{Mode: identity.Test, Merchant: "MC9"}
	for i := range 3 {
		h.movements = append(h.movements, acquirer.Movement{LineID: fmt.Sprint("line ", i), Tenant: unknown.String(),
			ID: fmt.Sprint(i), ChargeID: fmt.Sprint(i), Kind: acquirer.CaptureMovement, Amount: money.MustParse("1", "EUR"),
			At: h.clock.Now()})
	}
	var listed, reopened atomic.Int32
	var alone atomic.Bool
	met := make(chan struct{})
	h.before = func(r *http.Request) {
		switch {
		case calledFor(r, "PutItem", `"TENANT#`+unknown.String()+`"`):
			listed.Add(1)
		case calledFor(r, "UpdateItem", `"PROVEN#`+unknown.String()+`"`):
			if reopened.Add(1) == 2 {
				close(met)
			}
			select {
			case <-met:
			case <-time.After(10 * time.Second):
				alone.Store(true)
			}
		}
	}
	h.tick()
	if listed.Load() != 1 || reopened.Load() != 3 || alone.Load() {
		t.Errorf("got %d calls that list the tenant, %d that reopen a subject, one by one: %t; want 1, and 3 at once",
			listed.Load(), reopened.Load(), alone.Load())
	}
}

// wantBank checks what the journal's closings say that settlements have brought to the bank for the tested tenant.
func (h *history) wantBank(want int64) {
	h.Helper()
	for c, err := range h.store.ClosingsBefore(h.Context(), euroDays(tested), "2100") {
		h.must(err)
		if got := c.Balances["bank"]; got != want {
			h.Errorf("got %d at the bank, want %d", got, want)
		}
		return
	}
	h.Errorf("got no closings of %s, want some", tested)
}

// TestTick_MendedLine checks that a line with a fault counts once the acquirer yields it without the fault.
func TestTick_MendedLine(t *testing.T) {
	t.Parallel()
	for name, find := range map[string]func(*history) *acquirer.Movement{
		"settlement": func(h *history) *acquirer.Movement { return h.settlementOf(tested) },
		"capture":    func(h *history) *acquirer.Movement { return &h.movements[h.lastCapture()] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			line := find(h)
			right := *line
			line.Fee = money.MustParse("1", "USD")
			got, _ := h.tick()
			if diff := cmp.Diff(h.reconcile().Breaks, got.Breaks); diff != "" {
				t.Errorf("with a fault (-whole +night):\n%s", diff)
			}
			if !slices.Contains(sortedKinds(got), "movement_unexpected") {
				t.Errorf("got %+v, want an unexpected movement", got.Breaks)
			}
			*find(h) = right
			h.clock.Advance(time.Hour)
			h.tick()
			for range 2 {
				h.clock.Advance(24 * time.Hour)
				h.wantSame("mended")
			}
			h.wantAvailable()
			h.wantBank(h.settlementOf(tested).Amount.Minor())
		})
	}
}

// TestTick_LostEntry checks that an import posts the lost entry of a settlement again. The closings have it once,
// whether or not they had it before.
func TestTick_LostEntry(t *testing.T) {
	t.Parallel()
	for nights := 1; nights <= 2; nights++ {
		t.Run(fmt.Sprint(nights), func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			for range nights {
				h.tick()
				h.clock.Advance(time.Hour)
			}
			_, table := h.store.Raw()
			pk := "JOURNAL#" + tested.String() + "#settlement#EUR#S " + firstDay
			h.must(table.Delete("pk", pk).Range("sk", "settlement#"+h.settlementOf(tested).LineID).Run(t.Context()))
			for range 2 {
				h.wantSame("lost")
				h.clock.Advance(time.Hour)
			}
			h.wantAvailable()
			h.wantBank(h.settlementOf(tested).Amount.Minor())
		})
	}
}

// TestTick_StoredFault checks that the fault that is stored with a line decides whether the line counts, for nights and
// for proofs of the whole table, and not the rules of the code that reads it.
func TestTick_StoredFault(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	h.tick()
	s := *h.settlementOf(tested)
	_, table := h.store.Raw()
	h.must(table.Update("pk", "STATEMENT#"+tested.String()+"#settlement#EUR#S "+firstDay).
		Range("sk", "settlement#"+s.LineID).Set("fault", "an old rule").Run(t.Context()))
	h.movements = slices.DeleteFunc(h.movements, func(m acquirer.Movement) bool { return m.LineID == s.LineID })
	h.clock.Advance(time.Hour)
	night, _ := h.tick()
	for which, r := range map[string]reconcile.Report{"night": night, "whole": h.reconcile()} {
		if !slices.ContainsFunc(r.Breaks, func(b reconcile.Break) bool { return strings.Contains(b.Text, "an old rule") }) ||
			!slices.Contains(sortedKinds(r), "entry_unexpected") {
			t.Errorf("%s: got %+v, want the stored fault, and an entry that is not expected", which, r.Breaks)
		}
	}
}
