package inspector

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/lambda/gateway"
	"github.com/cashwrap/cashwrap/localstack/redact"
)

// Request is a request to the API, with its reply and what was done for it.
type Request struct {
	ID       string // the reply's X-Request-Id
	At       time.Time
	Method   string
	Path     string // with the query
	Route    string // of API Gateway, as "ANY /v0.1/checkouts/{id}"
	Function string // that was called
	Status   int
	Took     time.Duration
	Sent     Message
	Reply    Message

	trace *trace
}

// Steps are what was done for it, in the order in which it began.
func (r *Request) Steps() []Step { return r.trace.done() }

// Message is what a request or a reply consists of, without secrets.
type Message struct {
	Header []Header
	Body   string // JSON with indents, or a field of a form a line; "": none of these
	Size   int    // of the body as it was sent, in bytes
}

// Header is one of a message.
type Header struct{ Name, Value string }

// WatchAPI is the HTTP API with the page /sandbox, by which its requests are seen.
func (i *Inspector) WatchAPI(api *gateway.Gateway) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.servePage(w, r) {
			return
		}
		t := &trace{began: time.Now()}
		sent, out := &tee{ReadCloser: r.Body}, &reply{ResponseWriter: w, status: http.StatusOK}
		heard := *r // handlers may change the header
		heard.Header = r.Header.Clone()
		r = r.WithContext(t.in(r.Context()))
		r.Body = sent
		api.ServeHTTP(out, r)
		took := time.Since(t.began)
		i.later(func() { i.addRequest(newRequest(&heard, api, t, sent.kept, out, took)) })
	})
}

func newRequest(r *http.Request, api *gateway.Gateway, t *trace, sent kept, out *reply, took time.Duration) *Request {
	route, _ := api.Routes.Find(r.URL.EscapedPath())
	path := redact.Text(r.URL.EscapedPath())
	if r.URL.RawQuery != "" {
		path += "?" + strings.ReplaceAll(redact.Form(r.URL.RawQuery), "\n", "&")
	}
	return &Request{
		ID: cmp.Or(out.Header().Get("X-Request-Id"), uuid.NewString()), At: t.began.UTC(),
		Method: r.Method, Path: path, Route: route.Key, Function: route.Function, Status: out.status, Took: took,
		Sent:  Message{headers(r.Header), redact.Request(r.Header.Get("Content-Type"), sent.whole()), sent.size},
		Reply: Message{headers(out.Header()), redact.Reply(out.kept.whole()), out.kept.size},
		trace: t,
	}
}

// unseen are the headers that hold nothing but secrets.
var unseen = []string{"Cookie", "Set-Cookie"}

// headers are those of a message, by name.
func headers(h http.Header) []Header {
	var all []Header
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := redact.Text(strings.Join(h.Values(name), ", "))
		switch {
		case slices.Contains(unseen, name):
			value = "***"
		case name == "Authorization" && !strings.HasPrefix(value, "Bearer "):
			scheme, _, _ := strings.Cut(value, " ")
			value = scheme + " ***"
		}
		all = append(all, Header{name, value})
	}
	return all
}

// kept is as much of a body as is recorded.
type kept struct {
	bytes.Buffer
	size int
}

func (k *kept) add(p []byte) {
	k.size += len(p)
	_, _ = k.Write(p[:min(len(p), max(0, maxBody-k.Len()))]) // it never fails
}

// whole is the body; nil if not all of it is there: half of a JSON text shows nothing.
func (k *kept) whole() []byte {
	if k.size > k.Len() {
		return nil
	}
	return k.Bytes()
}

// tee is the body of a request, which is kept while it is read.
type tee struct {
	io.ReadCloser
	kept
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.add(p[:n])
	return n, err
}

// reply is a response, which is kept while it is written.
type reply struct {
	http.ResponseWriter
	status int
	kept   kept
}

func (r *reply) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *reply) Write(p []byte) (int, error) {
	r.kept.add(p)
	return r.ResponseWriter.Write(p)
}
