package stripe_test

import (
	"regexp"
	"strings"
	"testing"
)

// findMutants checks that histories find a package that breaks one of its rules.
func (a account) findMutants(t *testing.T) {
	t.Helper()
	defer a.WithoutKeys(nil)
	for name, change := range mutants {
		var violations []string
		for seed := uint64(0); seed < 20 && len(violations) == 0; seed++ {
			h := a.newHistory(t, seed)
			change(h, a.imitation)
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
var mutants = map[string]func(*history, imitation){
	"no pin": func(h *history, peer imitation) {
		peer.WithoutKeys(isOfCharge)
		h.put = func(item string) (string, bool) {
			return condition.ReplaceAllString(item, "${1}attribute_exists(sk) OR attribute_not_exists(sk) OR "),
				strings.Contains(item, `"write_id"`)
		}
	},
	"no tombstone": func(h *history, _ imitation) {
		h.put = func(item string) (string, bool) { return "", !strings.Contains(item, `"intent"`) }
	},
	"a declined intent is not cancelled": func(h *history, _ imitation) { h.keepsFailed = true },
	"refunds without a key": func(_ *history, peer imitation) {
		peer.WithoutKeys(func(string) bool { return true })
	},
}

// condition matches the beginning of a condition in a request to the table.
var condition = regexp.MustCompile(`("ConditionExpression":")`)
