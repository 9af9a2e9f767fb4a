// Package failure has the only error type that may reach a client. A failure describes an error in the platform's
// terms. Package rest turns the failure's Kind into a status and a body (contract §3). Make a failure with Invalid,
// NotFound and so on.
package failure

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Kind classifies a failure, by the table in contract §3.3.
type Kind int

// The kinds, in the order of their statuses.
const (
	KindInternal      Kind = iota // a fault of the platform; the cause is logged, never shown
	KindMalformed                 // the request cannot be read, or makes no sense
	KindInvalid                   // a field is missing or has a bad value
	KindUnauthorized              // no credentials, or bad ones
	KindNotChargeable             // the instrument cannot be charged at all
	KindForbidden                 // the credential may not do this
	KindNotFound                  // the resource does not exist, or belongs to another merchant
	KindConflict                  // the resource's state does not allow it
	KindTooLarge                  // the body is above the limit
	KindUnsupported               // the body is in an unknown coding
	KindUnprocessable             // the request is well formed, but cannot be done
	KindUpstream                  // an upstream certainly did not take the request
	KindTooMany                   // the request is above the rate limit
	KindTimeout                   // no answer in time
)

// usual has the usual code and slug of a kind.
type usual struct{ code, slug string }

var usuals = [...]usual{
	KindInternal:      {"INTERNAL_ERROR", "internal-server-error"},
	KindMalformed:     {"INVALID_REQUEST", "bad-request"},
	KindInvalid:       {"INVALID", "invalid-parameter"},
	KindUnauthorized:  {"NOT_AUTHORIZED", "unauthorized"},
	KindNotChargeable: {"INSTRUMENT_NOT_CHARGEABLE", "instrument-not-chargeable"},
	KindForbidden:     {"FORBIDDEN", "forbidden"},
	KindNotFound:      {"NOT_FOUND", "not-found"},
	KindConflict:      {"CONFLICT", "conflict"},
	KindTooLarge:      {"INVALID_REQUEST", "content-too-large"},
	KindUnsupported:   {"INVALID_REQUEST", "unsupported-media-type"},
	KindUnprocessable: {"", "unprocessable-entity"},
	KindUpstream:      {"UPSTREAM_FAILED", "upstream-failed"},
	KindTooMany:       {"TOO_MANY_REQUESTS", "too-many-requests"},
	KindTimeout:       {"INTERNAL_ERROR", "gateway-timeout"},
}

// Slug returns the kind's usual problem type.
func (k Kind) Slug() string { return usuals[k].slug }

// Error is a failure. Its texts are safe to show, except Cause, which is for logs only.
type Error struct {
	Kind       Kind
	Code       string // error_code, e.g. DUPLICATED_CHECKOUT
	Slug       string // problem type, e.g. session-expired
	Param      string // dot path of the offending field
	Message    string // safe for clients
	Why        string // in a 403, the right that the caller lacks, for people; Message is for programs (contract §3.2)
	RetryAfter time.Duration
	Details    []Detail // failed_constraints in the body with details (contract §3.1)
	Errors     any      // the body's member errors, in any form (contract §13.4, §3.1 readers); safe for clients
	Transient  bool     // see AsTransient
	Cause      error
}

// Detail is one entry of failed_constraints.
type Detail struct {
	Message   string `json:"message"`
	Reference string `json:"reference"`
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Cause }

// Text returns the failure's text for people.
func (e *Error) Text() string { return cmp.Or(e.Why, e.Message) }

// Because returns a copy of a Forbidden. why names the right that the caller lacks, and must not reveal others' data.
func (e *Error) Because(why string) *Error {
	clone := *e
	clone.Why = why
	return &clone
}

// WithCode returns a copy with the code instead of the kind's usual code.
func (e *Error) WithCode(code string) *Error {
	clone := *e
	clone.Code = code
	return &clone
}

// WithSlug returns a copy with the problem type instead of the kind's usual type.
func (e *Error) WithSlug(slug string) *Error {
	clone := *e
	clone.Slug = slug
	return &clone
}

// WithCause returns a copy with a cause for the log.
func (e *Error) WithCause(cause error) *Error {
	clone := *e
	clone.Cause = cause
	return &clone
}

// AsTransient returns a copy for a failure whose only reason is work in progress. The same request may succeed later,
// so the reply is not stored under an Idempotency-Key (contract §2.8).
func (e *Error) AsTransient() *Error {
	clone := *e
	clone.Transient = true
	return &clone
}

// In returns a copy for a field of the object parent. The copy's Param and Message begin with parent and a dot.
func (e *Error) In(parent string) *Error {
	clone := *e
	clone.Param, clone.Message = parent+"."+e.Param, parent+"."+e.Message
	return &clone
}

// List has several failures of one request. Only the operations named in contract §3.1 show more than the first
// failure.
type List []*Error

