package sim_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/sim"
)

const (
	// scouts are the seeds that find out which conditions there are.
	scouts = 150
	// mutantSeeds is how many seeds each mutant must survive to count.
	mutantSeeds = 600
)

// survivors are the conditions that no seed can miss, and why.
var survivors = map[string]string{}

// TestEachConditionIsNeeded takes each condition out of all writes in turn,
// at the transport: some seed must then find the world out of order.
func TestEachConditionIsNeeded(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	for i, name := range conditions(t) {
		if uint64(i)%parts != part {
			continue
		}
		seed, finding := firstFailure(t, name)
		why, known := survivors[name]
		switch {
		case finding == "" && !known:
			t.Errorf("nobody misses %s", name)
		case finding != "" && known:
			t.Errorf("%s is missed after all (%s), by seed %d: %s", name, why, seed, finding)
		case finding != "":
			t.Logf("seed %d misses %s: %s", seed, name, finding)
		}
	}
}

// conditions are all that the workload's writes carry.
func conditions(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	for seed := uint64(1); seed <= scouts; seed++ {
		sim.Run(t, seed, sim.Options{Conditions: func(name string) { seen[name] = true }})
	}
	return slices.Sorted(maps.Keys(seen))
}

func firstFailure(t *testing.T, condition string) (seed uint64, finding string) {
	t.Helper()
	for seed := uint64(1); seed <= number(t, "CASHWRAP_SIM_MUTANT_SEEDS", mutantSeeds); seed++ {
		if found := sim.Run(t, seed, sim.Options{Without: condition}).Findings(); len(found) > 0 {
			return seed, found[0].Text
		}
	}
	return 0, ""
}
