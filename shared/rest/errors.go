package rest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

type errorEncoder struct{ base string }

// problem is the hybrid body of contract §3.2: one object with the members of all shapes.
type problem struct {
	Type              string           `json:"type"`
	Title             string           `json:"title"`
	Status            int              `json:"status"`
	Detail            string           `json:"detail"`
	Instance          string           `json:"instance"`
	ErrorCode         string           `json:"error_code,omitempty"`
	Message           string           `json:"message"`
	TraceID           string           `json:"trace_id"`
	Param             string           `json:"param,omitempty"`
	ErrorMessage      string           `json:"error_message,omitempty"`
	StatusCode        string           `json:"status_code,omitempty"` // a string (contract §2.3)
	Details           string           `json:"details,omitempty"`
	FailedConstraints []failure.Detail `json:"failed_constraints,omitempty"`
	Errors            any              `json:"errors,omitempty"`
}

// fault is one element of an error array, and of a problem's member errors.
type fault struct {
	Message   string `json:"message"`
	ErrorCode string `json:"error_code"`
	Param     string `json:"param,omitempty"`
}

// reply returns the reply to err in the format.
func (w errorEncoder) reply(err error, format ErrorFormat, requestID string, request http.Header) reply {
	err = asTimeout(err)
	e := failure.Of(err)
	var several failure.List
	errors.As(err, &several)
	shown := problemOf(e)
	switch {
	case format == Several && len(several) > 1:
		return arrayReply(several, err)
	case format == Array && shown.Status == http.StatusBadRequest:
		return arrayReply(several, err)
	}
	r := reply{status: shown.Status, header: http.Header{}, err: err}
	if e.RetryAfter > 0 {
		r.header.Set("Retry-After", seconds(e.RetryAfter))
	}
	switch e.Kind {
	case failure.KindUnauthorized:
		r.header.Set("WWW-Authenticate", "Bearer")
	case failure.KindUnsupported:
		r.header.Set("Accept-Encoding", "gzip")
	}
	if format == HTML {
		drawn := errorPage(shown, e, requestID, request)
		r.contentType, r.body, r.policy = htmlType, drawn.HTML, pagePolicy(drawn.CSP)
		return r
	}
	if format == OAuth {
		return oauthReply(r, e)
	}
	body := w.body(shown, e, requestID)
	if format == Details {
		body.Details, body.FailedConstraints = e.Message, constraints(e, several)
	}
	if format == Readers && body.Errors == nil {
		body.Errors, body.ErrorCode = readerErrorOf(e)
	}
	r.contentType = jsonType
	if takesProblems(request) {
		r.contentType = problemType
	}
	if len(several) > 1 {
		body.Type = w.typeOf("multiple-invalid-parameters")
		body.Title = problems["multiple-invalid-parameters"].Title
		if format == Listed && takesProblems(request) {
			body.Errors = faultsOf(several)
		}
	}
	if r.body, err = Marshal(body); err != nil { // only the operation's own Errors can fail
		return w.reply(errors.New("encode the member errors: "+err.Error()), format, requestID, request)
	}
	return r
}

// listsFaults returns true if the reply to a request shows every fault.
func (f ErrorFormat) listsFaults(h http.Header) bool {
	return f == Several || f == Array || f == Listed && takesProblems(h)
}

// takesProblems returns true if a request's Accept names application/problem+json (RFC 9457 §6.1).
func takesProblems(h http.Header) bool {
	return strings.Contains(strings.Join(h.Values("Accept"), ","), "application/problem+json")
}

func (w errorEncoder) typeOf(slug string) string { return w.base + "/problems/" + slug }

func (w errorEncoder) body(shown Problem, e *failure.Error, requestID string) problem {
	b := problem{
		Type: w.typeOf(shown.Slug), Title: shown.Title, Status: shown.Status, Detail: e.Message,
		Instance: "urn:uuid:" + requestID, ErrorCode: e.Code, Message: e.Message, TraceID: requestID, Errors: e.Errors,
	}
	switch shown.Status {
	case http.StatusBadRequest:
		b.Param, b.ErrorMessage = e.Param, e.Message
		b.FailedConstraints = e.Details
	case http.StatusUnauthorized:
		b.Detail, b.ErrorMessage = "Unauthorized.", e.Message
	case http.StatusForbidden:
		b.Detail, b.ErrorMessage, b.StatusCode = cmp.Or(e.Why, shown.Description), e.Message, "403"
	}
	return b
}

