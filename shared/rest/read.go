package rest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// byteOrderMark may be before JSON, and is ignored (RFC 8259 §8.1).
var byteOrderMark = []byte("\ufeff")

// maxBody is contract §2.2's 1 MiB.
const maxBody = 1 << 20

// path is the decoded path, the same for all of its escaped forms. NUL ends each segment.
func (x *exchange) path() string {
	var b strings.Builder
	for segment := range strings.SplitSeq(x.request.URL.EscapedPath(), "/") {
		decoded, _ := url.PathUnescape(segment) // the router has accepted it
		b.WriteString(withinSegment.Replace(decoded) + "\x00")
	}
	return b.String()
}

// withinSegment escapes a segment's own NUL, which the one that ends it is not.
var withinSegment = strings.NewReplacer("\x00", "\x01\x00", "\x01", "\x01\x01")

// read reads path, query and body, all UTF-8: repairs make different names equal. Failures: TooLarge, Malformed.
func (x *exchange) read() error {
	for _, value := range x.match.values {
		// The gateway replaces what is not UTF-8 by U+FFFD.
		if !utf8.ValidString(value) || strings.ContainsRune(value, utf8.RuneError) {
			return failure.Malformed("The path is not valid UTF-8.")
		}
	}
	query, err := parseQuery(x.request.URL.RawQuery)
	if err != nil {
		return failure.Malformed("The query is malformed.") // without the cause, which quotes it
	}
	x.input = input{plan: x.route.Handle.plan, path: x.match.values, query: query, now: x.server.now(),
		all: x.route.Errors.listsFaults(x.request.Header)}
	if !changes(x.request.Method) {
		return nil
	}
	if x.raw, err = readAll(x.request); err != nil {
		return err
	}
	if x.input.plan.readsForm(x.request.Header) {
		if x.input.form, err = parseQuery(string(x.raw)); err != nil {
			return failure.Malformed("The form is malformed.") // without the cause, which quotes the body
		}
		return nil
	}
	x.raw = bytes.TrimPrefix(x.raw, byteOrderMark) // also for the fingerprint of the request
	x.input.body, err = parseJSON(x.raw)
	return err
}

// parseQuery parses application/x-www-form-urlencoded (WHATWG URL standard) whose names and values are UTF-8.
func parseQuery(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, err
	}
	for name, texts := range values {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(texts, " ")) {
			return nil, errors.New("not UTF-8")
		}
	}
	return values, nil
}

// readsForm reports whether to read a form: if only that will do, or the client says so; else JSON (contract §2.2).
func (p plan) readsForm(h http.Header) bool {
	if len(p.form) == 0 || !p.json {
		return len(p.form) > 0
	}
	return isForm(h)
}

func isForm(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "application/x-www-form-urlencoded"
}

// readAll reads and unpacks the body (gzip, RFC 9110 §8.4). Failures: TooLarge, packed or not; Unsupported; Malformed.
func readAll(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, failure.TooLarge("The body is larger than 1 MiB.")
	}
	if err != nil {
		return nil, failure.Malformed("The body could not be read.").WithCause(err)
	}
	switch coding := strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ",")); coding {
	case "", "identity":
		return raw, nil
	case "gzip", "x-gzip":
		return unpack(raw)
	default:
		return nil, failure.Unsupported("The body must be in gzip, or not compressed.")
	}
}

// unpack reads gzip (RFC 1952) of at most 1 MiB unpacked.
func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil // clients send the header with every request
	}
	stream, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, failure.Malformed("The body is not gzip, as Content-Encoding says.")
	}
	raw, err := io.ReadAll(io.LimitReader(stream, maxBody+1))
	switch {
	case err != nil:
		return nil, failure.Malformed("The body is not gzip, as Content-Encoding says.")
	case len(raw) > maxBody:
		return nil, failure.TooLarge("The body is larger than 1 MiB when unpacked.")
	default:
		return raw, nil
	}
}
