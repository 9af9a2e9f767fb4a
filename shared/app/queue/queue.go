// Package queue sends to the callback queue. It is a package of its own so
// that only functions that send link the SQS client.
package queue

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/shared/app"
)

// Callbacks is the callback queue, for senders. It is safe for concurrent use.
type Callbacks struct {
	client *sqs.Client
	url    string
}

var errNoURL = errors.New("CALLBACK_QUEUE_URL is not set")

// Open returns the queue; it makes no call.
func Open(a *app.App) *Callbacks {
	return &Callbacks{client: sqs.NewFromConfig(a.AWS(a.SQSEndpoint)), url: a.CallbackQueue}
}

// Send has a callback's next try made after the delay: at most 15 minutes (an
// SQS limit), rounded up to whole seconds so that it is never early.
func (c *Callbacks) Send(ctx context.Context, id string, delay time.Duration) error {
	if c.url == "" {
		return errNoURL
	}
	body, err := json.Marshal(app.CallbackMessage{ID: id})
	if err != nil {
		return err
	}
	_, err = c.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(c.url), MessageBody: aws.String(string(body)),
		DelaySeconds: int32((delay + time.Second - 1) / time.Second),
	})
	return err
}
