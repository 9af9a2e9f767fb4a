package faults

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// operations lists the requests of one process to the table, in order.
var operations = []struct {
	name string
	call func(context.Context, *dynamodb.Client) error
}{
	{"PutItem", func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("t"), Item: map[string]types.AttributeValue{}})
		return err
	}},
	{"Query", func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("t")})
		return err
	}},
	{"TransactWriteItems", func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{}})
		return err
	}},
	{"Scan", func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("t")})
		return err
	}},
}

// observeEffect runs the operations as one process with a fault at one step. Its result lists which operations
// succeeded, and which changed something at AWS.
func observeEffect(t *testing.T, step int, f Fault) string {
	t.Helper()
	var steps Steps
	var said, done []string
	steps.Plan(step, f)
	client := dynamodb.New(dynamodb.Options{Region: "eu-central-1",
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
		HTTPClient: &http.Client{Transport: steps.AWS(RoundTrip(func(r *http.Request) (*http.Response, error) {
			if name := sdkcall.Operation(r); !slices.Contains(reads, name) {
				done = append(done, name)
			}
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
		}))}})
	for _, one := range operations {
		said = append(said, fmt.Sprint(one.name, " ", one.call(t.Context(), client) == nil))
	}
	return fmt.Sprint(said, done)
}

// TestDistinct_SameEffect checks the faults that Distinct leaves out. Each must have the same effect as a fault that
// Distinct returns: the same operations of a process succeed, fail and change something.
func TestDistinct_SameEffect(t *testing.T) {
	for i, one := range operations {
		shown := map[string]bool{}
		for _, f := range Distinct(one.name) {
			shown[observeEffect(t, i+1, f)] = true
		}
		for _, f := range Plannable {
			if got := observeEffect(t, i+1, f); !shown[got] {
				t.Errorf("%s: %s: got %s, which no fault shows that is kept", one.name, f, got)
			}
		}
		if len(shown) < 2 || Distinct(one.name)[0] != Plannable[0] {
			t.Errorf("%s: got %v with effects %v, want several, and %v first", one.name, Distinct(one.name), shown, Plannable[0])
		}
	}
}
