package rest

import (
	"net/http"
	"strings"
)

// setCORSHeaders lets pages of every origin read the response. That is safe, because the page itself holds the key or
// token and the browser adds no cookie.
func setCORSHeaders(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed")
}

// preflightReply allows the methods for browsers. It also names the header Authorization, because the wildcard does not
// cover it (Fetch standard).
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
