// Package rest serves the API over HTTP; no other package knows HTTP. An endpoint family passes New a table of routes,
// and serves the handler that New returns. Each request takes the same steps (ARCHITECTURE.md, "A request"):
//
//	request id → route → HTTPS → authenticate → scope → merchant in the path
//	→ rate limit → idempotency → decode → operation → encode
//
// An operation returns a result or a failure. The package makes status, headers and error body (contract §2 and §3).
//
// No library parses lists, page sizes, dates and times, because the contract has its own spellings and messages for
// them (contract §2.4, §2.5 and §2.6).
package rest

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Access selects the credentials that a route takes.
type Access int

// The kinds of access.
const (
	SecretOnly Access = iota // a secret key or an access token
	PublicToo                // also public keys, from browsers (contract §2.1)
	Open                     // no credential; limited by source address (contract §2.9)
)

// Takes returns true if the route admits callers of the kind. It assumes that they have the route's scopes and
// permission, and act in their own mode.
func (r Route) Takes(kind identity.Kind) bool {
	switch {
	case r.Access == Open:
		return false
	case kind == identity.PublicKey:
		return r.Access == PublicToo
	case kind == identity.MerchantToken:
		return r.Action != ""
	}
	all := identity.Principal{Actor: identity.Actor{Kind: kind}, Permissions: identity.AllPermissions()}
	return all.Has(r.Permission)
}

// forBrowsers returns true if pages of every origin may call the route (contract §2.1).
func (r Route) forBrowsers() bool { return r.Access == PublicToo || r.Action != "" }

// ErrorFormat is the form of a route's errors (contract §3.1).
type ErrorFormat int

// The error formats.
const (
	Hybrid  ErrorFormat = iota // one object with the members of all shapes (contract §3.2)
	Several                    // Hybrid, but an array if there are several faults (process)
	Listed                     // Hybrid; if Accept names problem+json, "errors" lists several faults (contract §3.1)
	Array                      // Hybrid, but a 400 is always an array (payouts)
	Details                    // Hybrid with details and failed_constraints (payment methods)
	HTML                       // an HTML page, for browsers
	OAuth                      // error and error_description (RFC 6749 §5.2)
	Readers                    // Hybrid; "errors" may have detail and type (readers' checkouts, status, settings)
)

// Route is one row of a family's table.
type Route struct {
	Method string
	Path   string   // segments may be {name} or prefix{name}: /v0.1/checkouts/{id}, /pay/c-{id}
	Scopes []string // any one suffices; none: any credential of the merchant (contract §1)
	Access Access
	Errors ErrorFormat

	// Action is the action that a merchant token must allow; "": the route takes no merchant token (contract §8.5).
	Action identity.Action

	// Permission is the permission that a person needs besides a scope; "": no permission is needed (contract §8.1).
	Permission identity.Permission

	// Partial lists permissions that widen what a person sees or reaches. Without full_transaction_history_view, for
	// example, a person sees only the payments of their own checkouts. The operation itself decides which part (contract
	// §13.9).
	Partial []identity.Permission

	Handle Handle

	// PerAddress is the limit of one address on an Open route; zero: Limits.Address.
	PerAddress Limit

	// Successor is the path that replaces a deprecated route (contract §2.10). {merchant_code} in it stands for the
	// caller's merchant. "": none.
	Successor string
}

// Repeatable returns true if requests of the route may have an Idempotency-Key.
func (r Route) Repeatable() bool { return r.Access != Open && isWriteMethod(r.Method) }

// showsErrorPage returns true if a JSON route shows its errors as pages. This is so when a payer's browser posts a
// form, which means that the page's script did not run.
func (r Route) showsErrorPage(h http.Header) bool {
	return r.Errors == Several && r.Handle.plan.readsForm(h)
}

// Limit is a token bucket (contract §2.9).
type Limit struct {
	Rate  int // tokens a second
	Burst int // tokens when full
}

// Limits are the buckets. A zero Limit takes the value of contract §2.9.
type Limits struct {
	Credential Limit // zero: 100/s, burst 500
	Tenant     Limit // unless merchant.Merchant.Requests is set; zero: 300/s, burst 1500
	Address    Limit // Open routes; zero: 5/s, burst 30
}

// Config configures the handler. Routes and Store are required.
type Config struct {
	Routes    []Route
	Store     *store.Store
	Now       func() time.Time // nil: the system's clock
	Log       *slog.Logger     // nil: slog.Default
	BaseURL   string           // of problem types and successors; without a trailing slash
	AllowHTTP bool             // true only in the local run: plain HTTP is not refused
	Limits    Limits
	Proxies   Proxies

	// HashKey has at least 32 secret bytes; repeatable routes require it. Fingerprints, operation ids and stored replies
	// use keys that are derived from it. During a rotation OldHashKey is the previous key. It makes new records until
	// HashKeySince, and its records are still found afterwards.
	HashKey      []byte
	OldHashKey   []byte // nil: none
	HashKeySince time.Time
}

// New returns the handler of the routes. It panics on two equal routes, a malformed path, or a short key.
func New(c Config) http.Handler {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	var keys keyring
	if slices.ContainsFunc(c.Routes, Route.Repeatable) {
		keys = deriveKeyring(c)
	}
	baseURL := strings.TrimRight(c.BaseURL, "/")
	credential := cmp.Or(c.Limits.Credential, Limit{Rate: 100, Burst: 500})
	return &server{
		routes:    newRouter(c.Routes),
		store:     c.Store,
		now:       func() time.Time { return c.Now().UTC() },
		log:       c.Log,
		baseURL:   baseURL,
		errors:    errorEncoder{base: baseURL},
		allowHTTP: c.AllowHTTP,
		proxies:   c.Proxies,
		keys:      keys,
		callers:   newLimiter(c.Store, c.Log, credential),
		payers:    newLimiter(c.Store, c.Log, credential),
		tenants:   newLimiter(c.Store, c.Log, cmp.Or(c.Limits.Tenant, Limit{Rate: merchant.UsualRequests, Burst: 1500})),
		uses:      newKeyUses(c.Store, c.Log),
		addresses: newLimiter(c.Store, c.Log, cmp.Or(c.Limits.Address, Limit{Rate: 5, Burst: 30})),
	}
}
