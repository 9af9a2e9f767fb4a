package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// Statistics of CloudWatch.
const (
	sum     = "Sum"
	samples = "SampleCount"
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

// own is a metric that the functions of this stage write themselves.
// One that is by mode is that of live mode: what happens in test mode raises no
// alarm.
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

// ofTable is a metric of the table without its indexes, which have their own.
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
