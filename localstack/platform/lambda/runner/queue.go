package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/functions"
)

const (
	// pollers is the number of pollers per queue. Lambda also begins with this number. A poller passes its batch on and
	// polls again.
	pollers = 5
	// maxPromptCalls limits a prompt consumer's concurrent calls like Lambda for a queue without provisioned pollers (AWS:
	// "Configuring scaling behavior for SQS event source mappings"). Deployed stages allow fewer calls: prod allows 400 by
	// default (40 pollers, infra/settings.go). Other consumers make one call per poller.
	maxPromptCalls = 1250
	// maxProcesses limits a prompt consumer's concurrent calls if each call takes a process.
	maxProcesses = 50
	// longPoll is the longest wait that SQS offers, in seconds.
	longPoll = 20
	// queueInterval is the pause after a failed read.
	queueInterval = time.Second
)

type queue struct{ url, arn string }

// createQueues creates each queue with its dead-letter queue and redrive policy.
func createQueues(ctx context.Context, client *sqs.Client, prefix string,
	list []functions.Queue) (map[string]queue, error) {
	queues := map[string]queue{}
	for _, q := range list {
		dead, err := createQueue(ctx, client, prefix+q.DeadName(), map[string]string{
			string(types.QueueAttributeNameMessageRetentionPeriod): seconds(functions.DeadRetention)})
		if err != nil {
			return nil, err
		}
		redrive, err := json.Marshal(map[string]any{"deadLetterTargetArn": dead.arn, "maxReceiveCount": q.MaxReceives})
		if err != nil {
			return nil, err
		}
		queues[q.Name], err = createQueue(ctx, client, prefix+q.Name, map[string]string{
			string(types.QueueAttributeNameVisibilityTimeout): seconds(q.Visibility),
			string(types.QueueAttributeNameRedrivePolicy):     string(redrive)})
		if err != nil {
			return nil, err
		}
	}
	return queues, nil
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

func createQueue(ctx context.Context, client *sqs.Client, name string, attributes map[string]string) (queue, error) {
	created, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(name), Attributes: attributes})
	if err != nil {
		return queue{}, fmt.Errorf("create queue %s: %w", name, err)
	}
	arn := types.QueueAttributeNameQueueArn
	out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: created.QueueUrl, AttributeNames: []types.QueueAttributeName{arn}})
	if err != nil {
		return queue{}, fmt.Errorf("read queue %s: %w", name, err)
	}
	return queue{url: aws.ToString(created.QueueUrl), arn: out.Attributes[string(arn)]}, nil
}

type consumer struct {
	client   *sqs.Client
	queue    queue
	batch    int
	region   string
	function *function
	calls    *calls
	busy     chan struct{} // has an entry per running poll or call
	loops    *sync.WaitGroup
	log      *slog.Logger
}

// DrainQueues delivers and counts all visible messages. Failed messages stay in the queue, invisible for a while.
// DrainQueues returns the engine's errors.
func (r *Runner) DrainQueues(ctx context.Context) (messages int, err error) {
	for _, c := range r.consumers {
		for {
			batch, err := c.receive(ctx, 0)
			if err == nil {
				err = c.handle(batch)
			}
			messages += len(batch)
			if err != nil {
				return messages, err
			}
			if len(batch) == 0 {
				break
			}
		}
	}
	return messages, nil
}

// poll passes on batch after batch without waiting for the calls, so that a slow call does not delay other batches.
func (c *consumer) poll(ctx context.Context) {
	for {
		select {
		case c.busy <- struct{}{}:
		case <-ctx.Done():
			return
		}
		batch, err := c.receive(ctx, longPoll)
		if err != nil && ctx.Err() == nil {
			c.log.ErrorContext(ctx, "queue not read", "function", c.function.Name, "error", err)
			pause(ctx, queueInterval)
		}
		if len(batch) == 0 {
			<-c.busy
			continue
		}
		c.loops.Go(func() {
			defer func() { <-c.busy }()
			if err := c.handle(batch); err != nil {
				c.log.ErrorContext(ctx, "messages not deleted", "function", c.function.Name, "error", err)
			}
		})
	}
}

func (c *consumer) receive(ctx context.Context, wait int32) ([]events.SQSMessage, error) {
	out, err := c.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(c.queue.url), MaxNumberOfMessages: int32(c.batch), WaitTimeSeconds: wait,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	var batch []events.SQSMessage
	for _, m := range out.Messages {
		batch = append(batch, c.toEvent(m))
	}
	return batch, nil
}

// handle calls the function with a batch and deletes the handled messages, even while the runner stops. The queue's
// redrive policy takes care of the other messages.
func (c *consumer) handle(batch []events.SQSMessage) error {
	if len(batch) == 0 {
		return nil
	}
	reply, err := send[events.SQSEventResponse](c.calls.ctx, c.calls, c.function, events.SQSEvent{Records: batch})
	if err != nil {
		return nil // all messages failed, and the call is logged
	}
	return c.delete(c.calls.ctx, succeeded(batch, reply.BatchItemFailures))
}

// succeeded returns the messages that did not fail. As in Lambda, if a failure names an unknown message, all messages
// count as failed.
func succeeded(records []events.SQSMessage, failures []events.SQSBatchItemFailure) []events.SQSMessage {
	failed := map[string]bool{}
	for _, f := range failures {
		if !slices.ContainsFunc(records, func(m events.SQSMessage) bool { return m.MessageId == f.ItemIdentifier }) {
			return nil
		}
		failed[f.ItemIdentifier] = true
	}
	return slices.DeleteFunc(slices.Clone(records), func(m events.SQSMessage) bool { return failed[m.MessageId] })
}

func (c *consumer) delete(ctx context.Context, messages []events.SQSMessage) error {
	if len(messages) == 0 {
		return nil
	}
	in := &sqs.DeleteMessageBatchInput{QueueUrl: aws.String(c.queue.url)}
	for i, m := range messages {
		in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(m.ReceiptHandle)})
	}
	out, err := c.client.DeleteMessageBatch(ctx, in)
	if err != nil {
		return err
	}
	for _, f := range out.Failed { // the message comes again, and consumers are idempotent
		c.log.WarnContext(ctx, "message not deleted", "function", c.function.Name, "code", aws.ToString(f.Code))
	}
	return nil
}

func (c *consumer) toEvent(m types.Message) events.SQSMessage {
	return events.SQSMessage{
		MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
		Md5OfBody: aws.ToString(m.MD5OfBody), Attributes: m.Attributes,
		MessageAttributes: map[string]events.SQSMessageAttribute{}, // no message has any
		EventSourceARN:    c.queue.arn, EventSource: "aws:sqs", AWSRegion: c.region,
	}
}
