package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// The kinds of function. Each is built from an App, for Lambda, the local run and tests alike.
type (
	// Routes answer HTTP API events (payload format 2.0).
	Routes func(*App) []rest.Route
	// Queue handles one message body. After an error the message stays in the queue.
	Queue func(*App) func(ctx context.Context, body string) error
	// Stream handles one record of the table's stream.
	Stream func(*App) func(ctx context.Context, record events.DynamoDBEventRecord) error
	// Tick runs on a schedule.
	Tick func(*App) func(ctx context.Context) error
	// Invoke answers an operator's direct invocation.
	Invoke func(*App) func(ctx context.Context, request json.RawMessage) (any, error)
)

// The handlers that Lambda calls, one for each kind of function.
type (
	// HTTPEvent handles a request of an HTTP API.
	HTTPEvent = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
	// QueueEvent handles a batch of messages.
	QueueEvent = func(context.Context, events.SQSEvent) (events.SQSEventResponse, error)
	// StreamEvent handles a batch of the table's changes.
	StreamEvent = func(context.Context, events.DynamoDBEvent) (events.DynamoDBEventResponse, error)
	// TickEvent handles a schedule's event.
	TickEvent = func(context.Context, events.EventBridgeEvent) error
	// HTTPAndQueueEvent handles requests of an HTTP API and batches of messages.
	HTTPAndQueueEvent = func(context.Context, json.RawMessage) (any, error)
	// InvokeEvent answers a direct invocation.
	InvokeEvent = func(context.Context, json.RawMessage) (any, error)
)

// HTTP adapts routes to API Gateway. httpadapter answers 504 if a handler writes nothing, but ours always writes.
func (a *App) HTTP(routes Routes) HTTPEvent {
	adapter := httpadapter.NewV2(a.Handler(routes(a)))
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		event.RawPath = escapedPath(event)
		return adapter.ProxyWithContext(a.enter(ctx), event)
	}
}

// escapedPath returns the path as the client sent it. The gateway decodes the path, which would turn an id with a slash
// or a percent sign into another path.
func escapedPath(event events.APIGatewayV2HTTPRequest) string {
	_, pattern, ok := strings.Cut(event.RouteKey, " ")
	if !ok { // the route is $default
		return (&url.URL{Path: event.RawPath}).EscapedPath()
	}
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if name, isParameter := strings.CutPrefix(segment, "{"); isParameter {
			segments[i] = url.PathEscape(event.PathParameters[strings.TrimSuffix(name, "}")])
		}
	}
	return strings.Join(segments, "/")
}

// Queue adapts a message handler to SQS, with partial batch failures. It handles the messages of a batch concurrently.
func (a *App) Queue(queue Queue) QueueEvent {
	handle := queue(a)
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		ctx = a.enter(ctx)
		failed := make([]bool, len(event.Records))
		var group sync.WaitGroup
		for i, message := range event.Records {
			group.Go(func() {
				if err := handleSafely(ctx, handle, message.Body); err != nil {
					a.Log.ErrorContext(ctx, "message failed", "message_id", message.MessageId, "error", err)
					failed[i] = true
				}
			})
		}
		group.Wait()
		// The list is never nil: some consumers read null as "all failed".
		response := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for i, bad := range failed {
			if bad {
				response.BatchItemFailures = append(response.BatchItemFailures,
					events.SQSBatchItemFailure{ItemIdentifier: event.Records[i].MessageId})
			}
		}
		return response, nil
	}
}

// HTTPAndQueue adapts routes and a message handler of one function. It decides by the event: SQS sends records, and an
// HTTP API sends a request context. Clients can forge neither, because they set only path, headers and body.
func (a *App) HTTPAndQueue(routes Routes, queue Queue) HTTPAndQueueEvent {
	answer, handle := a.HTTP(routes), a.Queue(queue)
	return func(ctx context.Context, event json.RawMessage) (any, error) {
		var shape struct{ Records, RequestContext json.RawMessage }
		if err := json.Unmarshal(event, &shape); err != nil {
			return nil, fmt.Errorf("app: read an event: %w", err)
		}
		switch {
		case shape.Records != nil && shape.RequestContext == nil:
			return dispatch(ctx, event, handle)
		case shape.RequestContext != nil && shape.Records == nil:
			return dispatch(ctx, event, answer)
		default:
			return nil, errUnknownEvent
		}
	}
}

