// Package queue sends to the platform's queues. It is a package of its own so
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
	"github.com/cashwrap/cashwrap/shared/identity"
)

// queue is one queue, for senders. It is safe for concurrent use.
type queue struct {
	client *sqs.Client
	url    string
}

// Callbacks is the callback queue.
type Callbacks struct{ queue }

// Payouts is the payout queue.
type Payouts struct{ queue }

// Polls is the poll queue.
type Polls struct{ queue }

var errNoURL = errors.New("the queue's URL is not set")

// OpenCallbacks returns the callback queue; it makes no call.
func OpenCallbacks(a *app.App) *Callbacks { return &Callbacks{open(a, a.CallbackQueue)} }

// OpenPayouts returns the payout queue; it makes no call.
func OpenPayouts(a *app.App) *Payouts { return &Payouts{open(a, a.PayoutQueue)} }

// OpenPolls returns the poll queue; it makes no call.
func OpenPolls(a *app.App) *Polls { return &Polls{open(a, a.PollQueue)} }

func open(a *app.App, url string) queue {
	return queue{client: sqs.NewFromConfig(a.AWS(a.SQSEndpoint)), url: url}
}

// Send schedules the next try of a tenant's callback after the delay: at most 15
// minutes (an SQS limit), rounded up to whole seconds so that it is never early.
func (c *Callbacks) Send(ctx context.Context, t identity.Tenant, id string, delay time.Duration) error {
	return c.send(ctx, t, app.CallbackMessage{ID: id}, delay)
}

// Send schedules a payout to be run.
func (p *Payouts) Send(ctx context.Context, t identity.Tenant, id string) error {
	return p.send(ctx, t, app.PayoutMessage{Tenant: t.String(), ID: id}, 0)
}

// Send schedules a poll of the acquirer for a tenant's checkout or refund; the
// delay is as a callback's.
func (p *Polls) Send(ctx context.Context, t identity.Tenant, m app.PollMessage, delay time.Duration) error {
	m.Tenant = t.String()
	return p.send(ctx, t, m, delay)
}

// send puts the tenant's messages into a group of their own: a standard queue
// then delivers others' first while this tenant's take more than their share of
// the consumers (AWS: "Amazon SQS fair queues").
func (q queue) send(ctx context.Context, t identity.Tenant, message any, delay time.Duration) error {
	if q.url == "" {
		return errNoURL
	}
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = q.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(q.url), MessageBody: aws.String(string(body)),
		DelaySeconds:   int32((delay + time.Second - 1) / time.Second), //nolint:gosec // 900 at most
		MessageGroupId: aws.String(t.String()),
	})
	return err
}
