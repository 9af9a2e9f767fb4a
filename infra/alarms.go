package main

import (
	"slices"
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

// severity tells how soon someone must act on an alarm. Each severity has its own topic.
type severity string

const (
	critical severity = "critical" // wakes someone: money or most clients are affected
	warning  severity = "warning"  // can wait for the next working day
)

// alarm is raised when the metric reaches the limit in enough of the latest periods. Missing data raise no alarm,
// because an idle platform is healthy. Test mode raises no alarm either.
type alarm struct {
	id          string // unique; the guide has a row for each id (TestGuide_ExplainsEachAlarm)
	severity    severity
	description string
	metric      awscloudwatch.IMetric // includes the length of its periods
	limit       float64
	in          datapoints
	// required is for events that must happen all the time. The alarm is then raised when the metric is below the limit or
	// has no data.
	required bool
}

// datapoints is CloudWatch's rule "M out of N": of the latest N periods (the field of), at least M (the field beyond)
// must be beyond the limit. These periods need not be consecutive.
type datapoints struct{ beyond, of int }

// once is for alarms that are raised by a single period beyond the limit.
var once = datapoints{1, 1}

func (p *platform) addAlarms() {
	for _, s := range []severity{critical, warning} {
		p.addTopic(s)
	}
	for _, a := range p.allAlarms() {
		p.addAlarm(a)
	}
}

// addTopic adds the topic of a severity. Mails show the topic's display name as their sender.
func (p *platform) addTopic(s severity) {
	topic := awssns.NewTopic(p.stack, text(pascal(string(s))+"Alarms"), &awssns.TopicProps{
		TopicName: text(p.name(string(s))), DisplayName: text("Cashwrap " + p.Stage + " " + string(s)), EnforceSSL: yes})
	// EnforceSSL replaces the topic's default policy. The default policy would let the account's alarms publish, so the
	// new policy must allow this, too.
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(text("cloudwatch.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sns:Publish"), Resources: &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": p.stack.Account()}},
	}))
	if email := p.emailFor(s); email != "" {
		topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&email, nil))
	}
	p.topics[s] = topic
}

func (p *platform) emailFor(s severity) string {
	if s == critical && p.PageEmail != "" {
		return p.PageEmail
	}
	return p.AlarmEmail
}

func (p *platform) addAlarm(a alarm) {
	props := &awscloudwatch.AlarmProps{
		AlarmName:          text(p.name(a.id)),
		AlarmDescription:   text(string(a.severity) + ": " + a.description),
		Metric:             a.metric,
		Threshold:          &a.limit,
		EvaluationPeriods:  number(a.in.of),
		DatapointsToAlarm:  number(a.in.beyond),
		ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
		TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
	}
	if a.required {
		props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
		props.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
	}
	raised := awscloudwatch.NewAlarm(p.stack, text("Alarm"+a.id), props)
	raised.AddAlarmAction(awscloudwatchactions.NewSnsAction(p.topics[a.severity]))
	raised.AddOkAction(awscloudwatchactions.NewSnsAction(p.topics[a.severity]))
}

const (
	slowRequest = 3 * time.Second  // for the slowest 1 % of requests; an acquirer takes one or two seconds
	slowCharge  = 5 * time.Second  // for the slowest 1 % of charges; package processing gives up after 8 seconds
	staleStream = time.Minute      // beyond this lag the outbox's fast path is no longer fast
	staleQueue  = 15 * time.Minute // the longest delay of a message in SQS
	lateItem    = 15 * time.Minute // sweep processes due items every minute
	latePayout  = time.Hour        // payoutplan looks for due payouts every quarter of an hour
	unknownFor  = time.Hour        // acquirers usually know an outcome within minutes

	missedTicks    = 5  // consecutive
	reconcileHours = 26 // without a complete run; a run is due every 24 hours

	minVolume = 20 // requests, calls or payments in a period; with fewer, a share wakes no one
)

// Numbers of five-minute periods that must be beyond the limit.
var (
	soonest   = datapoints{2, 3}  // wakes someone within a quarter of an hour, but not for a single spike
	sustained = datapoints{3, 3}  // an uninterrupted quarter of an hour
	repeated  = datapoints{3, 6}  // within half an hour
	scattered = datapoints{3, 12} // within an hour
)

// allAlarms returns all alarms. A share counts as 0 while its whole is small, so that one error at night wakes no one.
func (p *platform) allAlarms() []alarm {
	all := slices.Concat(p.clientAlarms(), p.moneyAlarms())
	for _, f := range p.functions {
		all = append(all, p.functionAlarms(f)...)
	}
	return slices.Concat(all, p.guaranteeAlarms(), p.queueAlarms(), p.tableAlarms())
}

