// Package queue sends messages to the platform's queues. Open a queue with OpenCallbacks, OpenMails or the like, and
// call Send. Only functions that send messages import the package, because it links the SQS client.
package queue

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// queue sends messages to one queue. It is safe for concurrent use.
type queue struct {
	client *sqs.Client
	url    string
}

// Queue sends one kind of message. The types below are the platform's queues.
type Queue[M app.Message] struct{ queue }

type (
	// Callbacks is the queue of callbacks to send.
	Callbacks = Queue[app.CallbackMessage]
	// Files is the queue of objects to delete or to compare.
	Files = Queue[app.FileMessage]
	// Mails is the queue of mails to send.
	Mails = Queue[app.MailMessage]
	// Payouts is the queue of payouts to run.
	Payouts = Queue[app.PayoutMessage]
	// PayoutShards is the queue of shards whose due payouts are to be opened.
	PayoutShards = Queue[app.PayoutShardMessage]
	// Proofs is the queue of segments of the table to prove.
	Proofs = Queue[app.ProofMessage]
	// Polls is the queue of checkouts and refunds to ask the acquirer about.
	Polls = Queue[app.PollMessage]
)

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

// OpenProofs returns the queue of segments to prove; it makes no call.
func OpenProofs(a *app.App) *Proofs { return &Proofs{open(a, a.ProofQueue)} }

// OpenPolls returns the poll queue; it makes no call.
func OpenPolls(a *app.App) *Polls { return &Polls{open(a, a.PollQueue)} }

func open(a *app.App, url string) queue {
	return queue{client: sqs.NewFromConfig(a.AWS(a.SQSEndpoint)), url: url}
}

// Send sends messages, in as few calls as SQS allows. An error tells how many messages were not sent. The other
// messages were sent.
func (q Queue[M]) Send(ctx context.Context, bodies ...M) error {
	messages := make([]message, len(bodies))
	for i, m := range bodies {
		t, _ := m.Names()
		messages[i] = message{tenant: t, body: m}
	}
	return q.send(ctx, messages)
}

// SendLater sends a message about an item of the tenant, to be delivered after the delay. The delay is at most 15
// minutes (an SQS limit). It is rounded up to whole seconds, so that the message is never early.
func (q Queue[M]) SendLater(ctx context.Context, t identity.Tenant, m M, delay time.Duration) error {
	return q.send(ctx, []message{{tenant: t, body: m, delay: delay}})
}
