package simulator_test

import (
	"regexp"
	"testing"
)

const (
	readerSeedsVariable = "CASHWRAP_SIM_READER_SEEDS"
	defaultReaderSeeds  = 20
)

// TestRun_Readers checks worlds of payments at readers, whose line to a terminal may drop at any message.
func TestRun_Readers(t *testing.T) {
	runSeeds(t, "readers", readerSeedsVariable, defaultReaderSeeds)
}

// TestMutation_ReaderConditions checks the conditions of readers, of the records of virtual terminals, and of checkouts
// at readers, like TestMutation_Conditions.
func TestMutation_ReaderConditions(t *testing.T) {
	mutations{
		workloads: []string{"readers"},
		included:  readerConditions.MatchString,
		survivors: readerSurvivors, scoutSeeds: 20, mutantSeeds: 400, survivorSeeds: 20,
	}.run(t)
}

var readerConditions = regexp.MustCompile(`^\w+ (READER|DELETED|TERMINAL|CHECKOUT)`)

// readerSurvivors lists the conditions whose removal no history can notice, and why.
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