func (p *platform) clientAlarms() []alarm {
	failed := share{part: p.ofAPI("5xx", sum), whole: p.ofAPI("Count", sum)}
	return []alarm{
		{id: "ApiErrors", severity: critical, description: "5 % of requests or more are answered 5xx",
			metric: failed.atLeast(minVolume), limit: 5, in: soonest},
		{id: "ApiFewErrors", severity: warning, description: "1 % of an hour's requests or more were answered 5xx",
			metric: failed.withPeriod(time.Hour).atLeast(1), limit: 1, in: once},
		{id: "ApiSlow", severity: warning, description: "the slowest hundredth of requests takes 3 s or more",
			metric: p.ofAPI("Latency", p99), limit: ms(slowRequest), in: sustained},
	}
}

func (p *platform) moneyAlarms() []alarm {
	const quarter, polled = 15 * time.Minute, 30 * time.Minute // unknown outcomes are polled every 15 minutes
	attempted := p.own(metric.PaymentsAttempted, sum)
	unknown := share{part: p.own(metric.PaymentsUnknown, sum), whole: attempted}
	refused := share{part: p.own(metric.PaymentsNotTaken, sum), whole: attempted}
	return []alarm{
		{id: "ApprovalRate", severity: critical, description: "half of the decided payments or more are declined",
			metric: p.declinedShare().withPeriod(quarter).atLeast(minVolume), limit: 50, in: datapoints{3, 4}},
		{id: "AcquirerUnknown", severity: critical, description: "the acquirer gives no outcome of 20 % of payments or more",
			metric: unknown.atLeast(minVolume / 2), limit: 20, in: soonest},
		{id: "AcquirerRefuses", severity: critical, description: "the acquirer does not take 20 % of payments or more",
			metric: refused.atLeast(minVolume / 2), limit: 20, in: soonest},
		{id: "AcquirerSlow", severity: warning, description: "the slowest hundredth of charges takes 5 s or more",
			metric: p.own(metric.AcquirerLatency, p99), limit: ms(slowCharge), in: sustained},
		{id: "PaymentUnknown", severity: warning, description: "a payment has had no outcome for an hour",
			metric: withPeriod(p.own(metric.UnknownPaymentAge, maximum), polled), limit: unknownFor.Seconds(), in: once},
		{id: "RefundUnknown", severity: warning, description: "a refund has had no outcome for an hour",
			metric: withPeriod(p.own(metric.UnknownRefundAge, maximum), polled), limit: unknownFor.Seconds(), in: once},
		{id: "PayoutsLate", severity: warning, description: "a payout has been due for an hour",
			metric: withPeriod(p.own(metric.OldestPayoutAge, maximum), polled), limit: latePayout.Seconds(), in: once},
		{id: "PayoutsFailed", severity: warning, description: "a bank rejected a payout",
			metric: p.own(metric.FailedPayouts, sum), limit: 1, in: once},
		{id: "Reconcile", severity: critical, description: "reconciliation found breaks",
			metric: p.own(metric.ReconciliationBreaks, sum), limit: 1, in: once},
		{id: "ReconcileMissing", severity: warning, description: "reconciliation did not run last night", required: true,
			metric: withPeriod(p.own(metric.ReconciliationBreaks, samples), time.Hour), limit: 1,
			in: datapoints{reconcileHours, reconcileHours}},
	}
}

func (p *platform) guaranteeAlarms() []alarm {
	return []alarm{
		{id: "DueLate", severity: warning, description: "something has been due for a quarter of an hour",
			metric: p.own(metric.OldestDueAge, maximum), limit: lateItem.Seconds(), in: sustained},
		{id: "SweepFailures", severity: warning, description: "sweep could not process what is due",
			metric: p.own(metric.SweepFailures, sum), limit: 1, in: sustained},
		{id: "Overdue", severity: warning, description: "callbacks were overdue: stream or queue lost them",
			metric: p.own(metric.OverdueCallbacks, sum), limit: 1, in: scattered},
		{id: "CallbacksDead", severity: warning, description: "10 callbacks or more were given up within an hour",
			metric: withPeriod(p.own(metric.DeadCallbacks, sum), time.Hour), limit: 10, in: once},
		{id: "MailsOverdue", severity: warning, description: "mails were overdue: stream or queue lost them",
			metric: p.own(metric.OverdueMails, sum), limit: 1, in: scattered},
		{id: "MailsDead", severity: warning, description: "a mail was given up",
			metric: withPeriod(p.own(metric.DeadMails, sum), time.Hour), limit: 1, in: once},
		{id: "MailsDropped", severity: warning, description: "20 mails or more were refused within an hour",
			metric: withPeriod(p.own(metric.DroppedMails, sum), time.Hour), limit: 20, in: once},
		{id: "MailsHeld", severity: warning, description: "mails wait: no sender is set",
			metric: withPeriod(p.own(metric.HeldMails, sum), time.Hour), limit: 1, in: once},
	}
}

