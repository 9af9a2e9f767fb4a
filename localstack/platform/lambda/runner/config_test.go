package runner

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/app"
)

// newConfig returns a configuration over the real engines, with a separate database and separate queue names.
func newConfig(t *testing.T) Config {
	t.Helper()
	e := Engines{DynamoDB: enginetest.Table(t), SQS: enginetest.Queues(t), AccessKey: enginetest.AccessKey(t)}
	environment := e.Environment([]byte("a secret for the runner's tests!"), time.Now())
	environment["BASE_URL"] = "http://api.test"
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return Config{
		QueuePrefix: rand.Text() + "-",
		Environment: environment,
		Overrides:   app.Overrides{Credentials: e.Credentials(), Log: log},
		Manual:      true,
		Log:         log,
	}
}

func startRunner(t *testing.T, c Config) *Runner {
	t.Helper()
	r, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return r
}

// put writes items with the partition keys, in order.
func put(t *testing.T, r *Runner, keys ...string) {
	t.Helper()
	settings, err := r.settings()
	if err != nil {
		t.Fatal(err)
	}
	_, table := app.New(settings, r.config.Overrides).Store.Raw()
	for _, key := range keys {
		item := map[string]any{"pk": key, "sk": "ITEM", "tags": []string{"a"}, "count": 7,
			"inner": map[string]any{"yes": true}, "nothing": struct{}{}}
		if err := table.Put(item).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func partition(record events.DynamoDBEventRecord) string {
	return record.Change.NewImage["pk"].String()
}

func queueClient(r *Runner) *sqs.Client {
	return sqs.NewFromConfig(r.awsConfig(app.Config{Region: Region}, r.environment["SQS_ENDPOINT"]))
}

func sendMessage(t *testing.T, r *Runner, url, body string) {
	t.Helper()
	_, err := queueClient(r).SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(url),
		MessageBody: aws.String(body)})
	if err != nil {
		t.Fatal(err)
	}
}

// drain calls a drain method of the runner and returns the count.
func drain(t *testing.T, what func(context.Context) (int, error)) int {
	t.Helper()
	n, err := what(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
