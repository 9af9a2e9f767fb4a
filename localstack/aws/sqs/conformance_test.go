package sqs_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

// scenario uses the queues as the project does, and notes every answer. Each engine must give exactly want.
type scenario struct {
	name string
	run  func(stage)
	want []string
}

// stage is an engine with separate queue names, for running a scenario.
type stage struct {
	queues
	prefix string
	notes  *[]string
}

func (s stage) note(format string, args ...any) {
	*s.notes = append(*s.notes, strings.ReplaceAll(fmt.Sprintf(format, args...), s.prefix, ""))
}

func (s stage) queue(name string, attributes map[string]string) string {
	s.t.Helper()
	return s.create(s.prefix+name, attributes)
}

// noteReceived waits up to five seconds for messages. It notes only values that do not depend on the engine's ids and
// clock.
func (s stage) noteReceived(url string) []types.Message {
	s.t.Helper()
	messages := s.receiveWaiting(url, 10, 5)
	slices.SortFunc(messages, func(a, b types.Message) int { return strings.Compare(*a.Body, *b.Body) })
	for _, m := range messages {
		s.note("%s %s %s", *m.Body, *m.MD5OfBody, m.Attributes["ApproximateReceiveCount"])
	}
	return messages
}

func TestEngine_LikeFauxqs(t *testing.T) {
	t.Parallel()
	engines := map[string]queues{"memory": newClient(t, sqs.New(sqs.Config{}))}
	if enginetest.All(t) {
		engines["fauxqs"] = queues{t: t, Client: aws_sqs.New(aws_sqs.Options{
			BaseEndpoint: aws.String(enginetest.Fauxqs(t)),
			Region:       "us-east-1",
			Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
			HTTPClient:   http.DefaultClient,
		})}
	}
	for engine, client := range engines {
		for _, s := range scenarios {
			t.Run(engine+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				var notes []string
				s.run(stage{queues{client.Client, t}, rand.Text() + "-", &notes})
				if !slices.Equal(notes, s.want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(s.want, "\n"))
				}
			})
		}
	}
}

var scenarios = []scenario{
	{"create with redrive", createWithRedrive, []string{
		"again: same URL true",
		"with another attribute: QueueNameExists",
		"redrive to callbacks-dead after 3",
		"visibility 120",
		"by name: same URL true",
		"unknown: QueueDoesNotExist",
	}},
	{"send receive delete", sendReceiveDelete, []string{
		"sent 5d41402abc4b2a76b9719d911017c592",
		"hello 5d41402abc4b2a76b9719d911017c592 1",
		"left: 0 visible, 0 in flight",
		"deleted again: <nil>",
	}},
	{"send with delay", sendWithDelay, []string{
		"later c18788c2f274c779da72d9854ea4bfbf 1",
		"a second later: true",
	}},
	{"batch", batches, []string{
		"sent a ok", "sent c ok", "failed b InvalidMessageContents true",
		"a 0cc175b9c0f1b6a831c399e269772661 1", "c 4a8a08f09d37b73795649038408b5f33 1",
		"visibility changed 2, failed 0",
		"deleted 2, failed 0",
		"left: 0 visible, 0 in flight",
	}},
	{"batch limits", batchLimits, []string{
		"none: EmptyBatchRequest",
		"eleven: TooManyEntriesInBatchRequest",
		"same id: BatchEntryIdsNotDistinct",
		"bad id: InvalidBatchEntryId",
		"more than 1 MiB: BatchRequestTooLong",
		"a message of more than 1 MiB: InvalidParameterValue",
		"a message of 1 MiB: <nil>",
	}},
	{"visibility", visibilities, []string{
		"m 6f8f57715090da2632453988d9a1501b 1",
		"hidden: 0",
		"m 6f8f57715090da2632453988d9a1501b 2",
		"m 6f8f57715090da2632453988d9a1501b 3",
		"deleted already: MessageNotInflight",
		"too long: InvalidParameterValue",
	}},
	{"redrive to the dead-letter queue", redriveToDeadLetters, []string{
		"poison 35393c24384b8862798716628f7bc6f4 1",
		"poison 35393c24384b8862798716628f7bc6f4 2",
		"third receive: 0",
		"dead: poison, same id true, same sent time true",
		"left: 0 visible, 0 in flight",
	}},
}

func createWithRedrive(s stage) {
	dead := s.queue("callbacks-dead", nil)
	attributes := s.redriveTo(dead, 3)
	attributes["VisibilityTimeout"] = "120"
	url := s.queue("callbacks", attributes)
	s.note("again: same URL %t", s.queue("callbacks", attributes) == url)
	_, err := s.CreateQueue(s.t.Context(), &aws_sqs.CreateQueueInput{
		QueueName: str(s.prefix + "callbacks"), Attributes: map[string]string{"VisibilityTimeout": "30"},
	})
	s.note("with another attribute: %s", errorCode(err))

	got := s.attributes(url)
	var policy struct {
		DeadLetterTargetArn string
		MaxReceiveCount     int
	}
	if err = json.Unmarshal([]byte(got["RedrivePolicy"]), &policy); err != nil {
		s.t.Fatal(err)
	}
	s.note("redrive to %s after %d", policy.DeadLetterTargetArn[strings.LastIndex(policy.DeadLetterTargetArn, ":")+1:],
		policy.MaxReceiveCount)
	s.note("visibility %s", got["VisibilityTimeout"])

	found, err := s.GetQueueUrl(s.t.Context(), &aws_sqs.GetQueueUrlInput{QueueName: str(s.prefix + "callbacks")})
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("by name: same URL %t", *found.QueueUrl == url)
	_, err = s.GetQueueUrl(s.t.Context(), &aws_sqs.GetQueueUrlInput{QueueName: str(s.prefix + "none")})
	s.note("unknown: %s", errorCode(err))
}

