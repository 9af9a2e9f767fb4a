package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// apiVersion is the version of Stripe's API that this package reads and writes.
const apiVersion = "2025-08-27.basil"

const stripeURL = "https://api.stripe.com"

const (
	// connectTime bounds the time to connect, and the time of the TLS handshake after that.
	connectTime = time.Second
	// callTime bounds a call whose caller has set no earlier limit.
	callTime = 8 * time.Second
	// maxAnswer is the maximum size of an answer in bytes. A page of 100 events or booked lines is the largest.
	maxAnswer = 8 << 20
)

// client sends form-encoded requests. It repeats none, but package net/http may: a GET, or a request with an
// idempotency key, whose connection breaks. It follows no redirect, because each request has the key.
type client struct {
	http    *http.Client
	base    string
	key     func() string
	now     func() time.Time
	breaker breaker
}

func newClient(c Config, now func() time.Time) *client {
	made := &client{base: c.BaseURL, key: c.Key, now: now, http: &http.Client{Transport: c.Network,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if made.base == "" {
		made.base = stripeURL
	}
	if c.Network == nil {
		made.http.Transport = newNetwork()
	}
	return made
}

func newNetwork() *http.Transport {
	return &http.Transport{
		Proxy:               nil, // a proxy from the environment would see when payments are made
		DialContext:         (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout: connectTime,
		ForceAttemptHTTP2:   true, // a custom dialer would otherwise turn HTTP/2 off
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     time.Minute,
	}
}

// call is one request to the API. Its form has the parameters, and may be nil.
type call struct {
	method string
	path   string
	form   url.Values
	key    string // idempotency key; "": none
}

// send makes the call and decodes the answer. Errors: *apiError for an answer of 300 or more. Errors contain neither
// the form nor the text of Stripe's message, because both may have the payer's details.
func (c *client) send(ctx context.Context, r call, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	status, header, body, err := c.exchange(ctx, r)
	c.breaker.record(err, c.now())
	if err != nil {
		return fmt.Errorf("stripe: no answer to %s %s: %w", r.method, r.path, err)
	}
	if status >= http.StatusMultipleChoices {
		return newAPIError(r, status, header, body)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("stripe: the answer to %s %s cannot be read (%d bytes)", r.method, r.path, len(body))
	}
	return nil
}

func (c *client) exchange(ctx context.Context, r call) (status int, header http.Header, body []byte, err error) {
	request, err := c.newRequest(ctx, r)
	if err != nil {
		return 0, nil, nil, withoutURL(err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, nil, withoutURL(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("it has more than %d bytes", maxAnswer)
	}
	return response.StatusCode, response.Header, body, err
}

func (c *client) newRequest(ctx context.Context, r call) (*http.Request, error) {
	address, body := c.base+r.path, ""
	if r.method == http.MethodPost {
		body = r.form.Encode()
	} else if len(r.form) > 0 {
		address += "?" + r.form.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.key())
	request.Header.Set("Stripe-Version", apiVersion)
	if r.method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.key != "" {
		request.Header.Set("Idempotency-Key", r.key)
	}
	return request, nil
}

// withoutURL returns the cause of an error of net/http, whose text contains the address with its query.
func withoutURL(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// failure is why a payment failed, as Stripe writes it in an error and in an intent.
type failure struct {
	Type        string `json:"type"`
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code"`
	AdviceCode  string `json:"advice_code"`
	Param       string `json:"param"`
}

// apiError is an answer of 300 or more.
type apiError struct {
	failure
	status    int
	method    string
	path      string
	requestID string // names the request in Stripe's logs
}

// word matches a name that is safe to log.
var word = regexp.MustCompile(`^[A-Za-z0-9_\[\]]{1,80}$`)

func newAPIError(r call, status int, header http.Header, body []byte) *apiError {
	var answer struct {
		Error failure `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // a proxy's answer has no such object
	e := &apiError{failure: answer.Error, status: status, method: r.method, path: r.path,
		requestID: header.Get("Request-Id")}
	for _, field := range []*string{&e.Type, &e.Code, &e.DeclineCode, &e.AdviceCode, &e.Param, &e.requestID} {
		if !word.MatchString(*field) {
			*field = ""
		}
	}
	return e
}

// Error returns a text without data of the request.
func (e *apiError) Error() string {
	return fmt.Sprintf("stripe: %s %s: status %d, type %q, code %q, decline code %q, parameter %q, request %q", e.method,
		e.path, e.status, e.Type, e.Code, e.DeclineCode, e.Param, e.requestID)
}

// idempotencyError is the type of an error for a key that came before with other parameters.
const idempotencyError = "idempotency_error"

// isRefused returns true if Stripe has understood the request and will not do it: the parameters are wrong, or the
// object does not exist or has the wrong status.
func isRefused(err error) bool {
	var e *apiError
	return errors.As(err, &e) && e.Type != idempotencyError &&
		(e.status == http.StatusBadRequest || e.status == http.StatusNotFound)
}

// isConflict returns true if Stripe is answering, or has answered, another request with the idempotency key.
func isConflict(err error) bool {
	var e *apiError
	return errors.As(err, &e) && (e.status == http.StatusConflict || e.Type == idempotencyError)
}

// isWrongStatus returns true if Stripe has refused a request because of the intent's status.
func isWrongStatus(err error) bool {
	var e *apiError
	return errors.As(err, &e) && strings.HasSuffix(e.Code, "_unexpected_state")
}

func isMissing(err error) bool {
	var e *apiError
	return errors.As(err, &e) && e.status == http.StatusNotFound
}

// isUnclear returns true if the request may have been carried out, or may succeed when it is repeated with the same
// key: there was no answer, or Stripe was busy or failed.
func isUnclear(err error) bool {
	var e *apiError
	if !errors.As(err, &e) {
		return err != nil
	}
	return e.status == http.StatusConflict || e.status == http.StatusTooManyRequests ||
		e.status >= http.StatusInternalServerError
}

// asDecline returns the reason if the issuer or Stripe has declined the card (402).
func asDecline(err error) (failure, bool) {
	var e *apiError
	if errors.As(err, &e) && e.status == http.StatusPaymentRequired {
		return e.failure, true
	}
	return failure{}, false
}

// name matches an id of Stripe, such as pm_1NG8Du2eZvKYlo2CUI79vXWy. An id of another form could change the path of a
// request.
var name = regexp.MustCompile(`^[a-z]+_[A-Za-z0-9_]{1,255}$`)

func isName(text string) bool { return name.MatchString(text) }
