package sim_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/sim"
)

const (
	monthsVariable = "CASHWRAP_SIM_MONTHS"
	defaultMonths  = 30
)

// TestMonths plays months of payouts.
func TestMonths(t *testing.T) { play(t, sim.Options{Month: true}, monthsVariable, defaultMonths) }
