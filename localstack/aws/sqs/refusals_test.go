package sqs_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

func contextAfter(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

func TestSendMessage_Refusals(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	standard := q.create("standard", map[string]string{"MaximumMessageSize": "1024"})
	x := str("x")
	for _, c := range []struct {
		name string
		in   aws_sqs.SendMessageInput
		want string
	}{
		{"no queue", aws_sqs.SendMessageInput{QueueUrl: str("https://sqs/000000000000/none"), MessageBody: x},
			"QueueDoesNotExist"},
		{"foreign account", aws_sqs.SendMessageInput{QueueUrl: str("https://sqs/1/standard"), MessageBody: x},
			"InvalidAddress"},
		{"no URL", aws_sqs.SendMessageInput{QueueUrl: str("%"), MessageBody: x}, "InvalidAddress"},
		{"empty URL", aws_sqs.SendMessageInput{QueueUrl: str(""), MessageBody: x}, "MissingParameter"},
		{"empty body", aws_sqs.SendMessageInput{MessageBody: str("")}, "MissingParameter"},
		{"control character", aws_sqs.SendMessageInput{MessageBody: str("\x00")}, "InvalidMessageContents"},
		{"too large", aws_sqs.SendMessageInput{MessageBody: str(strings.Repeat("x", 1025))}, "InvalidParameterValue"},
		{"delay", aws_sqs.SendMessageInput{MessageBody: x, DelaySeconds: 901}, "InvalidParameterValue"},
		{"attributes", aws_sqs.SendMessageInput{MessageBody: x, MessageAttributes: map[string]types.MessageAttributeValue{
			"x": {DataType: str("String"), StringValue: x}}}, "SerializationException"},
		{"deduplication", aws_sqs.SendMessageInput{MessageBody: x, MessageDeduplicationId: x}, "SerializationException"},
		{"group id", aws_sqs.SendMessageInput{MessageBody: x, MessageGroupId: str("a b")}, "InvalidParameterValue"},
		{"long group id", aws_sqs.SendMessageInput{MessageBody: x, MessageGroupId: str(strings.Repeat("x", 129))},
			"InvalidParameterValue"},
	} {
		if c.in.QueueUrl == nil {
			c.in.QueueUrl = &standard
		}
		_, err := q.SendMessage(t.Context(), &c.in)
		if got := errorCode(err); got != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
	}
	q.wantCounts(standard, "0", "0", "0")
}

func TestCreateQueue_Refusals(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	dead := q.attributes(q.create("dead", nil))["QueueArn"]
	for _, c := range []struct {
		name       string
		attributes map[string]string
		want       string
	}{
		{"", nil, "MissingParameter"},
		{"has space", nil, "InvalidParameterValue"},
		{strings.Repeat("x", 81), nil, "InvalidParameterValue"},
		{"q.fifo", nil, "InvalidParameterValue"},
		{"q", map[string]string{"FifoQueue": "true"}, "InvalidAttributeName"},
		{"q", map[string]string{"Policy": "{}"}, "InvalidAttributeName"},
		{"q", map[string]string{"DelaySeconds": "901"}, "InvalidAttributeValue"},
		{"q", map[string]string{"VisibilityTimeout": "43201"}, "InvalidAttributeValue"},
		{"q", map[string]string{"MessageRetentionPeriod": "59"}, "InvalidAttributeValue"},
		{"q", map[string]string{"MaximumMessageSize": "1048577"}, "InvalidAttributeValue"},
		{"q", map[string]string{"ReceiveMessageWaitTimeSeconds": "x"}, "InvalidAttributeValue"},
		{"q", map[string]string{"RedrivePolicy": "none"}, "InvalidParameterValue"},
		{"q", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + dead + `"}`}, "InvalidParameterValue"},
		{"q", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + dead + `","maxReceiveCount":1001}`},
			"InvalidParameterValue"},
		{"q", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + dead + `x","maxReceiveCount":1}`},
			"InvalidParameterValue"},
	} {
		_, err := q.CreateQueue(t.Context(), &aws_sqs.CreateQueueInput{QueueName: &c.name, Attributes: c.attributes})
		if got := errorCode(err); got != c.want {
			t.Errorf("%q %v: %s (%v), want %s", c.name, c.attributes, got, err, c.want)
		}
	}
}

func TestReceiveMessage_Refusals(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	url, other := q.create("callbacks", nil), q.create("other", nil)
	for want, in := range map[string]*aws_sqs.ReceiveMessageInput{
		"InvalidParameterValue": {QueueUrl: &url, MaxNumberOfMessages: 11},
		"InvalidAttributeName":  {QueueUrl: &url, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"Colour"}},
	} {
		_, err := q.ReceiveMessage(t.Context(), in)
		wantFailure(t, err, want)
	}
	_, err := q.ReceiveMessage(t.Context(), &aws_sqs.ReceiveMessageInput{QueueUrl: &url, WaitTimeSeconds: 21})
	wantFailure(t, err, "InvalidParameterValue")
	_, err = q.ReceiveMessage(t.Context(), &aws_sqs.ReceiveMessageInput{QueueUrl: &url, VisibilityTimeout: 43201})
	wantFailure(t, err, "InvalidParameterValue")

	wantFailure(t, q.tryDelete(url, types.Message{ReceiptHandle: str("nonsense")}), "ReceiptHandleIsInvalid")
	wantFailure(t, q.tryDelete(url, types.Message{ReceiptHandle: str("")}), "MissingParameter")
	q.send(url, "m")
	m := q.receiveOne(url)
	wantFailure(t, q.tryDelete(other, m), "ReceiptHandleIsInvalid")
	out, err := q.DeleteMessageBatch(t.Context(), &aws_sqs.DeleteMessageBatchInput{QueueUrl: &url,
		Entries: []types.DeleteMessageBatchRequestEntry{
			{Id: str("bad"), ReceiptHandle: str("nonsense")}, {Id: str("good"), ReceiptHandle: m.ReceiptHandle}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Failed) != 1 || *out.Failed[0].Id != "bad" || *out.Failed[0].Code != "ReceiptHandleIsInvalid" ||
		len(out.Successful) != 1 || *out.Successful[0].Id != "good" {
		t.Errorf("got failed %v and successful %v, want bad with ReceiptHandleIsInvalid and good", out.Failed, out.Successful)
	}
	q.wantCounts(url, "0", "0", "0")
}

func TestEngine_Unsupported(t *testing.T) {
	t.Parallel()
	engine := sqs.New(sqs.Config{})
	q := newClient(t, engine)
	url := q.create("callbacks", nil)
	_, err := q.TagQueue(t.Context(), &aws_sqs.TagQueueInput{QueueUrl: &url, Tags: map[string]string{"a": "b"}})
	wantFailure(t, err, "UnsupportedOperation")
	_, err = q.ReceiveMessage(t.Context(), &aws_sqs.ReceiveMessageInput{QueueUrl: &url, ReceiveRequestAttemptId: str("1")})
	wantFailure(t, err, "SerializationException")
	for target, body := range map[string]string{
		"DynamoDB_20120810.GetItem":         `{}`,
		"AmazonSQS.GetQueueUrl":             `{} {}`,
		"AmazonSQS.CreateQueue":             `{"QueueName":`,
		"AmazonSQS.ChangeMessageVisibility": `{"QueueUrl":"` + url + `","ReceiptHandle":"x"}`,
	} {
		if status := call(t, engine, target, body); status != http.StatusBadRequest {
			t.Errorf("%s %s: got status %d, want 400", target, body, status)
		}
	}
}
