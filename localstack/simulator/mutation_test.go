package simulator_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

const (
	// mutantsVariable, set to all, has the mutation controls run, as .ci/run does.
	mutantsVariable = "CASHWRAP_SIM_MUTANTS"
	// mutantVariable runs those of the conditions that contain its text.
	mutantVariable = "CASHWRAP_SIM_MUTANT"
)

// control skips a mutation control unless a variable asks for it.
func control(t *testing.T) {
	t.Helper()
	if os.Getenv(mutantsVariable) != "all" && os.Getenv(mutantVariable) == "" {
		t.Skip("left to .ci/run")
	}
}

// mutations takes conditions out of the writes of some workloads.
type mutations struct {
	workloads []string
	included  func(condition string) bool
	survivors map[string]string // why no history can notice

	// How many seeds of each workload are run:
	scouts  uint64 // to see which conditions there are
	mutants uint64 // without a condition, to find one that notices
	vain    uint64 // without a condition of which it is known that none notices
}

// TestEachConditionIsNeeded removes each condition from all writes in turn, at
// the transport: some history must then fail. Those of roles, members and keys
// TestEachConditionOfPeopleIsNeeded removes.
func TestEachConditionIsNeeded(t *testing.T) {
	mutations{
		workloads: []string{"everything", "refunds"},
		included:  func(condition string) bool { return !ofPeople.MatchString(condition) },
		survivors: survivors, scouts: 60, mutants: 1000, vain: 100,
	}.test(t)
}

// test runs this process's share of the conditions.
func (m mutations) test(t *testing.T) {
	t.Helper()
	control(t)
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	workloads := m.conditions(t)
	for condition := range m.survivors {
		if workloads[condition] == nil {
			t.Errorf("%s survives: got no write that carries it, want one, or the entry off the list", condition)
		}
	}
	for i, condition := range slices.Sorted(maps.Keys(workloads)) {
		if uint64(i)%parts == part && strings.Contains(condition, os.Getenv(mutantVariable)) {
			m.check(t, condition, workloads[condition])
		}
	}
}

// conditions are all that the workloads' writes have, with the workloads that
// have them.
func (m mutations) conditions(t *testing.T) map[string][]string {
	t.Helper()
	seen := map[string][]string{}
	for _, workload := range m.workloads {
		for seed := uint64(1); seed <= m.scouts; seed++ {
			run(t, workload, seed, calls.Mutation{Conditions: func(name string) {
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
func (m mutations) check(t *testing.T, condition string, workloads []string) {
	t.Helper()
	why, survives := m.survivors[condition]
	seeds := m.mutants
	if survives {
		seeds = m.vain
	}
	by, finding := firstFailure(t, condition, workloads, seeds)
	switch {
	case finding != "" && survives:
		t.Errorf("without %s: got %s by %+v, want no finding (%s)", condition, finding, by, why)
	case finding != "":
		t.Logf("without %s %+v finds %s", condition, by, finding)
	case !survives:
		t.Errorf("without %s: got no finding, want one", condition)
	}
}

// seedRun is a history: a seed of one workload.
type seedRun struct {
	workload string
	seed     uint64
}

// firstFailure searches for a history that fails without the condition, and returns what it finds. With the condition
// in its place the same world must find nothing.
func firstFailure(t *testing.T, condition string, workloads []string, seeds uint64) (seedRun, string) {
	t.Helper()
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, workload := range workloads {
			by := seedRun{workload, seed}
			finding := by.finding(t, condition, false)
			if finding == "" {
				continue
			}
			if anyway := by.finding(t, condition, true); anyway != "" {
				t.Errorf("%+v with %s: got %s, want no finding", by, condition, anyway)
			}
			return by, finding
		}
	}
	return seedRun{}, ""
}

// without plays the history without the condition, and returns the first finding; "": none.
func (p seedRun) without(t *testing.T, condition string) string {
	t.Helper()
	return p.finding(t, condition, false)
}

// finding does the same. If kept, the condition stays, and only the writes that carry it wait.
func (p seedRun) finding(t *testing.T, condition string, kept bool) string {
	t.Helper()
	found := run(t, p.workload, p.seed, calls.Mutation{Without: condition, Kept: kept}).Findings()
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
