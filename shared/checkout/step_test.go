package checkout_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// TestNewNextStep checks that a payer's browser goes to the issuer by POST, and to a method's page by GET (contract
// §4.3).
func TestNewNextStep(t *testing.T) {
	t.Parallel()
	const shop = "https://shop.example/end"
	for name, c := range map[string]struct {
		step     processing.Step
		want     checkout.NextStep
		accepted bool
	}{
		"challenge": {
			processing.Step{Step: payments.Step{URL: "https://issuer.example/acs", Payload: map[string]string{"MD": "m"}}},
			checkout.NextStep{URL: "https://issuer.example/acs", Method: "POST", RedirectURL: shop,
				Mechanism: []string{"iframe", "browser"}, Payload: map[string]string{"MD": "m"}}, true,
		},
		"redirect": {
			processing.Step{Redirect: true, Step: payments.Step{URL: "https://bank.example/pay?a=1&b=2",
				Payload: map[string]string{"b": "x y", "c": "&"}}},
			checkout.NextStep{URL: "https://bank.example/pay?a=1&b=2", Method: "GET", Mechanism: []string{"browser"},
				Payload: map[string]string{"b": "x y", "c": "&"}, Full: "https://bank.example/pay?a=1&b=x+y&c=%26"}, false,
		},
		"redirect without parameters": {
			processing.Step{Redirect: true, Step: payments.Step{URL: "https://bank.example/pay"}},
			checkout.NextStep{URL: "https://bank.example/pay", Method: "GET", Mechanism: []string{"browser"},
				Payload: map[string]string{}, Full: "https://bank.example/pay"}, false,
		},
		"no URL": {
			processing.Step{Redirect: true, Step: payments.Step{URL: "%"}},
			checkout.NextStep{URL: "%", Method: "GET", Mechanism: []string{"browser"}, Payload: map[string]string{},
				Full: "%"}, false,
		},
	} {
		got := checkout.NewNextStep(&c.step, shop)
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if accepted := (checkout.Processed{NextStep: got}).Accepted(); accepted != c.accepted {
			t.Errorf("%s: accepted: got %t, want %t", name, accepted, c.accepted)
		}
	}
	if (checkout.Processed{View: &checkout.View{}}).Accepted() {
		t.Error("a checkout that was processed: got 202, want 200")
	}
}
