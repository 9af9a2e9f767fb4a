//go:build otel

package rules_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/functions/checkouts"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
	"github.com/cashwrap/cashwrap/shared/app"
)

// otlpReceiver is an OTLP collector that stores the spans.
type otlpReceiver struct {
	*httptest.Server
	mu    sync.Mutex
	text  strings.Builder // all requests as JSON
	spans []*spans.Span
}

func newOTLPReceiver(t *testing.T) *otlpReceiver {
	r := &otlpReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, asked *http.Request) {
		body, err := io.ReadAll(asked.Body)
		var request collector.ExportTraceServiceRequest
		if err != nil || asked.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
			t.Errorf("got %s %s (%v), want spans", asked.URL, body, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		text, _ := protojson.Marshal(&request)
		r.text.Write(text)
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// payTraced pays a checkout by card through the handler of checkouts, set up like its program. It returns the texts
// that no span may contain.
func payTraced(t *testing.T, endpoint string) (w *world.World, personal []string) {
	w = world.New(t)
	shop := w.Shop()
	id := shop.Create("10", nil)
	a := w.AppWith(func(c *app.Config, _ *app.Overrides) { c.OTLPEndpoint = endpoint })
	routes, err := gateway.NewRoutes(functions.All, a)
	if err != nil {
		t.Fatal(err)
	}
	handler := a.Traced(a.HTTP(checkouts.Routes)).(lambda.Handler)
	api := &gateway.Gateway{Routes: routes, Now: w.Clock.Now, Call: func(ctx context.Context, _ string,
		event events.APIGatewayV2HTTPRequest) (reply events.APIGatewayV2HTTPResponse, err error) {
		ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: "1",
			InvokedFunctionArn: "arn:aws:lambda:eu-central-1:000000000000:function:checkouts"})
		payload, err := json.Marshal(event)
		if err != nil {
			return reply, err
		}
		out, err := handler.Invoke(ctx, payload)
		if err != nil {
			return reply, err
		}
		return reply, json.Unmarshal(out, &reply)
	}}
	body, err := json.Marshal(shop.Card(world.Frictionless))
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/v0.1/checkouts/"+id, bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+w.Merchant.Key.Plaintext)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	api.ServeHTTP(response, request)
	if response.Code != http.StatusOK {
		t.Fatalf("got %d %s, want 200", response.Code, response.Body)
	}
	return w, []string{id, w.Merchant.Code, w.Merchant.Key.Plaintext, w.Merchant.Key.ID, world.Frictionless,
		"Kaffeehaus", "kaffee@example.com", "192.0.2.1", "Bearer"}
}

// allowedAttributes are the only attributes that a span may have.
var allowedAttributes = []string{"rpc.system", "rpc.service", "rpc.method", "http.response.status_code",
	"faas.invocation_id", "aws.lambda.invoked_arn", "cloud.account.id"}

// TestTracing_SpansOfPayment checks the spans of the event, of its calls to the table and the acquirer, and of the
// sandbox acquirer's calls to its table. All spans are in one trace and sent before the answer. They contain nothing of
// the payer, the merchant or the card.
func TestTracing_SpansOfPayment(t *testing.T) {
	t.Parallel()
	r := newOTLPReceiver(t)
	_, personal := payTraced(t, r.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	const event = "the event"
	names := map[string][]string{} // by the parent's name
	byID := map[string]string{}
	for _, s := range r.spans {
		byID[string(s.GetSpanId())] = s.GetName()
		if len(s.GetParentSpanId()) == 0 {
			byID[string(s.GetSpanId())] = event
		}
		for _, a := range s.GetAttributes() {
			if !slices.Contains(allowedAttributes, a.GetKey()) {
				t.Errorf("%s: got attribute %s, want one of %v", s.GetName(), a.GetKey(), allowedAttributes)
			}
		}
		if len(s.GetEvents()) > 0 || s.GetStatus().GetMessage() != "" {
			t.Errorf("%s: got events %v, status %v; want none", s.GetName(), s.GetEvents(), s.GetStatus())
		}
	}
	for _, s := range r.spans {
		if !bytes.Equal(s.GetTraceId(), r.spans[0].GetTraceId()) {
			t.Errorf("%s: got another trace, want one", s.GetName())
		}
		parent := byID[string(s.GetParentSpanId())]
		names[parent] = append(names[parent], s.GetName())
	}
	const table = "DynamoDB_20120810."
	if len(names[""]) != 1 {
		t.Fatalf("got %v, want one span of the event", names)
	}
	want := []string{table + "BatchGetItem", table + "GetItem", table + "PutItem", "acquirer.Charge",
		table + "TransactWriteItems"}
	if got := names[event]; !containsAll(got, want) {
		t.Errorf("got %v in the event, want %v", got, want)
	}
	if len(names["acquirer.Charge"]) == 0 {
		t.Errorf("got %v, want calls of the sandbox acquirer to its table", names)
	}
	for _, text := range personal {
		if strings.Contains(r.text.String(), text) {
			t.Errorf("got %s, want no %q in it", r.text.String(), text)
		}
	}
}

func containsAll(got, want []string) bool {
	return !slices.ContainsFunc(want, func(one string) bool { return !slices.Contains(got, one) })
}

// TestTracing_CollectorAway checks that a payment succeeds and logs one line about spans, both with a collector that
// refuses connections and with a collector that hangs while the test runs.
func TestTracing_CollectorAway(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(func() { close(silent); hanging.Close() })
	for _, endpoint := range []string{hanging.URL, "http://127.0.0.1:1"} {
		if w, _ := payTraced(t, endpoint); strings.Count(w.Logs.String(), "spans not sent") != 1 {
			t.Errorf("%s: got log %s, want one line about spans", endpoint, w.Logs.String())
		}
	}
}
