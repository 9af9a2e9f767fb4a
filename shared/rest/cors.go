package rest

import (
	"net/http"
	"strings"
)

// setCORSHeaders lets every origin read the response: the page itself holds the key or token, and no cookie is added.
func setCORSHeaders(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed")
}

// preflightReply lists browsers' methods, and Authorization, which the wildcard does not cover (Fetch standard).
func preflightReply(f pathMatch) reply {
	var methods []string
	for _, route := range f.routes {
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
