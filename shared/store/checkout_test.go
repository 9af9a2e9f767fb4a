package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

var (
	start  = clock.New().Now()
	tenant = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}
)

func newStore(t *testing.T) *store.Store { return openTable(t, clock.New(), nil) }

func draft(reference string) payments.Checkout {
	until := start.Add(time.Hour)
	return payments.Checkout{
		ID: uuid.NewString(), Reference: reference, Amount: money.MustParse("10.10", "EUR"), Status: payments.CheckoutPending,
		Purpose: payments.PurposeCheckout, CreatedAt: start, ValidUntil: &until, ReturnURL: "https://shop.example.com/hook",
		Payee: payments.Payee{Code: tenant.Merchant, Name: "Shop", Email: "shop@example.com", Country: "DE"},
	}
}

func TestOverdue_ExpiredCheckout(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c, err := s.CreateCheckout(t.Context(), tenant, draft("order-1"))
	if err != nil {
		t.Fatal(err)
	}
	for by, want := range map[time.Time][]store.Due{
		c.ValidUntil.Add(-time.Microsecond): nil,
		*c.ValidUntil:                       {{Tenant: tenant, CheckoutID: c.ID, At: c.ValidUntil.UTC()}},
	} {
		if diff := cmp.Diff(want, listOverdue(t, s, by)); diff != "" {
			t.Errorf("due by %s (-want +got):\n%s", by, diff)
		}
	}
}

// listOverdue returns the entries of all shards that are due by the time.
func listOverdue(t *testing.T, s *store.Store, by time.Time) []store.Due {
	t.Helper()
	var found []store.Due
	for shard := range s.DueShards() {
		for due, err := range s.Overdue(t.Context(), shard, by) {
			if err != nil {
				t.Fatal(err)
			}
			due.Position = "" // of the index
			found = append(found, due)
		}
	}
	return found
}

func TestCreateCheckout_SameReferenceConcurrently(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	const many = 100
	errs := make([]error, many)
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() { _, errs[i] = s.CreateCheckout(ctx, tenant, draft("order-1")) })
	}
	group.Wait()
	created := 0
	for _, err := range errs {
		switch {
		case err == nil:
			created++
		case failure.Of(err).Code != "DUPLICATED_CHECKOUT":
			t.Errorf("got error %v, want none or DUPLICATED_CHECKOUT", err)
		}
	}
	if created != 1 {
		t.Errorf("got %d checkouts, want 1", created)
	}
}

func TestSaveCheckout_Stale(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	read, err := s.CreateCheckout(ctx, tenant, draft("order-1"))
	if err != nil {
		t.Fatal(err)
	}
	read.Description = "first"
	if _, err := s.SaveCheckout(ctx, tenant, read); err != nil {
		t.Fatal(err)
	}
	read.Description = "second"
	if _, err := s.SaveCheckout(ctx, tenant, read); !errors.Is(err, store.ErrStale) {
		t.Errorf("the second change: got error %v, want ErrStale", err)
	}
	now, _ := s.Checkout(ctx, tenant, read.ID)
	if now.Description != "first" || now.Version != 2 {
		t.Errorf("got %q, version %d, want first, version 2", now.Description, now.Version)
	}
}

func TestRenameCheckout(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	c, err := s.CreateCheckout(ctx, tenant, draft("old"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := s.CreateCheckout(ctx, tenant, draft("taken"))
	if err != nil {
		t.Fatal(err)
	}
	other.Reference = "old"
	if _, err = s.RenameCheckout(ctx, tenant, other); failure.Of(err).Code != "DUPLICATED_CHECKOUT" {
		t.Errorf("took a reference in use: got error %v, want DUPLICATED_CHECKOUT", err)
	}
	for _, reference := range []string{"new", "old", "new"} { // the checkout may take its former reference back
		c.Reference = reference
		if c, err = s.RenameCheckout(ctx, tenant, c); err != nil {
			t.Fatal(err)
		}
	}
	for reference, want := range map[string]int{"old": 0, "new": 1, "taken": 1} {
		if found, err := s.CheckoutsByReference(ctx, tenant, reference); err != nil || len(found) != want {
			t.Errorf("%s: got %d, %v, want %d", reference, len(found), err, want)
		}
	}
}

func TestCheckout_Unknown(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, id := range []string{uuid.NewString(), "", strings.Repeat("x", 5000)} {
		_, err := s.Checkout(context.Background(), tenant, id)
		if f := failure.Of(err); f.Kind != failure.KindNotFound || f.Slug != "checkout-not-found" {
			t.Errorf("%.10s: got error %v, want checkout-not-found", id, err)
		}
	}
}
