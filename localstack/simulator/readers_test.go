package simulator_test

import (
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
