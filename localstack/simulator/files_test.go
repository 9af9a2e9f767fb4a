package simulator_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	fileSeedsVariable = "CASHWRAP_SIM_FILE_SEEDS"
	defaultFileSeeds  = 40
)

// TestFileSeeds simulates uploads by links, and concurrent changes of files and collections: whatever fails, no content
// is lost or left, and records and objects agree.
func TestFileSeeds(t *testing.T) {
	runSeeds(t, simulator.Files, fileSeedsVariable, defaultFileSeeds)
}
