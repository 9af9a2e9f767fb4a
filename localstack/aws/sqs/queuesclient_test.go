package sqs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

// queues is a client with shorthands for tests.
type queues struct {
	*aws_sqs.Client
	t *testing.T
}

func newClient(t *testing.T, transport http.RoundTripper) queues {
	return queues{t: t, Client: aws_sqs.New(aws_sqs.Options{
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:  &http.Client{Transport: transport},

		RetryMaxAttempts: 1,
	})}
}

// newQueues returns a client of a new engine with a test clock and a fixed seed.
func newQueues(t *testing.T, c sqs.Config) (queues, *clock.Clock) {
	now := clock.New()
	c.Now = now.Now
	c.Random = seeded(1)
	return newClient(t, sqs.New(c)), now
}

func seeded(seed uint64) *rand.ChaCha8 {
	var s [32]byte
	s[0] = byte(seed)
	return rand.NewChaCha8(s)
}

func (q queues) create(name string, attributes map[string]string) (url string) {
	q.t.Helper()
	out, err := q.CreateQueue(q.t.Context(), &aws_sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		q.t.Fatal(err)
	}
	return *out.QueueUrl
}

func (q queues) send(url, body string) *aws_sqs.SendMessageOutput {
	q.t.Helper()
	return q.sendWith(&aws_sqs.SendMessageInput{QueueUrl: &url, MessageBody: &body})
}

func (q queues) sendWith(in *aws_sqs.SendMessageInput) *aws_sqs.SendMessageOutput {
	q.t.Helper()
	out, err := q.SendMessage(q.t.Context(), in)
	if err != nil {
		q.t.Fatal(err)
	}
	return out
}

// receive receives up to ten messages with all attributes.
func (q queues) receive(url string) []types.Message {
	q.t.Helper()
	return q.receiveWaiting(url, 10, 0)
}

func (q queues) receiveWaiting(url string, most, seconds int32) []types.Message {
	q.t.Helper()
	out, err := q.ReceiveMessage(q.t.Context(), &aws_sqs.ReceiveMessageInput{
		QueueUrl:                    &url,
		MaxNumberOfMessages:         most,
		WaitTimeSeconds:             seconds,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
	})
	if err != nil {
		q.t.Fatal(err)
	}
	return out.Messages
}

func (q queues) receiveOne(url string) types.Message {
	q.t.Helper()
	messages := q.receive(url)
	if len(messages) != 1 {
		q.t.Fatalf("got %q, want one message", bodies(messages))
	}
	return messages[0]
}

func (q queues) wantBodies(url, want string) {
	q.t.Helper()
	if got := bodies(q.receive(url)); got != want {
		q.t.Errorf("received %q, want %q", got, want)
	}
}

func (q queues) delete(url string, m types.Message) {
	q.t.Helper()
	if err := q.tryDelete(url, m); err != nil {
		q.t.Fatal(err)
	}
}

func (q queues) tryDelete(url string, m types.Message) error {
	_, err := q.DeleteMessage(q.t.Context(), &aws_sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle})
	return err
}

func (q queues) changeVisibility(url string, m types.Message, seconds int32) error {
	_, err := q.ChangeMessageVisibility(q.t.Context(), &aws_sqs.ChangeMessageVisibilityInput{
		QueueUrl: &url, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: seconds,
	})
	return err
}

// release makes a received message visible at once.
func (q queues) release(url string, m types.Message) {
	q.t.Helper()
	if err := q.changeVisibility(url, m, 0); err != nil {
		q.t.Fatal(err)
	}
}

func (q queues) attributes(url string) map[string]string {
	q.t.Helper()
	out, err := q.GetQueueAttributes(q.t.Context(), &aws_sqs.GetQueueAttributesInput{
		QueueUrl: &url, AttributeNames: []types.QueueAttributeName{"All"},
	})
	if err != nil {
		q.t.Fatal(err)
	}
	return out.Attributes
}

func (q queues) wantCounts(url, visible, inflight, delayed string) {
	q.t.Helper()
	a := q.attributes(url)
	got := fmt.Sprintf("%s visible, %s in flight, %s delayed", a["ApproximateNumberOfMessages"],
		a["ApproximateNumberOfMessagesNotVisible"], a["ApproximateNumberOfMessagesDelayed"])
	if want := fmt.Sprintf("%s visible, %s in flight, %s delayed", visible, inflight, delayed); got != want {
		q.t.Errorf("%s, want %s", got, want)
	}
}

func (q queues) redriveTo(deadLetters string, most int) map[string]string {
	q.t.Helper()
	return map[string]string{"RedrivePolicy": fmt.Sprintf(
		`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, q.attributes(deadLetters)["QueueArn"], most)}
}

func bodies(messages []types.Message) string {
	var b []string
	for _, m := range messages {
		b = append(b, *m.Body)
	}
	return strings.Join(b, " ")
}

// errorCode returns the SDK's type of an error, or the error's code if the SDK has no type.
func errorCode(err error) string {
	var e smithy.APIError
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "*types.")
	if name == "*smithy.GenericAPIError" {
		return strings.TrimPrefix(e.ErrorCode(), "AWS.SimpleQueueService.") // fauxqs puts this before every code
	}
	return name
}

func wantFailure(t *testing.T, err error, want string) {
	t.Helper()
	if got := errorCode(err); got != want {
		t.Errorf("error %s (%v), want %s", got, err, want)
	}
}

// call sends a raw request that the SDK would not send.
func call(t *testing.T, transport http.RoundTripper, target, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "https://sqs.us-east-1.amazonaws.com/",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", target)
	res, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

var str = aws.String
