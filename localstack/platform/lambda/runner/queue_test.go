package runner

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// jobs is a queue whose failed messages are visible again at once.
var jobs = functions.Queue{Name: "jobs", Variable: "JOBS_URL", MaxReceives: 2}

var all = []types.QueueAttributeName{types.QueueAttributeNameAll}

// worker counts its messages. The message "bad" always fails.
type worker struct {
	mu   sync.Mutex
	seen map[string]int
	got  chan string
}

func newWorker() *worker { return &worker{seen: map[string]int{}, got: make(chan string, 100)} }

func (w *worker) functions() []functions.Function {
	handle := func(*app.App) func(context.Context, string) error {
		return func(_ context.Context, body string) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.seen[body]++
			w.got <- body
			if body == "bad" {
				return errFailed
			}
			return nil
		}
	}
	return []functions.Function{{Name: "worker", Timeout: time.Minute, Queue: &functions.Consumer{From: jobs,
		Batch: 10, Handle: handle}}}
}

func TestDrainQueues_FailedMessages(t *testing.T) {
	t.Parallel()
	w := newWorker()
	c := newConfig(t)
	c.Functions, c.Queues = w.functions(), []functions.Queue{jobs}
	r := startRunner(t, c)
	url := r.Environment()["JOBS_URL"]
	for _, body := range []string{"good", "bad", "fine"} {
		sendMessage(t, r, url, body)
	}
	drain(t, r.DrainQueues)
	if want := map[string]int{"good": 1, "bad": jobs.MaxReceives, "fine": 1}; !maps.Equal(w.seen, want) {
		t.Errorf("got seen %v, want %v", w.seen, want)
	}
	if n := drain(t, r.DrainQueues); n != 0 {
		t.Errorf("got %d messages that are left, want none", n)
	}
	if got := receiveDead(t, r); !slices.Equal(got, []string{"bad"}) {
		t.Errorf("got dead letters %v, want bad", got)
	}
}

func receiveDead(t *testing.T, r *Runner) (bodies []string) {
	t.Helper()
	client := queueClient(r)
	named, err := client.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{
		QueueName: aws.String(r.config.QueuePrefix + jobs.DeadName())})
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: named.QueueUrl,
		MaxNumberOfMessages: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range out.Messages {
		bodies = append(bodies, aws.ToString(m.Body))
	}
	return bodies
}

func TestCreateQueues_Attributes(t *testing.T) {
	t.Parallel()
	listed := functions.Queue{Name: "jobs", Variable: "JOBS_URL", MaxReceives: 5, Visibility: 3 * time.Minute}
	c := newConfig(t)
	c.Functions, c.Queues = []functions.Function{}, []functions.Queue{listed}
	r := startRunner(t, c)
	url := r.Environment()["JOBS_URL"]
	out, err := queueClient(r).GetQueueAttributes(t.Context(),
		&sqs.GetQueueAttributesInput{QueueUrl: aws.String(url), AttributeNames: all})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Attributes["VisibilityTimeout"]; got != "180" {
		t.Errorf("got a visibility of %s s, want 180", got)
	}
	deadURL, err := queueClient(r).GetQueueUrl(t.Context(),
		&sqs.GetQueueUrlInput{QueueName: aws.String(c.QueuePrefix + listed.DeadName())})
	if err != nil {
		t.Fatal(err)
	}
	out, err = queueClient(r).GetQueueAttributes(t.Context(),
		&sqs.GetQueueAttributesInput{QueueUrl: deadURL.QueueUrl, AttributeNames: all})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Attributes["MessageRetentionPeriod"]; got != seconds(functions.DeadRetention) {
		t.Errorf("dead letters: got a retention of %s s, want %s", got, seconds(functions.DeadRetention))
	}
}

func TestConsumer_Poll(t *testing.T) {
	t.Parallel()
	w := newWorker()
	c := newConfig(t)
	c.Manual = false
	c.Functions, c.Queues = w.functions(), []functions.Queue{jobs}
	r := startRunner(t, c)
	sendMessage(t, r, r.Environment()["JOBS_URL"], "good")
	if got := <-w.got; got != "good" {
		t.Errorf("got %q, want good", got)
	}
	r.Stop()
	if err := r.Wait(); err != nil {
		t.Errorf("got error %v, want none", err)
	}
}

func TestConsumer_SlowCall(t *testing.T) {
	t.Parallel()
	const messages = 3 * pollers
	begun, finish := make(chan struct{}, messages), make(chan struct{})
	slow := func(*app.App) func(context.Context, string) error {
		return func(context.Context, string) error {
			begun <- struct{}{}
			<-finish
			return nil
		}
	}
	c := newConfig(t)
	c.Manual = false
	c.Functions = []functions.Function{{Name: "worker", Timeout: time.Minute,
		Queue: &functions.Consumer{From: jobs, Batch: 1, Handle: slow, Prompt: true}}}
	c.Queues = []functions.Queue{jobs}
	r := startRunner(t, c)
	for range messages {
		sendMessage(t, r, r.Environment()["JOBS_URL"], "slow")
	}
	for i := range messages {
		select {
		case <-begun:
		case <-time.After(20 * time.Second):
			t.Fatalf("got %d calls begun, want %d", i, messages)
		}
	}
	close(finish)
}
