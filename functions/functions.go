// Package functions lists every Lambda of the platform and what calls it. The CDK app and the local run range over All.
package functions

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/functions/apikeys"
	"github.com/cashwrap/cashwrap/functions/callbacks"
	"github.com/cashwrap/cashwrap/functions/checkouts"
	"github.com/cashwrap/cashwrap/functions/customers"
	"github.com/cashwrap/cashwrap/functions/docs"
	"github.com/cashwrap/cashwrap/functions/files"
	"github.com/cashwrap/cashwrap/functions/mails"
	"github.com/cashwrap/cashwrap/functions/members"
	"github.com/cashwrap/cashwrap/functions/merchants"
	"github.com/cashwrap/cashwrap/functions/notices"
	"github.com/cashwrap/cashwrap/functions/oauth"
	"github.com/cashwrap/cashwrap/functions/pages"
	"github.com/cashwrap/cashwrap/functions/payoutopen"
	"github.com/cashwrap/cashwrap/functions/payoutplan"
	"github.com/cashwrap/cashwrap/functions/payoutrun"
	"github.com/cashwrap/cashwrap/functions/payouts"
	"github.com/cashwrap/cashwrap/functions/polls"
	"github.com/cashwrap/cashwrap/functions/prove"
	"github.com/cashwrap/cashwrap/functions/provision"
	"github.com/cashwrap/cashwrap/functions/public"
	"github.com/cashwrap/cashwrap/functions/readers"
	"github.com/cashwrap/cashwrap/functions/receipts"
	"github.com/cashwrap/cashwrap/functions/reconcile"
	"github.com/cashwrap/cashwrap/functions/relay"
	"github.com/cashwrap/cashwrap/functions/sandbox"
	"github.com/cashwrap/cashwrap/functions/sweep"
	"github.com/cashwrap/cashwrap/functions/testprofiles"
	"github.com/cashwrap/cashwrap/functions/transactions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Function is one Lambda, whose program is in bootstrap/ in its folder under functions/. Exactly one of HTTP, Queue,
// Stream, Tick and Invoke is set, with two exceptions. A Tick without a Handle calls Invoke, which operators call too.
// The function "files" has both routes and a queue, so that no other function reaches the content of files.
type Function struct {
	Name    string
	HTTP    app.Routes    // called by API Gateway with each of the routes
	Queue   *Consumer     // called with batches of a queue's messages
	Stream  *Follower     // called with batches of the table's stream
	Tick    *Schedule     // called by a schedule
	Invoke  app.Invoke    // called by operators, through IAM only
	Timeout time.Duration // Lambda stops a call after this time
}

// Chains returns true if the function sends to the queue that it reads. Lambda stops such a chain after some 16 calls
// (AWS: "Lambda recursive loop detection"), unless the function is configured to allow loops. The code that sends the
// message explains why the chain ends.
func (f Function) Chains() bool {
	return f.Queue != nil && slices.Contains(f.Access().Sends, f.Queue.From)
}

// Consumer reads a queue.
type Consumer struct {
	From   Queue
	Batch  int // most messages in one call
	Handle app.Queue
	Prompt bool // a message must not wait for earlier messages, even if these take long
}

// Follower reads the table's stream.
type Follower struct {
	Handle app.Stream
	// Filter lists patterns of AWS's event filtering. The function gets only records that match a pattern. Without a
	// filter each write of the platform would cause a call.
	Filter []map[string]any
}

// Schedule calls a function at intervals.
type Schedule struct {
	Every   time.Duration
	Aligned bool     // true: calls at multiples of Every since midnight UTC; false: the first call follows the deployment
	Handle  app.Tick // nil: the schedule calls the function's Invoke
}

// Next returns the time of the schedule's next call. If the schedule is not aligned, now must be the time of its last
// call.
func (s Schedule) Next(now time.Time) time.Time {
	if s.Aligned {
		return now.Truncate(s.Every).Add(s.Every) // Truncate counts from the zero time, a UTC midnight; Every divides a day
	}
	return now.Add(s.Every)
}

// Queue is an SQS queue with its dead-letter queue, which is named "<name>-dead".
type Queue struct {
	Name        string
	Variable    string        // environment variable with the queue's URL
	Visibility  time.Duration // how long a received message stays hidden: at least six times the consumer's timeout
	MaxReceives int           // after this number of receives SQS moves a message to the dead-letter queue
}

// DeadName returns the name of the queue's dead-letter queue.
func (q Queue) DeadName() string { return q.Name + "-dead" }

// DeadRetention is the time that dead messages are kept. It is the longest that SQS offers.
const DeadRetention = 14 * 24 * time.Hour

// Callbacks holds one message for each callback to try.
var Callbacks = Queue{Name: "callbacks", Variable: "CALLBACK_QUEUE_URL", Visibility: 6 * time.Minute, MaxReceives: 5}

