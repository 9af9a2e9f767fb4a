package simulator_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

const (
	// mutantsVariable runs the mutation controls if it is "all", as in .ci/run.
	mutantsVariable = "CASHWRAP_SIM_MUTANTS"
	// mutantVariable runs the controls of the conditions that contain its text.
	mutantVariable = "CASHWRAP_SIM_MUTANT"
)

// skipUnlessControls skips a mutation control unless a variable asks for it.
func skipUnlessControls(t *testing.T) {
	t.Helper()
	if os.Getenv(mutantsVariable) != "all" && os.Getenv(mutantVariable) == "" {
		t.Skip("left to .ci/run")
	}
}

// mutations removes conditions from the writes of some workloads.
type mutations struct {
	workloads []string
	included  func(condition string) bool
	survivors map[string]string // by condition, the reason why no history can notice its removal

	// Numbers of seeds of each workload:
	scoutSeeds    uint64 // runs with all conditions, to list the conditions
	mutantSeeds   uint64 // runs without a condition, to find a seed that notices
	survivorSeeds uint64 // runs without a condition in survivors, which no seed should notice
}

// TestMutation_Conditions checks for each condition that some history fails without it. The transport removes one
// condition at a time, from all writes. TestMutation_PeopleConditions checks the conditions of roles, members and keys.
func TestMutation_Conditions(t *testing.T) {
	mutations{
		workloads: []string{"everything", "refunds"},
		included:  func(condition string) bool { return !peopleConditions.MatchString(condition) },
		survivors: survivors, scoutSeeds: 100, mutantSeeds: 1000, survivorSeeds: 10,
	}.run(t)
}

// run runs this process's share of the conditions.
func (m mutations) run(t *testing.T) {
	t.Helper()
	skipUnlessControls(t)
	if !runShards(t) {
		return
	}
	workloads := m.findConditions(t)
	for condition := range m.survivors {
		if workloads[condition] == nil {
			t.Errorf("%s survives: got no write that carries it, want one, or the entry off the list", condition)
		}
	}
	for i, condition := range slices.Sorted(maps.Keys(workloads)) {
		if strings.Contains(condition, os.Getenv(mutantVariable)) && claim(t, i) {
			m.checkCondition(t, condition, workloads[condition])
		}
	}
}

// findConditions returns the conditions of the workloads' writes, with the workloads that have them.
func (m mutations) findConditions(t *testing.T) map[string][]string {
	t.Helper()
	seen := map[string][]string{}
	for _, workload := range m.workloads {
		for seed := uint64(1); seed <= m.scoutSeeds; seed++ {
			run(t, workload, seed, calls.Mutation{Conditions: func(name string) {
				if m.included(name) && !slices.Contains(seen[name], workload) {
					seen[name] = append(seen[name], workload)
				}
			}})
		}
	}
	return seen
}

// checkCondition checks that some history notices that the condition is missing. If the condition is one of the
// survivors, no history may notice.
func (m mutations) checkCondition(t *testing.T, condition string, workloads []string) {
	t.Helper()
	why, survives := m.survivors[condition]
	seeds := m.mutantSeeds
	if survives {
		seeds = m.survivorSeeds
	}
	start := time.Now()
	by, finding := findFailure(t, condition, workloads, seeds)
	switch {
	case finding != "" && survives:
		t.Errorf("without %s: got %s by %+v, want no finding (%s)", condition, finding, by, why)
	case finding != "":
		t.Logf("%v without %s %+v finds %s", time.Since(start), condition, by, finding)
	case !survives:
		t.Errorf("without %s: got no finding, want one", condition)
	}
}

// seedRun is a history: a seed of one workload.
type seedRun struct {
	workload string
	seed     uint64
}

// findFailure searches for a history that fails without the condition, and returns its finding. With the condition the
// same world must have no finding.
func findFailure(t *testing.T, condition string, workloads []string, seeds uint64) (seedRun, string) {
	t.Helper()
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, workload := range workloads {
			by := seedRun{workload, seed}
			finding := by.runMutation(t, condition, false)
			if finding == "" {
				continue
			}
			if anyway := by.runMutation(t, condition, true); anyway != "" {
				t.Errorf("%+v with %s: got %s, want no finding", by, condition, anyway)
			}
			return by, finding
		}
	}
	return seedRun{}, ""
}

// runWithout runs the history without the condition, and returns the first finding, or "".
func (p seedRun) runWithout(t *testing.T, condition string) string {
	t.Helper()
	return p.runMutation(t, condition, false)
}

// runMutation runs the history and returns the first finding, or "". If kept is false, the writes lose the condition.
// In both cases the scheduler holds back the writes that carry the condition. A history that is too long to be checked
// notices nothing.
func (p seedRun) runMutation(t *testing.T, condition string, kept bool) string {
	t.Helper()
	for _, f := range run(t, p.workload, p.seed, calls.Mutation{Without: condition, Kept: kept}).Findings() {
		if !strings.Contains(f.Text, linear.ErrTooLong.Error()) {
			return f.Text
		}
	}
	return ""
}

// survivors lists the conditions whose removal no seed can notice, and why.
var survivors = map[string]string{
	"Put TRANSACTION: (attribute_not_exists(pk) OR status = ?)": "in one transaction with its checkout, whose version " +
		"lets each outcome in once; " +
		"the rules of package payments never touch a final one",
	"Put CALLBACK: (attribute_not_exists(pk))": "in one transaction with its checkout, whose version lets it in once, " +
		"under a fresh random id",
	"Put GROWTH: (throttled_at = ?)": "a later note that this takes out of the due index is made again when the shard " +
		"is throttled again",
	"Put BIRTH: (attribute_not_exists(pk))":   "a later birth only lets more readers walk the history",
	"Put BREAKER: (attribute_not_exists(pk))": "a time-out that is not counted only delays the breaker",
	"Put BREAKER: (version = ?)":              "likewise; and a second probe at the same time does no more than the first",
	"Update CARD: (attribute_exists(pk))":     "the card was read just before, and cards are never deleted",

	"Put EVENT: (attribute_not_exists(pk) OR status IN (?, ?, ?))": "in one transaction with its transaction, whose " +
		"version lets each change in once; " +
		"the rules of package payments never touch a closed one",
	"Put capture: (attribute_not_exists(pk))": "a line of a statement is the same, whoever imports it",
	"Put SEGMENT: (version = ?)": "a segment of a night rarely has two merchants here; " +
		"TestTick_ClosingsOfEachDay notices",
	"Put NIGHTS: (attribute_not_exists(pk))": "two first runs prove the whole table twice",
	"Put DAY: (attribute_not_exists(pk))": "in one transaction with its segment of a night, whose version lets each " +
		"step in once",
	"Put DAY: (version = ?)": "likewise; the balances follow from the sums, and are the same whoever writes them",

	"Put ACQUIRER: (attribute_not_exists(pk))": "like DAY",
	"Put ACQUIRER: (version = ?)":              "like DAY",
	"Put SUBJECT: (reopened = ?)": "the simulation imports no lines while a night proves; " +
		"TestSaveNightStep_Reopened and TestTick_ReopenedWhileProven notice",
	"Put SUBJECT: (attribute_not_exists(reopened))": "likewise",
	"Put settlement: (attribute_not_exists(pk))": "a settlement's line and entry are the same, whoever imports them; " +
		"both imports end before the night adds the entry; TestImportStatementLines_Entry notices",
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