// urgent functions affect money or most clients: two take payments, and sweep finishes interrupted payments.
var urgent = []string{"checkouts", "pages", "sweep"}

func (p *platform) functionAlarms(f function) []alarm {
	id := pascal(f.Name)
	all := []alarm{p.errorAlarm(f)}
	if f.Tick == nil && f.Invoke == nil { // a schedule repeats a refused call, and an operator sees the refusal
		all = append(all, alarm{id: id + "Throttles", severity: warning, limit: 5, in: repeated,
			description: "5 % of the calls of " + f.Name + " or more are throttled: raise the account's concurrency",
			metric:      p.throttledShare(f).atLeast(1)})
	}
	if f.HTTP != nil && f.Queue == nil { // a queue's messages may take long
		all = append(all, alarm{id: id + "Slow", severity: warning, limit: ms(slowRequest), in: sustained,
			description: "the slowest hundredth of " + f.Name + " takes 3 s or more", metric: p.ofFunction(f, "Duration", p99)})
	}
	if f.Stream != nil {
		all = append(all, alarm{id: id + "Behind", severity: warning, limit: ms(staleStream), in: sustained,
			description: f.Name + " is behind the table's stream", metric: p.ofFunction(f, "IteratorAge", maximum)})
	}
	if f.Tick != nil && f.Tick.Every < frequentTick { // for a daily function, a separate metric counts the runs
		missed := max(missedTicks*f.Tick.Every, interval)
		all = append(all, alarm{id: id + "NotInvoked", severity: severityOf(f), limit: 1, in: once, required: true,
			description: f.Name + " is no longer invoked", metric: withPeriod(p.ofFunction(f, "Invocations", sum), missed)})
	}
	return all
}

// errorAlarm returns the alarm on a function's failed calls. The alarm depends on the share of failed calls. If
// operators can invoke the function, calls are few, so each failure raises the alarm.
func (p *platform) errorAlarm(f function) alarm {
	a := alarm{id: pascal(f.Name) + "Errors", severity: severityOf(f), limit: 5, in: repeated,
		description: "5 % of the calls of " + f.Name + " or more fail"}
	failed := share{part: p.ofFunction(f, "Errors", sum), whole: p.ofFunction(f, "Invocations", sum)}
	switch {
	case f.Invoke != nil:
		a.description, a.metric, a.limit, a.in = f.Name+" failed", failed.part, 1, once
	case f.Tick != nil:
		a.metric, a.limit, a.in = failed.withPeriod(max(missedTicks*f.Tick.Every, interval)).atLeast(1), 50, once
		a.description = "half of the calls of " + f.Name + " or more fail"
	case a.severity == critical:
		a.metric, a.in = failed.atLeast(minVolume), soonest
	default:
		a.metric = failed.atLeast(1)
	}
	return a
}

func severityOf(f function) severity {
	if slices.Contains(urgent, f.Name) {
		return critical
	}
	return warning
}

func (p *platform) tableAlarms() []alarm {
	all := []alarm{{id: "TableErrors", severity: warning, description: "DynamoDB fails by itself", limit: 5, in: repeated,
		metric: p.metric("AWS/DynamoDB", "SystemErrors", sum,
			map[string]*string{"TableName": p.table.TableName(), "Operation": text("TransactWriteItems")})}}
	const many = 10 // in five minutes; if a single call is throttled, the SDK retries it
	for _, name := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		all = append(all, alarm{id: "Table" + name, severity: warning, limit: many, in: repeated,
			description: "the table is throttled: look for a hot key", metric: p.ofTable(name, sum)})
		for _, index := range store.Indexes {
			all = append(all, alarm{id: "Index" + pascal(index.Name) + name, severity: warning, limit: many, in: repeated,
				description: "the index " + index.Name + " is throttled: look for a hot key",
				metric:      p.ofIndex(index.Name, name, sum)})
		}
	}
	return all
}

func (p *platform) queueAlarms() []alarm {
	var all []alarm
	for _, q := range functions.Queues {
		all = append(all, alarm{id: "Queue" + pascal(q.Name) + "Stale", severity: warning, limit: staleQueue.Seconds(),
			in: once, description: "messages of " + q.Name + " wait too long",
			metric: p.ofQueue(p.queues[q.Name].QueueName(), "ApproximateAgeOfOldestMessage")})
	}
	for _, q := range p.dead {
		all = append(all, alarm{id: "Queue" + pascal(q.name), severity: warning, limit: 1, in: once,
			description: q.name + " is not empty: something was given up",
			metric:      p.ofQueue(q.queue.QueueName(), "ApproximateNumberOfMessagesVisible")})
	}
	return all
}

func ms(d time.Duration) float64 { return float64(d.Milliseconds()) }
