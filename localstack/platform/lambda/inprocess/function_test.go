package inprocess_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var errFailed = errors.New("failed")

// There is a function of each kind. The value "bad" makes a function fail.
var (
	pages = functions.Function{Name: "pages", Timeout: time.Minute, HTTP: func(*app.App) []rest.Route { return nil }}
	queue = functions.Function{Name: "polls", Timeout: time.Minute, Queue: &functions.Consumer{
		Handle: func(*app.App) func(context.Context, string) error {
			return func(_ context.Context, body string) error { return failOn(body) }
		}}}
	stream = functions.Function{Name: "relay", Timeout: time.Minute,
		Stream: &functions.Follower{Handle: func(*app.App) func(context.Context, events.DynamoDBEventRecord) error {
			return func(_ context.Context, record events.DynamoDBEventRecord) error { return failOn(record.EventID) }
		}}}
	tick = functions.Function{Name: "sweep", Timeout: time.Minute, Tick: &functions.Schedule{
		Handle: func(a *app.App) func(context.Context) error {
			return func(context.Context) error { return failOn(a.Table) }
		}}}
	invoke = functions.Function{Name: "reconcile", Timeout: time.Minute, Tick: &functions.Schedule{},
		Invoke: func(a *app.App) func(context.Context, json.RawMessage) (any, error) {
			return func(_ context.Context, request json.RawMessage) (any, error) {
				return map[string]any{"table": a.Table, "request": request}, failOn(strings.Trim(string(request), `"`))
			}
		}}
)

// both is a function that has routes and reads a queue.
var both = functions.Function{Name: "files", Timeout: time.Minute, HTTP: pages.HTTP, Queue: queue.Queue}

func failOn(value string) error {
	if value == "bad" {
		return errFailed
	}
	return nil
}

func start(t *testing.T, f functions.Function, table string) *inprocess.Function {
	t.Helper()
	running, err := inprocess.New(f, app.New(app.Config{Table: table, Region: "eu-central-1", BaseURL: "http://api.test",
		Secret: []byte(strings.Repeat("s", 32)), AllowHTTP: true},
		app.Overrides{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Metrics: io.Discard}))
	if err != nil {
		t.Fatal(err)
	}
	return running
}

func TestInvoke_EachKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f                  functions.Function
		table, event, want string
		err                error
	}{
		{queue, "", `{"Records":[{"messageId":"1","body":"good"},{"messageId":"2","body":"bad"}]}`,
			`{"batchItemFailures":[{"itemIdentifier":"2"}]}`, nil},
		{both, "", `{"Records":[{"messageId":"1","body":"good"},{"messageId":"2","body":"bad"}]}`,
			`{"batchItemFailures":[{"itemIdentifier":"2"}]}`, nil},
		{stream, "", `{"Records":[{"eventID":"good","dynamodb":{"SequenceNumber":"1"}},` +
			`{"eventID":"bad","dynamodb":{"SequenceNumber":"2"}},{"eventID":"bad","dynamodb":{"SequenceNumber":"3"}}]}`,
			`{"batchItemFailures":[{"itemIdentifier":"2"}]}`, nil},
		{tick, "good", `{"source":"aws.scheduler"}`, `null`, nil},
		{tick, "bad", `{}`, ``, errFailed},
		{invoke, "cashwrap", `{"a":1}`, `{"request":{"a":1},"table":"cashwrap"}`, nil},
		{invoke, "cashwrap", `"bad"`, ``, errFailed},
	} {
		ctx, cancel := start(t, c.f, c.table).Context(t.Context(), "r")
		got, err := start(t, c.f, c.table).Invoke(ctx, []byte(c.event))
		cancel()
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s of %s: got %s and error %v, want %s and %v", c.f.Name, c.event, got, err, c.want, c.err)
		}
	}
}

func TestInvoke_Family(t *testing.T) {
	t.Parallel()
	var event events.APIGatewayV2HTTPRequest
	event.RawPath, event.RequestContext.HTTP.Method, event.RequestContext.HTTP.Path = "/unknown", "GET", "/unknown"
	for _, f := range []functions.Function{pages, both} {
		reply, err := inprocess.Send[events.APIGatewayV2HTTPResponse](t.Context(), event, start(t, f, "").Invoke)
		if err != nil || reply.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %+v and error %v, want status 404", f.Name, reply, err)
		}
	}
}

