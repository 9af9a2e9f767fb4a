package simulator_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	monthsVariable = "CASHWRAP_SIM_MONTHS"
	defaultMonths  = 2
)

// TestMonths simulates months of payouts.
func TestMonths(t *testing.T) { runSeeds(t, simulator.Month, monthsVariable, defaultMonths) }
