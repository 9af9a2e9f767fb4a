package reconcile_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// record records the outcome of a payment.
func (h *history) record(p paid, decision payments.Decision) {
	h.Helper()
	change, _ := p.checkout.Settle(p.id, payments.Outcome{Decision: decision}, "msg", payments.Session{}, h.clock.Now())
	var err error
	p.checkout, err = h.store.Apply(h.Context(), p.tenant, change)
	h.must(err)
	h.transactions = append(h.transactions, p)
}

// TestTick_UnknownOutcome checks that a capture counts once as available if its payment is recorded only after nights
// have proven its line without a payment.
func TestTick_UnknownOutcome(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	h.tick()
	h.clock.Advance(time.Hour)
	h.records = false
	for len(h.late) == 0 {
		h.pay()
	}
	h.charge()
	late := h.late[0]
	for range 2 {
		h.clock.Advance(time.Hour)
		h.wantSame("unknown")
	}
	h.record(late, payments.Approved)
	day := h.clock.Now().Format(time.DateOnly)
	h.wantSame("recorded since the night's Until")
	h.clock.Advance(24 * time.Hour)
	h.settleDay(day)
	for range 2 {
		h.wantSame("settled")
		h.clock.Advance(time.Hour)
	}
	captured := store.Tally{}
	for c, err := range h.store.Closings(t.Context(), euroDays(late.tenant), "2026-11-21") {
		h.must(err)
		tally := c.Tallies["statement capture"]
		captured.Count, captured.Amount = captured.Count+tally.Count, captured.Amount+tally.Amount
	}
	settled := gross(*h.settlementOf(late.tenant))
	if captured.Count == 0 || captured.Amount != settled {
		t.Errorf("got captures %+v in closings, want %d, as settled", captured, settled)
	}
}

// TestTick_BrokenPaymentSettled checks that a payment with a break counts as available, because the acquirer settles
// it. The settlement has no break.
func TestTick_BrokenPaymentSettled(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	m := h.movements[h.lastCapture()]
	_, table := h.store.Raw()
	var found []map[string]types.AttributeValue
	h.must(table.Scan().Filter("begins_with(pk, ?) AND sk = ?", "JOURNAL#", "payment#"+m.ID).All(t.Context(), &found))
	h.must(table.Delete("pk", text(found[0]["pk"])).Range("sk", text(found[0]["sk"])).Run(t.Context()))
	h.settleDay(firstDay)
	h.clock.Advance(time.Hour) // then a movement without an entry is a break
	for night := range 2 {
		got, _ := h.tick()
		if diff := cmp.Diff(h.reconcile().Breaks, got.Breaks); diff != "" {
			t.Errorf("night %d (-whole +night):\n%s", night, diff)
		}
		want := []reconcile.BreakKind{"entry_missing", "movement_unexpected", reconcile.PayablesDiffer}
		if diff := cmp.Diff(want, sortedKinds(got)); diff != "" {
			t.Errorf("night %d (-want +got):\n%s", night, diff)
		}
		h.clock.Advance(time.Hour)
	}
	h.must(table.Put(found[0]).Run(t.Context()))
	h.wantSame("mended")
}
