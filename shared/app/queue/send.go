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

// AtOnce is how many messages one call sends at most (AWS: SendMessageBatch).
const AtOnce = 10

// message is a message to send. Each tenant is a group: a standard queue delivers others' first while this tenant's
// take more than their share of the consumers (AWS: "Amazon SQS fair queues").
type message struct {
	of    identity.Tenant // zero: of none
	body  any
	delay time.Duration
}

func (m message) entry() (types.SendMessageBatchRequestEntry, error) {
	body, err := json.Marshal(m.body)
	entry := types.SendMessageBatchRequestEntry{MessageBody: aws.String(string(body)),
		DelaySeconds: int32((m.delay + time.Second - 1) / time.Second)} //nolint:gosec // 900 at most
	if m.of != (identity.Tenant{}) {
		entry.MessageGroupId = aws.String(m.of.String())
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

// sendBatch makes one call, which may fail for single messages; those are sent
// again, as often and at such intervals as the SDK repeats a call that fails whole.
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
		err = refused(out.Failed)
		if attempt == retryer.MaxAttempts() || slices.ContainsFunc(out.Failed, ours) {
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

// ours says that a message failed by its sender's fault, so that repeating it would not help.
func ours(f types.BatchResultErrorEntry) bool { return f.SenderFault }

// refused is what SQS said of the messages that it did not take.
func refused(failed []types.BatchResultErrorEntry) error {
	return fmt.Errorf("%d messages not sent: %s: %s", len(failed), aws.ToString(failed[0].Code),
		aws.ToString(failed[0].Message))
}
