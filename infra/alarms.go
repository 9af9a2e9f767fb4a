package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"
)

// severity says how soon someone must act. Each has a topic of its own.
type severity string

const (
	critical severity = "critical" // someone is woken: money, or most clients, are affected
	warning  severity = "warning"  // for the next working day
)

// alarm is raised when the metric is at least the limit in some of the latest
// periods. Missing data raise none: an idle platform is healthy. Whatever is by mode
// is of live mode, so that test mode raises none.
type alarm struct {
	id          string // unique; the guide explains each by it (TestTheGuideExplainsEachAlarm)
	severity    severity
	description string
	metric      awscloudwatch.IMetric // with the length of its periods
	limit       float64
	in          datapoints
	// required: raised when the metric is below the limit, or missing, because something must happen all the time.
	required bool
}

// datapoints are how many of the latest periods must be beyond the limit. One that is
// not beyond it in between does not start the count again.
type datapoints struct{ beyond, of int }

// one is a single period: one event matters.
var one = datapoints{1, 1}

// addAlarms adds the topics and the alarms.
func (p *platform) addAlarms() {
	for _, s := range []severity{critical, warning} {
		p.addTopic(s)
	}
	for _, a := range p.allAlarms() {
		p.addAlarm(a)
	}
}

// addTopic adds the topic of a severity. Its name is what mails are sent as.
func (p *platform) addTopic(s severity) {
	topic := awssns.NewTopic(p.stack, text(pascal(string(s))+"Alarms"), &awssns.TopicProps{
		TopicName: text(p.name(string(s))), DisplayName: text("Cashwrap " + p.Stage + " " + string(s)), EnforceSSL: yes})
	// EnforceSSL replaces the default policy, which would allow the account's alarms to publish.
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

// emailFor is the address that gets the alarms of a severity.
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
