//go:build otel

package app

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"go.opentelemetry.io/contrib/instrumentation/github.com/aws/aws-lambda-go/otellambda"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// flushTime limits the wait for the collector at the end of an event. Afterwards Lambda may freeze the process. Spans
// that were not sent by then are lost or are sent with the next event.
const flushTime = 500 * time.Millisecond

// tracing sends spans to a collector by OTLP over HTTP: for each event, for each attempt of a call to AWS and for each
// call to an acquirer. The spans' attributes name only operations and results. They contain no part of a request or of
// an error's text. The SDK also reads variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER).
type tracing struct {
	provider *sdk.TracerProvider // nil: off
	tracer   trace.Tracer
	log      *slog.Logger
	failed   sync.Once
}

func newTracing(c Config, log *slog.Logger) *tracing {
	if c.OTLPEndpoint == "" {
		return &tracing{}
	}
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(c.OTLPEndpoint+"/v1/traces"),
		otlptracehttp.WithTimeout(flushTime), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}))
	if err != nil {
		log.Warn("no tracing", "error", err)
		return &tracing{}
	}
	provider := sdk.NewTracerProvider(
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", os.Getenv("AWS_LAMBDA_FUNCTION_NAME")),
			attribute.String("service.version", c.Commit), attribute.String("deployment.environment.name", c.Stage))),
		sdk.WithBatcher(exporter, sdk.WithExportTimeout(flushTime)))
	return &tracing{provider: provider, tracer: provider.Tracer("github.com/cashwrap/cashwrap/shared/app"), log: log}
}

// wrapHandler adds a span for each event, and sends the spans before the answer.
func (t *tracing) wrapHandler(h any) any {
	if t.provider == nil {
		return h
	}
	return otellambda.WrapHandler(lambda.NewHandler(h), otellambda.WithTracerProvider(t.provider),
		otellambda.WithFlusher(t))
}

// ForceFlush sends the spans, and never fails the event. An unreachable collector costs at most flushTime for each
// event, and one line in the log of each process.
func (t *tracing) ForceFlush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := t.provider.ForceFlush(ctx); err != nil {
		t.failed.Do(func() { t.log.WarnContext(ctx, "spans not sent", "error", err) })
	}
	return nil
}

// wrapClient adds a span for each attempt of a call. The spans are made at the HTTP client, because OpenTelemetry's
// library for the AWS SDK is no longer supported.
func (t *tracing) wrapClient(c aws.HTTPClient) aws.HTTPClient {
	if t.provider == nil {
		return c
	}
	return tracedCalls{c, t.tracer}
}

type tracedCalls struct {
	next   aws.HTTPClient
	tracer trace.Tracer
}

// Do names the span after the service's operation, such as DynamoDB_20120810.GetItem.
func (c tracedCalls) Do(r *http.Request) (*http.Response, error) {
	target := r.Header.Get("X-Amz-Target")
	service, operation, _ := strings.Cut(target, ".")
	ctx, span := c.tracer.Start(r.Context(), target, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("rpc.system", "aws-api"), attribute.String("rpc.service", service),
		attribute.String("rpc.method", operation)))
	defer span.End()
	response, err := c.next.Do(r.WithContext(ctx))
	if err != nil {
		span.SetStatus(codes.Error, "no answer")
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	return response, nil
}

// wrapAcquirer adds a span for each call.
func (t *tracing) wrapAcquirer(a acquirer.Acquirer) acquirer.Acquirer {
	if t.provider == nil {
		return a
	}
	return tracedAcquirer{a, t.tracer}
}

type tracedAcquirer struct {
	acquirer.Acquirer
	tracer trace.Tracer
}

func (a tracedAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	return traceCall(ctx, a.tracer, "Charge", a.Acquirer.Charge, c)
}

func (a tracedAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	return traceCall(ctx, a.tracer, "LookUp", a.Acquirer.LookUp, id)
}

func (a tracedAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	return traceCall(ctx, a.tracer, "Complete", func(ctx context.Context, id string) (payments.Outcome, error) {
		return a.Acquirer.Complete(ctx, id, answer)
	}, id)
}

func (a tracedAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	return traceCall(ctx, a.tracer, "Cancel", a.Acquirer.Cancel, id)
}

func (a tracedAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	return traceCall(ctx, a.tracer, "Refund", a.Acquirer.Refund, r)
}

func (a tracedAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	return traceCall(ctx, a.tracer, "CancelRefund", a.Acquirer.CancelRefund, id)
}

func (a tracedAcquirer) DeleteCard(ctx context.Context, token string) error {
	_, err := traceCall(ctx, a.tracer, "DeleteCard", func(ctx context.Context, token string) (struct{}, error) {
		return struct{}{}, a.Acquirer.DeleteCard(ctx, token)
	}, token)
	return err
}

func traceCall[In, Out any](ctx context.Context, tracer trace.Tracer, operation string,
	call func(context.Context, In) (Out, error), in In) (Out, error) {
	ctx, span := tracer.Start(ctx, "acquirer."+operation, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	result, err := call(ctx, in)
	if err != nil {
		span.SetStatus(codes.Error, "no outcome")
	}
	return result, err
}
