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

// reply is a response before it is sent. Bodies are never streamed: clients need a Content-Length (contract §2.3).
type reply struct {
	status      int
	contentType string
	body        []byte
	header      http.Header // beyond those every response has
	policy      string      // Content-Security-Policy; only pages have one
	redacted    []byte      // what a replay shows when the body holds a secret
	err         error       // what the reply reports, for the log
}

// encode makes the reply to a successful operation.
func encode(ctx context.Context, success int, result any) (reply, error) {
	r := reply{status: success, contentType: jsonType}
	if a, ok := result.(Accepter); ok && a.Accepted() {
		r.status = http.StatusAccepted
	}
	switch result := result.(type) {
	case Document:
		return result.reply(ctx)
	case NoContent:
		return reply{status: http.StatusNoContent}, nil
	case Empty:
		return reply{status: success}, nil
	}
	var err error
	if r.body, err = marshal(result); err != nil {
		return reply{}, err
	}
	if secret, ok := result.(Redactor); ok {
		r.redacted, err = marshal(secret.Redacted())
	}
	return r, err
}

// marshal writes JSON without escaped HTML or a final newline, and a nil slice as [].
func marshal(v any) ([]byte, error) {
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

// strictPolicy is the Content-Security-Policy a page starts from.
var strictPolicy = []string{
	"default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
}

// pagePolicy returns the strict policy with the page's own directives in place of strict ones of the same name.
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

// write sends the reply with every response's headers; to HEAD without a body, which API Gateway would not drop.
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
