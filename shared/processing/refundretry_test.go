package processing_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// TestRefund_RepeatedDuringOutage repeats a request that ends in 424, and so runs again under its key (contract §2.8).
// A transaction can have a limited number of events. The tries add no event, so a later refund is possible after any
// number of tries.
func TestRefund_RepeatedDuringOutage(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	bank := o.Acquirers[identity.Test]
	o.Acquirers[identity.Test] = acquirer.None{}
	const tries = 1001 // above the limit of events of a transaction
	for n := range tries {
		if err := o.refund(t, id, "one"); !failure.Is(err, failure.KindUpstream) {
			t.Fatalf("try %d: got %v, want an upstream failure", n+1, err)
		}
	}
	o.Acquirers[identity.Test] = bank
	if err := o.refund(t, id, "one"); err != nil {
		t.Errorf("after the outage: got %v, want no error", err)
	}
	if r, back := o.readRecord(t, id); r.EventCount != 1 || r.Refunded.String() != "4.00" || back != "4.00" {
		t.Errorf("got %d events, refunded %s, at the acquirer %q, want 1, 4.00, 4.00", r.EventCount, r.Refunded, back)
	}
}
