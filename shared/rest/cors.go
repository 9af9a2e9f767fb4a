package rest

import (
	"net/http"
	"strings"
)

// corsHeaders let pages of every origin read a response. Browsers add no cookies
// or credentials of their own here: the public key or merchant token is in the page.
func corsHeaders(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, RateLimit, RateLimit-Policy, Retry-After, Idempotency-Replayed")
}

// preflight answers a browser's OPTIONS with the methods that browsers may use. By the Fetch standard the wildcard does
// not cover Authorization, which is therefore listed.
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
