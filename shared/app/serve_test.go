package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

var errBad = errors.New("bad")

func newQuietApp() *app.App {
	return app.New(app.Config{Secret: []byte(strings.Repeat("a", 32)), BaseURL: "https://api.example.com"},
		app.Overrides{Log: slog.New(slog.DiscardHandler)})
}

func TestQueue_FailedMessages(t *testing.T) {
	t.Parallel()
	handle := newQuietApp().Queue(func(*app.App) func(context.Context, string) error {
		return func(_ context.Context, body string) error {
			if body == "bad" {
				return errBad
			}
			return nil
		}
	})
	for _, test := range []struct{ bodies, failed []string }{
		{[]string{"good", "good"}, []string{}}, {[]string{"bad", "good", "bad"}, []string{"0", "2"}},
	} {
		event := events.SQSEvent{}
		for i, body := range test.bodies {
			event.Records = append(event.Records, events.SQSMessage{MessageId: string(rune('0' + i)), Body: body})
		}
		response, err := handle(t.Context(), event)
		got := []string{}
		for _, failure := range response.BatchItemFailures {
			got = append(got, failure.ItemIdentifier)
		}
		if err != nil || response.BatchItemFailures == nil || !slices.Equal(got, test.failed) {
			t.Errorf("%v: got failures %#v (%v), want %#v", test.bodies, response.BatchItemFailures, err, test.failed)
		}
	}
}

// TestQueue_Panic checks that a panic about one message ends neither the process nor the other messages of the batch.
func TestQueue_Panic(t *testing.T) {
	t.Parallel()
	a := newQuietApp()
	handle := a.Queue(func(*app.App) func(context.Context, string) error {
		return app.Consume(a, func(_ context.Context, _ identity.Tenant, m app.CallbackMessage) error {
			if m.ID == "bad" {
				panic("index out of range")
			}
			return nil
		})
	})
	response, err := handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		{MessageId: "1", Body: `{"callback":"good"}`}, {MessageId: "2", Body: `{"callback":"bad"}`},
		{MessageId: "3", Body: `{"callback":"bad"}`}}})
	var got []string
	for _, failure := range response.BatchItemFailures {
		got = append(got, failure.ItemIdentifier)
	}
	if want := []string{"2", "3"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got failures %v (%v), want %v", got, err, want)
	}
}

func TestStream_FirstFailure(t *testing.T) {
	t.Parallel()
	var handled []string
	handle := newQuietApp().Stream(func(*app.App) func(context.Context, events.DynamoDBEventRecord) error {
		return func(_ context.Context, record events.DynamoDBEventRecord) error {
			handled = append(handled, record.Change.SequenceNumber)
			if record.Change.SequenceNumber == "2" {
				return errBad
			}
			return nil
		}
	})
	event := events.DynamoDBEvent{}
	for _, number := range []string{"1", "2", "3"} {
		event.Records = append(event.Records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			SequenceNumber: number}})
	}
	response, err := handle(t.Context(), event)
	if err != nil || len(response.BatchItemFailures) != 1 || response.BatchItemFailures[0].ItemIdentifier != "2" {
		t.Errorf("got failures %v (%v), want only 2", response.BatchItemFailures, err)
	}
	if !slices.Equal(handled, []string{"1", "2"}) {
		t.Errorf("got %v handled, want 1 and 2", handled)
	}
}

type echoRequest struct {
	ID string `path:"id"`
}

type echo struct {
	ID string `json:"id"`
}

// TestHTTP_EscapedIDs checks that ids reach the operation as the client sent them, although API Gateway decodes the
// path.
func TestHTTP_EscapedIDs(t *testing.T) {
	t.Parallel()
	serve := newQuietApp().HTTP(func(*app.App) []rest.Route {
		return []rest.Route{{Method: "GET", Path: "/things/{id}/parts", Access: rest.Open,
			Handle: rest.JSON(200, func(_ context.Context, r echoRequest) (echo, error) { return echo(r), nil })}}
	})
	for _, id := range []string{"plain", "a/b", "50%", "a?b", "a b", "ü#1", ".."} {
		response, err := serve(t.Context(), events.APIGatewayV2HTTPRequest{
			RouteKey: "ANY /things/{id}/parts", RawPath: "/things/" + id + "/parts", PathParameters: map[string]string{"id": id},
			Headers: map[string]string{"x-forwarded-proto": "https"},
			RequestContext: events.APIGatewayV2HTTPRequestContext{HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: "GET", Path: "/things/" + id + "/parts", SourceIP: "192.0.2.1"}},
		})
		if err != nil || response.StatusCode != 200 || response.Body != `{"id":"`+id+`"}` {
			t.Errorf("%s: got %d %s (%v), want 200 with the id", id, response.StatusCode, response.Body, err)
		}
	}
}

