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

// byteOrderMark may precede JSON, and is skipped (RFC 8259 §8.1).
var byteOrderMark = []byte("\ufeff")

// maxBody is 1 MiB (contract §2.2).
const maxBody = 1 << 20

// canonicalPath returns the decoded path, which is the same for all escaped forms of a path. A NUL ends each segment.
func (x *exchange) canonicalPath() string {
	var b strings.Builder
	for segment := range strings.SplitSeq(x.request.URL.EscapedPath(), "/") {
		decoded, _ := url.PathUnescape(segment) // the router has accepted it
		b.WriteString(withinSegment.Replace(decoded) + "\x00")
	}
	return b.String()
}

// withinSegment escapes a NUL inside a segment, to distinguish it from a NUL that ends a segment.
var withinSegment = strings.NewReplacer("\x00", "\x01\x00", "\x01", "\x01\x01")

// read reads path, query and body. All must be UTF-8, because a repaired text could equal another name. Failures:
// Malformed and those of readBody.
func (x *exchange) read() error {
	for _, value := range x.match.values {
		// The gateway replaces invalid UTF-8 by U+FFFD.
		if !utf8.ValidString(value) || strings.ContainsRune(value, utf8.RuneError) {
			return failure.Malformed("The path is not valid UTF-8.")
		}
	}
	query, err := parseQuery(x.request.URL.RawQuery)
	if err != nil {
		return failure.Malformed("The query is malformed.") // without the cause, which quotes the query
	}
	x.input = input{plan: x.route.Handle.plan, path: x.match.values, query: query, now: x.server.now(),
		all: x.route.Errors.listsFaults(x.request.Header)}
	if !isWriteMethod(x.request.Method) {
		return nil
	}
	if x.raw, err = readBody(x.request); err != nil {
		return err
	}
	if x.input.plan.signed {
		x.input.signed = x.raw
		return nil
	}
	if x.input.plan.readsForm(x.request.Header) {
		if x.input.form, err = parseQuery(string(x.raw)); err != nil {
			return failure.Malformed("The form is malformed.") // without the cause, which quotes the body
		}
		return nil
	}
	x.raw = bytes.TrimPrefix(x.raw, byteOrderMark) // before the fingerprint, which must not depend on the mark
	x.input.body, err = parseJSON(x.raw)
	return err
}

// parseQuery parses application/x-www-form-urlencoded (WHATWG URL standard). All names and values must be UTF-8.
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

// readsForm returns true if the body is a form and not JSON: either the type takes only a form, or the client declares
// a form (contract §2.2).
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

// readBody reads the body, and unpacks gzip (RFC 9110 §8.4). Failures: TooLarge, for the packed or the unpacked body;
// Unsupported; Malformed.
func readBody(r *http.Request) ([]byte, error) {
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

// unpack unpacks gzip (RFC 1952), up to 1 MiB of content.
func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, nil // some clients send Content-Encoding with every request
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
