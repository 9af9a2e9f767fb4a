package stripe_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
)

// findMutants checks that histories find a package that breaks one of its rules.
func findMutants(t *testing.T, peer *stripetest.LocalStripe) {
	t.Helper()
	for name, change := range mutants {
		var violations []string
		for seed := uint64(0); seed < 20 && len(violations) == 0; seed++ {
			h := newLocalHistory(t, peer, seed)
			change(h, peer)
			violations = h.run(new(counts))
		}
		if len(violations) == 0 {
			t.Errorf("mutant %q: got no violation, want one", name)
			continue
		}
		t.Logf("mutant %q: %s", name, violations[0])
	}
}

// isOfCharge returns true for the operations of a charge.
func isOfCharge(operation string) bool { return operation != "POST refunds" }

// mutants break one rule of the package each, on the network below it.
var mutants = map[string]func(*history, *stripetest.LocalStripe){
	"no pin": func(h *history, peer *stripetest.LocalStripe) {
		peer.Keyless = isOfCharge
		h.put = func(item string) (string, bool) {
			return condition.ReplaceAllString(item, "${1}attribute_exists(sk) OR attribute_not_exists(sk) OR "),
				strings.Contains(item, `"write_id"`)
		}
	},
	"no tombstone": func(h *history, _ *stripetest.LocalStripe) {
		h.put = func(item string) (string, bool) { return "", !strings.Contains(item, `"intent"`) }
	},
	"a declined intent is not cancelled": func(h *history, _ *stripetest.LocalStripe) { h.keepsFailed = true },
	"refunds without a key": func(_ *history, peer *stripetest.LocalStripe) {
		peer.Keyless = func(string) bool { return true }
	},
}

// condition matches the beginning of a condition in a request to the table.
var condition = regexp.MustCompile(`("ConditionExpression":")`)
