package inspector

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
	"github.com/cashwrap/cashwrap/localstack/platform/redact"
)

// Request is a request to the API with its reply and steps.
type Request struct {
	ID       string // X-Request-Id of the reply
	At       time.Time
	Method   string
	Path     string // with the query
	Route    string // of API Gateway, such as "ANY /v0.1/checkouts/{id}"
	Function string // called function
	Status   int
	Took     time.Duration
	Sent     Message
	Reply    Message
	Steps    []Step `json:"-"` // in the order of their begins
}

// Message holds a request or a reply without secrets.
type Message struct {
	Header []Header
	Body   string // indented JSON, or a form with a field per line; "" for others
	Size   int    // of the original body, in bytes
}

// Header is one header of a message.
type Header struct{ Name, Value string }

// WatchAPI returns the HTTP API with the page /sandbox in front. It records the API's requests.
func (i *Inspector) WatchAPI(api *gateway.Gateway) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.servePage(w, r) {
			return
		}
		t := &trace{began: time.Now()}
		e := exchange{method: r.Method, url: r.URL, header: r.Header, trace: t}
		r = r.WithContext(t.in(r.Context()))
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &e.sent), r.Body}
		out := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		out.Tee(&e.reply)
		api.ServeHTTP(out, r)
		e.replyHeader, e.status, e.took = out.Header(), cmp.Or(out.Status(), http.StatusOK), time.Since(t.began)
		i.queueDigest(func() { i.addRequest(newRequest(e, api)) })
	})
}

// exchange is the record of a request and its reply. It keeps no part of the HTTP connection in memory.
type exchange struct {
	method              string
	url                 *url.URL
	header, replyHeader http.Header
	sent, reply         kept
	status              int
	took                time.Duration
	trace               *trace
}

func newRequest(e exchange, api *gateway.Gateway) *Request {
	path := e.url.EscapedPath()
	route, _ := api.Routes.Find(path)
	if e.url.RawQuery != "" {
		path += "?" + strings.ReplaceAll(redact.Form(e.url.RawQuery), "\n", "&")
	}
	return &Request{
		ID: cmp.Or(e.replyHeader.Get("X-Request-Id"), uuid.NewString()), At: e.trace.began.UTC(),
		Method: redact.Line(e.method), Path: redact.Line(path), Route: route.Key, Function: route.Function,
		Status: e.status, Took: e.took,
		Sent:  Message{headers(e.header), redact.Request(e.header.Get("Content-Type"), e.sent.completeBody()), e.sent.size},
		Reply: Message{headers(e.replyHeader), redact.Reply(e.reply.completeBody()), e.reply.size},
		Steps: e.trace.sortedSteps(),
	}
}

// hiddenHeader matches the names of headers whose values are secrets.
var hiddenHeader = regexp.MustCompile(`(?i)cookie|secret|token|password|api-?key`)

func headers(h http.Header) []Header {
	var all []Header
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := redact.Line(strings.Join(h.Values(name), ", "))
		switch {
		case hiddenHeader.MatchString(name):
			value = "***"
		case strings.HasSuffix(name, "Authorization") && !shownKey.MatchString(value):
			scheme, _, found := strings.Cut(value, " ")
			if !found {
				scheme = ""
			}
			value = strings.TrimSpace(scheme + " ***")
		}
		all = append(all, Header{name, value})
	}
	return all
}

// shownKey matches a key or access token that redact has shortened.
var shownKey = regexp.MustCompile(`^Bearer (?:[sp]k_(?:live|test)_)?…$`)

type kept struct {
	bytes []byte
	size  int // of the whole body
}

func (k *kept) Write(p []byte) (int, error) {
	k.size += len(p)
	k.bytes = append(k.bytes, p[:min(len(p), maxBody-len(k.bytes))]...)
	return len(p), nil
}

// completeBody returns the body, or nil if a part is missing, because a part of a JSON text shows nothing.
func (k *kept) completeBody() []byte {
	if k.size > len(k.bytes) {
		return nil
	}
	return k.bytes
}
