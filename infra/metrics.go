package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// Statistics of CloudWatch.
const (
	sum     = "Sum"
	samples = "SampleCount"
	average = "Average"
	maximum = "Maximum"
	median  = "p50"
	p99     = "p99"
)

// interval is the period of a graph and, by default, of an alarm.
const interval = 5 * time.Minute

func (p *platform) metric(space, name, statistic string, dimensions map[string]*string) awscloudwatch.Metric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &space, MetricName: &name, Statistic: &statistic, DimensionsMap: &dimensions, Period: duration(interval)})
}

func each(m awscloudwatch.Metric, period time.Duration) awscloudwatch.Metric {
	return m.With(&awscloudwatch.MetricOptions{Period: duration(period)})
}

// share is how much of the whole a part is. It lacks data if either does, so the part must be what alarms.
type share struct {
	part, whole awscloudwatch.Metric
	period      time.Duration // 0: interval
	expression  string        // of part and whole, in percent; "": the part of the whole
}

func (s share) each(period time.Duration) share {
	s.period = period
	return s
}

// atLeast returns the share in percent; 0 in periods in which the whole is less.
func (s share) atLeast(least int) awscloudwatch.IMetric {
	expression := s.expression
	if expression == "" {
		expression = "100 * part / whole"
	}
	return s.graphed(fmt.Sprintf("IF(whole >= %d, %s, 0)", least, expression), "")
}

func (s share) graphed(expression, label string) awscloudwatch.IMetric {
	props := &awscloudwatch.MathExpressionProps{Expression: &expression, Period: duration(max(s.period, interval)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{"part": s.part, "whole": s.whole}}
	if label != "" {
		props.Label = &label
	}
	return awscloudwatch.NewMathExpression(props)
}

// declined returns the share of issuers' refusals. PaymentsApproved has data even if all are declined.
func (p *platform) declined() share {
	return share{part: p.own(metric.PaymentsApproved, average), whole: p.own(metric.PaymentsApproved, samples),
		expression: "100 * (1 - part)"}
}

// throttled is the share of the calls of a function that Lambda did not let run, which are not among its invocations.
func (p *platform) throttled(f function) share {
	return share{part: p.ofFunction(f, "Throttles", sum), whole: p.ofFunction(f, "Invocations", sum),
		expression: "100 * part / (part + whole)"}
}

// own returns a metric that this stage's functions write: of live mode, because test mode raises no alarm.
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

// ofTable returns a metric of the table without its indexes, which have their own.
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
