package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/cashwrap/cashwrap/shared/rest"
)

func TestServeHTTP_GatewayEvent(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes(), func(c *rest.Config) { c.Limits.Address = rest.Limit{Rate: 1, Burst: 1} })
	send := func(method, path, address, body string) events.APIGatewayV2HTTPResponse {
		t.Helper()
		event := events.APIGatewayV2HTTPRequest{RawPath: path, Body: body,
			Headers: map[string]string{"authorization": "Bearer " + f.secret, "x-forwarded-proto": "https",
				"idempotency-key": "a, b"}}
		event.RequestContext.HTTP.Method, event.RequestContext.HTTP.SourceIP = method, address
		response, err := httpadapter.NewV2(f.handler).ProxyWithContext(t.Context(), event)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	if r := send("POST", "/empty", "192.0.2.1", ""); r.StatusCode != 202 ||
		r.Headers["Content-Length"] != "0" || r.Body != "" {
		t.Errorf("empty: got %+v, want 202 with Content-Length 0 and no body", r)
	}
	if r := send("POST", "/empty", "192.0.2.1", ""); r.Headers["Idempotency-Replayed"] != "true" ||
		r.Headers["Content-Length"] != "0" {
		t.Errorf("replay: got %+v, want Idempotency-Replayed true and Content-Length 0", r)
	}
	if r := send("POST", "/things", "192.0.2.1", strings.Repeat(" ", 1<<20+1)); r.StatusCode != 413 {
		t.Errorf("large: got %d %s, want 413", r.StatusCode, r.Body)
	}
	if r := send("HEAD", "/open", "192.0.2.2", ""); r.StatusCode != 200 || r.Body != "" {
		t.Errorf("head: got %+v, want 200 without a body", r)
	}
	for address, want := range map[string]int{"192.0.2.2": 429, "192.0.2.3": 200} {
		if r := send("GET", "/open", address, ""); r.StatusCode != want {
			t.Errorf("from %s: got %d, want %d", address, r.StatusCode, want)
		}
	}
}

func TestServeHTTP_RealConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t, routes())
	server := httptest.NewServer(f.handler)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/empty", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.secret)
	r.Header.Set("X-Forwarded-Proto", "https")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 202 || response.ContentLength != 0 || len(response.TransferEncoding) > 0 {
		t.Errorf("got %d, length %d, transfer encoding %v, want 202, length 0 and none", response.StatusCode,
			response.ContentLength, response.TransferEncoding)
	}
}

func TestServeHTTP_Deadline(t *testing.T) {
	t.Parallel()
	var seen time.Time
	f := newFixture(t, []rest.Route{route("GET", "/things", func(ctx context.Context,
		_ emptyRequest) (textResponse, error) {
		seen, _ = ctx.Deadline()
		return textResponse{}, nil
	})})
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	answer(f.handler, f.request("GET", "/things", "").WithContext(ctx))
	if left := end.Sub(seen); left != 500*time.Millisecond {
		t.Errorf("got %v left for the reply, want 500ms", left)
	}
}
