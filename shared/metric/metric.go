// Package metric writes measurements to the log, as lines of CloudWatch's embedded metric format (EMF). CloudWatch
// makes metrics of these lines. Write them with Log.Write. A line has numbers, the stage and the mode, but no data of
// any merchant.
//
// A line is one JSON object of a documented form, so no library is used:
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

// The namespace of all metrics, and their dimensions. Because of the dimensions, two stages in one account share no
// alarm, and events in test mode raise no alarm of live mode.
const (
	Namespace = "Cashwrap"
	Stage     = "Stage"
	Mode      = "Mode" // live or test, for metrics that are ByMode
)

// Unit is a metric's unit, by CloudWatch's name.
type Unit string

// The units.
const (
	Count        Unit = "Count"
	Seconds      Unit = "Seconds"
	Milliseconds Unit = "Milliseconds"
)

// Metric is a metric that functions write.
type Metric struct {
	Name   string
	Unit   Unit
	ByMode bool // live and test mode are measured separately
}

// The metrics. infra/README.md, "Metrics", tells operators what each means.
var (
	PaymentsAttempted = Metric{"PaymentsAttempted", Count, true} // attempts that were sent to the acquirer
	PaymentsUnknown   = Metric{"PaymentsUnknown", Count, true}   // attempts whose charge got no outcome
	PaymentsNotTaken  = Metric{"PaymentsNotTaken", Count, true}  // attempts that the acquirer did not take
	// PaymentsApproved is 1 for each approved attempt and 0 for each declined attempt. Its average is the approval rate,
	// even when all attempts are declined.
	PaymentsApproved = Metric{"PaymentsApproved", Count, true}

	AcquirerLatency   = Metric{"AcquirerLatency", Milliseconds, true} // duration of one charge, including its repetition
	UnknownPaymentAge = Metric{"UnknownPaymentAge", Seconds, true}    // written at each poll that gave no outcome
	UnknownRefundAge  = Metric{"UnknownRefundAge", Seconds, true}     // the same for refunds

	OldestPayoutAge = Metric{"OldestPayoutAge", Seconds, true} // of due payouts, at each walk that opens payouts
	FailedPayouts   = Metric{"FailedPayouts", Count, true}     // payouts that a bank rejected
	DeadCallbacks   = Metric{"DeadCallbacks", Count, true}     // callbacks given up after three days

	DeadMails    = Metric{"DeadMails", Count, true}    // mails given up after three days, or after a week without a sender
	DroppedMails = Metric{"DroppedMails", Count, true} // mails refused for good, above a limit, or no longer wanted
	HeldMails    = Metric{"HeldMails", Count, true}    // written each time a mail waits because no sender is set

	OldestDueAge         = Metric{"OldestDueAge", Seconds, true}       // at each tick of the sweep; 0: nothing was due
	OverdueCallbacks     = Metric{"OverdueCallbacks", Count, false}    // sent by a sweep: the fast path lost them
	OverdueMails         = Metric{"OverdueMails", Count, false}        // the same for mails
	ResolvedCheckouts    = Metric{"ResolvedCheckouts", Count, false}   // by a sweep: cut off, abandoned or expired
	ResolvedRefunds      = Metric{"ResolvedRefunds", Count, false}     // cut off, and finished by a sweep
	SweepFailures        = Metric{"SweepFailures", Count, false}       // items and shards that a sweep could not process
	ReconciliationBreaks = Metric{"ReconciliationBreaks", Count, true} // differences between the records of money
)

// All has all metrics.
var All = []Metric{PaymentsAttempted, PaymentsUnknown, PaymentsNotTaken, PaymentsApproved,
	AcquirerLatency, UnknownPaymentAge, UnknownRefundAge, OldestPayoutAge, FailedPayouts, DeadCallbacks, DeadMails,
	DroppedMails, HeldMails, OldestDueAge, OverdueCallbacks, OverdueMails, ResolvedCheckouts, ResolvedRefunds,
	SweepFailures, ReconciliationBreaks}

// Value is one measurement, in the metric's unit.
type Value struct {
	Metric
	N int64
}

// Of returns a measurement of the metric.
func (m Metric) Of(n int64) Value { return Value{m, n} }

// Once returns a measurement of 1.
func (m Metric) Once() Value { return m.Of(1) }

// Took returns a measurement of a duration, in whole units of the metric.
func (m Metric) Took(d time.Duration) Value {
	if m.Unit == Seconds {
		return m.Of(int64(d / time.Second))
	}
	return m.Of(d.Milliseconds())
}

// Log writes metrics of one stage to the log. Without Out it writes nothing, and only deployed functions set Out.
type Log struct {
	Out      io.Writer // a function's standard output
	Stage    string
	Failures *slog.Logger // reports lines that cannot be written; nil: unreported
}

// definition describes a metric in the format's terms.
type definition struct {
	Name string
	Unit Unit
}

// directive is a MetricDirective of the format.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

type metadata struct {
	Timestamp         int64 // Unix ms
	CloudWatchMetrics []directive
}

// Write writes the measurements of one moment as one line. The mode is live or test. Only metrics with ByMode use it,
// so without such metrics it may be empty.
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
