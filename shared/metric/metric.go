// Package metric writes counts as lines of CloudWatch's embedded metric format
// (EMF) to the log. A line holds numbers and the stage, and nothing of any
// merchant.
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
	OverdueCallbacks     = "OverdueCallbacks"     // sent by a sweep: the fast path lost them
	ResolvedCheckouts    = "ResolvedCheckouts"    // finished by a sweep: cut off, abandoned by the payer, or expired
	ResolvedRefunds      = "ResolvedRefunds"      // finished by a sweep: cut off
	SweepFailures        = "SweepFailures"        // items and shards that a sweep could not process; the next retries
	ReconciliationBreaks = "ReconciliationBreaks" // between transactions, journal, payouts, acquirer and bank
)

// Names are all metrics.
var Names = []string{OverdueCallbacks, ResolvedCheckouts, ResolvedRefunds, SweepFailures, ReconciliationBreaks}

// Log writes metrics of one stage to the log. The zero value, which all but
// deployed functions have, writes nothing.
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
