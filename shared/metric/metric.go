// Package metric counts what a function has found, as lines of CloudWatch's
// embedded metric format (EMF) in its log. A line holds numbers and the
// stage, never whose they are.
//
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
package metric

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"
)

// Namespace of all metrics, and the one dimension: two stages in one account
// share no alarm.
const (
	Namespace = "Cashwrap"
	Stage     = "Stage"
)

// The metrics, all of them counts.
const (
	OverdueCallbacks     = "OverdueCallbacks"     // a sweep found and sent: the fast path lost them
	ResolvedCheckouts    = "ResolvedCheckouts"    // a sweep looked after: cut off, left by the payer, or expired
	ResolvedRefunds      = "ResolvedRefunds"      // a sweep looked after: cut off
	SweepFailures        = "SweepFailures"        // things and shards that a sweep could not look after; the next one tries
	ReconciliationBreaks = "ReconciliationBreaks" // between transactions, journal, payouts, acquirer and bank
)

// Names are all metrics.
var Names = []string{OverdueCallbacks, ResolvedCheckouts, ResolvedRefunds, SweepFailures, ReconciliationBreaks}

// Log writes metrics of one stage to the log. The zero value, which is
// anywhere but in a deployed function, writes nothing.
type Log struct {
	Out   io.Writer // a function's standard output
	Stage string
}

// unit of every metric.
const unit = "Count"

// definition is a metric of the format.
type definition struct{ Name, Unit string }

// directive is the format's MetricDirective.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

type metadata struct {
	Timestamp         int64 // Unix ms
	CloudWatchMetrics []directive
}

// Count writes one line with the counts, by their names. Errors: the writer's.
func (l Log) Count(at time.Time, counts map[string]int) error {
	if l.Out == nil {
		return nil
	}
	d := directive{Namespace: Namespace, Dimensions: [][]string{{Stage}}}
	line := map[string]any{Stage: l.Stage}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		d.Metrics = append(d.Metrics, definition{name, unit})
		line[name] = counts[name]
	}
	line["_aws"] = metadata{at.UnixMilli(), []directive{d}}
	return json.NewEncoder(l.Out).Encode(line)
}