// TestInvoke_ReplyKept checks that Invoke copies the reply, which a lambda.Handler's next call overwrites.
func TestInvoke_ReplyKept(t *testing.T) {
	t.Parallel()
	echo := start(t, invoke, "cashwrap")
	var got, want []string
	var replies [][]byte
	for n := range 20 {
		reply, err := echo.Invoke(t.Context(), []byte(strconv.Itoa(n)))
		if err != nil {
			t.Fatal(err)
		}
		replies, want = append(replies, reply), append(want, fmt.Sprintf(`{"request":%d,"table":"cashwrap"}`, n))
	}
	for _, reply := range replies {
		got = append(got, string(reply))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := start(t, tick, "").Context(t.Context(), "call-1")
	defer cancel()
	end, limited := ctx.Deadline()
	if left := time.Until(end); !limited || left > time.Minute || left < 50*time.Second {
		t.Errorf("got %v left (limited: %t), want nearly a minute", left, limited)
	}
	got, _ := lambdacontext.FromContext(ctx)
	want := &lambdacontext.LambdaContext{AwsRequestID: "call-1",
		InvokedFunctionArn: "arn:aws:lambda:eu-central-1:000000000000:function:sweep"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
}

func TestNew_WithoutCaller(t *testing.T) {
	t.Parallel()
	if _, err := inprocess.New(functions.Function{Name: "idle"}, app.New(app.Config{}, app.Overrides{})); err == nil ||
		!strings.Contains(err.Error(), "idle") {
		t.Errorf("got error %v, want one that names the function", err)
	}
}

func TestCall_Types(t *testing.T) {
	t.Parallel()
	batch := events.SQSEvent{Records: []events.SQSMessage{{MessageId: "1", Body: "good"}, {MessageId: "2", Body: "bad"}}}
	want := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{{ItemIdentifier: "2"}}}
	for _, f := range []functions.Function{queue, both} {
		running := start(t, f, "")
		got, err := inprocess.Call[events.SQSEventResponse](t.Context(), running, batch)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: got error %v, and the reply (-want +got):\n%s", f.Name, err, diff)
		}
		if _, err = inprocess.Call[string](t.Context(), running, batch); err == nil {
			t.Errorf("%s: a reply of another type: got no error, want one", f.Name)
		}
	}
	var event events.APIGatewayV2HTTPRequest
	event.RawPath, event.RequestContext.HTTP.Method, event.RequestContext.HTTP.Path = "/unknown", "GET", "/unknown"
	reply, err := inprocess.Call[events.APIGatewayV2HTTPResponse](t.Context(), start(t, both, ""), event)
	if err != nil || reply.StatusCode != http.StatusNotFound {
		t.Errorf("got %+v and error %v, want status 404", reply, err)
	}
	_, err = inprocess.Call[any](t.Context(), start(t, tick, "bad"), events.EventBridgeEvent{})
	if !errors.Is(err, errFailed) {
		t.Errorf("a tick: got error %v, want %v", err, errFailed)
	}
}

func TestSend_Failures(t *testing.T) {
	t.Parallel()
	answer := func(reply string, err error) func(context.Context, []byte) ([]byte, error) {
		return func(context.Context, []byte) ([]byte, error) { return []byte(reply), err }
	}
	if got, err := inprocess.Send[int](t.Context(), nil, answer("7", nil)); err != nil || got != 7 {
		t.Errorf("got %d and error %v, want 7", got, err)
	}
	if _, err := inprocess.Send[int](t.Context(), nil, answer("", errFailed)); !errors.Is(err, errFailed) {
		t.Errorf("got error %v, want %v", err, errFailed)
	}
	if _, err := inprocess.Send[int](t.Context(), nil, answer(`"seven"`, nil)); err == nil {
		t.Error("a reply of another type: got no error, want one")
	}
	if _, err := inprocess.Send[int](t.Context(), func() {}, answer("7", nil)); err == nil {
		t.Error("an event that JSON does not have: got no error, want one")
	}
}
