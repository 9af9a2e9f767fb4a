package sqs_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

func TestReceiveMessage_VisibilityTimeout(t *testing.T) {
	t.Parallel()
	q, clock := newQueues(t, sqs.Config{})
	url := q.create("callbacks", map[string]string{"VisibilityTimeout": "60"})
	sent := clock.Now()
	q.send(url, "m")
	clock.Advance(5 * time.Second)
	first := q.receiveOne(url)
	clock.Advance(60*time.Second - time.Nanosecond)
	q.wantCounts(url, "0", "1", "0")
	q.wantBodies(url, "")
	clock.Advance(time.Nanosecond)
	q.wantCounts(url, "1", "0", "0")
	second := q.receiveOne(url)
	if *first.ReceiptHandle == *second.ReceiptHandle {
		t.Errorf("got the receipt handle %s twice, want two", *first.ReceiptHandle)
	}
	for name, want := range map[string]string{
		"ApproximateReceiveCount":          "2",
		"SentTimestamp":                    strconv.FormatInt(sent.UnixMilli(), 10),
		"ApproximateFirstReceiveTimestamp": strconv.FormatInt(sent.Add(5*time.Second).UnixMilli(), 10),
	} {
		if got := second.Attributes[name]; got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
}

func TestDeleteMessage_LatestHandleOnly(t *testing.T) {
	t.Parallel()
	q, clock := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.send(url, "m")
	outdated := q.receiveOne(url)
	clock.Advance(30 * time.Second)
	latest := q.receiveOne(url)
	q.delete(url, outdated)
	q.wantCounts(url, "0", "1", "0")
	clock.Advance(time.Hour)
	q.delete(url, latest) // the timeout has passed, but the message was not received again
	q.wantCounts(url, "0", "0", "0")
	q.delete(url, latest)
}

func TestChangeMessageVisibility(t *testing.T) {
	t.Parallel()
	q, clock := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.send(url, "m")
	m := q.receiveOne(url)
	clock.Advance(20 * time.Second)
	if err := q.changeVisibility(url, m, 30); err != nil {
		t.Fatal(err)
	}
	clock.Advance(29 * time.Second)
	q.wantBodies(url, "")
	wantFailure(t, q.changeVisibility(url, m, 12*60*60), "InvalidParameterValue")
	if err := q.changeVisibility(url, m, 12*60*60-49); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	clock.Advance(12 * time.Hour)
	wantFailure(t, q.changeVisibility(url, m, 30), "MessageNotInflight")
}

func TestSendMessage_Delay(t *testing.T) {
	t.Parallel()
	q, clock := newQueues(t, sqs.Config{})
	url := q.create("retries", map[string]string{"DelaySeconds": "10"})
	q.send(url, "queue")
	q.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: str("longest"), DelaySeconds: 900})
	q.wantCounts(url, "0", "0", "2")
	clock.Advance(10 * time.Second)
	q.delete(url, q.receiveOne(url))
	clock.Advance(890*time.Second - 1)
	q.wantBodies(url, "")
	clock.Advance(1)
	q.wantBodies(url, "longest")
}

func TestQueue_Retention(t *testing.T) {
	t.Parallel()
	q, clock := newQueues(t, sqs.Config{})
	dead := q.create("dead", map[string]string{"MessageRetentionPeriod": "60"})
	attributes := q.redriveTo(dead, 1)
	attributes["MessageRetentionPeriod"] = "60"
	url := q.create("callbacks", attributes)
	q.send(url, "old")
	clock.Advance(30 * time.Second)
	q.send(url, "young")
	q.send(dead, "arrived before old")
	q.release(url, q.receiveWaiting(url, 1, 0)[0])
	q.wantBodies(url, "young") // old moves to dead with its age unchanged
	clock.Advance(30*time.Second - 1)
	q.wantCounts(dead, "2", "0", "0")
	clock.Advance(1)
	q.wantBodies(dead, "arrived before old")
	q.wantCounts(url, "1", "0", "0")
	clock.Advance(30 * time.Second)
	q.wantCounts(url, "0", "0", "0")
}

func TestRedrive(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	dead := q.create("dead", nil)
	url := q.create("callbacks", q.redriveTo(dead, 1))
	sent := q.send(url, "poison")
	q.release(url, q.receiveOne(url))
	q.wantBodies(url, "")
	m := q.receiveOne(dead)
	if *m.MessageId != *sent.MessageId || m.Attributes["ApproximateReceiveCount"] != "2" {
		t.Errorf("got dead letter %s with %v, want %s with a receive count of 2", *m.MessageId, m.Attributes, *sent.MessageId)
	}
	if got, want := m.Attributes["DeadLetterQueueSourceArn"], q.attributes(url)["QueueArn"]; got != want {
		t.Errorf("source %s, want %s", got, want)
	}
}

// In the synctest bubble, the clock moves only when all goroutines wait. So the test notices a poll that sleeps too
// long or too short.
func TestReceiveMessage_LongPoll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newClient(t, sqs.New(sqs.Config{}))
		url := q.create("callbacks", nil)
		waited := func(want time.Duration, wantBody string) types.Message {
			t.Helper()
			began := time.Now()
			messages := q.receiveWaiting(url, 1, 20)
			if got := time.Since(began); got != want || bodies(messages) != wantBody {
				t.Fatalf("after %v: %q; want %q after %v", got, bodies(messages), wantBody, want)
			}
			return append(messages, types.Message{})[0]
		}
		waited(20*time.Second, "")

		q.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: str("delayed"), DelaySeconds: 7})
		m := waited(7*time.Second, "delayed")
		if err := q.changeVisibility(url, m, 9); err != nil {
			t.Fatal(err)
		}
		m = waited(9*time.Second, "delayed")

		time.AfterFunc(3*time.Second, func() { q.send(url, "sent meanwhile") })
		waited(3*time.Second, "sent meanwhile")
		time.AfterFunc(4*time.Second, func() { q.release(url, m) })
		waited(4*time.Second, "delayed")
	})
}

func TestReceiveMessage_LongPollCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newClient(t, sqs.New(sqs.Config{}))
		url := q.create("callbacks", nil)
		began := time.Now()
		ctx, cancel := contextAfter(t, time.Second)
		defer cancel()
		_, err := q.ReceiveMessage(ctx, &aws_sqs.ReceiveMessageInput{QueueUrl: &url, WaitTimeSeconds: 20})
		if err == nil || time.Since(began) != time.Second {
			t.Errorf("got error %v after %v, want one after a second", err, time.Since(began))
		}
	})
}
