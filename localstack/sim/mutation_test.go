package sim_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/sim"
)

const (
	// scouts are the seeds that find out which conditions there are.
	scouts = 60
	// mutantSeeds is how many seeds each mutant must survive to count.
	mutantSeeds = 600
	// survivorSeeds is the same for known survivors.
	survivorSeeds = 10
	// mutantVariable narrows the test to conditions that contain its text.
	mutantVariable      = "CASHWRAP_SIM_MUTANT"
	mutantSeedsVariable = "CASHWRAP_SIM_MUTANT_SEEDS"
)

// survivors are the conditions that no seed can miss, and why.
var survivors = map[string]string{
	"Put KEY: (attribute_not_exists(pk))":   "the key is the hash of a fresh random token; nothing else can be there",
	"Put KEYID: (attribute_not_exists(pk))": "written in one transaction with its KEY, under a fresh random id",
	"Put TRANSACTION: (attribute_not_exists(pk) OR status = ?)": "in one transaction with its checkout, whose version lets each outcome in once; " +
		"the rules of package payments never touch a final one",
	"Put CALLBACK: (attribute_not_exists(pk))": "in one transaction with its checkout, whose version lets it in once, under a fresh random id",
	"Update CARD: (attribute_exists(pk))":      "the card was read just before, and cards are never deleted",
	"Update KEY: (attribute_exists(pk))":       "the key was found by its id just before, and keys are never deleted",
	"Put CALLBACK: (attribute_exists(pk))":     "the callback was read just before; had it expired in between, it would be replayed all the same",
}

// missedBy are seeds that miss a condition, to find them at once; another is
// searched for when the workload has moved on.
var missedBy = map[string]uint64{
	"Put CALLBACK: (tries = ? AND state = ?)":  15,
	"Put CHECKOUT: (attribute_not_exists(pk))": 159,
	"Put CHECKOUT: (version = ?)":              7,
	"Put CUSTOMER: (attribute_not_exists(pk))": 1,
	"Put CUSTOMER: (version = ?)":              34,
	"Put IDEMPOTENCY: (attribute_not_exists(pk) OR expires_at <= ? OR (attribute_not_exists(reply) AND (owner = ? OR (fingerprint = ? AND running_until <= ?))))": 1,
	"Put MERCHANT: (attribute_not_exists(pk))":                                                                 10,
	"Put REFERENCE: (attribute_not_exists(pk) OR checkout_id = ?)":                                             1,
	"Put SANDBOX CHARGE: (attribute_not_exists(pk))":                                                           78,
	"Put SANDBOX CHARGE: (version = ?)":                                                                        52,
	"Update CARD: (active = ? AND card.acquirer_token = ?)":                                                    122,
	"Update IDEMPOTENCY: (owner = ? AND attribute_not_exists(reply))":                                          100,
	"Update IDEMPOTENCY: (owner = ?)":                                                                          15,
	"Update MERCHANT: (attribute_exists(pk) AND (attribute_not_exists(secret_version) OR secret_version = ?))": 55,
	"Update RATE: (attribute_not_exists(full_at) OR full_at <= ?)":                                             1,
	"Update RATE: (full_at > ? AND full_at <= ?)":                                                              3,
}

// TestEachConditionIsNeeded takes each condition out of all writes in turn,
// at the transport: some seed must then find the world out of order.
func TestEachConditionIsNeeded(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	for i, name := range conditions(t) {
		if uint64(i)%parts != part || !strings.Contains(name, os.Getenv(mutantVariable)) {
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

// firstFailure is a seed that misses the condition, and what it finds. In the
// fast loop survivors get few chances; CI gives them as many as the others.
func firstFailure(t *testing.T, condition string) (seed uint64, finding string) {
	t.Helper()
	most := number(t, mutantSeedsVariable, mutantSeeds)
	if survivors[condition] != "" {
		most = number(t, mutantSeedsVariable, survivorSeeds)
	}
	for seed := range most + 1 {
		if seed == 0 {
			seed = missedBy[condition]
		}
		if found := sim.Run(t, seed, sim.Options{Without: condition}).Findings(); len(found) > 0 {
			return seed, found[0].Text
		}
	}
	return 0, ""
}
