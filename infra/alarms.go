package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

// alarm is raised when the metric is at least the limit in each of the periods.
// Missing data raise none, unless missing says otherwise: an idle platform is
// healthy.
type alarm struct {
	id, description string
	metric          awscloudwatch.Metric
	limit           float64
	periods         int // of interval; 0: one
	missing         awscloudwatch.TreatMissingData
	below           bool // raised when the metric is below the limit instead
}

const (
	slowRequest = 3 * time.Second  // for one request in a hundred; an acquirer takes one or two
	slowPeriods = 3                // in a row
	staleStream = time.Minute      // behind which the fast path of the outbox is no longer fast
	staleQueue  = 15 * time.Minute // the longest that SQS delays a message
	missedTicks = 5                // in a row

	reconcileHours = 26 // without a complete run, of which there is one every 24 hours
	failingSweeps  = 3  // intervals in a row: a short outage of an acquirer needs no operator
)

// addAlarms adds the alarms that need an operator. All use one topic.
func (p *platform) addAlarms() {
	p.alarms = awssns.NewTopic(p.stack, text("Alarms"),
		&awssns.TopicProps{TopicName: text(p.name("alarms")), EnforceSSL: yes})
	// EnforceSSL replaces the default policy, which would allow the account's alarms to publish.
	p.alarms.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(text("cloudwatch.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sns:Publish"), Resources: &[]*string{p.alarms.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": p.stack.Account()}},
	}))
	if p.AlarmEmail != "" {
		p.alarms.AddSubscription(awssnssubscriptions.NewEmailSubscription(&p.AlarmEmail, nil))
	}
	p.alarmAPI()
	for _, f := range p.functions {
		p.alarmFunction(f)
	}
	p.alarmTable()
	p.alarmQueues()
	p.alarmGuarantees()
}

// alarmGuarantees watches the functions' own metrics.
func (p *platform) alarmGuarantees() {
	p.alarm(alarm{id: "Reconcile", description: "reconciliation found breaks",
		metric: p.own(metric.ReconciliationBreaks, sum), limit: 1})
	hourly := p.own(metric.ReconciliationBreaks, samples).With(&awscloudwatch.MetricOptions{Period: duration(time.Hour)})
	p.alarm(alarm{id: "ReconcileMissing", description: "reconciliation did not run last night", metric: hourly, limit: 1,
		periods: reconcileHours, below: true, missing: awscloudwatch.TreatMissingData_BREACHING})
	p.alarm(alarm{id: "Overdue", description: "callbacks were overdue: stream or queue lost them",
		metric: p.own(metric.OverdueCallbacks, sum), limit: 1})
	p.alarm(alarm{id: "SweepFailures", description: "sweep could not process what is due",
		metric: p.own(metric.SweepFailures, sum),
		limit:  1, periods: failingSweeps})
}

func (p *platform) alarmAPI() {
	p.alarm(alarm{id: "ApiErrors", description: "requests are answered 5xx", metric: p.ofAPI("5xx", sum), limit: 1})
	p.alarm(alarm{id: "ApiSlow", description: "the slowest hundredth of requests takes too long",
		metric: p.ofAPI("Latency", p99), limit: float64(slowRequest.Milliseconds()), periods: slowPeriods})
}

func (p *platform) alarmFunction(f function) {
	id := pascal(f.Name)
	p.alarm(alarm{id: id + "Errors", description: f.Name + " fails", metric: p.ofFunction(f, "Errors", sum), limit: 1})
	p.alarm(alarm{id: id + "Throttles", description: f.Name + " is throttled: raise the account's concurrency",
		metric: p.ofFunction(f, "Throttles", sum), limit: 1})
	if f.HTTP != nil {
		p.alarm(alarm{id: id + "Slow", description: "the slowest hundredth of " + f.Name + " takes too long",
			metric: p.ofFunction(f, "Duration", p99), limit: float64(slowRequest.Milliseconds()), periods: slowPeriods})
	}
	if f.Stream != nil {
		p.alarm(alarm{id: id + "Behind", description: f.Name + " is behind the table's stream",
			metric: p.ofFunction(f, "IteratorAge", maximum), limit: float64(staleStream.Milliseconds())})
	}
	if f.Tick != nil && f.Tick.Every < soon { // a daily function counts its own runs
		missed := max(missedTicks*f.Tick.Every, interval)
		p.alarm(alarm{id: id + "NotInvoked", description: f.Name + " is no longer invoked", limit: 1, below: true,
			metric:  p.ofFunction(f, "Invocations", sum).With(&awscloudwatch.MetricOptions{Period: duration(missed)}),
			missing: awscloudwatch.TreatMissingData_BREACHING})
	}
}

func (p *platform) alarmTable() {
	for _, name := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		p.alarm(alarm{id: "Table" + name, description: "the table is throttled: look for a hot key",
			metric: p.ofTable(name, sum), limit: 1})
		for _, index := range store.Indexes {
			p.alarm(alarm{id: "Index" + pascal(index.Name) + name, description: "the index " + index.Name +
				" is throttled: look for a hot key",
				metric: p.ofIndex(index.Name, name, sum), limit: 1})
		}
	}
	p.alarm(alarm{id: "TableErrors", description: "DynamoDB fails", metric: p.metric("AWS/DynamoDB", "SystemErrors", sum,
		map[string]*string{"TableName": p.table.TableName(), "Operation": text("TransactWriteItems")}), limit: 1})
}

func (p *platform) alarmQueues() {
	for _, q := range functions.Queues {
		p.alarm(alarm{id: "Queue" + pascal(q.Name) + "Stale", description: "messages of " + q.Name + " wait too long",
			metric: p.ofQueue(p.queues[q.Name].QueueName(), "ApproximateAgeOfOldestMessage"), limit: staleQueue.Seconds()})
	}
	for _, q := range p.dead {
		p.alarm(alarm{id: "Queue" + pascal(q.name), description: q.name + " is not empty: something was given up",
			metric: p.ofQueue(q.queue.QueueName(), "ApproximateNumberOfMessagesVisible"), limit: 1})
	}
}

func (p *platform) alarm(a alarm) {
	props := &awscloudwatch.AlarmProps{
		AlarmName:          text(p.name(a.id)),
		AlarmDescription:   &a.description,
		Metric:             a.metric,
		Threshold:          &a.limit,
		EvaluationPeriods:  number(max(a.periods, 1)),
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if a.below {
		props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
	}
	if a.missing != "" {
		props.TreatMissingData = a.missing
	}
	raised := awscloudwatch.NewAlarm(p.stack, text("Alarm"+a.id), props)
	raised.AddAlarmAction(awscloudwatchactions.NewSnsAction(p.alarms))
	raised.AddOkAction(awscloudwatchactions.NewSnsAction(p.alarms))
}
