package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// deprecatedAt is when this version of the API was published. Its deprecated
// routes were deprecated from the start.
var deprecatedAt = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// merchantTemplate is the only template that a Route.Successor may have.
const merchantTemplate = "{merchant_code}"

// deprecationHeaders mark a response, also an error, of a deprecated route
// (contract §2.10): Deprecation is a structured date (RFC 9745 §2.1), Link has
// the successor (RFC 5829 §3.5).
func (x *exchange) deprecationHeaders(h http.Header) {
	if x.route == nil || x.route.Successor == "" {
		return
	}
	h.Set("Deprecation", "@"+strconv.FormatInt(deprecatedAt.Unix(), 10))
	merchant := x.caller.Tenant.Merchant
	if merchant == "" && strings.Contains(x.route.Successor, merchantTemplate) {
		return // Link takes no template (RFC 8288 §3.1), and a 401 has no merchant to fill in
	}
	path := strings.ReplaceAll(x.route.Successor, merchantTemplate, url.PathEscape(merchant))
	h.Set("Link", "<"+x.server.baseURL+path+`>; rel="successor-version"`)
}

// checkSuccessor panics on a successor that makes no URL.
func checkSuccessor(r Route) {
	rest := strings.ReplaceAll(r.Successor, merchantTemplate, "")
	if r.Successor != "" && (!strings.HasPrefix(rest, "/") || strings.ContainsAny(rest, "{}<> ")) {
		panic(fmt.Sprintf("rest: %s %s: malformed successor %s", r.Method, r.Path, r.Successor))
	}
}
