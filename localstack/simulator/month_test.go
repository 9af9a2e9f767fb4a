package simulator_test

import (
	"testing"
)

const (
	monthsVariable = "CASHWRAP_SIM_MONTHS"
	defaultMonths  = 2
)

// TestMonths simulates months of payouts.
func TestMonths(t *testing.T) { runSeeds(t, "month", monthsVariable, defaultMonths) }
