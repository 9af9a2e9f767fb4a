package gateway

import (
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
)

// Made-up values in the form of real ones.
const (
	stage = "$default"
	apiID = "local"
)

// requestEvent returns an event of payload format 2.0. As in AWS, rawPath is *decoded* and only the query is raw.
func requestEvent(r *http.Request, body []byte, m Match, now time.Time) events.APIGatewayV2HTTPRequest {
	text, encoded := bodyText(r.Header.Get("Content-Type"), body)
	headers := requestHeaders(r, len(body))
	return events.APIGatewayV2HTTPRequest{
		Version:               "2.0",
		RouteKey:              m.Key,
		RawPath:               r.URL.Path,
		RawQueryString:        r.URL.RawQuery,
		Cookies:               requestCookies(r.Header),
		Headers:               headers,
		QueryStringParameters: joinValues(r.URL.Query()),
		PathParameters:        m.Values,
		Body:                  text,
		IsBase64Encoded:       encoded,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: m.Key, AccountID: inprocess.Account, Stage: stage, APIID: apiID, RequestID: uuid.NewString(),
			DomainName: r.Host, DomainPrefix: strings.Split(r.Host, ".")[0],
			Time: now.Format("02/Jan/2006:15:04:05 -0700"), TimeEpoch: now.UnixMilli(),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: r.Method, Path: r.URL.Path, Protocol: r.Proto,
				SourceIP: sourceIP(r), UserAgent: r.UserAgent(),
			},
		},
	}
}

// hopByHop lists headers of a single connection (RFC 9110 §7.6.1), and Cookie, for which the event has another field.
var hopByHop = []string{"connection", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"proxy-connection", "te",
	"trailer", "transfer-encoding", "upgrade", "cookie"}

func requestHeaders(r *http.Request, size int) map[string]string {
	headers := map[string]string{}
	for name, values := range r.Header {
		if name = strings.ToLower(name); !slices.Contains(hopByHop, name) {
			headers[name] = strings.Join(values, ",")
		}
	}
	headers["host"] = r.Host
	headers["content-length"] = strconv.Itoa(size)
	headers["x-amzn-trace-id"] = "Root=1-" + strings.ReplaceAll(uuid.NewString(), "-", "")
	// These headers replace the client's. Only x-forwarded-for keeps the addresses that it has, and gets the client's
	// address at the end.
	headers["x-forwarded-proto"], headers["x-forwarded-port"] = "http", portOf(r.Host, "80")
	if r.TLS != nil {
		headers["x-forwarded-proto"], headers["x-forwarded-port"] = "https", portOf(r.Host, "443")
	}
	if before := headers["x-forwarded-for"]; before != "" {
		headers["x-forwarded-for"] = before + ", " + sourceIP(r)
	} else {
		headers["x-forwarded-for"] = sourceIP(r)
	}
	return headers
}

func portOf(host, usual string) string {
	if _, port, err := net.SplitHostPort(host); err == nil {
		return port
	}
	return usual
}

func sourceIP(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func requestCookies(h http.Header) []string {
	var cookies []string
	for _, line := range h.Values("Cookie") {
		for cookie := range strings.SplitSeq(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				cookies = append(cookies, cookie)
			}
		}
	}
	return cookies
}

func joinValues(query url.Values) map[string]string {
	if len(query) == 0 {
		return nil
	}
	parameters := make(map[string]string, len(query))
	for name, values := range query {
		parameters[name] = strings.Join(values, ",")
	}
	return parameters
}

// bodyText returns the body for the event: in base64, unless HTTP APIs treat its type as text. Forms are not text.
func bodyText(contentType string, body []byte) (text string, encoded bool) {
	if len(body) == 0 {
		return "", false
	}
	kind, _, err := mime.ParseMediaType(contentType)
	isText := contentType == "" || err == nil && (strings.HasPrefix(kind, "text/") ||
		slices.Contains([]string{"application/json", "application/javascript", "application/xml"}, kind))
	if isText && utf8.Valid(body) {
		return string(body), false
	}
	return base64.StdEncoding.EncodeToString(body), true
}
