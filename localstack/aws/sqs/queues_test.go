package sqs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	aws_sqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/cashwrap/cashwrap/localstack/aws/sqs"
)

func TestListQueuesPages(t *testing.T) {
	t.Parallel()
	q, _ := world(t, sqs.Config{})
	for i := range 5 {
		q.create(fmt.Sprintf("callbacks-%d", i), nil)
	}
	q.create("relay", nil)
	pages := aws_sqs.NewListQueuesPaginator(q.Client, &aws_sqs.ListQueuesInput{
		QueueNamePrefix: aws.String("callbacks"), MaxResults: aws.Int32(2)})
	var sizes []int
	var last string
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(page.QueueUrls))
		last = page.QueueUrls[len(page.QueueUrls)-1]
	}
	if fmt.Sprint(sizes) != "[2 2 1]" || !strings.HasSuffix(last, "/callbacks-4") {
		t.Errorf("pages of %v, last %s", sizes, last)
	}
	_, err := q.ListQueues(t.Context(), &aws_sqs.ListQueuesInput{NextToken: aws.String("?")})
	wantFailure(t, err, "InvalidParameterValue")
}

func TestADeletedNameRests(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	url := q.create("callbacks", nil)
	q.send(url, "m")
	if _, err := q.DeleteQueue(t.Context(), &aws_sqs.DeleteQueueInput{QueueUrl: &url}); err != nil {
		t.Fatal(err)
	}
	clock.Advance(59 * time.Second)
	_, err := q.CreateQueue(t.Context(), &aws_sqs.CreateQueueInput{QueueName: aws.String("callbacks")})
	wantFailure(t, err, "QueueDeletedRecently")
	clock.Advance(time.Second)
	q.wantBodies(q.create("callbacks", nil), "")
}

func TestPurge(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{})
	url := q.create("callbacks", nil)
	purge := func() error {
		_, err := q.PurgeQueue(t.Context(), &aws_sqs.PurgeQueueInput{QueueUrl: &url})
		return err
	}
	q.send(url, "in flight")
	q.one(url)
	q.send(url, "visible")
	if err := purge(); err != nil {
		t.Fatal(err)
	}
	q.wantCounts(url, "0", "0", "0")
	clock.Advance(59 * time.Second)
	wantFailure(t, purge(), "PurgeQueueInProgress")
	clock.Advance(time.Second)
	if err := purge(); err != nil {
		t.Error(err)
	}
}

func TestAttributesAreSetAndSelected(t *testing.T) {
	t.Parallel()
	q, clock := world(t, sqs.Config{Region: "eu-central-1", Account: "123456789012"})
	dead := q.create("dead", nil)
	url := q.create("callbacks", q.redriveTo(dead, 3))
	if !strings.HasSuffix(url, "/123456789012/callbacks") {
		t.Errorf("queue URL %s", url)
	}
	created := q.attributes(url)
	if created["QueueArn"] != "arn:aws:sqs:eu-central-1:123456789012:callbacks" {
		t.Errorf("ARN %s", created["QueueArn"])
	}
	clock.Advance(time.Minute)
	set := func(attributes map[string]string) error {
		_, err := q.SetQueueAttributes(t.Context(), &aws_sqs.SetQueueAttributesInput{QueueUrl: &url, Attributes: attributes})
		return err
	}
	if err := set(map[string]string{"VisibilityTimeout": "45", "RedrivePolicy": ""}); err != nil {
		t.Fatal(err)
	}
	changed := q.attributes(url)
	if changed["VisibilityTimeout"] != "45" || changed["RedrivePolicy"] != "" || created["RedrivePolicy"] == "" ||
		changed["LastModifiedTimestamp"] <= changed["CreatedTimestamp"] {
		t.Errorf("attributes %v", changed)
	}
	wantFailure(t, set(fifo()), "InvalidAttributeName")
	wantFailure(t, set(map[string]string{"VisibilityTimeout": "45", "DelaySeconds": "901"}), "InvalidAttributeValue")

	get := func(names ...types.QueueAttributeName) (map[string]string, error) {
		out, err := q.GetQueueAttributes(t.Context(), &aws_sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: names})
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	}
	if got, err := get("VisibilityTimeout", "FifoQueue"); err != nil || len(got) != 1 {
		t.Errorf("selected %v, %v", got, err)
	}
	if got, err := get(); err != nil || len(got) != 0 {
		t.Errorf("without names: %v, %v", got, err)
	}
	_, err := get("Colour")
	wantFailure(t, err, "InvalidAttributeName")
}

func TestAQueueExistsForTheSameAttributesOnly(t *testing.T) {
	t.Parallel()
	q, _ := world(t, sqs.Config{})
	dead := q.create("dead", nil)
	url := q.create("callbacks", q.redriveTo(dead, 3))
	spaced := strings.ReplaceAll(q.redriveTo(dead, 3)["RedrivePolicy"], ":3", `: "3" `)
	if got := q.create("callbacks", map[string]string{"RedrivePolicy": spaced}); got != url {
		t.Errorf("URL %s, want %s", got, url)
	}
	if got := q.create("callbacks", nil); got != url {
		t.Errorf("URL %s, want %s", got, url)
	}
	_, err := q.CreateQueue(t.Context(), &aws_sqs.CreateQueueInput{
		QueueName: aws.String("callbacks"), Attributes: q.redriveTo(dead, 4)})
	wantFailure(t, err, "QueueNameExists")
}
