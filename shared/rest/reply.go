package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// The content types of contract §2.3 and §3.2.
const (
	jsonType    = "application/json;charset=UTF-8"
	problemType = "application/problem+json;charset=UTF-8"
	htmlType    = "text/html;charset=UTF-8"
)

// reply is a response before it is sent. Bodies are not streamed, since clients need a Content-Length (contract §2.3).
type reply struct {
	status      int
	contentType string
	body        []byte
	header      http.Header // added to the headers of every response
	policy      string      // Content-Security-Policy; "": none, as only pages have a policy
	redacted    []byte      // the body for a replay, if body contains a secret
	err         error       // the error that the reply reports, for the log
}

// encode returns the reply to a successful operation.
func encode(ctx context.Context, success int, result any) (reply, error) {
	r := reply{status: success, contentType: jsonType}
	if a, ok := result.(Accepter); ok && a.Accepted() {
		r.status = http.StatusAccepted
	}
	switch result := result.(type) {
	case Document:
		return result.buildReply(ctx)
	case NoContent:
		return reply{status: http.StatusNoContent}, nil
	case Empty:
		return reply{status: success}, nil
	}
	var err error
	if r.body, err = Marshal(result); err != nil {
		return reply{}, err
	}
	if secret, ok := result.(Redactor); ok {
		r.redacted, err = Marshal(secret.Redacted())
	}
	return r, err
}

// Marshal encodes v as JSON. It escapes no HTML, adds no final newline, and writes a nil slice as [].
func Marshal(v any) ([]byte, error) {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		return []byte("[]"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// strictPolicy is the Content-Security-Policy that pages start from.
var strictPolicy = []string{
	"default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
}

// pagePolicy returns the strict policy with the page's directives. A directive of the page replaces the strict
// directive of the same name.
func pagePolicy(own []string) string {
	directives := slices.Clone(own)
	for _, strict := range strictPolicy {
		name, _, _ := strings.Cut(strict, " ")
		if !slices.ContainsFunc(own, func(d string) bool { return d == name || strings.HasPrefix(d, name+" ") }) {
			directives = append(directives, strict)
		}
	}
	return strings.Join(directives, "; ")
}

// write sends the reply with every response's headers. To HEAD it sends no body, because API Gateway would pass the
// body on.
func (r reply) write(w http.ResponseWriter, method string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	for name, values := range r.header {
		h[name] = values
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if r.policy != "" {
		h.Set("Content-Security-Policy", r.policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	if len(r.body) > 0 {
		h.Set("Content-Type", r.contentType)
	}
	if r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	w.WriteHeader(r.status)
	if method != http.MethodHead && len(r.body) > 0 {
		_, _ = w.Write(r.body) // fails only if the client has left
	}
}
