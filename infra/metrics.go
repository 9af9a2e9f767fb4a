package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// CloudWatch statistics.
const (
	sum     = "Sum"
	samples = "SampleCount"
	average = "Average"
	maximum = "Maximum"
	median  = "p50"
	p99     = "p99"
)

// interval is the period of graphs and the default period of alarms.
const interval = 5 * time.Minute

func (p *platform) metric(space, name, statistic string, dimensions map[string]*string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &space, MetricName: &name, Statistic: &statistic, DimensionsMap: &dimensions, Period: duration(interval)})
}

func withPeriod(m awscloudwatch.Metric, period time.Duration) awscloudwatch.Metric {
	return m.With(&awscloudwatch.MetricOptions{Period: duration(period)})
}

// share is the ratio of part to whole. If either metric has no data, there is no share and no alarm. So the metric part
// must have data whenever the alarm should be raised.
type share struct {
	part, whole awscloudwatch.Metric
	period      time.Duration // 0 means interval
	expression  string        // in percent, from part and whole; "" divides part by whole
}

func (s share) withPeriod(period time.Duration) share {
	s.period = period
	return s
}

// atLeast returns the share in percent, or 0 in periods when the whole is smaller than least.
func (s share) atLeast(least int) awscloudwatch.IMetric {
	expression := s.expression
	if expression == "" {
		expression = "100 * part / whole"
	}
	return s.metric(fmt.Sprintf("IF(whole >= %d, %s, 0)", least, expression), "")
}

func (s share) metric(expression, label string) awscloudwatch.IMetric {
	props := &awscloudwatch.MathExpressionProps{Expression: &expression, Period: duration(max(s.period, interval)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{"part": s.part, "whole": s.whole}}
	if label != "" {
		props.Label = &label
	}
	return awscloudwatch.NewMathExpression(props)
}

// declinedShare returns the share of payments that issuers declined. PaymentsApproved also has data in periods when no
// payment is approved.
func (p *platform) declinedShare() share {
	return share{part: p.own(metric.PaymentsApproved, average), whole: p.own(metric.PaymentsApproved, samples),
		expression: "100 * (1 - part)"}
}

// throttledShare returns the share of a function's calls that Lambda refused. Invocations do not include refused calls.
func (p *platform) throttledShare(f function) share {
	return share{part: p.ofFunction(f, "Throttles", sum), whole: p.ofFunction(f, "Invocations", sum),
		expression: "100 * part / (part + whole)"}
}

// own returns a metric that this stage's functions write. It covers only live mode, because test mode raises no alarm.
func (p *platform) own(m metric.Metric, statistic string) awscloudwatch.Metric {
	dimensions := map[string]*string{metric.Stage: &p.Stage}
	if m.ByMode {
		dimensions[metric.Mode] = text(identity.Live.Name())
	}
	return p.metric(metric.Namespace, m.Name, statistic, dimensions)
}

func (p *platform) ofAPI(name, statistic string) awscloudwatch.Metric {
	return p.metric("AWS/ApiGateway", name, statistic, map[string]*string{"ApiId": p.api.ApiId()})
}

func (p *platform) ofFunction(f function, name, statistic string) awscloudwatch.Metric {
	return p.metric("AWS/Lambda", name, statistic, map[string]*string{"FunctionName": f.lambda.FunctionName()})
}

func (p *platform) ofQueue(queue *string, name string) awscloudwatch.Metric {
	return p.metric("AWS/SQS", name, maximum, map[string]*string{"QueueName": queue})
}

// ofTable returns a metric of the table without its indexes, which have separate metrics.
func (p *platform) ofTable(name, statistic string) awscloudwatch.Metric {
	return p.metric("AWS/DynamoDB", name, statistic, map[string]*string{"TableName": p.table.TableName()})
}

func (p *platform) ofIndex(index, name, statistic string) awscloudwatch.Metric {
	return p.metric("AWS/DynamoDB", name, statistic, map[string]*string{
		"TableName": p.table.TableName(), "GlobalSecondaryIndexName": &index})
}

func labelled(m awscloudwatch.Metric, label string) awscloudwatch.IMetric {
	return m.With(&awscloudwatch.MetricOptions{Label: &label})
}