var errUnknownEvent = errors.New("app: the event is neither a batch of messages nor a request")

// dispatch decodes an event and passes it to its handler.
func dispatch[Event, Reply any](ctx context.Context, event json.RawMessage,
	handle func(context.Context, Event) (Reply, error)) (any, error) {
	var in Event
	if err := json.Unmarshal(event, &in); err != nil {
		return nil, fmt.Errorf("app: read an event: %w", err)
	}
	return handle(ctx, in)
}

// handleSafely calls the handler and turns a panic into an error, so that only this message fails.
func handleSafely(ctx context.Context, handle func(context.Context, string) error, body string) (err error) {
	defer failure.Recover(&err)
	return handle(ctx, body)
}

// Stream adapts a record handler to the table's stream. It handles records in order until one fails. Lambda starts
// again at the failed record.
func (a *App) Stream(stream Stream) StreamEvent {
	handle := stream(a)
	return func(ctx context.Context, event events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
		ctx = a.enter(ctx)
		response := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
		for _, record := range event.Records {
			if err := handle(ctx, record); err != nil {
				a.Log.ErrorContext(ctx, "stream record failed", "sequence", record.Change.SequenceNumber, "error", err)
				response.BatchItemFailures = append(response.BatchItemFailures,
					events.DynamoDBBatchItemFailure{ItemIdentifier: record.Change.SequenceNumber})
				break
			}
		}
		return response, nil
	}
}

// Tick adapts a schedule's handler.
func (a *App) Tick(tick Tick) TickEvent {
	handle := tick(a)
	return func(ctx context.Context, _ events.EventBridgeEvent) error { return handle(a.enter(ctx)) }
}

// CallID returns Lambda's id of the current call, or "" outside of a call.
func CallID(ctx context.Context) string {
	call, ok := lambdacontext.FromContext(ctx)
	if !ok {
		return ""
	}
	return call.AwsRequestID
}

// Invoke adapts the handler of direct invocations.
func (a *App) Invoke(invoke Invoke) InvokeEvent {
	handle := invoke(a)
	return func(ctx context.Context, request json.RawMessage) (any, error) { return handle(a.enter(ctx), request) }
}

// ServeRoutes runs a Lambda program that serves routes. The program does not start without the secrets that it uses.
// The other Serve functions do the same for their kinds.
func ServeRoutes(routes Routes, uses ...Secret) {
	start(uses, func(a *App) any { return a.HTTP(routes) })
}

// ServeQueue runs a queue's consumer.
func ServeQueue(queue Queue, uses ...Secret) {
	start(uses, func(a *App) any { return a.Queue(queue) })
}

// ServeRoutesAndQueue runs a function that serves routes and consumes a queue.
func ServeRoutesAndQueue(routes Routes, queue Queue, uses ...Secret) {
	start(uses, func(a *App) any { return a.HTTPAndQueue(routes, queue) })
}

// ServeStream runs a stream's consumer.
func ServeStream(stream Stream, uses ...Secret) {
	start(uses, func(a *App) any { return a.Stream(stream) })
}

// ServeTick runs a scheduled function.
func ServeTick(tick Tick, uses ...Secret) {
	start(uses, func(a *App) any { return a.Tick(tick) })
}

// ServeInvoke runs a function that operators invoke.
func ServeInvoke(invoke Invoke, uses ...Secret) {
	start(uses, func(a *App) any { return a.Invoke(invoke) })
}

// Traced returns the handler with a span for each event if the program is built with tracing and a collector is set.
// Otherwise it returns the handler unchanged.
func (a *App) Traced(handler any) any { return a.tracing.wrapHandler(handler) }

func start(uses []Secret, handler func(*App) any) {
	config, err := FromEnvironment(os.Getenv, uses...)
	if err != nil {
		newLog(os.Stderr, false, commitOf(os.Getenv)).Error("bad configuration", "error", err)
		os.Exit(1)
	}
	a := New(config, Overrides{})
	if config.Deployed {
		go a.openConnection(context.Background())
	}
	lambda.Start(a.Traced(handler(a)))
}
