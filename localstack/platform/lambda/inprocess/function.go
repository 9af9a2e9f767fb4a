// Package inprocess runs functions in this process like the Lambda runtime. Start a function with New and call it with
// Invoke or Call. Package runtime runs programs instead.
package inprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// Account is the made-up AWS account of all functions.
const Account = "000000000000"

// ARN returns the ARN of a function in a region.
func ARN(function, region string) string {
	return "arn:aws:lambda:" + region + ":" + Account + ":function:" + function
}

// Function runs a function in this process. Like an execution environment, it keeps its memory between calls. Unlike an
// execution environment, it runs calls concurrently.
type Function struct {
	functions.Function
	ARN string

	handler any // argument of lambda.Start in the function's program
	// idle holds a lambda.Handler per concurrent call, because a handler's next call overwrites its last result.
	idle sync.Pool
}

// New starts a function over its App. It fails if the function has no caller.
func New(f functions.Function, a *app.App) (*Function, error) {
	handler, err := handlerOf(f, a)
	if err != nil {
		return nil, err
	}
	return &Function{Function: f, ARN: ARN(f.Name, a.Region), handler: handler,
		idle: sync.Pool{New: func() any { return lambda.NewHandler(handler) }}}, nil
}

func handlerOf(f functions.Function, a *app.App) (any, error) {
	switch {
	case f.HTTP != nil && f.Queue != nil:
		return a.HTTPAndQueue(f.HTTP, f.Queue.Handle), nil
	case f.HTTP != nil:
		return a.HTTP(f.HTTP), nil
	case f.Queue != nil:
		return a.Queue(f.Queue.Handle), nil
	case f.Stream != nil:
		return a.Stream(f.Stream.Handle), nil
	case f.Invoke != nil: // possibly also on a schedule
		return a.Invoke(f.Invoke), nil
	case f.Tick != nil:
		return a.Tick(f.Tick.Handle), nil
	default:
		return nil, fmt.Errorf("function %q: nothing calls it", f.Name)
	}
}

// Context returns the context of one call. It ends at the function's time limit and holds Lambda's data about the call.
func (f *Function) Context(parent context.Context, requestID string) (context.Context, context.CancelFunc) {
	parent = lambdacontext.NewContext(parent,
		&lambdacontext.LambdaContext{AwsRequestID: requestID, InvokedFunctionArn: f.ARN})
	return context.WithTimeout(parent, f.Timeout)
}

// Invoke calls the function under a context from [Function.Context]. It returns the function's error. It does not
// recover panics.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	handler := f.idle.Get().(lambda.Handler)
	reply, err := handler.Invoke(ctx, payload)
	reply = bytes.Clone(reply)
	f.idle.Put(handler)
	return reply, err
}

// Call passes an event to the function's handler without JSON, which is faster for the simulator's many calls. Only a
// function with both HTTP and a queue gets the event as JSON. Event and Reply must be the handler's types (package
// app), or Call fails. If the handler returns only an error, Reply may be any type.
func Call[Reply, Event any](ctx context.Context, f *Function, event Event) (reply Reply, err error) {
	switch handle := f.handler.(type) {
	case func(context.Context, Event) (Reply, error):
		return handle(ctx, event)
	case func(context.Context, Event) error:
		return reply, handle(ctx, event)
	case app.HTTPAndQueueEvent:
		return callEither[Reply](ctx, f, handle, event)
	default:
		return reply, fmt.Errorf("function %q: its handler is a %T", f.Name, handle)
	}
}

// callEither implements Call for a function with both HTTP and a queue. Such a function recognizes its caller by the
// event's JSON.
func callEither[Reply any](ctx context.Context, f *Function, handle app.HTTPAndQueueEvent,
	event any) (reply Reply, err error) {
	payload, err := json.Marshal(event)
	if err != nil {
		return reply, err
	}
	out, err := handle(ctx, payload)
	if err != nil {
		return reply, err
	}
	reply, ok := out.(Reply)
	if !ok {
		err = fmt.Errorf("function %q: its reply is a %T", f.Name, out)
	}
	return reply, err
}

// Send calls a function with an event and decodes its reply. It returns the call's error, or the error of encoding or
// decoding JSON.
func Send[Reply any](ctx context.Context, event any,
	call func(ctx context.Context, payload []byte) ([]byte, error)) (reply Reply, err error) {
	payload, err := json.Marshal(event)
	if err != nil {
		return reply, err
	}
	out, err := call(ctx, payload)
	if err != nil {
		return reply, err
	}
	return reply, json.Unmarshal(out, &reply)
}
