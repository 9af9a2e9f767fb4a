// Package reply makes HTTP responses in the process that asked for them.
package reply

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// To returns the response to a request, as if a network had carried it.
func To(r *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}
