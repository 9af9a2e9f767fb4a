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

// TestRun_Hanging checks worlds of receivers that hang. Callbacks to other receivers must not wait for the hanging
// receivers.
func TestRun_Hanging(t *testing.T) {
	runSeeds(t, "hanging", hangingSeedsVariable, defaultHangingSeeds)
}

// TestMutation_Groups checks that without message groups one merchant's backlog delays another's callback.
func TestMutation_Groups(t *testing.T) {
	skipUnlessControls(t)
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
