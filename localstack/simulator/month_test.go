package simulator_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

const (
	monthsVariable = "CASHWRAP_SIM_MONTHS"
	defaultMonths  = 8
)

// TestMonths plays months of payouts.
func TestMonths(t *testing.T) { play(t, simulator.Month, monthsVariable, defaultMonths) }
