package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// AtOnce is the limit of messages in one call (AWS: SendMessageBatch).
const AtOnce = 10

// message is a message to send. Each tenant's messages are a group. While one tenant's messages take more than their
// share of the consumers, a standard queue delivers the messages of other tenants first (AWS: "Amazon SQS fair
// queues").
type message struct {
	tenant identity.Tenant // zero: the message has no tenant
	body   any
	delay  time.Duration
}

func (m message) entry() (types.SendMessageBatchRequestEntry, error) {
	body, err := json.Marshal(m.body)
	entry := types.SendMessageBatchRequestEntry{MessageBody: aws.String(string(body)),
		DelaySeconds: int32((m.delay + time.Second - 1) / time.Second)} //nolint:gosec // 900 at most
	if m.tenant != (identity.Tenant{}) {
		entry.MessageGroupId = aws.String(m.tenant.String())
	}
	return entry, err
}

func (q queue) send(ctx context.Context, messages []message) error {
	if q.url == "" {
		return errNoURL
	}
	var errs []error
	for batch := range slices.Chunk(messages, AtOnce) {
		entries := make([]types.SendMessageBatchRequestEntry, len(batch))
		for i, m := range batch {
			var err error
			if entries[i], err = m.entry(); err != nil {
				return err
			}
			entries[i].Id = aws.String(strconv.Itoa(i))
		}
		errs = append(errs, q.sendBatch(ctx, entries))
	}
	return errors.Join(errs...)
}

// sendBatch sends one batch. If SQS refuses some of the messages, sendBatch sends these messages again, with the
// attempts and delays of the SDK's retries.
func (q queue) sendBatch(ctx context.Context, entries []types.SendMessageBatchRequestEntry) error {
	retryer := q.client.Options().Retryer
	for attempt := 1; ; attempt++ {
		out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: aws.String(q.url),
			Entries: entries})
		if err != nil {
			return fmt.Errorf("%d messages not sent: %w", len(entries), err)
		}
		if len(out.Failed) == 0 {
			return nil
		}
		err = refusedError(out.Failed)
		if attempt == retryer.MaxAttempts() || slices.ContainsFunc(out.Failed, isSenderFault) {
			return err
		}
		wait, none := retryer.RetryDelay(attempt, err)
		if none != nil {
			return errors.Join(err, none)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
		entries = slices.DeleteFunc(entries, func(e types.SendMessageBatchRequestEntry) bool {
			return !slices.ContainsFunc(out.Failed, func(f types.BatchResultErrorEntry) bool {
				return aws.ToString(f.Id) == aws.ToString(e.Id)
			})
		})
	}
}

// isSenderFault returns true if the sender caused the failure of a message, so that repeating the message would not
// help.
func isSenderFault(f types.BatchResultErrorEntry) bool { return f.SenderFault }

// refusedError returns an error with SQS's reason for the first refused message.
func refusedError(failed []types.BatchResultErrorEntry) error {
	return fmt.Errorf("%d messages not sent: %s: %s", len(failed), aws.ToString(failed[0].Code),
		aws.ToString(failed[0].Message))
}
