package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
)

// The stream's event source mapping; the local runner does the same.
const (
	streamBatch   = 100 // records per call, at most
	streamRetries = 4   // of a failing record, after its first try; then it goes to the dead-letter queue
	// streamCalls is a shard's calls at a time: 1,000 messages a second need several. Lambda keeps each item's order.
	streamCalls = 10
)

var errNoCaller = errors.New("nothing calls it: set one of HTTP, Queue, Stream, Tick and Invoke")

// addCaller connects what calls the function, but for routes, which need all functions. Operators need nothing.
func (p *platform) addCaller(f function) error {
	switch {
	case f.Queue != nil:
		return p.readQueue(f)
	case f.Stream != nil:
		return p.readStream(f)
	case f.Tick != nil:
		return p.addSchedule(f)
	case f.HTTP != nil, f.Invoke != nil:
		return nil
	default:
		return errNoCaller
	}
}

// readQueue lets the function read the queue, with few calls at a time: a backlog must not take payments' concurrency.
func (p *platform) readQueue(f function) error {
	queue, ok := p.queues[f.Queue.From.Name]
	if !ok {
		return fmt.Errorf("functions.Queues has no queue %q", f.Queue.From.Name)
	}
	props := &awslambda.EventSourceMappingProps{
		Target:                  f.lambda,
		EventSourceArn:          queue.QueueArn(),
		BatchSize:               number(f.Queue.Batch),
		ReportBatchItemFailures: yes,
	}
	// Provisioned pollers call at once; others begin with five calls, for minutes. AWS allows one or the other.
	if f.Queue.Prompt && p.Pollers > 0 {
		props.ProvisionedPollerConfig = &awslambda.ProvisionedPollerConfig{MinimumPollers: &p.Pollers,
			MaximumPollers: &p.Pollers}
	} else {
		props.MaxConcurrency = &p.Workers
	}
	awslambda.NewEventSourceMapping(p.stack, text("Source"+pascal(f.Name)), props)
	return nil
}

// readStream reads the table's stream from its beginning. Records that fail go to a dead-letter queue.
func (p *platform) readStream(f function) error {
	filters, err := filtersOf(f.Stream)
	if err != nil {
		return err
	}
	dead := p.addDeadQueue(f.Name + "-dead")
	allow(f.role, []string{"sqs:SendMessage"}, dead.QueueArn())
	source := awslambda.NewEventSourceMapping(p.stack, text("Source"+pascal(f.Name)), &awslambda.EventSourceMappingProps{
		Target:                  f.lambda,
		EventSourceArn:          p.table.TableStreamArn(),
		StartingPosition:        awslambda.StartingPosition_TRIM_HORIZON,
		BatchSize:               number(streamBatch),
		ParallelizationFactor:   number(streamCalls),
		RetryAttempts:           number(streamRetries),
		ReportBatchItemFailures: yes,
		Filters:                 filters,
		BisectBatchOnError:      yes, // so that a record that always fails does not fail the others of its batch
	})
	source.Node().DefaultChild().(awslambda.CfnEventSourceMapping).SetDestinationConfig(
		&awslambda.CfnEventSourceMapping_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: dead.QueueArn()}})
	return nil
}

// filtersOf returns the patterns as Lambda takes them. Records that match none cost nothing.
func filtersOf(f *functions.Follower) (*[]*map[string]any, error) {
	if _, err := filter.New(f.Filter); err != nil { // nothing on a developer's machine could apply it
		return nil, err
	}
	var filters []*map[string]any
	for _, pattern := range f.Filter {
		text, err := json.Marshal(pattern)
		if err != nil {
			return nil, err
		}
		filters = append(filters, &map[string]any{"pattern": string(text)})
	}
	return &filters, nil
}
