package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestSession_Expired checks that a session ends in time, long before the table deletes its item. DynamoDB may delete
// an expired item days late. The session ends in another century, so that the engine's own clock has no part in the
// test.
func TestSession_Expired(t *testing.T) {
	t.Parallel()
	clock := clock.New()
	s := openTable(t, clock, nil)
	c, err := s.CreateCheckout(t.Context(), tenant, draft("order-1"))
	if err != nil {
		t.Fatal(err)
	}
	end := start.AddDate(100, 0, 0)
	kept := payments.Session{TokenHash: "hash", CheckoutID: c.ID, AttemptID: "attempt-1", ExpiresAt: end}
	_, err = s.Apply(t.Context(), tenant, payments.CheckoutChange{Checkout: c, Session: &kept})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(end.Sub(start) - time.Nanosecond)
	kept.TokenHash = "" // only in the key
	of, found, err := s.Session(t.Context(), "hash")
	if diff := cmp.Diff(kept, found); err != nil || of != tenant || diff != "" {
		t.Errorf("in time: got %v, %v, want %v; session (-want +got):\n%s", of, err, tenant, diff)
	}
	clock.Advance(time.Nanosecond)
	of, found, err = s.Session(t.Context(), "hash")
	if !failure.Is(err, failure.KindNotFound) || of != (identity.Tenant{}) || found != (payments.Session{}) {
		t.Errorf("past its time: got %v %+v, %v, want nothing and KindNotFound", of, found, err)
	}
}
