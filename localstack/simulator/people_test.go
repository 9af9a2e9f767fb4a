package simulator_test

import (
	"testing"
)

const (
	peopleSeedsVariable = "CASHWRAP_SIM_PEOPLE_SEEDS"
	defaultPeopleSeeds  = 16
)

// TestPeopleSeeds simulates concurrent changes of roles, members and keys.
func TestPeopleSeeds(t *testing.T) {
	runSeeds(t, "people", peopleSeedsVariable, defaultPeopleSeeds)
}
