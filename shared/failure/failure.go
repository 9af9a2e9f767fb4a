// Package failure is the one error type that may reach a client. It says what
// went wrong in the platform's terms and knows nothing of HTTP: package rest
// turns a Kind into a status and a body (contract §3).
package failure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind classifies a failure; each has one row in contract §3.3.
type Kind int

// The kinds, in the order of the statuses they become.
const (
	Internal      Kind = iota // a fault of ours; the cause is logged, never shown
	Malformed                 // the request cannot be read at all
	Rejected                  // a field is missing or has a bad value
	Unauthorized              // no or bad credentials
	NotChargeable             // the instrument cannot be charged at all
	Forbidden                 // the credential may not do this
	NotFound                  // absent, or another merchant's
	Conflict                  // collides with the resource's state
	TooLarge                  // body above the limit
	Unprocessable             // understood, but semantically refused
	Upstream                  // an upstream certainly did not take the request
	TooMany                   // rate limit
	Timeout                   // no answer in time
)

// Error is a failure with a text that is safe to show. Cause is for logs only.
type Error struct {
	Kind       Kind
	Code       string // error_code, e.g. DUPLICATED_CHECKOUT
	Slug       string // problem type, e.g. session-expired
	Param      string // dot path of the offending field
	Message    string // safe for clients
	RetryAfter time.Duration
	Details    []Detail // failed_constraints of the details shape (contract §3.1)
	Errors     any      // the member errors, whatever its form (contract §13.4, §3.1 readers); safe for clients
	Transient  bool     // due only to something that is still running: see Transient
	Cause      error
}

// Detail is one entry of failed_constraints.
type Detail struct {
	Message   string `json:"message"`
	Reference string `json:"reference"`
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Param != "" {
		text += " (" + e.Param + ")"
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Cause }

// With returns a copy that carries the cause for the log.
func (e *Error) With(cause error) *Error {
	clone := *e
	clone.Cause = cause
	return &clone
}

// List is several failures of one request; only process and payouts show
// more than the first (contract §3.1).
type List []*Error

func (l List) Error() string {
	parts := make([]string, len(l))
	for i, e := range l {
		parts[i] = e.Error()
	}
	return strings.Join(parts, "; ")
}

// Unwrap lets errors.As and Is look at each failure, the first one first.
func (l List) Unwrap() []error {
	all := make([]error, len(l))
	for i, e := range l {
		all[i] = e
	}
	return all
}

// Err is nil for an empty list, the failure itself for one, else the list.
func (l List) Err() error {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	default:
		return l
	}
}

// First is the first failure; nil for an empty list.
func (l List) First() error {
	if len(l) == 0 {
		return nil
	}
	return l[0]
}

// Names says that one of the failures is about the field.
func (l List) Names(param string) bool {
	return slices.ContainsFunc(l, func(e *Error) bool { return e.Param == param })
}

// Of returns err as a failure: the one it wraps (the first of a List), or
// Internal with err as its cause.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Code: "INTERNAL_ERROR", Slug: "internal-server-error",
		Message: "An internal error occurred.", Cause: err}
}

// Is says err is a failure of the kind, or a List whose first one is.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// Missing: a required field is absent.
func Missing(param string) *Error {
	return &Error{Kind: Rejected, Code: "MISSING", Slug: "invalid-parameter", Param: param,
		Message: fmt.Sprintf("%s is required.", param)}
}

// Invalid: a field has a bad value; message says what it should be.
func Invalid(param, message string) *Error {
	return &Error{Kind: Rejected, Code: "INVALID", Slug: "invalid-parameter", Param: param, Message: message}
}

// BadRequest: the request cannot be read, or an operation on it makes no sense.
func BadRequest(message string) *Error {
	return &Error{Kind: Malformed, Code: "INVALID_REQUEST", Slug: "bad-request", Message: message}
}

// Absent: the resource does not exist for this caller. slug "" is the general one.
func Absent(slug, message string) *Error {
	if slug == "" {
		slug = "not-found"
	}
	return &Error{Kind: NotFound, Code: "NOT_FOUND", Slug: slug, Message: message}
}

// Clash: the request collides with the resource's state. slug "" is "conflict".
func Clash(code, slug, message string) *Error {
	if slug == "" {
		slug = "conflict"
	}
	return &Error{Kind: Conflict, Code: code, Slug: slug, Message: message}
}

// Transient is the failure as one that is due only to something that is still
// running: the same request may succeed once that has ended, so no
// Idempotency-Key keeps the reply (contract §2.8).
func Transient(e *Error) *Error {
	clone := *e
	clone.Transient = true
	return &clone
}

// Denied: the credential lacks the permission. reason is the error_message
// clients switch on: request_not_allowed or checkout_payments_not_allowed.
func Denied(reason string) *Error {
	return &Error{Kind: Forbidden, Code: "FORBIDDEN", Slug: "forbidden", Message: reason}
}

// Unauthenticated: slug is one of missing-token, invalid-token,
// not-authorised-token, unauthorized (contract §3.3).
func Unauthenticated(slug string) *Error {
	message := "invalid access token"
	if slug == "missing-token" {
		message = "access token required"
	}
	return &Error{Kind: Unauthorized, Code: "NOT_AUTHORIZED", Slug: slug, Message: message}
}

// Refused: the instrument cannot be charged (contract §3.4, 402).
func Refused(message string) *Error {
	return &Error{Kind: NotChargeable, Code: "INSTRUMENT_NOT_CHARGEABLE",
		Slug: "instrument-not-chargeable", Message: message}
}

// UpstreamFailed: the upstream certainly did not take the request, nothing
// changed, and the client may try again (contract §3.4, 424).
func UpstreamFailed(cause error) *Error {
	return &Error{Kind: Upstream, Code: "UPSTREAM_FAILED", Slug: "upstream-failed",
		Message: "A required upstream service did not accept the request.", RetryAfter: 5 * time.Second, Cause: cause}
}

// RateLimited: try again after the given time.
func RateLimited(after time.Duration) *Error {
	return &Error{Kind: TooMany, Code: "TOO_MANY_REQUESTS", Slug: "too-many-requests",
		Message: "Too many requests.", RetryAfter: after}
}
