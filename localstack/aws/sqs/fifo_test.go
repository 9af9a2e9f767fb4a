package sqs_test

import (
	"fmt"
	"testing"
	"time"

	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

func fifo(attributes ...string) map[string]string {
	m := map[string]string{"FifoQueue": "true"}
	for i := 0; i < len(attributes); i += 2 {
		m[attributes[i]] = attributes[i+1]
	}
	return m
}

func TestAGroupIsDeliveredInOrderAndBlocksUntilDone(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	url := q.create("payouts.fifo", fifo("ContentBasedDeduplication", "true"))
	for _, body := range []string{"a1", "b1", "a2", "a3", "b2"} {
		q.sendFIFO(url, body[:1], body, "")
	}
	batch := q.receiveWaiting(url, 2, 0)
	if got := bodies(batch); got != "a1 a2" {
		t.Fatalf("received %q, want two of the first group", got)
	}
	q.wantBodies(url, "b1 b2")
	q.wantBodies(url, "")

	q.delete(url, batch[0])
	q.wantBodies(url, "") // a2 is still out
	q.release(url, batch[1])
	again := q.receive(url)
	if got := bodies(again); got != "a2 a3" {
		t.Fatalf("received %q, want a2 before a3", got)
	}
	q.delete(url, again[0])
	q.delete(url, again[1])
	clock.Advance(30 * time.Second)
	q.wantBodies(url, "b1 b2")
}

func TestALaterMessageInFlightBlocksItsGroup(t *testing.T) {
	t.Parallel()
	q, _ := world(t, sqs.Config{})
	url := q.create("payouts.fifo", fifo("ContentBasedDeduplication", "true"))
	q.sendFIFO(url, "a", "a1", "")
	q.sendFIFO(url, "a", "a2", "")
	batch := q.receive(url)
	q.release(url, batch[0])
	q.wantBodies(url, "")
	q.delete(url, batch[1])
	q.wantBodies(url, "a1")
}

func TestDeduplicationLastsFiveMinutesEvenAfterADelete(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	url := q.create("payouts.fifo", fifo())
	first := q.sendFIFO(url, "a", "body", "payout-1")
	q.delete(url, q.one(url))
	clock.Advance(5*time.Minute - 1)
	second := q.sendFIFO(url, "other-group", "other body", "payout-1")
	if *second.MessageId != *first.MessageId || *second.SequenceNumber != *first.SequenceNumber {
		t.Errorf("duplicate answered as %s %s, first %s %s",
			*second.MessageId, *second.SequenceNumber, *first.MessageId, *first.SequenceNumber)
	}
	q.wantCounts(url, "0", "0", "0")
	clock.Advance(1)
	third := q.sendFIFO(url, "a", "body", "payout-1")
	if *third.MessageId == *first.MessageId || *third.SequenceNumber <= *first.SequenceNumber {
		t.Errorf("after the window: %s %s", *third.MessageId, *third.SequenceNumber)
	}
	m := q.one(url)
	if m.Attributes["MessageGroupId"] != "a" || m.Attributes["MessageDeduplicationId"] != "payout-1" ||
		m.Attributes["SequenceNumber"] != *third.SequenceNumber {
		t.Errorf("attributes %v", m.Attributes)
	}
}

func TestDeduplicationByContentAndByGroup(t *testing.T) {
	t.Parallel()
	q, _ := world(t, sqs.Config{})
	for scope, want := range map[string]string{"queue": "1", "messageGroup": "2"} {
		url := q.create(scope+".fifo", fifo("ContentBasedDeduplication", "true", "DeduplicationScope", scope))
		for _, group := range []string{"a", "b", "a"} {
			q.sendFIFO(url, group, "body", "")
		}
		q.wantCounts(url, want, "0", "0")
		// The explicit id wins over the content, and is held against it.
		q.sendFIFO(url, "a", "other", fmt.Sprintf("%x", sha("body")))
		q.wantCounts(url, want, "0", "0")
	}
}

func TestAFIFOReceiptHandleExpires(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	url := q.create("payouts.fifo", fifo("ContentBasedDeduplication", "true"))
	q.sendFIFO(url, "a", "a1", "")
	m := q.one(url)
	clock.Advance(30 * time.Second)
	wantFailure(t, q.tryDelete(url, m), "InvalidParameterValue")
	q.wantBodies(url, "a1")
}

func TestAFIFODeadLetterFreesItsGroup(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	dead := q.create("dead.fifo", fifo("MessageRetentionPeriod", "60"))
	attributes := q.redriveTo(dead, 1)
	attributes["FifoQueue"] = "true"
	url := q.create("payouts.fifo", attributes)
	q.sendFIFO(url, "a", "poison", "1")
	q.sendFIFO(url, "a", "next", "2")
	q.release(url, q.receiveWaiting(url, 1, 0)[0])
	clock.Advance(59 * time.Second)
	q.wantBodies(url, "next")
	clock.Advance(59 * time.Second) // the retention period began anew
	m := q.one(dead)
	if *m.Body != "poison" || m.Attributes["MessageGroupId"] != "a" {
		t.Errorf("dead letter %s %v", *m.Body, m.Attributes)
	}
}

func TestFIFOQueueDelayKeepsOrder(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	url := q.create("payouts.fifo", fifo("ContentBasedDeduplication", "true", "DelaySeconds", "10"))
	q.sendFIFO(url, "a", "a1", "")
	if _, err := q.SetQueueAttributes(t.Context(), &aws_sqs.SetQueueAttributesInput{
		QueueUrl: &url, Attributes: map[string]string{"DelaySeconds": "0"},
	}); err != nil {
		t.Fatal(err)
	}
	q.sendFIFO(url, "a", "a2", "")
	q.sendFIFO(url, "b", "b1", "")
	q.wantBodies(url, "b1")
	clock.Advance(10 * time.Second)
	q.wantBodies(url, "a1 a2")
}
