package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// TestEachRunIsCounted: an alarm watches what is found, and that runs happen.
func TestEachRunIsCounted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	pay(w)
	w.Reconcile()
	want := fmt.Sprintf(`{"ReconciliationBreaks":0,"Stage":"test","_aws":{"Timestamp":%d,`, w.Clock.Now().UnixMilli())
	if got := w.Metrics.String(); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("got metrics %s, want one line that begins with %s", got, want)
	}
}
