package gateway

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// newAPI serves a function under two routes and $default.
func newAPI(t *testing.T, handler app.HTTPEvent) *httptest.Server {
	t.Helper()
	routes, err := NewRoutes([]functions.Function{family("echo", rest.Route{Path: "/things/{id}"})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(&Gateway{
		Routes: routes,
		Call: func(ctx context.Context, _ string, event events.APIGatewayV2HTTPRequest) (
			events.APIGatewayV2HTTPResponse, error) {
			return handler(ctx, event)
		},
		Now: func() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) },
	})
	t.Cleanup(api.Close)
	return api
}

// newRecorder returns an API that answers 204, and a pointer to the last event that the API received.
func newRecorder(t *testing.T) (*httptest.Server, *events.APIGatewayV2HTTPRequest) {
	t.Helper()
	var last events.APIGatewayV2HTTPRequest
	return newAPI(t, func(_ context.Context,
		e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		last = e
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusNoContent}, nil
	}), &last
}

// reply is the response that a client received.
type reply struct {
	status  int
	length  int64 // of the body; -1 without the header
	chunked bool
	body    string
}

func do(t *testing.T, method, url, body string, header http.Header) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.ContentLength, len(res.TransferEncoding) > 0, string(b)}
}

func TestRequestEvent(t *testing.T) {
	t.Parallel()
	api, event := newRecorder(t)
	do(t, "PUT", api.URL+"/things/a%20b?k=1&k=2&x%5B%5D=%2F", `{"ü":1}`, http.Header{
		"Content-Type": {"application/json"}, "Cookie": {"a=1; b=2"}, "X-Many": {"one", "two"},
		"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"https"}, "User-Agent": {"test/1"},
		"Accept-Encoding": {"identity"}})
	got := *event
	if got.RequestContext.RequestID == "" || !strings.HasPrefix(got.Headers["x-amzn-trace-id"], "Root=1-") {
		t.Errorf("got request id %q and trace id %q, want some, the second with Root=1-",
			got.RequestContext.RequestID, got.Headers["x-amzn-trace-id"])
	}
	got.RequestContext.RequestID, got.Headers["x-amzn-trace-id"] = "", ""
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	host := strings.TrimPrefix(api.URL, "http://")
	_, port, _ := strings.Cut(host, ":")
	want := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /things/{id}",
		RawPath:        "/things/a b", // decoded, as API Gateway does
		RawQueryString: "k=1&k=2&x%5B%5D=%2F", QueryStringParameters: map[string]string{"k": "1,2", "x[]": "/"},
		PathParameters: map[string]string{"id": "a b"}, Cookies: []string{"a=1", "b=2"}, Body: `{"ü":1}`,
		Headers: map[string]string{"host": host, "content-type": "application/json", "content-length": "8",
			"x-many": "one,two", "user-agent": "test/1", "accept-encoding": "identity", "x-amzn-trace-id": "",
			"x-forwarded-for": "192.0.2.1, 127.0.0.1", "x-forwarded-proto": "http", "x-forwarded-port": port},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "ANY /things/{id}", AccountID: "000000000000", Stage: "$default", APIID: "local",
			DomainName: host, DomainPrefix: "127", Time: "21/Nov/2026:10:00:00 +0000", TimeEpoch: at.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{Method: "PUT", Path: "/things/a b",
				Protocol: "HTTP/1.1", SourceIP: "127.0.0.1", UserAgent: "test/1"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

func TestBodyText(t *testing.T) {
	t.Parallel()
	api, event := newRecorder(t)
	for _, c := range []struct {
		contentType, body, want string
		encoded                 bool
	}{
		{"application/json; charset=utf-8", `{}`, `{}`, false},
		{"text/plain", "a", "a", false},
		{"", "a", "a", false},
		{"application/x-www-form-urlencoded", "a=b", "YT1i", true},
		{"application/octet-stream", "a", "YQ==", true},
		{"application/json", "\xff", "/w==", true},
		{"image/png", "", "", false},
	} {
		do(t, "POST", api.URL+"/", c.body, http.Header{"Content-Type": {c.contentType}})
		if event.Body != c.want || event.IsBase64Encoded != c.encoded {
			t.Errorf("%s %q: got body %q (base64: %t), want %q (%t)", c.contentType, c.body, event.Body,
				event.IsBase64Encoded, c.want, c.encoded)
		}
	}
}

func TestWriteResponse(t *testing.T) {
	t.Parallel()
	api := newAPI(t, func(_ context.Context,
		e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		switch e.RawPath {
		case "/binary":
			return events.APIGatewayV2HTTPResponse{StatusCode: 200, Body: "AP8=", IsBase64Encoded: true,
				Headers: map[string]string{"content-type": "image/png"}}, nil
		case "/empty":
			return events.APIGatewayV2HTTPResponse{StatusCode: 202}, nil
		default:
			return events.APIGatewayV2HTTPResponse{StatusCode: 303, Body: "see", Cookies: []string{"a=1", "b=2; Path=/"},
				Headers:           map[string]string{"Location": "/x"},
				MultiValueHeaders: map[string][]string{"x-many": {"one", "two"}}}, nil
		}
	})
	for path, want := range map[string]reply{
		"/binary": {status: 200, length: 2, body: "\x00\xff"},
		"/empty":  {status: 202}, // Content-Length: 0
	} {
		if got := do(t, "GET", api.URL+path, "", nil); got != want {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
	}
	r := httptest.NewRecorder()
	api.Config.Handler.ServeHTTP(r, httptest.NewRequest("GET", "/", nil))
	want := http.Header{"Location": {"/x"}, "X-Many": {"one", "two"}, "Set-Cookie": {"a=1", "b=2; Path=/"},
		"Content-Length": {"3"}}
	if diff := cmp.Diff(want, r.Header()); r.Code != 303 || r.Body.String() != "see" || diff != "" {
		t.Errorf("got status %d and body %q, want 303 and see; header (-want +got):\n%s", r.Code, r.Body, diff)
	}
}

func TestServeHTTP_FunctionFails(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]app.HTTPEvent{
		"error": func(context.Context, events.APIGatewayV2HTTPRequest) (r events.APIGatewayV2HTTPResponse, _ error) {
			return r, errors.New("secret detail")
		},
		"no status": func(context.Context, events.APIGatewayV2HTTPRequest) (r events.APIGatewayV2HTTPResponse, _ error) {
			return r, nil
		},
		"bad base64": func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
			return events.APIGatewayV2HTTPResponse{StatusCode: 200, Body: "?", IsBase64Encoded: true}, nil
		},
	} {
		got := do(t, "GET", newAPI(t, handler).URL+"/", "", nil)
		if want := (reply{status: 500, length: 35, body: `{"message":"Internal Server Error"}`}); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestServeHTTP_BodyTooLarge(t *testing.T) {
	t.Parallel()
	api, event := newRecorder(t)
	got := do(t, "POST", api.URL+"/", strings.Repeat("a", maxRequest+1), nil)
	if got.status != 413 || event.Version != "" {
		t.Errorf("got status %d and event version %q, want 413 and no event", got.status, event.Version)
	}
}
