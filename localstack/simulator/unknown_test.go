package simulator_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

const (
	unknownSeedsVariable = "CASHWRAP_SIM_UNKNOWN_SEEDS"
	defaultUnknownSeeds  = 1
	outcomes             = 20 // number of unknown outcomes per seed
)

// TestRun_Unknown checks that unknown outcomes are settled within 45 s if the acquirer knows them after 30 s. The
// stream and the queue sometimes take seconds.
func TestRun_Unknown(t *testing.T) {
	var took []time.Duration
	seeds := readNumber(t, unknownSeedsVariable, defaultUnknownSeeds)
	for seed := uint64(1); seed <= seeds; seed++ {
		w := run(t, "unknown", seed, calls.Mutation{})
		report(t, w, "unknown", seed)
		took = append(took, w.Settled...)
	}
	slices.Sort(took)
	if want := outcomes * int(seeds); len(took) != want {
		t.Fatalf("got %d settled, want %d", len(took), want)
	}
	if took[0] < 30*time.Second {
		t.Errorf("got one settled after %v, want at least 30 s: the acquirer does not know before", took[0])
	}
	t.Logf("%d outcomes: p50 %v, p99 %v, the last %v", len(took), took[len(took)/2],
		took[len(took)*99/100], took[len(took)-1])
}

// TestMutation_Stream checks that without the stream the sweep settles each outcome, but too late.
func TestMutation_Stream(t *testing.T) {
	skipUnlessControls(t)
	for seed := uint64(1); seed <= 3; seed++ {
		w := run(t, "unknown", seed, calls.Mutation{Without: calls.Stream})
		late := slices.DeleteFunc(slices.Clone(w.Settled), func(took time.Duration) bool { return took <= time.Minute })
		if len(w.Settled) != outcomes || len(w.Findings()) != outcomes || len(late) != outcomes {
			t.Errorf("seed %d: got settled after %v and findings %v, want %d of both, all after more than a minute",
				seed, w.Settled, w.Findings(), outcomes)
		}
	}
}
