package contract_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestOpenAPI_ExampleRequests checks that each example request of the document gets a success that the document lists.
func TestOpenAPI_ExampleRequests(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop().WithCallbacks()
	for _, s := range examples.EveryShown(t) {
		fix := examples.NewFixture(shop)
		r := fix.Request(s.Operation, s.Example)
		if got := fix.Do(r); !slices.Contains(s.Success, got.Status) {
			body, _ := json.Marshal(r.Body)
			t.Errorf("%s (%s %s): got %d %s, want one of %v", s, r.Path, body, got.Status, got.Body, s.Success)
		}
	}
}
