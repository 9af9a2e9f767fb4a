package simulator_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

const (
	refundSeedsVariable = "CASHWRAP_SIM_REFUND_SEEDS"
	defaultRefundSeeds  = 30
)

// TestRefundSeeds simulates histories of concurrent refunds.
func TestRefundSeeds(t *testing.T) {
	runSeeds(t, "refunds", refundSeedsVariable, defaultRefundSeeds)
}

// TestClientsSeeThatRefundsOvertakeEachOther takes away what serialises a
// transaction's refunds: no order of the requests explains what clients see then.
func TestClientsSeeThatRefundsOvertakeEachOther(t *testing.T) {
	control(t)
	const seeds, condition = 20, "Put TRANSACTION: (version = ?)"
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, f := range run(t, "refunds", seed, calls.Mutation{Without: condition}).Findings() {
			if strings.Contains(f.Text, linear.ErrNotLinear.Error()) {
				return
			}
		}
	}
	t.Errorf("got no finding %q in %d histories, want one", linear.ErrNotLinear, seeds)
}
