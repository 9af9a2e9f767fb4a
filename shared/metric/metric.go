// Package metric writes measurements as lines of CloudWatch's embedded metric format (EMF) to the log, from which
// CloudWatch makes metrics. A line holds numbers, the stage and the mode, and nothing of any merchant.
//
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
package metric

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"time"
)

// Namespace of all metrics, and their dimensions. Two stages in one account share
// no alarm, and what happens in test mode raises none of live mode.
const (
	Namespace = "Cashwrap"
	Stage     = "Stage"
	Mode      = "Mode" // live or test, of metrics that are ByMode
)

// Unit of a metric, as CloudWatch names it.
type Unit string

// The units.
const (
	Count        Unit = "Count"
	Seconds      Unit = "Seconds"
	Milliseconds Unit = "Milliseconds"
)

// Metric is one that functions write.
type Metric struct {
	Name   string
	Unit   Unit
	ByMode bool // live and test mode are measured apart
}

// The metrics. What each means to an operator is in infra/README.md, "Metrics".
var (
	PaymentsAttempted = Metric{"PaymentsAttempted", Count, true} // attempts that were sent to the acquirer
	PaymentsUnknown   = Metric{"PaymentsUnknown", Count, true}   // of these, whose charge got no outcome
	PaymentsNotTaken  = Metric{"PaymentsNotTaken", Count, true}  // of these, which the acquirer did not take
	// PaymentsApproved is 1 for each attempt recorded as approved and 0 for each that was
	// declined: its average is the approval rate, also when nothing is approved any more.
	PaymentsApproved = Metric{"PaymentsApproved", Count, true}

	AcquirerLatency   = Metric{"AcquirerLatency", Milliseconds, true} // of one charge, with its repetition
	UnknownPaymentAge = Metric{"UnknownPaymentAge", Seconds, true}    // at each poll that gave no outcome
	UnknownRefundAge  = Metric{"UnknownRefundAge", Seconds, true}     // likewise, of a refund

	OldestPayoutAge = Metric{"OldestPayoutAge", Seconds, true} // of what was due, at each walk that opens payouts
	FailedPayouts   = Metric{"FailedPayouts", Count, true}     // that a bank rejected
	DeadCallbacks   = Metric{"DeadCallbacks", Count, true}     // given up after three days

	DeadMails    = Metric{"DeadMails", Count, true}    // given up after three days
	DroppedMails = Metric{"DroppedMails", Count, true} // refused for good, beyond a bound, or no longer wanted
	HeldMails    = Metric{"HeldMails", Count, true}    // each time that one waits because no sender is set

	OldestDueAge         = Metric{"OldestDueAge", Seconds, true}       // at each tick of the sweep; 0: nothing was due
	OverdueCallbacks     = Metric{"OverdueCallbacks", Count, false}    // sent by a sweep: the fast path lost them
	OverdueMails         = Metric{"OverdueMails", Count, false}        // likewise
	ResolvedCheckouts    = Metric{"ResolvedCheckouts", Count, false}   // by a sweep: cut off, abandoned or expired
	ResolvedRefunds      = Metric{"ResolvedRefunds", Count, false}     // finished by a sweep: cut off
	SweepFailures        = Metric{"SweepFailures", Count, false}       // items and shards that a sweep could not process
	ReconciliationBreaks = Metric{"ReconciliationBreaks", Count, true} // between the records of money
)

// All are all metrics.
var All = []Metric{PaymentsAttempted, PaymentsUnknown, PaymentsNotTaken, PaymentsApproved,
	AcquirerLatency, UnknownPaymentAge, UnknownRefundAge, OldestPayoutAge, FailedPayouts, DeadCallbacks, DeadMails,
	DroppedMails, HeldMails, OldestDueAge, OverdueCallbacks, OverdueMails, ResolvedCheckouts, ResolvedRefunds,
	SweepFailures, ReconciliationBreaks}

// Value is one measurement, in the metric's unit.
type Value struct {
	Metric
	N int64
}

// Of is a measurement of the metric.
func (m Metric) Of(n int64) Value { return Value{m, n} }

// Once counts one.
func (m Metric) Once() Value { return m.Of(1) }

// Took measures a time, in whole units.
func (m Metric) Took(d time.Duration) Value {
	if m.Unit == Seconds {
		return m.Of(int64(d / time.Second))
	}
	return m.Of(d.Milliseconds())
}

// Log writes metrics of one stage to the log. The zero value, which all but deployed functions have, writes nothing.
type Log struct {
	Out      io.Writer // a function's standard output
	Stage    string
	Failures *slog.Logger // where a line that cannot be written is reported; nil: nowhere
}

// definition is a metric of the format.
type definition struct {
	Name string
	Unit Unit
}

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

// Write writes the measurements of one moment as one line. The mode, live or test,
// is that of the metrics which are ByMode; without such metrics it may be empty.
func (l Log) Write(ctx context.Context, at time.Time, mode string, values ...Value) {
	if l.Out == nil || len(values) == 0 {
		return
	}
	line := map[string]any{Stage: l.Stage}
	whole, apart := directive{Namespace, [][]string{{Stage}}, nil}, directive{Namespace, [][]string{{Stage, Mode}}, nil}
	for _, v := range values {
		line[v.Name] = v.N
		if d := (definition{v.Name, v.Unit}); v.ByMode {
			apart.Metrics = append(apart.Metrics, d)
			line[Mode] = mode
		} else {
			whole.Metrics = append(whole.Metrics, d)
		}
	}
	line["_aws"] = metadata{at.UnixMilli(), slices.DeleteFunc([]directive{whole, apart},
		func(d directive) bool { return len(d.Metrics) == 0 })}
	if err := json.NewEncoder(l.Out).Encode(line); err != nil && l.Failures != nil {
		l.Failures.ErrorContext(ctx, "metrics not written", "error", err)
	}
}
