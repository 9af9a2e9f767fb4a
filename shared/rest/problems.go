package rest

import (
	"maps"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Problem explains a problem type (RFC 9457 §3.1.1). GET /problems/{slug} shows it, too.
type Problem struct {
	Slug        string
	Status      int
	Title       string
	Description string
}

// Problems returns the problems of contract §3.3 by slug.
func Problems() map[string]Problem { return maps.Clone(problems) }

var problems = indexBySlug([]Problem{
	{"invalid-parameter", 400, "Invalid Parameter", "A field, filter or header is missing or has a value that is not " +
		"allowed. The reply's member \"param\" names it."},
	{"multiple-invalid-parameters", 400, "Multiple Invalid Parameters",
		"Several fields are missing or have values that are not allowed. The first is named."},
	{"payment-method-not-allowed", 400, "Payment Method Not Allowed",
		"The merchant cannot take this payment method for this checkout."},
	{"unknown-payment-method", 400, "Unknown Payment Method", "There is no payment method of that name."},
	{"validation-failed", 400, "Validation Failed", "The request breaks the constraints listed in failed_constraints."},
	{"bad-request", 400, "Bad Request", "The request could not be read, or asks for something that makes no sense."},
	{"missing-token", 401, "Unauthorized", "The request carries no access token. Send Authorization: Bearer with an API " +
		"key or access token."},
	{"invalid-token", 401, "Unauthorized", "The API key or access token is unknown, revoked or expired."},
	{"not-authorised-token", 401, "Unauthorized", "The client that the access token was issued to has been revoked."},
	{"unauthorized", 401, "Unauthorized", "The request is not authenticated."},
	{"instrument-not-chargeable", 402, "Instrument Not Chargeable",
		"The saved payment instrument cannot be charged at all. Ask the payer for another one."},
	{"forbidden", 403, "Forbidden", "The credential may not do this. detail says what it lacks."},
	{"request-blocked", 403, "Request Blocked", "The request was blocked as a guard against abuse. Quote trace_id to " +
		"support."},
	{"https-required", 403, "HTTPS Required", "Requests are served over HTTPS only. Treat a credential sent over plain " +
		"HTTP as exposed and replace it."},
	{"not-found", 404, "Not Found", "The resource does not exist, or is not visible to this credential."},
	{"checkout-not-found", 404, "Checkout Not Found",
		"The checkout does not exist, or is not visible to this credential."},
	{"method-not-allowed", 405, "Method Not Allowed",
		"The resource exists but does not take this method. Allow lists those it takes."},
	{"conflict", 409, "Conflict", "The request collides with the current state of the resource."},
	{"session-already-processed", 409, "Checkout Already Processed",
		"The checkout has been paid and cannot change any more."},
	{"session-cant-be-deactivated", 409, "Checkout Cannot Be Deactivated",
		"The checkout is deactivated already, or a payment on it is being decided."},
	{"session-expired", 409, "Checkout Expired", "The checkout has expired. Create a new one."},
	{"idempotency-in-progress", 409, "Request In Progress",
		"The first request with this Idempotency-Key is still running. Try again after Retry-After."},
	{"content-too-large", 413, "Content Too Large", "The request body is larger than 1 MiB."},
	{"unsupported-media-type", 415, "Unsupported Media Type", "The body has a Content-Encoding that is not read. " +
		"Accept-Encoding lists those that are."},
	{"idempotency-key-reused", 422, "Idempotency Key Reused",
		"This Idempotency-Key was used for a different request. Use a new key for each operation."},
	{"unprocessable-entity", 422, "Unprocessable Entity",
		"The request is well formed, but what it asks for cannot be done."},
	{"validation-error", 422, "Validation Error", "The request is well formed, but breaks a rule."},
	{"reader-offline", 422, "Reader Offline", "The reader is not connected."},
	{"upstream-failed", 424, "Upstream Failed", "An upstream service certainly did not take the request. Nothing " +
		"changed; try again after Retry-After."},
	{"too-many-requests", 429, "Too Many Requests", "The rate limit is used up. Try again after Retry-After."},
	{"internal-server-error", 500, "Internal Server Error", "The fault is ours. Quote the request id to support."},
	{"gateway-timeout", 504, "Gateway Timeout", "No answer came in time. The outcome is unknown; retry with the same " +
		"Idempotency-Key."},
})

func indexBySlug(list []Problem) map[string]Problem {
	bySlug := make(map[string]Problem, len(list))
	for _, p := range list {
		bySlug[p.Slug] = p
	}
	return bySlug
}

// problemOf returns the problem that shows a failure. A known slug has the status in the table of problems. Any other
// slug has the status of the failure's kind.
func problemOf(e *failure.Error) Problem {
	if p, ok := problems[e.Slug]; ok {
		return p
	}
	p := problems[e.Kind.Slug()]
	if e.Slug != "" {
		p.Slug, p.Title = e.Slug, http.StatusText(p.Status)
	}
	return p
}
