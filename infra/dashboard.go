package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

const columns = 24

// addDashboard adds a dashboard of clients, money, functions, queues, due work, table and files. By default the
// dashboard shows live mode.
func (p *platform) addDashboard() {
	awscloudwatch.NewDashboard(p.stack, text("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: text(p.name("")),
		Variables:     &[]awscloudwatch.IVariable{modeVariable()},
		Widgets: &[]*[]awscloudwatch.IWidget{
			heading("Clients"), p.clientRow(), heading("Money"), p.moneyRow(), p.unknownRow(),
			heading("Functions"), p.functionRow(), heading("Queues and due items"), p.queueRow(), p.dueRow(),
			heading("Table"), p.tableRow(), heading("Content of files, once a day"), p.fileRow(),
		},
	})
}

func modeVariable() awscloudwatch.IVariable {
	var modes []*awscloudwatch.VariableValue
	for _, m := range identity.Modes {
		modes = append(modes, &awscloudwatch.VariableValue{Value: text(m.Name()), Label: text(m.Name())})
	}
	return awscloudwatch.NewDashboardVariable(&awscloudwatch.DashboardVariableOptions{
		Id: text("mode"), Label: text("Mode"), Type: awscloudwatch.VariableType_PROPERTY, Value: text(metric.Mode),
		InputType: awscloudwatch.VariableInputType_RADIO, Values: awscloudwatch.Values_FromValues(modes...),
		DefaultValue: awscloudwatch.DefaultValue_Value(identity.Live.Name()),
	})
}

func (p *platform) clientRow() *[]awscloudwatch.IWidget {
	requests := p.ofAPI("Count", sum)
	return row(
		graph("Requests", requests),
		graph("Refused (%)", share{part: p.ofAPI("4xx", sum), whole: requests}.metric("100 * part / whole", "4xx")),
		graph("Failed (%)", share{part: p.ofAPI("5xx", sum), whole: requests}.metric("100 * part / whole", "5xx")),
		graph("Latency (ms)", labelled(p.ofAPI("Latency", median), "p50"), labelled(p.ofAPI("Latency", p99), "p99")),
	)
}

func (p *platform) moneyRow() *[]awscloudwatch.IWidget {
	return row(
		graph("Payments", p.own(metric.PaymentsAttempted, sum), labelled(p.own(metric.PaymentsApproved, sum), "approved"),
			labelled(p.own(metric.PaymentsApproved, samples), "approved or declined")),
		graph("Approval rate (%)", p.declinedShare().metric("100 * part", "approved")),
		graph("Acquirer latency (ms)", labelled(p.own(metric.AcquirerLatency, median), "p50"),
			labelled(p.own(metric.AcquirerLatency, p99), "p99")),
	)
}

func (p *platform) unknownRow() *[]awscloudwatch.IWidget {
	return row(
		graph("Unknown and not taken", p.own(metric.PaymentsUnknown, sum), p.own(metric.PaymentsNotTaken, sum)),
		graph("Longest without an outcome (s)", labelled(p.own(metric.UnknownPaymentAge, maximum), "payment"),
			labelled(p.own(metric.UnknownRefundAge, maximum), "refund")),
		graph("Payouts and reconciliation", p.own(metric.FailedPayouts, sum), p.own(metric.ReconciliationBreaks, maximum)),
	)
}

func (p *platform) functionRow() *[]awscloudwatch.IWidget {
	return row(
		graph("Calls", p.eachFunction("Invocations", sum)...),
		graph("Errors", p.eachFunction("Errors", sum)...),
		graph("Throttles", p.eachFunction("Throttles", sum)...),
		graph("Duration p99 (ms)", p.eachFunction("Duration", p99)...),
	)
}

func (p *platform) eachFunction(name, statistic string) []awscloudwatch.IMetric {
	var all []awscloudwatch.IMetric
	for _, f := range p.functions {
		all = append(all, labelled(p.ofFunction(f, name, statistic), f.Name))
	}
	return all
}

func (p *platform) queueRow() *[]awscloudwatch.IWidget {
	var waiting, dead, behind []awscloudwatch.IMetric
	for _, q := range functions.Queues {
		waiting = append(waiting, labelled(p.ofQueue(p.queues[q.Name].QueueName(), "ApproximateAgeOfOldestMessage"), q.Name))
	}
	for _, q := range p.dead {
		dead = append(dead, labelled(p.ofQueue(q.queue.QueueName(), "ApproximateNumberOfMessagesVisible"), q.name))
	}
	for _, f := range p.functions {
		if f.Stream != nil {
			behind = append(behind, labelled(p.ofFunction(f, "IteratorAge", maximum), f.Name))
		}
	}
	return row(graph("Oldest message (s)", waiting...), graph("Dead messages", dead...),
		graph("Behind the stream (ms)", behind...))
}

func (p *platform) dueRow() *[]awscloudwatch.IWidget {
	return row(
		graph("Oldest due item (s)", p.own(metric.OldestDueAge, maximum), p.own(metric.OldestPayoutAge, maximum)),
		graph("Done by the sweep", p.own(metric.ResolvedCheckouts, sum), p.own(metric.ResolvedRefunds, sum),
			p.own(metric.OverdueCallbacks, sum), p.own(metric.OverdueMails, sum)),
		graph("Not done", p.own(metric.SweepFailures, sum), p.own(metric.DeadCallbacks, sum)),
		graph("Mails not sent", p.own(metric.DeadMails, sum), p.own(metric.DroppedMails, sum),
			p.own(metric.HeldMails, sum)),
	)
}

func (p *platform) tableRow() *[]awscloudwatch.IWidget {
	throttled := []awscloudwatch.IMetric{p.ofTable("ReadThrottleEvents", sum), p.ofTable("WriteThrottleEvents", sum)}
	for _, index := range store.Indexes {
		throttled = append(throttled, labelled(p.ofIndex(index.Name, "WriteThrottleEvents", sum), index.Name+" writes"))
	}
	return row(
		graph("Capacity units", p.ofTable("ConsumedReadCapacityUnits", sum), p.ofTable("ConsumedWriteCapacityUnits", sum)),
		graph("Throttled", throttled...),
	)
}

// fileRow returns graphs of the metrics that S3 measures once a day and free of charge. They count all versions of
// objects.
func (p *platform) fileRow() *[]awscloudwatch.IWidget {
	stored := func(name, of string) awscloudwatch.Metric {
		return withPeriod(p.metric("AWS/S3", name, average, map[string]*string{"BucketName": p.bucket.BucketName(),
			"StorageType": &of}), 24*time.Hour)
	}
	return row(
		graph("Stored (bytes)", stored("BucketSizeBytes", "StandardStorage")),
		graph("Objects", stored("NumberOfObjects", "AllStorageTypes")),
	)
}

type chart struct {
	title   string
	metrics []awscloudwatch.IMetric
}

func graph(title string, metrics ...awscloudwatch.IMetric) chart { return chart{title, metrics} }

func row(charts ...chart) *[]awscloudwatch.IWidget {
	var widgets []awscloudwatch.IWidget
	for _, c := range charts {
		widgets = append(widgets, awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{Title: &c.title,
			Width: number(columns / len(charts)), Left: &c.metrics}))
	}
	return &widgets
}

func heading(title string) *[]awscloudwatch.IWidget {
	return &[]awscloudwatch.IWidget{awscloudwatch.NewTextWidget(&awscloudwatch.TextWidgetProps{
		Markdown: text("## " + title), Width: number(columns), Height: number(1),
		Background: awscloudwatch.TextWidgetBackground_TRANSPARENT})}
}
