package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

// width of a graph, in 24ths of a row: three to a row.
const width = 8

// addDashboard adds a page with, from top to bottom: the API, the functions, the
// queues, the table.
func (p *platform) addDashboard() {
	awscloudwatch.NewDashboard(p.stack, text("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: text(p.name("")),
		Widgets: &[]*[]awscloudwatch.IWidget{
			p.apiRow(), p.functionRow(), p.queueRow(), p.tableRow(),
		},
	})
}

func (p *platform) apiRow() *[]awscloudwatch.IWidget {
	return &[]awscloudwatch.IWidget{
		graph("Requests", p.ofAPI("Count", sum)),
		graph("Refused and failed", p.ofAPI("4xx", sum), p.ofAPI("5xx", sum)),
		graph("Latency (ms)", labelled(p.ofAPI("Latency", median), "p50"), labelled(p.ofAPI("Latency", p99), "p99")),
	}
}

func (p *platform) functionRow() *[]awscloudwatch.IWidget {
	return &[]awscloudwatch.IWidget{
		graph("Calls", p.eachFunction("Invocations", sum)...),
		graph("Errors and throttles", append(p.eachFunction("Errors", sum), p.eachFunction("Throttles", sum)...)...),
		graph("Duration p99 (ms)", p.eachFunction("Duration", p99)...),
	}
}

func (p *platform) eachFunction(name, statistic string) []awscloudwatch.IMetric {
	var all []awscloudwatch.IMetric
	for _, f := range p.functions {
		label := f.Name
		if name == "Throttles" {
			label += " throttled"
		}
		all = append(all, labelled(p.ofFunction(f, name, statistic), label))
	}
	return all
}

func (p *platform) queueRow() *[]awscloudwatch.IWidget {
	var waiting, dead []awscloudwatch.IMetric
	for _, q := range functions.Queues {
		waiting = append(waiting, labelled(p.ofQueue(p.queues[q.Name].QueueName(), "ApproximateAgeOfOldestMessage"), q.Name))
	}
	for _, q := range p.dead {
		dead = append(dead, labelled(p.ofQueue(q.queue.QueueName(), "ApproximateNumberOfMessagesVisible"), q.name))
	}
	var counted []awscloudwatch.IMetric
	for _, m := range metric.All {
		counted = append(counted, p.own(m, sum))
	}
	return &[]awscloudwatch.IWidget{
		graph("Oldest message (s)", waiting...),
		graph("Given up", dead...),
		graph("Guarantees", counted...),
	}
}

func (p *platform) tableRow() *[]awscloudwatch.IWidget {
	throttled := []awscloudwatch.IMetric{p.ofTable("ReadThrottleEvents", sum), p.ofTable("WriteThrottleEvents", sum)}
	var behind []awscloudwatch.IMetric
	for _, index := range store.Indexes {
		throttled = append(throttled, labelled(p.ofIndex(index.Name, "WriteThrottleEvents", sum), index.Name+" writes"))
	}
	for _, f := range p.functions {
		if f.Stream != nil {
			behind = append(behind, labelled(p.ofFunction(f, "IteratorAge", maximum), f.Name))
		}
	}
	return &[]awscloudwatch.IWidget{
		graph("Capacity units", p.ofTable("ConsumedReadCapacityUnits", sum), p.ofTable("ConsumedWriteCapacityUnits", sum)),
		graph("Throttled", throttled...),
		graph("Behind the stream (ms)", behind...),
	}
}

func graph(title string, metrics ...awscloudwatch.IMetric) awscloudwatch.IWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{Title: &title,
		Width: number(width), Left: &metrics})
}
