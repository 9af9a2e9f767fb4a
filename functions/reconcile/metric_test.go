package reconcile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// TestInvoke_Metrics checks that each run counts in the metrics of both modes. One alarm watches the breaks of live
// mode, and another alarm notices missing runs.
func TestInvoke_Metrics(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	pay(w)
	w.GoLive()
	live := w.Shop().NewLiveShop()
	live.Sell("10.10")
	w.Clock.Advance(time.Minute)
	run := func(when string, inLive, inTest []int64) {
		t.Helper()
		w.Reconcile()
		for mode, want := range map[identity.Mode][]int64{identity.Live: inLive, identity.Test: inTest} {
			if diff := cmp.Diff(want, w.Measured(metric.ReconciliationBreaks, mode)); diff != "" {
				t.Errorf("%s, breaks in %s mode (-want +got):\n%s", when, mode.Name(), diff)
			}
		}
	}
	run("without a break", []int64{0}, []int64{0})
	deletePayable(w, "T#"+w.Merchant.Code)
	run("with breaks in test mode", []int64{0, 0}, []int64{0, 2})
	deletePayable(w, "L#"+live.Merchant.Code)
	run("with breaks in both", []int64{0, 0, 2}, []int64{0, 2, 2})
}
