package sqs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/aws/wal/waltest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func open(t *testing.T, dir string, now *clock.Clock, o wal.Options) *sqs.Engine {
	t.Helper()
	e, err := sqs.Open(sqs.Config{Now: now.Now, Notice: func(err error) { t.Error(err) }}, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOpen_RestoresQueuesAndMessages(t *testing.T) {
	t.Parallel()
	for name, every := range map[string]int64{"in segments": 1 << 20, "in snapshots": 300} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, now := t.TempDir(), clock.New()
			e := open(t, dir, now, wal.Options{SnapshotAfter: every})
			q := newClient(t, e)
			dead := q.create("dead", nil)
			url := q.create("callbacks", q.redriveTo(dead, 1))
			for _, body := range []string{"deleted", "dead", "in flight", "visible"} {
				q.send(url, body)
				now.Advance(time.Second) // messages of the same moment have no order
			}
			q.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String("delayed"), DelaySeconds: 60})
			next := func() types.Message { return q.receiveWaiting(url, 1, 0)[0] }
			q.delete(url, next())
			q.release(url, next())
			next() // the dead message moves, and the next one is in flight
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}

			again := newClient(t, open(t, dir, now, wal.Options{}))
			again.wantBodies(dead, "dead")
			again.wantBodies(url, "in flight visible")
			now.Advance(time.Minute)
			again.wantBodies(url, "delayed")
		})
	}
}

func TestOpen_FullDisk(t *testing.T) {
	t.Parallel()
	dir, now, disk := t.TempDir(), clock.New(), waltest.NewDisk(waltest.Unlimited)
	e := open(t, dir, now, disk.Options())
	q := newClient(t, e)
	url := q.create("callbacks", nil)
	q.send(url, "kept")
	m := q.receiveOne(url)
	disk.SetRoom(20)
	_, sending := q.SendMessage(t.Context(), &aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String("refused")})
	wantFailure(t, sending, "InternalFailure")
	wantFailure(t, q.tryDelete(url, m), "InternalFailure")
	_, err := q.CreateQueue(t.Context(), &aws_sqs.CreateQueueInput{QueueName: aws.String("another")})
	wantFailure(t, err, "InternalFailure")
	batch, err := q.SendMessageBatch(t.Context(), &aws_sqs.SendMessageBatchInput{QueueUrl: &url,
		Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("1"), MessageBody: aws.String("refused")}}})
	if err != nil || len(batch.Failed) != 1 || batch.Failed[0].SenderFault {
		t.Errorf("in a batch: got %v and error %v, want one failure that is not the sender's fault", batch, err)
	}
	if e.Refused() == nil {
		t.Error("got no error from Refused, want one")
	}
	newClient(t, open(t, dir, now, wal.Options{})).wantBodies(url, "kept")
	disk.SetRoom(waltest.Unlimited)
	q.delete(url, m)
	q.send(url, "later")
	q.wantBodies(url, "later")
	newClient(t, open(t, dir, now, wal.Options{})).wantBodies(url, "later")
}

func TestOpen_UnreadableRecord(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"{", `{"colour":"red"}`, `{"gone":{"queue":"none","id":"1"}}`} {
		dir := t.TempDir()
		log, err := wal.Open(dir, sqs.LogName, wal.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Append([]byte(bad)); err != nil {
			t.Fatal(err)
		}
		if _, err := sqs.Open(sqs.Config{}, dir, wal.Options{}); err == nil ||
			!strings.Contains(err.Error(), "queues.000001.log") {
			t.Errorf("%s: got error %v, want one that names queues.000001.log", bad, err)
		}
	}
}