// TestHTTPAndQueue checks that the form of an event decides which handler gets it, even if a client imitates the other
// form. An event of neither form or of both is an error.
func TestHTTPAndQueue(t *testing.T) {
	t.Parallel()
	var bodies []string
	serve := newQuietApp().HTTPAndQueue(func(*app.App) []rest.Route {
		return []rest.Route{{Method: "GET", Path: "/things/{id}", Access: rest.Open,
			Handle: rest.JSON(200, func(_ context.Context, r echoRequest) (echo, error) { return echo(r), nil })}}
	}, func(*app.App) func(context.Context, string) error {
		return func(_ context.Context, body string) error { bodies = append(bodies, body); return nil }
	})
	const batch = `"Records":[{"messageId":"1","eventSource":"aws:sqs","body":"{\"requestContext\":{}}"}]`
	const request = `"version":"2.0","routeKey":"ANY /things/{id}","rawPath":"/things/Records",` +
		`"queryStringParameters":{"Records":"[]"},"headers":{"x-forwarded-proto":"https","records":"[]"},` +
		`"pathParameters":{"id":"Records"},"body":"{\"Records\":[]}",` +
		`"requestContext":{"http":{"method":"GET","path":"/things/Records","sourceIp":"192.0.2.1"}}`
	for _, c := range []struct {
		event  string
		bodies []string
		reply  string // "": an error
	}{
		{"{" + batch + "}", []string{`{"requestContext":{}}`}, `{"batchItemFailures":[]}`},
		{"{" + request + "}", nil, `{"id":"Records"}`},
		{"{" + batch + "," + request + "}", nil, ""},
		{`{"source":"aws.scheduler"}`, nil, ""},
		{`{}`, nil, ""},
		{`[]`, nil, ""},
		{`{"Records":1}`, nil, ""},
		{`{"requestContext":1}`, nil, ""},
	} {
		bodies = nil
		out, err := serve(t.Context(), json.RawMessage(c.event))
		reply := ""
		switch out := out.(type) {
		case events.APIGatewayV2HTTPResponse:
			reply = out.Body
		case events.SQSEventResponse:
			text, _ := json.Marshal(out)
			reply = string(text)
		}
		diff := cmp.Diff(c.bodies, bodies)
		if diff != "" || (err != nil) != (c.reply == "") || err == nil && reply != c.reply {
			t.Errorf("%s: got reply %s, error %v, and messages (-want +got):\n%s\nwant reply %q", c.event, reply, err, diff,
				c.reply)
		}
	}
}

// TestFileMessage_ObjectOrShard checks that a message is dropped if it names neither an object nor a shard, or if it
// names both.
func TestFileMessage_ObjectOrShard(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123456789abcdef"
	for body, want := range map[string]bool{
		`{"object":"` + key + `"}`:                  true,
		`{"shard":0}`:                               true,
		`{"shard":15,"after":"f0"}`:                 true,
		`{}`:                                        false,
		`{"object":"` + key + `","shard":0}`:        false,
		`{"object":"` + key + `","after":"f0"}`:     false,
		`{"object":"` + key[1:] + `"}`:              false,
		`{"object":"` + strings.ToUpper(key) + `"}`: false,
		`{"object":"../` + key[3:] + `"}`:           false,
		`{"object":"` + key + `\n"}`:                false,
		`{"shard":16}`:                              false,
		`{"shard":-1}`:                              false,
		`{"after":"f0"}`:                            false,
	} {
		var m app.FileMessage
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err)
		}
		if tenant, got := m.Names(); got != want || tenant != (identity.Tenant{}) {
			t.Errorf("%s: got %+v, %t; want no tenant, %t", body, tenant, got, want)
		}
	}
}
