package simulator_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

const (
	hangingSeedsVariable = "CASHWRAP_SIM_HANGING_SEEDS"
	defaultHangingSeeds  = 2
)

// TestHangingSeeds simulates receivers that hang, beside others that must not wait for them.
func TestHangingSeeds(t *testing.T) {
	runSeeds(t, "hanging", hangingSeedsVariable, defaultHangingSeeds)
}

// TestWithoutGroupsCallbacksAreLate takes away what makes the callback queue fair: then one merchant's backlog comes
// before another's callback.
func TestWithoutGroupsCallbacksAreLate(t *testing.T) {
	control(t)
	const seeds = 20
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, f := range run(t, "hanging", seed, calls.Mutation{Without: calls.Groups}).Findings() {
			if strings.Contains(f.Text, "callback due since") {
				return
			}
		}
	}
	t.Errorf("got no late callback in %d histories, want one", seeds)
}
