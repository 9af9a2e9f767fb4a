package simulator_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

const (
	stripeSeedsVariable = "CASHWRAP_SIM_STRIPE_SEEDS"
	defaultStripeSeeds  = 12
)

// TestRun_Stripe checks worlds of live payments and refunds at a stand-in for Stripe.
func TestRun_Stripe(t *testing.T) { runSeeds(t, "stripe", stripeSeedsVariable, defaultStripeSeeds) }

// TestMutation_StripeConditions checks the conditions of our records about Stripe, like TestMutation_Conditions.
func TestMutation_StripeConditions(t *testing.T) {
	mutations{
		workloads: []string{"stripe"},
		included:  stripeConditions.MatchString,
		survivors: stripeSurvivors, scoutSeeds: 20, mutantSeeds: 150, survivorSeeds: 10,
	}.run(t)
}

var stripeConditions = regexp.MustCompile(` STRIPE `)

// stripeSurvivors lists the conditions whose removal no world can notice, with the reasons.
var stripeSurvivors = map[string]string{}

// TestMutation_StripeKeys removes the idempotency keys from requests to Stripe. A world must then find that Stripe has
// made a refund twice. One process searches all seeds, so that the result does not depend on the number of cores.
func TestMutation_StripeKeys(t *testing.T) {
	skipUnlessControls(t)
	if !runShards(t) || !claim(t, 0) {
		return
	}
	for seed := range uint64(100) {
		finding := (seedRun{"stripe", seed + 1}).runWithout(t, calls.Keys)
		if strings.HasPrefix(finding, "refund ") {
			t.Logf("seed %d finds %s", seed+1, finding)
			return
		}
	}
	t.Error("got no finding of a refund that is made twice, want one")
}
