package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestEventLog_ColdStart checks that only log lines of the first event have cold_start, for each kind of function.
func TestEventLog_ColdStart(t *testing.T) {
	t.Parallel()
	type empty struct{}
	for kind, start := range map[string]func(*app.App) func(context.Context) error{
		"HTTP": func(a *app.App) func(context.Context) error {
			handle := a.HTTP(func(*app.App) []rest.Route {
				return []rest.Route{{Method: "GET", Path: "/here", Access: rest.Open,
					Handle: rest.JSON(200, func(context.Context, empty) (empty, error) { return empty{}, nil })}}
			})
			event := events.APIGatewayV2HTTPRequest{RawPath: "/nowhere"} // answers without the table
			event.RequestContext.HTTP.Method, event.RequestContext.HTTP.SourceIP = "GET", "192.0.2.7"
			return func(ctx context.Context) error { _, err := handle(ctx, event); return err }
		},
		"queue": func(a *app.App) func(context.Context) error {
			handle := a.Queue(func(a *app.App) func(context.Context, string) error {
				return func(ctx context.Context, body string) error { a.Log.InfoContext(ctx, body); return nil }
			})
			return func(ctx context.Context) error {
				_, err := handle(ctx, events.SQSEvent{Records: []events.SQSMessage{{Body: "message"}}})
				return err
			}
		},
		"stream": func(a *app.App) func(context.Context) error {
			handle := a.Stream(func(a *app.App) func(context.Context, events.DynamoDBEventRecord) error {
				return func(ctx context.Context, _ events.DynamoDBEventRecord) error {
					a.Log.With("table", "t").InfoContext(ctx, "record")
					return nil
				}
			})
			return func(ctx context.Context) error {
				_, err := handle(ctx, events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{{}}})
				return err
			}
		},
		"tick": func(a *app.App) func(context.Context) error {
			handle := a.Tick(func(a *app.App) func(context.Context) error {
				return func(ctx context.Context) error { a.Log.InfoContext(ctx, "tick"); return nil }
			})
			return func(ctx context.Context) error { return handle(ctx, events.EventBridgeEvent{}) }
		},
		"invocation": func(a *app.App) func(context.Context) error {
			handle := a.Invoke(func(a *app.App) func(context.Context, json.RawMessage) (any, error) {
				return func(ctx context.Context, _ json.RawMessage) (any, error) {
					a.At(a.Now()).Log.InfoContext(ctx, "command") // the same event, at a simulated time
					return nil, nil
				}
			})
			return func(ctx context.Context) error { _, err := handle(ctx, nil); return err }
		},
	} {
		var out bytes.Buffer
		call := start(app.New(app.Config{Secret: []byte(strings.Repeat("a", 32)), BaseURL: "https://api.example.com"},
			app.Overrides{Log: slog.New(slog.NewJSONHandler(&out, nil))}))
		for range 3 {
			if err := call(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 3 || strings.Count(lines[0], `"cold_start":true`) != 1 ||
			strings.Contains(lines[1]+lines[2], "cold_start") {
			t.Errorf("%s: got lines\n%s\nwant three, the first alone with cold_start, once", kind, &out)
		}
	}
}
