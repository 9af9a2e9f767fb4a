package sqs_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

func TestGetQueueAttributes_Selection(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{Region: "eu-central-1"})
	dead := q.create("dead", nil)
	url := q.create("callbacks", q.redriveTo(dead, 3))
	if !strings.HasSuffix(url, "/000000000000/callbacks") {
		t.Errorf("got queue URL %s, want one that ends in /000000000000/callbacks", url)
	}
	if got, want := q.attributes(url)["QueueArn"], "arn:aws:sqs:eu-central-1:000000000000:callbacks"; got != want {
		t.Errorf("got ARN %s, want %s", got, want)
	}
	get := func(names ...types.QueueAttributeName) (map[string]string, error) {
		out, err := q.GetQueueAttributes(t.Context(), &aws_sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: names})
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	}
	if got, err := get("VisibilityTimeout", "QueueArn"); err != nil || len(got) != 2 {
		t.Errorf("got %v and error %v, want the two selected attributes", got, err)
	}
	if got, err := get(); err != nil || len(got) != 0 {
		t.Errorf("without names: got %v and error %v, want no attributes", got, err)
	}
	_, err := get("Colour")
	wantFailure(t, err, "InvalidAttributeName")
}

func TestCreateQueue_Existing(t *testing.T) {
	t.Parallel()
	q, _ := newQueues(t, sqs.Config{})
	dead := q.create("dead", nil)
	url := q.create("callbacks", q.redriveTo(dead, 3))
	spaced := strings.ReplaceAll(q.redriveTo(dead, 3)["RedrivePolicy"], ":3", `: "3" `)
	if got := q.create("callbacks", map[string]string{"RedrivePolicy": spaced}); got != url {
		t.Errorf("spaced: got URL %s, want %s", got, url)
	}
	if got := q.create("callbacks", nil); got != url {
		t.Errorf("no attributes: got URL %s, want %s", got, url)
	}
	_, err := q.CreateQueue(t.Context(), &aws_sqs.CreateQueueInput{
		QueueName: aws.String("callbacks"), Attributes: q.redriveTo(dead, 4)})
	wantFailure(t, err, "QueueNameExists")
}
