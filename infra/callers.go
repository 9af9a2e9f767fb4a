package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
)

// Settings of the stream's event source mapping. The local runner uses the same batch size and number of retries.
const (
	streamBatch   = 100 // records per call at most
	streamRetries = 4   // retries of a failing record; then the record goes to the dead-letter queue
	// streamCalls is the number of parallel calls per shard of the stream. A load of 1,000 messages a second needs
	// several. Lambda keeps the order of each item's records.
	streamCalls = 10
)

var errNoCaller = errors.New("nothing calls it: set one of HTTP, Queue, Stream, Tick and Invoke")

// addCaller connects the function to its queue, stream or schedule. addRoutes connects routes later, because it needs
// all functions. Functions that operators invoke need no connection.
func (p *platform) addCaller(f function) error {
	switch {
	case f.Queue != nil:
		return p.connectQueue(f)
	case f.Stream != nil:
		return p.connectStream(f)
	case f.Tick != nil:
		return p.addSchedule(f)
	case f.HTTP != nil, f.Invoke != nil:
		return nil
	default:
		return errNoCaller
	}
}

// connectQueue lets the function consume the queue with few parallel calls, so that a backlog leaves room for payments.
func (p *platform) connectQueue(f function) error {
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
	// Provisioned pollers make all their parallel calls from the start. Other pollers begin with five calls and take
	// minutes to scale. AWS allows either provisioned pollers or a maximum concurrency.
	if f.Queue.Prompt && p.Pollers > 0 {
		props.ProvisionedPollerConfig = &awslambda.ProvisionedPollerConfig{MinimumPollers: &p.Pollers,
			MaximumPollers: &p.Pollers}
	} else {
		props.MaxConcurrency = &p.Workers
	}
	awslambda.NewEventSourceMapping(p.stack, text("Source"+pascal(f.Name)), props)
	return nil
}

// connectStream lets the function consume the stream from its beginning. Failing records go to a dead-letter queue.
func (p *platform) connectStream(f function) error {
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
		BisectBatchOnError:      yes, // isolates a record that always fails from the others of its batch
	})
	source.Node().DefaultChild().(awslambda.CfnEventSourceMapping).SetDestinationConfig(
		&awslambda.CfnEventSourceMapping_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: dead.QueueArn()}})
	return nil
}

// filtersOf returns the stream's filters in Lambda's form. Records that match no filter cost nothing.
func filtersOf(f *functions.Follower) (*[]*map[string]any, error) {
	if _, err := filter.New(f.Filter); err != nil { // refuses a filter that the local runner cannot apply
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
