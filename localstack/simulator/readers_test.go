package simulator_test

import (
	"regexp"
	"testing"
)

const (
	readerSeedsVariable = "CASHWRAP_SIM_READER_SEEDS"
	defaultReaderSeeds  = 20
)

// TestReaderSeeds simulates payments at readers: at whichever message the line to a terminal drops,
// a cardholder is charged once at the most, and each checkout has one outcome and one callback.
func TestReaderSeeds(t *testing.T) {
	runSeeds(t, "readers", readerSeedsVariable, defaultReaderSeeds)
}

// TestEachConditionOfReadersIsNeeded does the same as TestEachConditionIsNeeded with the conditions of
// readers, of the records of virtual terminals, and of checkouts that are paid at them.
func TestEachConditionOfReadersIsNeeded(t *testing.T) {
	mutations{
		workloads: []string{"readers"},
		included:  ofReaders.MatchString,
		survivors: readerSurvivors, scouts: 20, mutants: 400, vain: 20,
	}.test(t)
}

var ofReaders = regexp.MustCompile(`^\w+ (READER|DELETED|TERMINAL|CHECKOUT)`)

// readerSurvivors are the conditions whose removal no history can notice, and why.
var readerSurvivors = map[string]string{
	"Put READER: (attribute_not_exists(pk))": "in one transaction with the count of readers, whose version lets each " +
		"reader in once",
	"Put TERMINAL DEVICE: (attribute_not_exists(pk))":  "terminals are paired before faults begin, one after the other",
	"Put TERMINAL PAIRING: (attribute_not_exists(pk))": "likewise",
	"Put TERMINAL SALE: (attribute_not_exists(pk))": "in one transaction with its device, whose version lets it " +
		"in once",
	"Put TERMINAL SALE: (version = ?)": "the platform stops a terminal only after the acquirer has cancelled; package " +
		"virtual tests one that is stopped while it charges",
}
