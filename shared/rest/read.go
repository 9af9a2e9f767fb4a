package rest

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// maxBody is contract §2.2's 1 MiB.
const maxBody = 1 << 20

// path is the decoded path, in one spelling for all of its escaped forms.
func (x *exchange) path() string {
	var b strings.Builder
	for segment := range strings.SplitSeq(x.request.URL.EscapedPath(), "/") {
		decoded, _ := url.PathUnescape(segment) // the router has accepted it
		b.WriteString(decoded + "\x00")         // which no segment holds
	}
	return b.String()
}

// read takes query and body apart. Failure: TooLarge, or Malformed.
func (x *exchange) read() error {
	query, err := url.ParseQuery(x.request.URL.RawQuery)
	if err != nil {
		return failure.BadRequest("The query is malformed.") // without the cause, which quotes it
	}
	x.input = input{plan: x.route.Handle.plan, path: x.match.values, query: query}
	if !changes(x.request.Method) {
		return nil
	}
	if x.raw, err = readAll(x.request.Body); err != nil {
		return err
	}
	if x.input.plan.readsForm(x.request.Header) {
		return x.readForm()
	}
	x.input.body, err = parseJSON(x.raw)
	return err
}

func (x *exchange) readForm() error {
	form, err := url.ParseQuery(string(x.raw))
	if err != nil {
		return failure.BadRequest("The form is malformed.") // without the cause, which quotes the body
	}
	x.input.form = form
	return nil
}

// readsForm: JSON is the default, whatever the content type says (contract
// §2.2); a form is read where only a form will do, or where both will and the
// client says it is one.
func (p plan) readsForm(h http.Header) bool {
	if len(p.form) == 0 || !p.json {
		return len(p.form) > 0
	}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "application/x-www-form-urlencoded"
}

func readAll(body io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, &failure.Error{Kind: failure.TooLarge, Code: "INVALID_REQUEST", Slug: "content-too-large",
			Message: "The body is larger than 1 MiB."}
	}
	if err != nil {
		return nil, failure.BadRequest("The body could not be read.").With(err)
	}
	return raw, nil
}
