package failure

import "time"

// newError is a failure with its kind's usual code and slug.
func newError(kind Kind, message string) *Error {
	u := usuals[kind]
	return &Error{Kind: kind, Code: u.code, Slug: u.slug, Message: message}
}

// Malformed is a request that cannot be read, or that asks for something that
// makes no sense.
func Malformed(message string) *Error { return newError(KindMalformed, message) }

// Invalid is a field with a bad value. The predicate says what is wrong with
// it: ("amount", "must be above 0") makes "amount must be above 0." Without a
// param the text is the message as it is.
func Invalid(param, predicate string) *Error {
	if param == "" {
		return newError(KindInvalid, predicate)
	}
	e := newError(KindInvalid, param+" "+predicate+".")
	e.Param = param
	return e
}

// Missing is the Invalid of a required field that is absent, with the code MISSING.
func Missing(param string) *Error {
	return Invalid(param, "is required").WithCode("MISSING")
}

// Unauthorized is a request without valid credentials. The slug is one of
// missing-token, invalid-token, not-authorised-token, unauthorized; the message
// follows from it (contract §3.2).
func Unauthorized(slug string) *Error {
	message := "invalid access token"
	if slug == "missing-token" {
		message = "access token required"
	}
	return newError(KindUnauthorized, message).WithSlug(slug)
}

// NotChargeable is an instrument that cannot be charged at all (contract §3.4, 402).
func NotChargeable(message string) *Error { return newError(KindNotChargeable, message) }

// Forbidden is a permission that the credential lacks. The reason is the
// error_message that clients switch on (contract §3.3).
func Forbidden(reason string) *Error { return newError(KindForbidden, reason) }

// Denied is the Forbidden of a credential that lacks a right, which why names. It must say
// nothing of what others have.
func Denied(why string) *Error { return Forbidden("request_not_allowed").Because(why) }

// NotFound is a resource that does not exist for this caller.
func NotFound(message string) *Error { return newError(KindNotFound, message) }

// Conflict is a request that the resource's state does not allow.
func Conflict(message string) *Error { return newError(KindConflict, message) }

// TooLarge is a body above the limit.
func TooLarge(message string) *Error { return newError(KindTooLarge, message) }

// Unsupported is a body in a coding that is not read.
func Unsupported(message string) *Error { return newError(KindUnsupported, message) }

// Unprocessable is a well-formed request for something that cannot be done. It
// has no usual code (contract §3.3, 422).
func Unprocessable(message string) *Error { return newError(KindUnprocessable, message) }

// Upstream is a request that the upstream certainly did not take: nothing
// changed, and the client may try again (contract §3.4, 424).
func Upstream(cause error) *Error {
	e := newError(KindUpstream, "A required upstream service did not accept the request.")
	e.RetryAfter, e.Cause = 5*time.Second, cause
	return e
}

// TooMany is a request above the rate limit; the client may try again after
// the given time.
func TooMany(after time.Duration) *Error {
	e := newError(KindTooMany, "Too many requests.")
	e.RetryAfter = after
	return e
}

// Timeout is an answer that did not come in time; the outcome is unknown.
func Timeout(cause error) *Error {
	return newError(KindTimeout, "No answer came in time.").WithCause(cause)
}