func (l List) Error() string {
	parts := make([]string, len(l))
	for i, e := range l {
		parts[i] = e.Error()
	}
	return strings.Join(parts, "; ")
}

// Unwrap lets errors.As and errors.Is examine each failure, the first one first.
func (l List) Unwrap() []error {
	all := make([]error, len(l))
	for i, e := range l {
		all[i] = e
	}
	return all
}

// Err returns nil for an empty list, and the failure itself for a list of one. Otherwise it returns the list.
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

// First returns the first failure, or nil for an empty list.
func (l List) First() error {
	if len(l) == 0 {
		return nil
	}
	return l[0]
}

// If returns the list, with the failure added if applies is true.
func (l List) If(applies bool, e *Error) List {
	if applies {
		return append(l, e)
	}
	return l
}

// With returns the list with the failure added, unless the failure is nil.
func (l List) With(e *Error) List { return l.If(e != nil, e) }

// Names returns true if a failure in the list is about the field.
func (l List) Names(param string) bool {
	return slices.ContainsFunc(l, func(e *Error) bool { return e.Param == param })
}

// Of returns the failure that err wraps. If err is a List, Of returns the first failure in it. If err wraps no failure,
// it returns an Internal with err as its cause.
func Of(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return newError(KindInternal, "An internal error occurred.").WithCause(err)
}

// Is returns true if err is a failure of the kind, or a List that begins with such a failure.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// newError returns a failure with its kind's usual code and slug.
func newError(kind Kind, message string) *Error {
	u := usuals[kind]
	return &Error{Kind: kind, Code: u.code, Slug: u.slug, Message: message}
}

// Malformed returns the failure of a request that cannot be read, or that makes no sense.
func Malformed(message string) *Error { return newError(KindMalformed, message) }

// Invalid returns the failure of a field with a bad value. The predicate describes the fault: ("amount", "must be above
// 0") gives the message "amount must be above 0." Without a param, the predicate is the whole message.
func Invalid(param, predicate string) *Error {
	if param == "" {
		return newError(KindInvalid, predicate)
	}
	e := newError(KindInvalid, param+" "+predicate+".")
	e.Param = param
	return e
}

// Missing returns the Invalid of a required field that is absent, with the code MISSING.
func Missing(param string) *Error {
	return Invalid(param, "is required").WithCode("MISSING")
}

// Unauthorized returns the failure of a request without valid credentials. The slug is missing-token, invalid-token,
// not-authorised-token or unauthorized. The message follows from the slug (contract §3.2).
func Unauthorized(slug string) *Error {
	message := "invalid access token"
	if slug == "missing-token" {
		message = "access token required"
	}
	return newError(KindUnauthorized, message).WithSlug(slug)
}

// NotChargeable returns the failure of an instrument that cannot be charged at all (contract §3.4, 402).
func NotChargeable(message string) *Error { return newError(KindNotChargeable, message) }

// Forbidden returns the failure of a missing permission. The reason becomes the error_message, and clients decide by
// that text (contract §3.3).
func Forbidden(reason string) *Error { return newError(KindForbidden, reason) }

// Denied returns the Forbidden of a credential that lacks a right. why names the right, and must not reveal others'
// data.
func Denied(why string) *Error { return Forbidden("request_not_allowed").Because(why) }

// NotFound returns the failure of a resource that does not exist for this caller.
func NotFound(message string) *Error { return newError(KindNotFound, message) }

// Conflict returns the failure of a request that the resource's state does not allow.
func Conflict(message string) *Error { return newError(KindConflict, message) }

// TooLarge returns the failure of a body above the limit.
func TooLarge(message string) *Error { return newError(KindTooLarge, message) }

// Unsupported returns the failure of a body in an unknown coding.
func Unsupported(message string) *Error { return newError(KindUnsupported, message) }

// Unprocessable returns the failure of a well-formed request that cannot be done. It has no usual code (contract §3.3).
func Unprocessable(message string) *Error { return newError(KindUnprocessable, message) }

// Upstream returns the failure of a request that the upstream certainly did not take. Nothing changed, so the client
// may try again (contract §3.4, 424).
func Upstream(cause error) *Error {
	e := newError(KindUpstream, "A required upstream service did not accept the request.")
	e.RetryAfter, e.Cause = 5*time.Second, cause
	return e
}

// TooMany returns the failure of a request above the rate limit. The client may repeat the request after the given
// time.
func TooMany(after time.Duration) *Error {
	e := newError(KindTooMany, "Too many requests.")
	e.RetryAfter = after
	return e
}

// Timeout returns the failure of a request that got no answer in time. The outcome of the request is unknown.
func Timeout(cause error) *Error {
	return newError(KindTimeout, "No answer came in time.").WithCause(cause)
}

// Recover turns a panic of the function that defers Recover into that function's error, with the stack. Without it, a
// panic about one item would end the process and so the work on all other items.
func Recover(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}
