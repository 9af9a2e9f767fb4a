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
	// mutantVariable narrows the tests to conditions that contain its text.
	mutantVariable = "CASHWRAP_SIM_MUTANT"
	// mutantsVariable, set to all, has the tests play all that .ci/run does.
	mutantsVariable = "CASHWRAP_SIM_MUTANTS"
)

// mutations takes conditions out of the writes of some workloads.
type mutations struct {
	workloads  []simulator.Workload
	included   func(condition string) bool
	survivors  map[string]string
	noticedBy  map[string]seedRun
	quick, all effort
}

// effort is how many seeds of each workload are run.
type effort struct {
	scouts    uint64 // to see which conditions there are
	mutants   uint64 // without a condition, to find one that notices
	survivors uint64 // without a condition of which it is known that none notices
}

func (m mutations) effort() effort {
	if m.thorough() {
		return m.all
	}
	return m.quick
}

func (mutations) thorough() bool { return os.Getenv(mutantsVariable) == "all" }

// seedRun is a history: a seed of one workload.
type seedRun struct {
	workload simulator.Workload
	seed     uint64
}

// TestEachConditionIsNeeded removes each condition from all writes in turn, at
// the transport: some history must then fail. Those of roles, members and keys
// TestEachConditionOfPeopleIsNeeded removes.
func TestEachConditionIsNeeded(t *testing.T) {
	mutations{
		workloads: []simulator.Workload{simulator.Everything, simulator.Refunds},
		included:  func(condition string) bool { return !ofPeople.MatchString(condition) },
		survivors: survivors, noticedBy: noticedBy,
		quick: effort{scouts: 15, mutants: 100, survivors: 1},
		all:   effort{scouts: 60, mutants: 5000, survivors: 100},
	}.test(t)
}

// test runs this process's share of the conditions.
func (m mutations) test(t *testing.T) {
	t.Helper()
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	workloads := m.conditions(t)
	for i, condition := range slices.Sorted(maps.Keys(workloads)) {
		if uint64(i)%parts == part && strings.Contains(condition, os.Getenv(mutantVariable)) {
			m.check(t, condition, workloads[condition])
		}
	}
}

// conditions are all that the workloads' writes have, with the workloads that
// have them.
func (m mutations) conditions(t *testing.T) map[string][]simulator.Workload {
	t.Helper()
	seen := map[string][]simulator.Workload{}
	for _, workload := range m.workloads {
		for seed := uint64(1); seed <= m.effort().scouts; seed++ {
			simulator.Run(t, seed, simulator.Options{Workload: workload, Conditions: func(name string) {
				if m.included(name) && !slices.Contains(seen[name], workload) {
					seen[name] = append(seen[name], workload)
				}
			}})
		}
	}
	return seen
}

// check fails the test unless some history notices that the condition is
// missing, or it is known that none can.
func (m mutations) check(t *testing.T, condition string, workloads []simulator.Workload) {
	t.Helper()
	by, finding := m.firstFailure(t, condition, workloads)
	why, survives := m.survivors[condition]
	switch {
	case finding != "" && survives:
		t.Errorf("without %s: got %s by %+v, want no finding (%s)", condition, finding, by, why)
	case finding != "":
		t.Logf("without %s %+v finds %s", condition, by, finding)
	case survives:
	case m.postponed(condition):
		t.Logf("left to .ci/run: a history that notices that %s is missing", condition)
	default:
		t.Errorf("without %s: got no finding, want one", condition)
	}
}

// postponed says whether the search for a history that notices is left to
// .ci/run, because few do.
func (m mutations) postponed(condition string) bool {
	return !m.thorough() && m.noticedBy[condition].seed > m.quick.mutants/6
}

// firstFailure is the first history that fails without the condition, and what
// it finds; first of all the one that is known.
func (m mutations) firstFailure(t *testing.T, condition string, workloads []simulator.Workload) (seedRun, string) {
	t.Helper()
	seeds := m.effort().mutants
	switch {
	case m.survivors[condition] != "":
		seeds = m.effort().survivors
	case m.postponed(condition):
		seeds = 0
	}
	if by, known := m.noticedBy[condition]; known {
		if finding := by.without(t, condition); finding != "" {
			return by, finding
		}
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, workload := range workloads {
			by := seedRun{workload, seed}
			if finding := by.without(t, condition); finding != "" {
				return by, finding
			}
		}
	}
	return seedRun{}, ""
}

