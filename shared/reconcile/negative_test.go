package reconcile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestTick_NegativeAmounts checks that a credit of a fee and a refused debit of a negative settlement post entries that
// balance. A later settlement of both leaves nothing to be settled.
func TestTick_NegativeAmounts(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	h.clock.Advance(24 * time.Hour)
	now := h.clock.Now()
	fee := func(id, amount string, at time.Time) {
		h.movements = append(h.movements, acquirer.Movement{LineID: id, Kind: acquirer.FeeMovement, Tenant: tested.String(),
			Amount: money.MustParse(amount, "EUR"), At: at})
	}
	fee("fee", "9", now)
	h.settlement(tested.String(), "debit", -900-100, 0, now)
	h.movements = append(h.movements, acquirer.Movement{LineID: "refused", Kind: acquirer.SettlementReturnedMovement,
		Tenant: tested.String(), Amount: money.MustParse("-10", "EUR"), SettlementID: "debit", At: now})
	fee("credit", "-4", now)
	h.settlement(tested.String(), "both", -1000+400-100, 0, now)
	for range 3 {
		h.clock.Advance(24 * time.Hour)
		h.wantSame("with a credit and a refused debit")
	}
	want := map[string]map[string]string{
		"refused": {"acquirer_receivable": "-10.00", "bank": "10.00"},
		"credit":  {"acquirer_receivable": "4.00", "acquirer_fees": "-4.00"},
	}
	got := map[string]map[string]string{}
	for a, err := range h.store.ScanReconciled(t.Context(), 0, 1, store.ItemKey{}) {
		h.must(err)
		if a.Entry == nil || want[a.Entry.ID] == nil {
			continue
		}
		h.must(a.Entry.Check())
		got[a.Entry.ID] = map[string]string{}
		for _, p := range a.Entry.Postings {
			got[a.Entry.ID][string(p.Account)] = p.Amount.String()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("postings (-want +got):\n%s", diff)
	}
	of := store.Series{Tenant: tested, Currency: "EUR", Book: store.AcquirerBook}
	var left map[string]int64
	for c, err := range h.store.ClosingsBefore(t.Context(), of, "2027") {
		h.must(err)
		left = c.Balances
		break
	}
	wantLeft := map[string]int64{"acquirer_available": 0, "acquirer_fees_available": 0, "acquirer_reserve": 300}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("to be settled (-want +got):\n%s", diff)
	}
}