// Files holds one message for each object to delete, and one for each shard of objects to compare with records.
var Files = Queue{Name: "files", Variable: "FILE_QUEUE_URL", Visibility: 3 * time.Minute, MaxReceives: 5}

// Mails holds one message for each mail to try.
var Mails = Queue{Name: "mails", Variable: "MAIL_QUEUE_URL", Visibility: 3 * time.Minute, MaxReceives: 5}

// Payouts holds one message for each payout to run. A payout belongs to one merchant, currency and period.
var Payouts = Queue{Name: "payouts", Variable: "PAYOUT_QUEUE_URL", Visibility: 30 * time.Minute, MaxReceives: 5}

// PayoutShards holds one message for each shard of the due index that may have payouts to open.
var PayoutShards = Queue{Name: "payoutshards", Variable: "PAYOUT_SHARD_QUEUE_URL", Visibility: 6 * time.Minute,
	MaxReceives: 5}

// Polls holds one message for each payment or refund of unknown outcome. Its consumer asks the acquirer for the
// outcome.
var Polls = Queue{Name: "polls", Variable: "POLL_QUEUE_URL", Visibility: 6 * time.Minute, MaxReceives: 5}

// Proofs holds one message for each segment of the table that a proof has still to prove.
var Proofs = Queue{Name: "proofs", Variable: "PROOF_QUEUE_URL", Visibility: 12 * time.Minute, MaxReceives: 5}

// Queues lists all queues.
var Queues = []Queue{Callbacks, Files, Mails, PayoutShards, Payouts, Polls, Proofs}

// requestTime limits a request. It is below API Gateway's 30 s. It also ends every request before the sweep treats the
// request's attempt as interrupted.
const requestTime = 29 * time.Second

// All lists the functions.
var All = []Function{
	{Name: "checkouts", HTTP: checkouts.Routes, Timeout: requestTime},
	{Name: "customers", HTTP: customers.Routes, Timeout: requestTime},
	{Name: "transactions", HTTP: transactions.Routes, Timeout: requestTime},
	{Name: "receipts", HTTP: receipts.Routes, Timeout: requestTime},
	{Name: "payouts", HTTP: payouts.Routes, Timeout: requestTime},
	{Name: "merchants", HTTP: merchants.Routes, Timeout: requestTime},
	{Name: "members", HTTP: members.Routes, Timeout: requestTime},
	{Name: "apikeys", HTTP: apikeys.Routes, Timeout: requestTime},
	{Name: "oauth", HTTP: oauth.Routes, Timeout: requestTime},
	{Name: "testprofiles", HTTP: testprofiles.Routes, Timeout: requestTime},
	{Name: "readers", HTTP: readers.Routes, Timeout: requestTime},
	{Name: "files", HTTP: files.Routes, Queue: &Consumer{From: Files, Batch: 10, Handle: files.Consume},
		Timeout: requestTime},
	{Name: "pages", HTTP: pages.Routes, Timeout: requestTime},
	{Name: "docs", HTTP: docs.Routes, Timeout: requestTime},
	{Name: "public", HTTP: public.Routes, Timeout: requestTime},
	{Name: "sandbox", HTTP: sandbox.Routes, Timeout: requestTime},
	{Name: "notices", HTTP: notices.Routes, Timeout: requestTime},
	{Name: "relay", Stream: &Follower{Handle: relay.Record, Filter: store.FastPathFilter}, Timeout: 30 * time.Second},
	{Name: "callbacks", Queue: &Consumer{From: Callbacks, Batch: 10, Handle: callbacks.Deliver, Prompt: true},
		Timeout: time.Minute},
	{Name: "mails", Queue: &Consumer{From: Mails, Batch: 10, Handle: mails.Send}, Timeout: 30 * time.Second},
	{Name: "polls", Queue: &Consumer{From: Polls, Batch: 10, Handle: polls.Poll}, Timeout: time.Minute},
	{Name: "payoutplan", Tick: &Schedule{Every: 15 * time.Minute, Aligned: true, Handle: payoutplan.Tick},
		Timeout: time.Minute},
	{Name: "payoutopen", Queue: &Consumer{From: PayoutShards, Batch: 1, Handle: payoutopen.Open},
		Timeout: payoutopen.Timeout},
	{Name: "payoutrun", Queue: &Consumer{From: Payouts, Batch: 2, Handle: payoutrun.Run}, Timeout: 5 * time.Minute},
	{Name: "sweep", Tick: &Schedule{Every: time.Minute, Handle: sweep.Tick}, Timeout: 55 * time.Second},
	{Name: "reconcile", Tick: &Schedule{Every: 24 * time.Hour}, Invoke: reconcile.Invoke, Timeout: 15 * time.Minute},
	{Name: "prove", Queue: &Consumer{From: Proofs, Batch: 1, Handle: prove.Consume}, Timeout: prove.Timeout},
	{Name: "provision", Invoke: provision.Invoke, Timeout: time.Minute},
}
