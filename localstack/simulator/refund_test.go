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

// TestRun_Refunds checks worlds of concurrent refunds.
func TestRun_Refunds(t *testing.T) {
	runSeeds(t, "refunds", refundSeedsVariable, defaultRefundSeeds)
}

// TestMutation_TransactionVersion removes the condition that serialises a transaction's refunds. Clients' views must
// then not be linearizable.
func TestMutation_TransactionVersion(t *testing.T) {
	skipUnlessControls(t)
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