// without is the first finding of the history without the condition; "": none.
func (p seedRun) without(t *testing.T, condition string) string {
	t.Helper()
	found := simulator.Run(t, p.seed, simulator.Options{Workload: p.workload, Without: condition}).Findings()
	if len(found) == 0 {
		return ""
	}
	return found[0].Text
}

// survivors are the conditions whose removal no seed can notice, and why.
var survivors = map[string]string{
	"Put TRANSACTION: (attribute_not_exists(pk) OR status = ?)": "in one transaction with its checkout, whose version " +
		"lets each outcome in once; " +
		"the rules of package payments never touch a final one",
	"Put CALLBACK: (attribute_not_exists(pk))": "in one transaction with its checkout, whose version lets it in once, " +
		"under a fresh random id",
	"Put GROWTH: (throttled_at = ?)": "a later note that this takes out of the due index is made again when the shard " +
		"is throttled again",
	"Put BREAKER: (attribute_not_exists(pk))": "a time-out that is not counted only delays the breaker",
	"Put BREAKER: (version = ?)":              "likewise; and a second probe at the same time does no more than the first",
	"Update CARD: (attribute_exists(pk))":     "the card was read just before, and cards are never deleted",
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
	"Put CREDIT: (attribute_exists(pk))": "only a payout takes the payable away, and none runs here",
	"Update RESERVE: (attribute_exists(pk))": "gives back what the same refund has reserved, and the item is " +
		"never deleted",
	"Put SANDBOX CHARGEBACK: (attribute_not_exists(pk))": "passes its charge's version",
	"Put MERCHANT: (attribute_not_exists(pk))":           "in one transaction with its owners, who are let in once",
	"Put AUDIT: (attribute_not_exists(pk))":              "in one transaction with the change, under a fresh random id",
}

// noticedBy are histories that notice that a condition is missing. When the code
// has changed so much that one does not any more, another is searched for.
var noticedBy = map[string]seedRun{
	"Put CALLBACK: (tries = ? AND state = ?)":  {simulator.Refunds, 7},
	"Put CHECKOUT: (attribute_not_exists(pk))": {simulator.Everything, 1167},
	"Put CHECKOUT: (version = ?)":              {simulator.Everything, 4},
	"Put CUSTOMER: (attribute_not_exists(pk))": {simulator.Everything, 2},
	"Put CUSTOMER: (version = ?)":              {simulator.Everything, 19},
	"Put IDEMPOTENCY: (attribute_not_exists(pk) OR expires_at <= ? OR (attribute_not_exists(reply) AND (owner = ? OR " +
		"(fingerprint = ? AND running_until <= ?))))": {simulator.Refunds, 1},
	"Put MERCHANT: (version = ?)":                                     {simulator.Everything, 304},
	"Put REFERENCE: (attribute_not_exists(pk) OR checkout_id = ?)":    {simulator.Everything, 1},
	"Put SANDBOX CHARGE: (attribute_not_exists(pk))":                  {simulator.Everything, 37},
	"Put SANDBOX CHARGE: (version = ?)":                               {simulator.Everything, 5},
	"Put SANDBOX REFUND: (attribute_not_exists(pk))":                  {simulator.Refunds, 184},
	"Put SANDBOX REFUND: (decision = ?)":                              {simulator.Refunds, 189},
	"Put TRANSACTION: (version = ?)":                                  {simulator.Refunds, 6},
	"Update RESERVE: (attribute_not_exists(pk))":                      {simulator.Refunds, 4},
	"Update RESERVE: (version = ?)":                                   {simulator.Refunds, 118},
	"Update CARD: (active = ? AND card.acquirer_token = ?)":           {simulator.Everything, 506},
	"Update IDEMPOTENCY: (owner = ? AND attribute_not_exists(reply))": {simulator.Everything, 15},
	"Update IDEMPOTENCY: (owner = ?)":                                 {simulator.Everything, 7},
	"Update RATE: (attribute_not_exists(full_at) OR full_at <= ?)":    {simulator.Everything, 1},
	"Update RATE: (full_at > ? AND full_at <= ?)":                     {simulator.Everything, 3},
}
