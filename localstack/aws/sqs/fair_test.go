package sqs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

// sendGroup sends n messages of a group, named after the group.
func (q queues) sendGroup(url, group string, n int) {
	q.t.Helper()
	for i := range n {
		in := &aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: str(fmt.Sprintf("%s%d", group, i))}
		if group != "" {
			in.MessageGroupId = &group
		}
		q.sendWith(in)
	}
}

// take receives n messages, which stay in flight.
func (q queues) take(url string, n int32) string {
	q.t.Helper()
	var got []string
	for n > 0 {
		messages := q.receiveWaiting(url, min(n, 10), 0)
		got = append(got, bodies(messages))
		n -= min(n, 10)
	}
	return strings.Join(got, " ")
}

func TestFairChoices_QuietBeforeNoisy(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.sendGroup(url, "a", 100)
	q.take(url, 29)
	q.sendGroup(url, "b", 2)
	q.sendGroup(url, "", 1)
	if got := q.take(url, 1); got != "a29" {
		t.Errorf("with 29 in flight, a is not noisy: got %s, want a29", got)
	}
	if got := q.take(url, 4); got != "b0 b1 0 a30" {
		t.Errorf("with 30 in flight, a is noisy: got %s, want b0", got)
	}
}

func TestNoisyGroups_OneTenth(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	for group := range 10 {
		q.sendGroup(url, fmt.Sprintf("g%d-", group), 30)
	}
	q.take(url, 300)
	q.sendGroup(url, "g0-", 1)
	q.sendGroup(url, "quiet", 1)
	if got := q.take(url, 1); got != "g0-0" {
		t.Errorf("a group with 30 of 300 in flight is quiet: got %s, want g0-0", got)
	}
}

func TestFairChoices_FewestInFlight(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.sendGroup(url, "a", 40)
	q.take(url, 40)
	q.sendGroup(url, "b", 30)
	q.take(url, 30)
	q.sendGroup(url, "a", 3)
	q.sendGroup(url, "b", 3)
	if got := q.take(url, 4); got != "b0 b1 b2 a0" {
		t.Errorf("got %s, want %s", got, "b0 b1 b2 a0")
	}
}

// TestNoisyGroups_ByTime checks that a few slow messages count as much as many fast messages.
func TestNoisyGroups_ByTime(t *testing.T) {
	t.Parallel()
	q, clock := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.sendGroup(url, "a", 12)
	q.take(url, 2)
	clock.Advance(time.Second)
	q.sendGroup(url, "b", 1)
	if got := q.take(url, 2); got != "b0 a2" {
		t.Errorf("got %s, want %s", got, "b0 a2")
	}
	clock.Advance(time.Second / 10) // b's share is 4 % of 2.4 s
	q.sendGroup(url, "b", 1)
	if got := q.take(url, 1); got != "b0" {
		t.Errorf("got %s, want %s", got, "b0")
	}
}

// TestNoisyGroups_DoneMessages checks that messages that are no longer in flight do not count.
func TestNoisyGroups_DoneMessages(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.sendGroup(url, "a", 60)
	done := q.receiveWaiting(url, 1, 0)[0]
	q.take(url, 29)
	q.delete(url, done)
	q.sendGroup(url, "b", 1)
	if got := q.take(url, 1); got != "a30" {
		t.Errorf("got %s, want %s", got, "a30")
	}
}
