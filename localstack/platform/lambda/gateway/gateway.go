// Package gateway is an API Gateway HTTP API with payload format 2.0.
package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// maxRequest is the largest body an HTTP API takes, in bytes.
const maxRequest = 10 << 20

// Gateway is the HTTP API.
type Gateway struct {
	Routes Routes
	Now    func() time.Time
	// Call makes one call of a function, by its name.
	Call func(context.Context, string, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// ServeHTTP makes one call of a function. The call continues when the client hangs up, as in Lambda.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m, ok := g.Routes.Find(r.URL.EscapedPath())
	if !ok {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close") // what is left of the body may still come
		refuse(w, http.StatusRequestTimeout, "Request Timeout")
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "Bad Request")
		return
	}
	response, err := g.Call(context.WithoutCancel(r.Context()), m.Function, requestEvent(r, body, m, g.Now()))
	if err != nil || write(w, r.Method, response) != nil {
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"message":"`+message+`"}`)
}

var errResponse = errors.New("not a response of payload format 2.0")

// write sends a function's response. It writes nothing before it returns an error.
func write(w http.ResponseWriter, method string, response events.APIGatewayV2HTTPResponse) error {
	body := []byte(response.Body)
	if response.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(response.Body); err != nil {
			return err
		}
	}
	if response.StatusCode < http.StatusOK || response.StatusCode > 599 {
		return errResponse
	}
	header := w.Header()
	for name, value := range response.Headers {
		header.Set(name, value)
	}
	for name, values := range response.MultiValueHeaders {
		header[http.CanonicalHeaderKey(name)] = values
	}
	for _, cookie := range response.Cookies {
		header.Add("Set-Cookie", cookie)
	}
	hasBody := response.StatusCode != http.StatusNoContent && response.StatusCode != http.StatusNotModified
	if method != http.MethodHead && hasBody {
		header.Set("Content-Length", strconv.Itoa(len(body))) // never chunked (contract §2.3)
	}
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(body) // the client may be gone
	return nil
}
