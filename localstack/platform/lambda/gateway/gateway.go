// Package gateway is an API Gateway HTTP API with payload format 2.0. A Gateway calls functions by its Routes.
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

// maxRequest is the maximum size of a body, in bytes.
const maxRequest = 10 << 20

// Gateway is the HTTP API.
type Gateway struct {
	Routes Routes
	Now    func() time.Time
	// Call calls a function by name.
	Call func(context.Context, string, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// ServeHTTP calls the function of the request's route. As in Lambda, the call continues if the client hangs up.
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
		w.Header().Set("Connection", "close") // the rest of the body may still arrive
		refuse(w, http.StatusRequestTimeout, "Request Timeout")
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "Bad Request")
		return
	}
	response, err := g.Call(context.WithoutCancel(r.Context()), m.Function, requestEvent(r, body, m, g.Now()))
	if err != nil || writeResponse(w, r.Method, response) != nil {
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"message":"`+message+`"}`)
}

var errResponse = errors.New("not a response of payload format 2.0")

// writeResponse sends a function's response. If writeResponse returns an error, it has written nothing.
func writeResponse(w http.ResponseWriter, method string, response events.APIGatewayV2HTTPResponse) error {
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
	_, _ = w.Write(body) // the client may have gone
	return nil
}
