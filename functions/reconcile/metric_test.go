package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// TestEachRunIsCounted: an alarm watches what is found in live mode, and that runs
// happen.
func TestEachRunIsCounted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	pay(w)
	w.Reconcile()
	for _, mode := range identity.Modes {
		if diff := cmp.Diff([]int64{0}, w.Measured(metric.ReconciliationBreaks, mode)); diff != "" {
			t.Errorf("breaks in %s mode (-want +got):\n%s", mode.Name(), diff)
		}
	}
}
