package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
)

func TestAddQueues_DeadLetterQueues(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for _, q := range functions.Queues {
		dead, r := s.queue(t, dev, q.DeadName())
		if got := r.Properties["MessageRetentionPeriod"]; got != functions.DeadRetention.Seconds() {
			t.Errorf("%s: got messages kept for %v s, want %s", q.DeadName(), got, functions.DeadRetention)
		}
		s.want(t, "AWS::SQS::Queue", map[string]any{
			"QueueName":         "cashwrap-dev-" + q.Name,
			"VisibilityTimeout": q.Visibility.Seconds(),
			"RedrivePolicy":     map[string]any{"deadLetterTargetArn": arn(dead), "maxReceiveCount": q.MaxReceives},
		})
	}
}

func TestAddQueues_Encryption(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for id, r := range s.all("AWS::SQS::Queue") {
		if r.Properties["SqsManagedSseEnabled"] != true {
			t.Errorf("%s: got encryption %v, want true", id, r.Properties["SqsManagedSseEnabled"])
		}
		s.want(t, "AWS::SQS::QueuePolicy", map[string]any{
			"Queues": []any{ref(id)},
			"PolicyDocument": map[string]any{"Statement": []any{map[string]any{
				"Action": "sqs:*", "Effect": "Deny", "Principal": map[string]any{"AWS": "*"}, "Resource": arn(id),
				"Condition": map[string]any{"Bool": map[string]any{"aws:SecureTransport": "false"}},
			}}},
		})
	}
}

func TestConnectQueue(t *testing.T) {
	t.Parallel()
	for stage, workers := range map[string]int{dev: 5, prod: 50} {
		s := map[string]func(*testing.T) *synthesis{dev: inDev, prod: inProd}[stage](t)
		for _, f := range functions.All {
			if f.Queue == nil {
				continue
			}
			function, _ := s.function(t, stage, f.Name)
			queue, _ := s.queue(t, stage, f.Queue.From.Name)
			want := map[string]any{
				"FunctionName": ref(function), "EventSourceArn": arn(queue), "BatchSize": f.Queue.Batch,
				"FunctionResponseTypes": []any{"ReportBatchItemFailures"},
			}
			if f.Queue.Prompt && stage == prod {
				want["ProvisionedPollerConfig"] = map[string]any{"MinimumPollers": 40, "MaximumPollers": 40}
			} else {
				want["ScalingConfig"] = map[string]any{"MaximumConcurrency": workers}
			}
			s.want(t, "AWS::Lambda::EventSourceMapping", want)
		}
	}
}

func TestConnectStream(t *testing.T) {
	t.Parallel()
	s := inDev(t)
	for _, f := range functions.All {
		if f.Stream == nil {
			continue
		}
		function, _ := s.function(t, dev, f.Name)
		dead, _ := s.queue(t, dev, f.Name+"-dead")
		table, _ := s.named(t, tableKind, "TableName", "cashwrap-dev")
		s.want(t, "AWS::Lambda::EventSourceMapping", map[string]any{
			"FunctionName": ref(function), "EventSourceArn": attributeOf(table, "StreamArn"),
			"StartingPosition": "TRIM_HORIZON", "BatchSize": streamBatch, "MaximumRetryAttempts": streamRetries,
			"BisectBatchOnFunctionError": true, "ParallelizationFactor": streamCalls,
			"FunctionResponseTypes": []any{"ReportBatchItemFailures"},
			"DestinationConfig":     map[string]any{"OnFailure": map[string]any{"Destination": arn(dead)}},
			"FilterCriteria":        map[string]any{"Filters": filterPatterns(t, f.Stream)},
		})
	}
}

// filterPatterns returns the stream's patterns in JSON and checks them against Lambda's limits.
func filterPatterns(t *testing.T, f *functions.Follower) (all []any) {
	t.Helper()
	for _, pattern := range f.Filter {
		text, err := json.Marshal(pattern)
		if err != nil || len(text) > filter.MaxLength {
			t.Errorf("got pattern %s (%v), want at most %d bytes", text, err, filter.MaxLength)
		}
		all = append(all, map[string]any{"Pattern": string(text)})
	}
	if len(all) == 0 || len(all) > filter.MaxPatterns {
		t.Errorf("got %d patterns, want from 1 to %d", len(all), filter.MaxPatterns)
	}
	return all
}

// TestAddQueues_VisibilityTimeout checks that the visibility timeout is at least six times the consumer's timeout, as
// AWS recommends.
func TestAddQueues_VisibilityTimeout(t *testing.T) {
	t.Parallel()
	for _, f := range functions.All {
		if f.Queue != nil && f.Queue.From.Visibility < 6*f.Timeout {
			t.Errorf("%s: got visibility %s, want at least six times %s", f.Queue.From.Name, f.Queue.From.Visibility, f.Timeout)
		}
	}
}

func TestAddQueues_DistinctNames(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for id, r := range inDev(t).all("AWS::SQS::Queue") {
		name := r.Properties["QueueName"].(string)
		if other, taken := names[name]; taken {
			t.Errorf("%s and %s: got the name %s for both, want two", id, other, name)
		}
		names[name] = id
		if strings.HasSuffix(name, "-dead") && r.Properties["RedrivePolicy"] != nil {
			t.Errorf("%s: got dead-letter queue %v, want none", id, r.Properties["RedrivePolicy"])
		}
	}
}
