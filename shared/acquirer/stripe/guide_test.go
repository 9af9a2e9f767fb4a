package stripe

import (
	"bytes"
	"os"
	"testing"
)

// TestGuide_Endpoint checks that the operating guide names this package's version of the API, and the events whose
// hints it reads, for the endpoint in Stripe.
func TestGuide_Endpoint(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../infra/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(hintedTypes, apiVersion) {
		if !bytes.Contains(guide, []byte("`"+name+"`")) {
			t.Errorf("got no %s in the guide, want it", name)
		}
	}
}
