package sim_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/sim"
)

const (
	refundSeedsVariable = "CASHWRAP_SIM_REFUND_SEEDS"
	defaultRefundSeeds  = 200
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
