package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestReserve_TwoRefunds checks that no two refunds count on the same money. Each changes the reserve, also the first.
func TestReserve_TwoRefunds(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first, second := pay(t, s, tenant, "order-1", "attempt-1"), pay(t, s, tenant, "order-2", "attempt-2")
	refund := func(tx payments.Transaction, operation string, before store.Reserve) error {
		change := beginRefund(t, readTx(t, s, tx.ID).Transaction, operation, "1", true)
		return s.ApplyTransaction(t.Context(), tenant, change, &before)
	}
	for i, operation := range []string{"a", "b"} {
		before := wantReserve(t, s, 2*i, 2*i)
		if err := refund(first, operation, before); err != nil {
			t.Fatal(err)
		}
		if err := refund(second, operation, before); !errors.Is(err, store.ErrStale) {
			t.Errorf("a refund on a balance of before: got error %v, want ErrStale", err)
		}
		if err := refund(second, operation, wantReserve(t, s, 2*i+1, 2*i+1)); err != nil {
			t.Errorf("a refund on the fresh balance: got error %v, want none", err)
		}
	}
	if r := readTx(t, s, second.ID); r.EventCount != 2 {
		t.Errorf("got %+v, want 2 events", r)
	}
	// When a refund is final, its amount is released, even if more was reserved since.
	wantReserve(t, s, 4, 4)
	apply(t, s, decide(t, readTx(t, s, first.ID), first.RefundID("a"), payments.Approved, start.Add(2*time.Hour)))
	apply(t, s, decide(t, readTx(t, s, first.ID), first.RefundID("b"), payments.Declined, start.Add(2*time.Hour)))
	wantReserve(t, s, 6, 2)
	apply(t, s, decide(t, readTx(t, s, second.ID), second.RefundID("a"), payments.OutcomeUnknown, start.Add(2*time.Hour)))
	wantReserve(t, s, 6, 2)
}

// wantReserve reads and checks the reserve.
func wantReserve(t *testing.T, s *store.Store, version, euros int) store.Reserve {
	t.Helper()
	reserve, err := s.Reserve(t.Context(), tenant, "EUR")
	if want := (store.Reserve{Amount: eur(fmt.Sprint(euros)), Version: version}); err != nil || reserve != want {
		t.Errorf("got reserve %+v, %v, want %+v", reserve, err, want)
	}
	return reserve
}
