package simulator_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	// scouts are the seeds that find out which conditions there are.
	scouts = 60
	// mutantSeeds is how many seeds each mutant must survive to count, at least.
	mutantSeeds = 1500
	// survivorSeeds is the same for known survivors.
	survivorSeeds = 10
	// mutantVariable narrows the test to conditions that contain its text.
	mutantVariable      = "CASHWRAP_SIM_MUTANT"
	mutantSeedsVariable = "CASHWRAP_SIM_MUTANT_SEEDS"
)

// survivors are the conditions that no seed can miss, and why.
var survivors = map[string]string{
	"Put KEY: (attribute_not_exists(pk))": "the key is the hash of a fresh random token; nothing else can be there",
	"Put TRANSACTION: (attribute_not_exists(pk) OR status = ?)": "in one transaction with its checkout, whose version " +
		"lets each outcome in once; " +
		"the rules of package payments never touch a final one",
	"Put CALLBACK: (attribute_not_exists(pk))": "in one transaction with its checkout, whose version lets it in once, " +
		"under a fresh random id",
	"Put BREAKER: (attribute_not_exists(pk))": "a time-out that is not counted costs the breaker another",
	"Put BREAKER: (version = ?)":              "likewise; and a second probe at a time does no more than the first",
	"Update CARD: (attribute_exists(pk))":     "the card was read just before, and cards are never deleted",
	"Update KEY: (attribute_exists(pk))":      "the key was found by its id just before, and keys are never deleted",
	"Put CALLBACK: (attribute_exists(pk))": "the callback was read just before; had it expired in between, it would " +
		"be replayed all the same",

	"Put EVENT: (attribute_not_exists(pk) OR status IN (?, ?, ?))": "in one transaction with its transaction, whose " +
		"version lets each change in once; " +
		"the rules of package payments never touch a closed one",
	"Put payment: (attribute_not_exists(pk))": "in one transaction with its checkout, whose version lets it " +
		"in once",
	"Put refund: (attribute_not_exists(pk))": "in one transaction with its transaction, whose version lets " +
		"it in once",
	"Put chargeback: (attribute_not_exists(pk))": "in one transaction with its transaction, whose version lets " +
		"it in once",
	"Put CREDIT: (attribute_not_exists(pk))": "in one transaction with its checkout, whose version lets it " +
		"in once",
	"Put DEBIT: (attribute_not_exists(pk))": "in one transaction with its transaction, whose version lets " +
		"it in once",
	"Put CREDIT: (attribute_exists(pk))": "only a payout takes the row away, and none runs here",
	"Update RESERVE: (attribute_exists(pk))": "gives back what the same refund has held, and the item is " +
		"never deleted",
	"Put SANDBOX CHARGEBACK: (attribute_not_exists(pk))": "passes its charge's version",
}

// missedBy are histories that miss a condition, to find them at once; another is
// searched for when the workload has moved on.
var missedBy = map[string]played{
	"Put CALLBACK: (tries = ? AND state = ?)":  {simulator.Everything, 15},
	"Put CHECKOUT: (attribute_not_exists(pk))": {simulator.Everything, 117},
	"Put CHECKOUT: (version = ?)":              {simulator.Everything, 14},
	"Put CUSTOMER: (attribute_not_exists(pk))": {simulator.Everything, 1},
	"Put CUSTOMER: (version = ?)":              {simulator.Everything, 244},
	"Put IDEMPOTENCY: (attribute_not_exists(pk) OR expires_at <= ? OR (attribute_not_exists(reply) AND (owner = ? OR " +
		"(fingerprint = ? AND running_until <= ?))))": {simulator.Everything, 1},
	"Put MERCHANT: (attribute_not_exists(pk))":                        {simulator.Everything, 10},
	"Put MERCHANT: (version = ?)":                                     {simulator.Everything, 55},
	"Put REFERENCE: (attribute_not_exists(pk) OR checkout_id = ?)":    {simulator.Everything, 1},
	"Put SANDBOX CHARGE: (attribute_not_exists(pk))":                  {simulator.Everything, 143},
	"Put SANDBOX CHARGE: (version = ?)":                               {simulator.Everything, 10},
	"Put SANDBOX REFUND: (attribute_not_exists(pk))":                  {simulator.Refunds, 233},
	"Put SANDBOX REFUND: (decision = ?)":                              {simulator.Refunds, 314},
	"Put TRANSACTION: (version = ?)":                                  {simulator.Refunds, 4},
	"Update RESERVE: (attribute_not_exists(pk))":                      {simulator.Refunds, 10},
	"Update RESERVE: (version = ?)":                                   {simulator.Refunds, 508},
	"Update CARD: (active = ? AND card.acquirer_token = ?)":           {simulator.Everything, 15},
	"Update IDEMPOTENCY: (owner = ? AND attribute_not_exists(reply))": {simulator.Refunds, 52},
	"Update IDEMPOTENCY: (owner = ?)":                                 {simulator.Everything, 10},
	"Update RATE: (attribute_not_exists(full_at) OR full_at <= ?)":    {simulator.Everything, 1},
	"Update RATE: (full_at > ? AND full_at <= ?)":                     {simulator.Everything, 3},
}

