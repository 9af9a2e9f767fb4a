package simulator_test

import (
	"regexp"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	readerSeedsVariable = "CASHWRAP_SIM_READER_SEEDS"
	defaultReaderSeeds  = 40
)

// TestReaderSeeds simulates payments at readers: at whichever message the line to a terminal drops,
// a cardholder is charged once at the most, and each checkout has one outcome and one callback.
func TestReaderSeeds(t *testing.T) {
	runSeeds(t, simulator.Readers, readerSeedsVariable, defaultReaderSeeds)
}

// TestEachConditionOfReadersIsNeeded does the same as TestEachConditionIsNeeded with the conditions of
// readers, of the records of virtual terminals, and of checkouts that are paid at them.
func TestEachConditionOfReadersIsNeeded(t *testing.T) {
	mutations{
		workloads: []simulator.Workload{simulator.Readers},
		included:  ofReaders.MatchString,
		survivors: readerSurvivors, noticedBy: noticedByReaders,
		quick: effort{scouts: 8, mutants: 60, survivors: 1},
		all:   effort{scouts: 20, mutants: 120, survivors: 20},
	}.test(t)
}

var ofReaders = regexp.MustCompile(`^\w+ (READER|DELETED|TERMINAL|CHECKOUT)`)

// readerSurvivors are the conditions whose removal no history can notice, and why.
var readerSurvivors = map[string]string{}

// noticedByReaders are histories that notice that a condition is missing, as noticedBy.
var noticedByReaders = map[string]seedRun{}
