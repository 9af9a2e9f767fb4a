package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/store"
)

// verify checks that everything in the list of functions was deployed, and sets what
// the emulator has ignored.
func (d *deployment) verify(ctx context.Context) error {
	d.say("Check each function, queue, source and schedule")
	for _, f := range functions.All {
		if err := d.verifyFunction(ctx, f); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	for _, q := range functions.Queues {
		if err := d.verifyQueue(ctx, q); err != nil {
			return fmt.Errorf("queue %s: %w", q.Name, err)
		}
	}
	if err := d.verifyTable(ctx); err != nil {
		return fmt.Errorf("table %s: %w", d.table, err)
	}
	return d.adjust(ctx)
}

// differs is the error that something is not as expected.
func differs(what string, is, want any) error {
	if is, want := fmt.Sprint(is), fmt.Sprint(want); is != want {
		return fmt.Errorf("%s is %s, want %s", what, is, want)
	}
	return nil
}

func (d *deployment) verifyFunction(ctx context.Context, f functions.Function) error {
	var is struct {
		FunctionArn, Runtime string
		Timeout              int
		Architectures        []string
	}
	if _, err := d.call(ctx, "lambda", http.MethodGet, functionPath(f.Name)+"/configuration", nil, &is); err != nil {
		return err
	}
	if err := differs("it", fmt.Sprint(is.Runtime, is.Architectures, is.Timeout),
		fmt.Sprint("provided.al2023", []string{"arm64"}, f.Timeout.Seconds())); err != nil {
		return err
	}
	switch {
	case f.Queue != nil:
		return d.verifySource(ctx, f.Name, ":"+stack+"-"+f.Queue.From.Name, f.Queue.Batch)
	case f.Stream != nil:
		return d.verifySource(ctx, f.Name, "/stream/", 0)
	case f.Tick != nil:
		return d.verifySchedule(ctx, f, is.FunctionArn)
	default:
		return nil
	}
}

// verifySource checks that the function reads a source whose ARN contains this, and
// reports which messages of a batch failed. Batch 0 is any size.
func (d *deployment) verifySource(ctx context.Context, name, arn string, batch int) error {
	var found struct {
		EventSourceMappings []struct {
			EventSourceArn, State string
			BatchSize             int
			FunctionResponseTypes []string
		}
	}
	if _, err := d.call(ctx, "lambda", http.MethodGet, "/2015-03-31/event-source-mappings/?FunctionName="+stack+"-"+
		name, nil, &found); err != nil {
		return err
	}
	for _, m := range found.EventSourceMappings {
		if strings.Contains(m.EventSourceArn, arn) && m.State == "Enabled" && (batch == 0 || m.BatchSize == batch) &&
			slices.Contains(m.FunctionResponseTypes, "ReportBatchItemFailures") {
			return nil
		}
	}
	return fmt.Errorf("no source %s with batches of %d: %+v", arn, batch, found.EventSourceMappings)
}

func (d *deployment) verifySchedule(ctx context.Context, f functions.Function, function string) error {
	var is struct {
		State, ScheduleExpression string
		Target                    struct {
			Arn              string
			DeadLetterConfig struct{ Arn string }
		}
	}
	if _, err := d.call(ctx, "scheduler", http.MethodGet, "/schedules/"+stack+"-"+f.Name, nil, &is); err != nil {
		return err
	}
	kind, _, _ := strings.Cut(is.ScheduleExpression, "(")
	if kind != "rate" && kind != "cron" ||
		!strings.HasSuffix(is.Target.DeadLetterConfig.Arn, ":"+stack+"-"+f.Name+"-dead") {
		return fmt.Errorf("its schedule is %+v", is)
	}
	return differs("its schedule", is.State+" "+is.Target.Arn, "ENABLED "+function)
}

func (d *deployment) verifyQueue(ctx context.Context, q functions.Queue) error {
	is, err := d.queue(ctx, q.Name)
	if err != nil {
		return err
	}
	dead, err := d.queue(ctx, q.DeadName())
	if err != nil {
		return err
	}
	var redrive struct {
		DeadLetterTargetArn string
		MaxReceiveCount     json.Number
	}
	if err := json.Unmarshal([]byte(is["RedrivePolicy"]), &redrive); err != nil {
		return fmt.Errorf("its RedrivePolicy %q: %w", is["RedrivePolicy"], err)
	}
	got := fmt.Sprint(is["VisibilityTimeout"], redrive, dead["MessageRetentionPeriod"])
	redrive.DeadLetterTargetArn, redrive.MaxReceiveCount = dead["QueueArn"], json.Number(strconv.Itoa(q.MaxReceives))
	return differs("visibility, redrive, dead letters' retention", got, fmt.Sprint(
		strconv.Itoa(int(q.Visibility.Seconds())), redrive, strconv.Itoa(int(functions.DeadRetention.Seconds()))))
}

// queue reads a queue's attributes.
func (d *deployment) queue(ctx context.Context, name string) (map[string]string, error) {
	found, err := d.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(stack + "-" + name)})
	if err != nil {
		return nil, err
	}
	is, err := d.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: found.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameAll}})
	if err != nil {
		return nil, err
	}
	return is.Attributes, nil
}

func (d *deployment) verifyTable(ctx context.Context) error {
	is, err := d.dynamodb.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &d.table})
	if err != nil {
		return err
	}
	var indexes, wanted []string
	for _, i := range is.Table.GlobalSecondaryIndexes {
		indexes = append(indexes, fmt.Sprint(*i.IndexName, " ", *i.KeySchema[0].AttributeName, " ",
			*i.KeySchema[1].AttributeName))
	}
	for _, i := range store.Indexes {
		wanted = append(wanted, fmt.Sprint(i.Name, " ", i.Partition, " ", i.Sort))
	}
	slices.Sort(indexes)
	slices.Sort(wanted)
	if err := differs("indexes", indexes, wanted); err != nil {
		return err
	}
	if is.Table.StreamSpecification == nil {
		return fmt.Errorf("it has no stream")
	}
	return differs("stream", is.Table.StreamSpecification.StreamViewType, "NEW_AND_OLD_IMAGES")
}