// readerError is the member errors in the body of an error about a reader (contract §3.1).
type readerError struct {
	Detail string `json:"detail"`
	Type   string `json:"type,omitempty"` // clients fail on a type that contract §3.3 does not list
}

// readerTypes lists the codes that an error about a reader shows as its type, and not as error_code (contract §3.3).
var readerTypes = []string{"PASSCODE_REQUIRED", "READER_BUSY", "READER_OFFLINE", "SETTINGS_UNAVAILABLE"}

// readerErrorOf returns the member errors for an error about a reader, and the error_code beside it.
func readerErrorOf(e *failure.Error) (errors readerError, code string) {
	switch {
	case slices.Contains(readerTypes, e.Code):
		return readerError{e.Text(), e.Code}, ""
	case e.Kind == failure.KindUnauthorized:
		return readerError{e.Text(), "INVALID_ACCESS_TOKEN"}, e.Code
	default:
		return readerError{Detail: e.Text()}, e.Code
	}
}

// oauthError is the error body of RFC 6749 §5.2.
type oauthError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// oauthReply returns the reply in OAuth's form. The error code is the failure's own OAuth code, or else the nearest
// code.
func oauthReply(r reply, e *failure.Error) reply {
	body := oauthError{Error: e.Code, Description: strings.ReplaceAll(e.Message, `"`, "'")}
	switch {
	case e.Kind == failure.KindUnauthorized:
		r.header.Set("WWW-Authenticate", `Basic realm="OAuth client"`)
		body = oauthError{"invalid_client", "The client is unknown, or its secret is wrong."}
	case e.Code == strings.ToLower(e.Code) && e.Code != "":
	case r.status >= http.StatusInternalServerError:
		body.Error = "server_error"
	case e.Kind == failure.KindTooMany:
		body.Error = "temporarily_unavailable"
	default:
		body.Error = "invalid_request"
	}
	r.contentType = jsonType
	r.body, _ = Marshal(body) // two strings always marshal
	return r
}

// constraints returns the failure's own details, or else a constraint for each faulty field.
func constraints(e *failure.Error, several failure.List) []failure.Detail {
	if len(e.Details) > 0 {
		return e.Details
	}
	if len(several) == 0 {
		several = failure.List{e}
	}
	var all []failure.Detail
	for _, one := range several {
		if one.Param != "" {
			all = append(all, failure.Detail{Message: one.Message, Reference: one.Param})
		}
	}
	return all
}

// arrayReply returns the reply with an array of errors. process answers several errors in this form, and payouts every
// error of status 400 (contract §3.1). The media type is always plain JSON (contract §3.2).
func arrayReply(several failure.List, err error) reply {
	if len(several) == 0 {
		several = failure.List{failure.Of(err)}
	}
	r := reply{status: problemOf(several[0]).Status, contentType: jsonType, err: err}
	r.body, _ = Marshal(faultsOf(several)) // strings always marshal
	return r
}

// faultsOf returns an array element for each failure.
func faultsOf(several failure.List) []fault {
	faults := make([]fault, len(several))
	for i, e := range several {
		faults[i] = fault{Message: e.Message, ErrorCode: e.Code, Param: e.Param}
	}
	return faults
}

// asTimeout returns a Timeout if a deadline or cancellation caused an internal error. Otherwise it returns err.
func asTimeout(err error) error {
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if late && failure.Of(err).Kind == failure.KindInternal {
		return failure.Timeout(err)
	}
	return err
}

// seconds returns a Retry-After value: whole seconds, rounded up, at least one.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

// NothingHere returns the failure for an unknown address.
func NothingHere() error { return failure.NotFound("There is nothing at this address.") }
