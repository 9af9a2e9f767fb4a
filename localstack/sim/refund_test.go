package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/linear"
	"github.com/cashwrap/cashwrap/localstack/sim"
)

const (
	refundSeedsVariable = "CASHWRAP_SIM_REFUND_SEEDS"
	defaultRefundSeeds  = 100
)

// TestRefundSeeds plays many histories of concurrent refunds, and stops at the
// first that is not in order.
func TestRefundSeeds(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	seeds, first := number(t, refundSeedsVariable, defaultRefundSeeds), number(t, firstVariable, 1)
	start, played := time.Now(), 0
	for seed := first + part; seed < first+seeds && !t.Failed(); seed += parts {
		report(t, sim.Run(t, seed, sim.Options{Refunds: true}), seed)
		played++
	}
	t.Logf("%d histories in %v", played, time.Since(start))
}

// TestClientsSeeThatRefundsOvertakeEachOther takes away what serialises a
// transaction's refunds: no order of the requests explains what clients see then.
func TestClientsSeeThatRefundsOvertakeEachOther(t *testing.T) {
	const seeds, condition = 20, "Put TRANSACTION: (version = ?)"
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, f := range sim.Run(t, seed, sim.Options{Refunds: true, Without: condition}).Findings() {
			if strings.Contains(f.Text, linear.ErrNotLinear.Error()) {
				return
			}
		}
	}
	t.Errorf("nobody saw it in %d histories", seeds)
}