func sendReceiveDelete(s stage) {
	url := s.queue("relay", nil)
	sent := s.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: str("hello")})
	s.note("sent %s", *sent.MD5OfMessageBody)
	m := s.noteReceived(url)[0]
	if *m.MessageId != *sent.MessageId {
		s.t.Errorf("got message id %s, want %s", *m.MessageId, *sent.MessageId)
	}
	s.delete(url, m)
	s.noteLeft(url)
	s.note("deleted again: %v", s.tryDelete(url, m))
}

func (s stage) noteLeft(url string) {
	s.t.Helper()
	a := s.attributes(url)
	s.note("left: %s visible, %s in flight", a["ApproximateNumberOfMessages"], a["ApproximateNumberOfMessagesNotVisible"])
}

func sendWithDelay(s stage) {
	url := s.queue("retries", nil)
	s.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: str("later"), DelaySeconds: 1,
		MessageGroupId: str("T#MC1")})
	a := s.noteReceived(url)[0].Attributes
	s.note("a second later: %t", millis(s.t, a["ApproximateFirstReceiveTimestamp"])-millis(s.t,
		a["SentTimestamp"]) >= 1000)
}

func millis(t *testing.T, timestamp string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func batches(s stage) {
	url := s.queue("payouts", nil)
	out, err := s.SendMessageBatch(s.t.Context(), &aws_sqs.SendMessageBatchInput{
		QueueUrl: &url,
		Entries: []types.SendMessageBatchRequestEntry{
			{Id: str("a"), MessageBody: str("a")},
			{Id: str("b"), MessageBody: str("bell \x07")},
			{Id: str("c"), MessageBody: str("c")},
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range out.Successful {
		s.note("sent %s ok", *e.Id)
	}
	for _, e := range out.Failed {
		s.note("failed %s %s %t", *e.Id, *e.Code, e.SenderFault)
	}
	messages := s.noteReceived(url)
	var visibility []types.ChangeMessageVisibilityBatchRequestEntry
	var deletes []types.DeleteMessageBatchRequestEntry
	for _, m := range messages {
		visibility = append(visibility, types.ChangeMessageVisibilityBatchRequestEntry{
			Id: m.Body, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 60})
		deletes = append(deletes, types.DeleteMessageBatchRequestEntry{Id: m.Body, ReceiptHandle: m.ReceiptHandle})
	}
	changed, err := s.ChangeMessageVisibilityBatch(s.t.Context(),
		&aws_sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &url, Entries: visibility})
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("visibility changed %d, failed %d", len(changed.Successful), len(changed.Failed))
	deleted, err := s.DeleteMessageBatch(s.t.Context(), &aws_sqs.DeleteMessageBatchInput{QueueUrl: &url, Entries: deletes})
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("deleted %d, failed %d", len(deleted.Successful), len(deleted.Failed))
	s.noteLeft(url)
}

func batchLimits(s stage) {
	const mebibyte = 1 << 20
	url := s.queue("limits", nil)
	for _, c := range []struct {
		name   string
		ids    []string
		length int
	}{
		{"none", []string{}, 1},
		{"eleven", strings.Split("abcdefghijk", ""), 1},
		{"same id", []string{"a", "a"}, 1},
		{"bad id", []string{"a b"}, 1},
		{"more than 1 MiB", []string{"a", "b"}, mebibyte/2 + 1},
	} {
		entries := []types.SendMessageBatchRequestEntry{}
		for _, id := range c.ids {
			entries = append(entries, types.SendMessageBatchRequestEntry{
				Id: &id, MessageBody: str(strings.Repeat("x", c.length))})
		}
		_, err := s.SendMessageBatch(s.t.Context(), &aws_sqs.SendMessageBatchInput{QueueUrl: &url, Entries: entries})
		s.note("%s: %s", c.name, errorCode(err))
	}
	_, err := s.SendMessage(s.t.Context(), &aws_sqs.SendMessageInput{
		QueueUrl: &url, MessageBody: str(strings.Repeat("x", mebibyte+1))})
	s.note("a message of more than 1 MiB: %s", errorCode(err))
	_, err = s.SendMessage(s.t.Context(), &aws_sqs.SendMessageInput{
		QueueUrl: &url, MessageBody: str(strings.Repeat("x", mebibyte))})
	s.note("a message of 1 MiB: %v", err)
}

func visibilities(s stage) {
	url := s.queue("visibility", nil)
	s.send(url, "m")
	m := s.noteReceived(url)[0]
	s.note("hidden: %d", len(s.receive(url)))
	s.release(url, m)
	m = s.noteReceived(url)[0]
	if err := s.changeVisibility(url, m, 1); err != nil {
		s.t.Fatal(err)
	}
	m = s.noteReceived(url)[0]
	s.delete(url, m)
	s.note("deleted already: %s", errorCode(s.changeVisibility(url, m, 30)))
	s.note("too long: %s", errorCode(s.changeVisibility(url, m, 12*60*60+1)))
}

func redriveToDeadLetters(s stage) {
	dead := s.queue("dead", nil)
	url := s.queue("source", s.redriveTo(dead, 2))
	sent := s.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: str("poison")})
	var sentTime string
	for range 2 {
		m := s.noteReceived(url)[0]
		sentTime = m.Attributes["SentTimestamp"]
		s.release(url, m)
	}
	s.note("third receive: %d", len(s.receive(url)))
	m := s.receiveOne(dead)
	s.note("dead: %s, same id %t, same sent time %t", *m.Body, *m.MessageId == *sent.MessageId,
		m.Attributes["SentTimestamp"] == sentTime)
	s.noteLeft(url)
}
