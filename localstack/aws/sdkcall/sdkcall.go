// Package sdkcall inspects the requests that the SDK sends to AWS. Operation names the call; Body returns its content.
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

// Body returns a request's body, or nil if it has none. The body can be read again afterwards.
func Body(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	read := bytes.NewBuffer(make([]byte, 0, max(0, r.ContentLength)+bytes.MinRead)) // large enough never to grow
	_, err := read.ReadFrom(r.Body)
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(read.Bytes()))
	return read.Bytes(), err
}

// Operation returns the operation that a request calls. For S3 it returns the IAM action.
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

// Named replaces each #placeholder in an expression by the attribute's name, and each :value by "?".
func Named[N any](expression string, names map[string]N) string {
	return placeholder.ReplaceAllStringFunc(expression, func(p string) string {
		if strings.HasPrefix(p, ":") {
			return "?"
		}
		return fmt.Sprint(names[p])
	})
}
