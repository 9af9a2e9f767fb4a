package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestFindTransaction checks that of several matches the successful one is found, else the newest (contract §6.1).
func TestFindTransaction(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	none := money.Zero("EUR")
	put := func(code string, status payments.TransactionStatus, after time.Duration) string {
		t.Helper()
		c, err := s.CreateCheckout(t.Context(), tenant, draft(uuid.NewString()))
		if err != nil {
			t.Fatal(err)
		}
		id := uuid.NewString()
		if code == "" {
			code = payments.CodeOfID(id)
		}
		tx := payments.Transaction{CheckoutTransaction: payments.CheckoutTransaction{ID: id, Code: code, Amount: c.Amount,
			Status: status, CreatedAt: start.Add(after)}, Captured: none, Refundable: none, Refunded: none, ChargedBack: none,
			Fee: none, Version: 1}
		if _, err := s.Apply(t.Context(), tenant, payments.CheckoutChange{Checkout: c, Transaction: &tx}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	alone := put("", payments.TransactionFailed, 0)
	shared := payments.CodeOfID(uuid.NewString())
	put(shared, payments.TransactionFailed, 0)
	newest := put(shared, payments.TransactionFailed, 2*time.Hour)
	find := func(what, want string) {
		t.Helper()
		if r, err := s.FindTransaction(t.Context(), tenant, what); err != nil || r.ID != want {
			t.Errorf("%s: got %s, %v; want %s", what, r.ID, err, want)
		}
	}
	find(alone, alone)
	find(payments.CodeOfID(alone), alone)
	find(shared, newest)
	successful := put(shared, payments.TransactionSuccessful, time.Hour)
	find(shared, successful)
	for _, what := range []string{"", "x", uuid.NewString(), payments.CodeOfID(uuid.NewString())} {
		if r, err := s.FindTransaction(t.Context(), tenant, what); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("%q: got %s, %v, want KindNotFound", what, r.ID, err)
		}
	}
	other := identity.Tenant{Mode: identity.Live, Merchant: tenant.Merchant}
	if _, err := s.FindTransaction(t.Context(), other, alone); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("in the other mode: got error %v, want KindNotFound", err)
	}
}
