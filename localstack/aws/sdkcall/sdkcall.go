// Package sdkcall reads the requests that the SDK sends to AWS's services.
package sdkcall

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/s3"
	"github.com/cashwrap/cashwrap/localstack/aws/ses"
)

// Body returns the body of a request, which still has it; nil if it has none.
func Body(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	read := bytes.NewBuffer(make([]byte, 0, max(0, r.ContentLength)+bytes.MinRead)) // so that it need not grow
	_, err := read.ReadFrom(r.Body)
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(read.Bytes()))
	return read.Bytes(), err
}

// Operation names the operation that a request asks for; of S3 the action that permits it.
func Operation(r *http.Request) string {
	switch {
	case ses.Sends(r):
		return "SendEmail"
	case s3.Calls(r):
		return s3.Action(r)
	}
	_, name, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return name
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// Named returns an expression with the names of attributes in the place of #placeholders, and ? in that of :values.
func Named[N any](expression string, names map[string]N) string {
	return placeholder.ReplaceAllStringFunc(expression, func(p string) string {
		if strings.HasPrefix(p, ":") {
			return "?"
		}
		return fmt.Sprint(names[p])
	})
}
