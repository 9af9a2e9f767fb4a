package processing_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// TestAnOutageUsesUpNoEvents: a request that ended in 424 runs again under its key
// (contract §2.8). However often the acquirer does not take it, the transaction can
// still be refunded later, although it may have only so many events.
func TestAnOutageUsesUpNoEvents(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	bank := o.Acquirers[identity.Test]
	o.Acquirers[identity.Test] = acquirer.None{}
	const tries = 1001 // one more than a transaction may have of events
	for n := range tries {
		if err := o.refund(t, id, "one"); !failure.Is(err, failure.KindUpstream) {
			t.Fatalf("try %d: %v", n+1, err)
		}
	}
	o.Acquirers[identity.Test] = bank
	if err := o.refund(t, id, "one"); err != nil {
		t.Errorf("after the outage: %v", err)
	}
	if r, back := o.record(t, id); r.EventCount != 1 || r.Refunded.String() != "4.00" || back != "4.00" {
		t.Errorf("%d events, refunded %s, at the acquirer %q", r.EventCount, r.Refunded, back)
	}
}
