package reconcile_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TestTick_ReopensInParallel checks that an import reopens the subjects of its lines at the same time, and lists their
// tenant once.
func TestTick_ReopensInParallel(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	unknown := identity.Tenant{Mode: identity.Test, Merchant: "MC9"}
	for i := range 3 {
		h.movements = append(h.movements, acquirer.Movement{LineID: fmt.Sprint("line ", i), Tenant: unknown.String(),
			ID: fmt.Sprint(i), ChargeID: fmt.Sprint(i), Kind: acquirer.CaptureMovement, Amount: money.MustParse("1", "EUR"),
			At: h.clock.Now()})
	}
	var listed, reopened atomic.Int32
	var alone atomic.Bool
	met := make(chan struct{})
	h.before = func(r *http.Request) {
		switch {
		case calledFor(r, "PutItem", `"TENANT#`+unknown.String()+`"`):
			listed.Add(1)
		case calledFor(r, "UpdateItem", `"PROVEN#`+unknown.String()+`"`):
			if reopened.Add(1) == 2 {
				close(met)
			}
			select {
			case <-met:
			case <-time.After(10 * time.Second):
				alone.Store(true)
			}
		}
	}
	h.tick()
	if listed.Load() != 1 || reopened.Load() != 3 || alone.Load() {
		t.Errorf("got %d calls that list the tenant, %d that reopen a subject, one by one: %t; want 1, and 3 at once",
			listed.Load(), reopened.Load(), alone.Load())
	}
}