// TestEachConditionIsNeeded takes each condition out of all writes in turn,
// at the transport: some seed must then find the world out of order.
func TestEachConditionIsNeeded(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	workloads := conditions(t)
	for i, name := range slices.Sorted(maps.Keys(workloads)) {
		if uint64(i)%parts != part || !strings.Contains(name, os.Getenv(mutantVariable)) {
			continue
		}
		by, finding := firstFailure(t, name, workloads[name])
		judge(t, name, survivors, by, finding)
	}
}

// judge says whether a condition is needed: some history misses it, or it is
// known that none can.
func judge(t *testing.T, condition string, survivors map[string]string, by any, finding string) {
	t.Helper()
	why, known := survivors[condition]
	switch {
	case finding == "" && !known:
		t.Errorf("nobody misses %s", condition)
	case finding != "" && known:
		t.Errorf("%s is missed after all (%s), by %+v: %s", condition, why, by, finding)
	case finding != "":
		t.Logf("%+v misses %s: %s", by, condition, finding)
	}
}

// played is a history: a seed of one workload.
type played struct {
	workload simulator.Workload
	seed     uint64
}

func (p played) without(t *testing.T, condition string) (finding string) {
	if found := simulator.Run(t, p.seed, simulator.Options{Workload: p.workload, Without: condition}).Findings(); len(
		found) > 0 {
		finding = found[0].Text
	}
	return finding
}

// conditions are all that the workloads' writes carry, with the workloads they
// are seen in.
func conditions(t *testing.T) map[string][]simulator.Workload {
	t.Helper()
	seen := map[string][]simulator.Workload{}
	for _, workload := range []simulator.Workload{simulator.Everything, simulator.Refunds} {
		for seed := uint64(1); seed <= scouts; seed++ {
			simulator.Run(t, seed, simulator.Options{Workload: workload, Conditions: func(name string) {
				if !slices.Contains(seen[name], workload) {
					seen[name] = append(seen[name], workload)
				}
			}})
		}
	}
	return seen
}

// firstFailure is a history that misses the condition, and what it finds. In
// the fast loop survivors get few chances, in CI more; the others are searched
// for at length, which costs little as long as missedBy holds.
func firstFailure(t *testing.T, condition string, workloads []simulator.Workload) (by played, finding string) {
	t.Helper()
	most := max(mutantSeeds, number(t, mutantSeedsVariable, mutantSeeds))
	if survivors[condition] != "" {
		most = number(t, mutantSeedsVariable, survivorSeeds)
	}
	if by = missedBy[condition]; by.seed > 0 {
		if finding = by.without(t, condition); finding != "" {
			return by, finding
		}
	}
	for n := range most {
		by = played{workloads[n%uint64(len(workloads))], 1 + n/uint64(len(workloads))}
		if finding = by.without(t, condition); finding != "" {
			return by, finding
		}
	}
	return played{}, ""
}
