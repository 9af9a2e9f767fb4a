// Package queue sends to the platform's queues. It is a package of its own so
// that only functions that send link the SQS client.
package queue

import (
	"context"
	"errors"
	"time"

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

// Files is the queue of objects to delete and of shards to compare.
type Files struct{ queue }

// Mails is the mail queue.
type Mails struct{ queue }

// Payouts is the payout queue.
type Payouts struct{ queue }

// PayoutShards is the queue of shards in which payouts are due.
type PayoutShards struct{ queue }

// Polls is the poll queue.
type Polls struct{ queue }

var errNoURL = errors.New("the queue's URL is not set")

// OpenCallbacks returns the callback queue; it makes no call.
func OpenCallbacks(a *app.App) *Callbacks { return &Callbacks{open(a, a.CallbackQueue)} }

// OpenFiles returns the queue of files; it makes no call.
func OpenFiles(a *app.App) *Files { return &Files{open(a, a.FileQueue)} }

// OpenMails returns the mail queue; it makes no call.
func OpenMails(a *app.App) *Mails { return &Mails{open(a, a.MailQueue)} }

// OpenPayouts returns the payout queue; it makes no call.
func OpenPayouts(a *app.App) *Payouts { return &Payouts{open(a, a.PayoutQueue)} }

// OpenPayoutShards returns the queue of shards; it makes no call.
func OpenPayoutShards(a *app.App) *PayoutShards { return &PayoutShards{open(a, a.PayoutShardQueue)} }

// OpenPolls returns the poll queue; it makes no call.
func OpenPolls(a *app.App) *Polls { return &Polls{open(a, a.PollQueue)} }

func open(a *app.App, url string) queue {
	return queue{client: sqs.NewFromConfig(a.AWS(a.SQSEndpoint)), url: url}
}

// Send schedules the next try of a tenant's callback after the delay: at most 15
// minutes (an SQS limit), rounded up to whole seconds so that it is never early.
func (c *Callbacks) Send(ctx context.Context, t identity.Tenant, id string, delay time.Duration) error {
	return c.send(ctx, message{of: t, body: app.CallbackMessage{ID: id}, delay: delay})
}

// Send schedules objects to be deleted and shards to be compared.
func (f *Files) Send(ctx context.Context, files ...app.FileMessage) error {
	messages := make([]message, len(files))
	for i, m := range files {
		messages[i] = message{body: m}
	}
	return f.send(ctx, messages...)
}

// Send schedules the next try of a tenant's mail; the delay is as a callback's.
func (m *Mails) Send(ctx context.Context, t identity.Tenant, id string, delay time.Duration) error {
	return m.send(ctx, message{of: t, body: app.MailMessage{ID: id}, delay: delay})
}

// Send schedules payouts to be run.
func (p *Payouts) Send(ctx context.Context, payouts ...app.PayoutMessage) error {
	messages := make([]message, len(payouts))
	for i, m := range payouts {
		t, _ := m.Names()
		messages[i] = message{of: t, body: m}
	}
	return p.send(ctx, messages...)
}

// Send schedules the payouts that are due in shards to be opened.
func (p *PayoutShards) Send(ctx context.Context, shards ...app.PayoutShardMessage) error {
	messages := make([]message, len(shards))
	for i, m := range shards {
		messages[i] = message{body: m}
	}
	return p.send(ctx, messages...)
}

// Send schedules a poll of the acquirer for a tenant's checkout or refund; the
// delay is as a callback's.
func (p *Polls) Send(ctx context.Context, t identity.Tenant, m app.PollMessage, delay time.Duration) error {
	m.Tenant = t.String()
	return p.send(ctx, message{of: t, body: m, delay: delay})
}
