package processing_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// undecided is an acquirer that takes a cancellation but does not tell its result.
type undecided struct{ acquirer.Acquirer }

func (undecided) Cancel(context.Context, string) (payments.Outcome, error) {
	return payments.Outcome{Decision: payments.OutcomeUnknown}, nil
}

// TestStart_CancellationUnknown checks that the attempt stays open. The same request may succeed later. So the refusal
// is transient, and is not stored under an Idempotency-Key (contract §2.8).
func TestStart_CancellationUnknown(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c := o.create(t, time.Hour)
	if _, err := o.pay(t, c, challenged); err != nil {
		t.Fatal(err)
	}
	before := o.read(t, c)
	o.Acquirers[identity.Test] = undecided{o.Acquirers[identity.Test]}
	type shown struct {
		Kind       failure.Kind
		Code, Slug string
		Transient  bool
	}
	for name, c := range map[string]struct {
		act  func() error
		want shown
	}{
		"another attempt": {func() error { _, err := o.pay(t, c, passing); return err },
			shown{failure.KindConflict, "CONFLICT", "conflict", true}},
		"a deactivation": {func() error { _, err := o.Deactivate(t.Context(), tenant, c.ID); return err },
			shown{failure.KindConflict, "CHECKOUT_PROCESSED", "session-cant-be-deactivated", true}},
	} {
		f := failure.Of(c.act())
		if diff := cmp.Diff(c.want, shown{f.Kind, f.Code, f.Slug, f.Transient}); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if after := o.read(t, c); after.Attempt.ID != before.Attempt.ID || !after.RequiresAction() {
		t.Errorf("got attempt %s %s, want %s %s", after.Attempt.ID, after.Attempt.State, before.Attempt.ID,
			before.Attempt.State)
	}
}
