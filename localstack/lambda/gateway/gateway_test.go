package gateway

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

// newAPI serves one function under two routes and $default.
func newAPI(t *testing.T, handler app.HTTPEvent) *httptest.Server {
	t.Helper()
	api := httptest.NewServer(&Gateway{
		Routes: Routes{{"ANY /things/{id}", "echo", []string{"", "things", "{id}"}},
			{Key: functions.DefaultRoute, Function: "echo"}},
		Call: func(ctx context.Context, _ string, payload []byte) ([]byte, error) {
			return lambda.NewHandler(handler).Invoke(ctx, payload)
		},
		Now: func() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) },
	})
	t.Cleanup(api.Close)
	return api
}

// recorded answers 204 and keeps the last event.
func recorded(t *testing.T) (*httptest.Server, *events.APIGatewayV2HTTPRequest) {
	t.Helper()
	var last events.APIGatewayV2HTTPRequest
	return newAPI(t, func(_ context.Context,
		e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		last = e
		return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusNoContent}, nil
	}), &last
}

func do(t *testing.T, method, url, body string, header http.Header) (*http.Response, string) {
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
	return res, string(b)
}

func TestARequestBecomesAnEventOfPayloadFormat2(t *testing.T) {
	t.Parallel()
	api, event := recorded(t)
	do(t, "PUT", api.URL+"/things/a%20b?k=1&k=2&x%5B%5D=%2F", `{"ü":1}`, http.Header{
		"Content-Type": {"application/json"}, "Cookie": {"a=1; b=2"}, "X-Many": {"one", "two"},
		"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"https"}, "User-Agent": {"test/1"}})
	host := strings.TrimPrefix(api.URL, "http://")
	for name, pair := range map[string][2]string{
		"version":            {event.Version, "2.0"},
		"route key":          {event.RouteKey, "ANY /things/{id}"},
		"path":               {event.RawPath, "/things/a b"}, // decoded, as the real one
		"query":              {event.RawQueryString, "k=1&k=2&x%5B%5D=%2F"},
		"joined parameter":   {event.QueryStringParameters["k"], "1,2"},
		"bracket parameter":  {event.QueryStringParameters["x[]"], "/"},
		"path parameter":     {event.PathParameters["id"], "a b"},
		"cookies":            {strings.Join(event.Cookies, "|"), "a=1|b=2"},
		"no cookie header":   {event.Headers["cookie"], ""},
		"joined header":      {event.Headers["x-many"], "one,two"},
		"host":               {event.Headers["host"], host},
		"forwarded for":      {event.Headers["x-forwarded-for"], "192.0.2.1, 127.0.0.1"},
		"forwarded protocol": {event.Headers["x-forwarded-proto"], "http"},
		"body":               {event.Body, `{"ü":1}`},
		"method":             {event.RequestContext.HTTP.Method, "PUT"},
		"source":             {event.RequestContext.HTTP.SourceIP, "127.0.0.1"},
		"user agent":         {event.RequestContext.HTTP.UserAgent, "test/1"},
		"domain":             {event.RequestContext.DomainName, host},
		"time":               {event.RequestContext.Time, "21/Nov/2026:10:00:00 +0000"},
		"stage":              {event.RequestContext.Stage, "$default"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", name, pair[0], pair[1])
		}
	}
	if event.IsBase64Encoded || event.RequestContext.RequestID == "" {
		t.Errorf("base64 %v, request id %q", event.IsBase64Encoded, event.RequestContext.RequestID)
	}
}

func TestABodyIsBase64UnlessItsTypeIsText(t *testing.T) {
	t.Parallel()
	api, event := recorded(t)
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
			t.Errorf("%s %q: body %q, base64 %v", c.contentType, c.body, event.Body, event.IsBase64Encoded)
		}
	}
}

func TestAResponseOfTheFunctionIsSentWhole(t *testing.T) {
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
	if _, body := do(t, "GET", api.URL+"/binary", "", nil); body != "\x00\xff" {
		t.Errorf("binary body %q", body)
	}
	res, _ := do(t, "GET", api.URL+"/empty", "", nil)
	if res.StatusCode != 202 || res.ContentLength != 0 || len(res.TransferEncoding) != 0 {
		t.Errorf("status %d, length %d, encoding %v; want 202 with Content-Length: 0", res.StatusCode, res.ContentLength,
			res.TransferEncoding)
	}
	r := httptest.NewRecorder()
	api.Config.Handler.ServeHTTP(r, httptest.NewRequest("GET", "/", nil))
	h := r.Result().Header
	if r.Code != 303 || r.Body.String() != "see" || h.Get("Location") != "/x" ||
		!slices.Equal(h.Values("Set-Cookie"), []string{"a=1", "b=2; Path=/"}) ||
		!slices.Equal(h.Values("X-Many"), []string{"one", "two"}) {
		t.Errorf("status %d, body %q, header %v", r.Code, r.Body, h)
	}
}

func TestAFunctionThatFailsIsAnsweredByTheGateway(t *testing.T) {
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
		res, body := do(t, "GET", newAPI(t, handler).URL+"/", "", nil)
		if res.StatusCode != 500 || body != `{"message":"Internal Server Error"}` {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
}

func TestABodyAbove10MiBNeverReachesTheFunction(t *testing.T) {
	t.Parallel()
	api, event := recorded(t)
	res, _ := do(t, "POST", api.URL+"/", strings.Repeat("a", maxRequest+1), nil)
	if res.StatusCode != 413 || event.Version != "" {
		t.Errorf("status %d, event %q", res.StatusCode, event.Version)
	}
}
