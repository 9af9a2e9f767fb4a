package reconcile

import (
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// TestTheMetricIsOneLineOfItsFormat, as CloudWatch's specification of the embedded metric format asks for.
func TestTheMetricIsOneLineOfItsFormat(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := meter(&out, reconcile.Report{At: time.UnixMilli(1790000000123), Found: 3}); err != nil {
		t.Fatal(err)
	}
	const want = `{"ReconcileDifferences":3,"_aws":{"CloudWatchMetrics":[{"Dimensions":[[]],` +
		`"Metrics":[{"Name":"ReconcileDifferences","Unit":"Count"}],"Namespace":"Cashwrap"}],"Timestamp":1790000000123}}` + "\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
}
