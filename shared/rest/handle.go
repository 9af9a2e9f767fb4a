package rest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"mime"
	"net/http"
	"net/textproto"
	"reflect"
	"strings"
	"time"
)

// Handle is an operation with its decoder and encoder. JSON and Page return one.
type Handle struct {
	plan plan
	run  func(context.Context, *input) (reply, error)
}

// Unchecked leaves validate.Fields to the operation. Such an operation reports other errors before the faults of
// fields, or together with them.
func (h Handle) Unchecked() Handle {
	h.plan.unchecked = true
	return h
}

// Request returns the type of the operation's requests.
func (h Handle) Request() reflect.Type { return h.plan.request }

// Accepter is a result of an operation that may not be finished. If Accepted is true, the result is sent as 202 (3-D
// Secure, contract §4.3).
type Accepter interface{ Accepted() bool }

// Redactor is a result with a secret. Only Redacted is stored for an idempotent replay (contract §2.8).
type Redactor interface{ Redacted() any }

// NoContent is the result of an operation that answers 204.
type NoContent struct{}

// Empty is a result without a body, sent with Content-Length: 0 (contract §2.3). A struct{} result is sent as {}.
type Empty struct{}

// JSON returns the handle of an operation that answers JSON with the status success. Req's fields have the tags of
// decode.go. An operation that answers other media types too has the result type any, and may return a Document
// (payouts as CSV, contract §6.7).
func JSON[Req, Res any](success int, op func(context.Context, Req) (Res, error)) Handle {
	return Handle{
		plan: planOf(reflect.TypeFor[Req]()),
		run: func(ctx context.Context, in *input) (reply, error) {
			var req Req
			if err := in.decodeAndCheck(&req); err != nil {
				return reply{}, err
			}
			res, err := op(ctx, req)
			if err != nil {
				return reply{}, err
			}
			return encode(ctx, success, res)
		},
	}
}

// Signed returns the handle of an operation that checks a signature over the body. It gets the headers, each on one
// line (RFC 9110 §5.3), and the bytes of the body, unpacked if they were in gzip. Req has only path and query
// parameters. The route must be Open. The operation answers 200 with {}.
func Signed[Req any](op func(ctx context.Context, req Req, header textproto.MIMEHeader, body []byte) error) Handle {
	p := planOf(reflect.TypeFor[Req]())
	p.signed = true
	return Handle{
		plan: p,
		run: func(ctx context.Context, in *input) (reply, error) {
			var req Req
			if err := in.decodeAndCheck(&req); err != nil {
				return reply{}, err
			}
			header := textproto.MIMEHeader{}
			for name, lines := range openRouteRequest(ctx).Header {
				header.Set(name, strings.Join(lines, ",")) // the Lambda adapter has split them at commas
			}
			if err := op(ctx, req, header, in.signed); err != nil {
				return reply{}, err
			}
			return encode(ctx, http.StatusOK, struct{}{})
		},
	}
}

// Document is the result of a page operation: HTML, a redirect, or a body of another type.
type Document struct {
	Status      int    // 0: 200, or 303 for a redirect
	HTML        []byte // sent as text/html;charset=UTF-8
	Redirect    string // an absolute or local URL; sent without a body
	ContentType string // media type of Body
	Body        []byte
	Gzip        []byte       // Body in gzip (RFC 1952); sent unpacked unless an Open route's client takes gzip
	Filename    string       // name for a browser to show or save Body; "": the browser decides
	Cookie      *http.Cookie // nil: no cookie
	Device      *http.Cookie // the device cookie; nil: none
	Merchant    *http.Cookie // the cookie with a managed user's merchant code; nil: none
	Forget      *http.Cookie // an expired cookie, so that the browser deletes its copy; nil: none
	RetryAfter  time.Duration
	CSP         []string // directives that replace or join the strict policy, e.g. "frame-ancestors *"
	ETag        string   // of Body (RFC 9110 §8.8.3): browsers, not shared caches, store and revalidate Body (BrowserHas)
	Immutable   bool     // the URL has the content's version, so caches may keep it for a year
}

// Page returns the handle of an operation that answers a Document.
func Page[Req any](op func(context.Context, Req) (Document, error)) Handle {
	return JSON(http.StatusOK, op)
}

func (d Document) buildReply(ctx context.Context) (reply, error) {
	r := reply{status: d.Status, contentType: d.ContentType, body: d.Body, policy: pagePolicy(d.CSP),
		header: http.Header{}}
	if d.Gzip != nil {
		if err := r.setCompressed(ctx, d.Gzip); err != nil {
			return reply{}, err
		}
	}
	for _, c := range []*http.Cookie{d.Cookie, d.Device, d.Merchant, d.Forget} {
		if c != nil {
			r.header.Add("Set-Cookie", c.String())
		}
	}
	if d.RetryAfter > 0 {
		r.header.Set("Retry-After", seconds(d.RetryAfter))
	}
	switch {
	case d.Redirect != "":
		r.status, r.body = cmp.Or(d.Status, http.StatusSeeOther), nil
		r.header.Set("Location", d.Redirect)
	case r.status == 0:
		r.status = http.StatusOK
	}
	if d.Filename != "" {
		r.header.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": d.Filename}))
	}
	if d.HTML != nil && d.Redirect == "" {
		r.contentType, r.body = htmlType, d.HTML
	}
	if d.ETag != "" {
		r.header.Set("ETag", d.ETag)
		r.header.Set("Cache-Control", "private, no-cache")
	}
	if d.Immutable {
		r.header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	return r, nil
}

// setCompressed sets the body to packed if the client takes gzip, and otherwise to the unpacked content.
func (r *reply) setCompressed(ctx context.Context, packed []byte) (err error) {
	r.header.Set("Vary", "Accept-Encoding")
	if accepts(openRouteRequest(ctx).Header.Values("Accept-Encoding"), "gzip") {
		r.header.Set("Content-Encoding", "gzip")
		r.body = packed
		return nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	r.body, err = io.ReadAll(reader)
	return err
}

// Write answers a request for a page that is not a route, such as the local run's pages. It uses the headers and policy
// of all functions.
func (d Document) Write(w http.ResponseWriter, r *http.Request) {
	answer, err := d.buildReply(withState(r.Context(), func(s *state) { s.openRouteRequest = r }))
	if err != nil { // only a broken gzip body fails; such pages have none
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer.write(w, r.Method)
}
