package rest

import (
	"net/http"
	"strings"
)

// corsHeaders lets every origin read a response: the key or token is in the page, and no cookie is added.
func corsHeaders(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed")
}

// preflight lists the browsers' methods, and Authorization, which the wildcard does not cover (Fetch standard).
func preflight(f found) reply {
	var methods []string
	for _, route := range f.others {
		if route.forBrowsers() {
			methods = append(methods, route.Method)
		}
	}
	return reply{status: http.StatusNoContent, header: http.Header{
		"Access-Control-Allow-Methods": {strings.Join(methods, ", ")},
		"Access-Control-Allow-Headers": {"Authorization, *"},
		"Access-Control-Max-Age":       {"600"},
	}}
}
