package sqs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func TestPick(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{Pick: func(n int) int { return n - 1 }})
	url := q.create("callbacks", nil)
	for _, body := range []string{"1", "2", "3"} {
		q.send(url, body)
	}
	q.wantBodies(url, "3 2 1")
}

func TestDuplicate(t *testing.T) {
	t.Parallel()
	asked := 0
	q, _ := newQueues(t, sqs.Config{Duplicate: func(string) bool { asked++; return asked == 1 }})
	url := q.create("callbacks", nil)
	q.send(url, "m")
	first, second := q.receiveOne(url), q.receiveOne(url)
	if *first.MessageId != *second.MessageId || second.Attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("second delivery: got %s with %v, want %s with a receive count of 2", *second.MessageId, second.Attributes,
			*first.MessageId)
	}
	q.wantBodies(url, "")
	q.delete(url, second)
	q.delete(url, first)
	q.wantCounts(url, "0", "0", "0")
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{Redeliver: func(string) bool { return true }})
	url := q.create("callbacks", nil)
	q.send(url, "m")
	q.delete(url, q.receiveOne(url))
	q.delete(url, q.receiveOne(url))
	q.wantCounts(url, "0", "0", "0")
}

// runHistory uses most operations and returns every answer that could differ.
func runHistory(t *testing.T, seed uint64) string {
	now := clock.New()
	r := seeded(seed)
	engine := sqs.New(sqs.Config{
		Now: now.Now, Random: r,
		Pick:      func(n int) int { return int(r.Uint64() % uint64(n)) },
		Duplicate: func(string) bool { return r.Uint64()%4 == 0 },
		Redeliver: func(string) bool { return r.Uint64()%4 == 0 },
	})
	q := newClient(t, engine)
	dead := q.create("dead", nil)
	url := q.create("callbacks", q.redriveTo(dead, 3))
	var log strings.Builder
	for i := range 40 {
		q.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String(fmt.Sprint(i)),
			DelaySeconds: int32(i % 3)})
		now.Advance(7 * time.Second)
		for _, from := range []string{url, dead} {
			for _, m := range q.receiveWaiting(from, 3, 0) {
				fmt.Fprintln(&log, *m.MessageId, *m.ReceiptHandle, *m.Body, m.Attributes)
				if i%2 == 0 {
					fmt.Fprintln(&log, q.tryDelete(from, m))
				}
			}
		}
	}
	return log.String()
}

func TestEngine_SameSeed(t *testing.T) {
	t.Parallel()
	first, second, other := runHistory(t, 1), runHistory(t, 1), runHistory(t, 2)
	if first != second {
		t.Errorf("second run of one seed (-want +got):\n%s", cmp.Diff(first, second))
	}
	if first == other {
		t.Errorf("got the same history of another seed, want another:\n%s", other)
	}
}

func TestEngine_OverPort(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(sqs.New(sqs.Config{}))
	t.Cleanup(server.Close)
	q := newClient(t, http.DefaultTransport)
	q.Client = aws_sqs.New(q.Options(), func(o *aws_sqs.Options) { o.BaseEndpoint = &server.URL })
	url := q.create("callbacks", nil)
	if want := server.URL + "/000000000000/callbacks"; url != want {
		t.Errorf("got queue URL %s, want %s", url, want)
	}
	q.send(url, "m")
	q.delete(url, q.receiveOne(url))
	_, err := q.SendMessage(t.Context(), &aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String("")})
	wantFailure(t, err, "MissingParameter")
	res, err := http.Post(server.URL, "application/x-amz-json-1.0", strings.NewReader(strings.Repeat(" ", 9<<20)))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got status %d for 9 MiB, want 413", res.StatusCode)
	}
}

// TestReceiveMessage_InFlightLimit fills the queue with copies of one received message, which is faster than 120,000
// receives.
func TestReceiveMessage_InFlightLimit(t *testing.T) {
	t.Parallel()
	engine := sqs.New(sqs.Config{Now: clock.New().Now})
	q := newClient(t, engine)
	url := q.create("callbacks", nil)
	q.send(url, "m")
	last := q.receiveOne(url)
	engine.Multiply("callbacks", 119_999)
	q.send(url, "visible")
	_, err := q.ReceiveMessage(t.Context(), &aws_sqs.ReceiveMessageInput{QueueUrl: &url})
	wantFailure(t, err, "OverLimit")
	q.delete(url, last)
	q.wantBodies(url, "visible")
}

// TestEngine_ConcurrentProducersAndConsumers checks that exactly one consumer deletes each message, also under the race
// detector.
func TestEngine_ConcurrentProducersAndConsumers(t *testing.T) {
	t.Parallel()
	const producers, each = 4, 50
	q := newClient(t, sqs.New(sqs.Config{}))
	url := q.create("callbacks", nil)
	var g errgroup.Group
	seen := make(chan string, 2*producers*each)
	for p := range producers {
		g.Go(func() error {
			for i := range each {
				_, err := q.SendMessage(t.Context(), &aws_sqs.SendMessageInput{
					QueueUrl: &url, MessageBody: aws.String(fmt.Sprint(p, "-", i))})
				if err != nil {
					return err
				}
			}
			return nil
		})
		g.Go(func() error {
			for len(seen) < producers*each {
				out, err := q.ReceiveMessage(t.Context(), &aws_sqs.ReceiveMessageInput{QueueUrl: &url})
				if err != nil {
					return err
				}
				for _, m := range out.Messages {
					seen <- *m.Body
					if err := q.tryDelete(url, m); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	close(seen)
	distinct := map[string]bool{}
	for body := range seen {
		distinct[body] = true
	}
	if len(distinct) != producers*each {
		t.Errorf("got %d distinct messages, want %d", len(distinct), producers*each)
	}
	q.wantCounts(url, "0", "0", "0")
}
