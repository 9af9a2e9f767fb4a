package sim_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/sim"
)

const (
	monthsVariable = "CASHWRAP_SIM_MONTHS"
	defaultMonths  = 30
)

// TestMonths plays many months of payouts, and stops at the first that is not
// in order.
func TestMonths(t *testing.T) {
	if !spread(t) {
		return
	}
	part, parts, _ := shard(t)
	seeds, first := number(t, monthsVariable, defaultMonths), number(t, firstVariable, 1)
	start, played := time.Now(), 0
	for seed := first + part; seed < first+seeds && !t.Failed(); seed += parts {
		report(t, sim.Run(t, seed, sim.Options{Month: true}), seed)
		played++
	}
	t.Logf("%d months in %v", played, time.Since(start))
}
