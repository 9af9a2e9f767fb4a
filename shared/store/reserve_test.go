package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestTwoRefundsCannotCountOnTheSameMoney: each passes the held balance's version, also before anything was ever held.
func TestTwoRefundsCannotCountOnTheSameMoney(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first, second := pay(t, s, tenant, "order-1", "attempt-1"), pay(t, s, tenant, "order-2", "attempt-2")
	hold := func(tx payments.Transaction, operation string, held store.Reserve) error {
		return s.ApplyTransaction(t.Context(), tenant, reserve(t, read(t, s, tx.ID).Transaction, operation, "1", true), &held)
	}
	for i, operation := range []string{"a", "b"} {
		before := wantHeld(t, s, 2*i, 2*i)
		if err := hold(first, operation, before); err != nil {
			t.Fatal(err)
		}
		if err := hold(second, operation, before); !errors.Is(err, store.ErrStale) {
			t.Errorf("a refund on a balance of before: %v", err)
		}
		if err := hold(second, operation, wantHeld(t, s, 2*i+1, 2*i+1)); err != nil {
			t.Errorf("a refund on the fresh balance: %v", err)
		}
	}
	if r := read(t, s, second.ID); r.EventCount != 2 {
		t.Errorf("%+v", r)
	}
	// Whatever becomes of a refund, its hold is given back, whoever held more meanwhile.
	wantHeld(t, s, 4, 4)
	apply(t, s, resolve(t, read(t, s, first.ID), first.RefundID("a"), payments.Approved, start.Add(2*time.Hour)))
	apply(t, s, resolve(t, read(t, s, first.ID), first.RefundID("b"), payments.Declined, start.Add(2*time.Hour)))
	wantHeld(t, s, 6, 2)
	apply(t, s, resolve(t, read(t, s, second.ID), second.RefundID("a"), payments.OutcomeUnknown, start.Add(2*time.Hour)))
	wantHeld(t, s, 6, 2)
}

// wantHeld reads what is held.
func wantHeld(t *testing.T, s *store.Store, version, euros int) store.Reserve {
	t.Helper()
	held, err := s.Reserve(t.Context(), tenant, "EUR")
	if err != nil || held.Version != version || held.Amount != eur(fmt.Sprint(euros)) {
		t.Errorf("held %+v, %v; want %d, version %d", held, err, euros, version)
	}
	return held
}
