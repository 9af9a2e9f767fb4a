package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// deprecatedAt is the day when this version of the API was published, with its deprecated routes.
var deprecatedAt = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// merchantValue is the placeholder in a Route.Successor that stands for the caller's merchant. Any other placeholder
// must be in the route's path.
const merchantValue = "merchant_code"

// setDeprecationHeaders marks a deprecated route (contract §2.10): Deprecation (RFC 9745 §2.1), Link (RFC 5829 §3.5).
func (x *exchange) setDeprecationHeaders(h http.Header) {
	if x.route == nil || x.route.Successor == "" {
		return
	}
	h.Set("Deprecation", "@"+strconv.FormatInt(deprecatedAt.Unix(), 10))
	complete := true
	path := valueName.ReplaceAllStringFunc(x.route.Successor, func(template string) string {
		value := x.match.values[strings.Trim(template, "{}")]
		if template == "{"+merchantValue+"}" {
			value = x.caller.Tenant.Merchant
		}
		complete = complete && value != ""
		return url.PathEscape(value)
	})
	if complete { // a 401 has no merchant for the placeholder, and Link takes no template (RFC 8288 §3.1)
		h.Set("Link", "<"+x.server.baseURL+path+`>; rel="successor-version"`)
	}
}

// mustCheckSuccessor panics on a successor that makes no URL.
func mustCheckSuccessor(r Route) {
	unfilled := false
	rest := valueName.ReplaceAllStringFunc(r.Successor, func(template string) string {
		unfilled = unfilled || template != "{"+merchantValue+"}" && !strings.Contains(r.Path, template)
		return ""
	})
	if r.Successor != "" && (unfilled || !strings.HasPrefix(rest, "/") || strings.ContainsAny(rest, "{}<> ")) {
		panic(fmt.Sprintf("rest: %s %s: malformed successor %s", r.Method, r.Path, r.Successor))
	}
}
