package metric_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/metric"
)

var at = time.UnixMilli(1790000000123)

// TestWrite checks that lines have the format of CloudWatch's specification.
func TestWrite(t *testing.T) {
	t.Parallel()
	count := metric.Metric{Name: "A", Unit: metric.Count}
	apart := metric.Metric{Name: "B", Unit: metric.Milliseconds, ByMode: true}
	const start, whole = `"_aws":{"Timestamp":1790000000123,"CloudWatchMetrics":[`,
		`{"Namespace":"Cashwrap","Dimensions":[["Stage"]],"Metrics":[{"Name":"A","Unit":"Count"}]}`
	const byMode = `{"Namespace":"Cashwrap","Dimensions":[["Stage","Mode"]],` +
		`"Metrics":[{"Name":"B","Unit":"Milliseconds"}]}`
	for _, c := range []struct {
		values []metric.Value
		want   string
	}{
		{nil, ""},
		{[]metric.Value{count.Of(0)}, `{"A":0,"Stage":"dev",` + start + whole + "]}}\n"},
		{[]metric.Value{apart.Took(1500 * time.Millisecond)}, `{"B":1500,"Mode":"live","Stage":"dev",` + start + byMode +
			"]}}\n"},
		{[]metric.Value{count.Once(), apart.Of(-1)}, `{"A":1,"B":-1,"Mode":"live","Stage":"dev",` + start + whole + "," +
			byMode + "]}}\n"},
	} {
		var out strings.Builder
		metric.Log{Out: &out, Stage: "dev"}.Write(t.Context(), at, "live", c.values...)
		if out.String() != c.want {
			t.Errorf("%v: got\n%s\nwant\n%s", c.values, out.String(), c.want)
		}
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	for m, want := range map[metric.Metric]int64{metric.AcquirerLatency: 61_500, metric.OldestDueAge: 61} {
		if got := m.Took(61500 * time.Millisecond); got != m.Of(want) {
			t.Errorf("%s: got %v, want %d", m.Name, got, want)
		}
	}
}

func TestAll_UniqueNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{metric.Stage: true, metric.Mode: true, "_aws": true}
	for _, m := range metric.All {
		if seen[m.Name] || m.Name == "" {
			t.Errorf("got the name %q twice, want one for each metric", m.Name)
		}
		seen[m.Name] = true
	}
}

type broken struct{}

var errBroken = errors.New("no room")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWrite_NoWriterOrFailingWriter(t *testing.T) {
	t.Parallel()
	var failures bytes.Buffer
	log := metric.Log{Failures: slog.New(slog.NewJSONHandler(&failures, nil))}
	log.Write(t.Context(), at, "", metric.SweepFailures.Once())
	if failures.Len() > 0 {
		t.Errorf("nowhere: got failure %s, want none", &failures)
	}
	log.Out = broken{}
	log.Write(t.Context(), at, "", metric.SweepFailures.Once())
	if !strings.Contains(failures.String(), errBroken.Error()) {
		t.Errorf("a writer that fails: got failure %q, want %v in it", &failures, errBroken)
	}
	log.Failures = nil
	log.Write(t.Context(), at, "", metric.SweepFailures.Once()) // must not panic
}
