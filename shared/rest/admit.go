package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// routed finds the request's route. done says the reply is made already: 404,
// 405, or the answer to a browser's preflight.
func (x *exchange) routed() (r reply, done bool) {
	method := x.request.Method
	lookup := method
	if method == http.MethodHead {
		lookup = http.MethodGet // RFC 9110 §9.3.2: GET without the body
	}
	x.match = x.server.routes.find(lookup, x.request.URL.EscapedPath())
	x.route = x.match.route
	switch {
	case x.route != nil:
		return reply{}, false
	case len(x.match.others) == 0:
		return x.fail(failure.NotFound("There is nothing at this address.")), true
	case method == http.MethodOptions && x.match.public():
		return preflight(x.match), true
	}
	r = x.fail(failure.Malformed("This resource does not take the method " + quoteMethod(method) + ".").
		WithSlug("method-not-allowed"))
	r.header.Set("Allow", x.match.allow())
	return r, true
}

// quoteMethod keeps a client's own text out of the message.
func quoteMethod(method string) string {
	if changes(method) || method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions {
		return method
	}
	return "of the request"
}

// admitted lets the caller through, or says why not: HTTPS, credential, scope,
// merchant in the path, rate limit.
func (x *exchange) admitted(ctx context.Context) (context.Context, error) {
	if !x.server.allowHTTP && !secure(x.request) {
		return ctx, failure.Forbidden("https_required").WithSlug("https-required")
	}
	if x.route.Access == Open {
		return ctx, x.limited(ctx, x.server.addresses, sourceAddress(x.request))
	}
	caller, owner, err := x.authenticated(ctx)
	if err != nil {
		return ctx, err
	}
	x.caller = caller
	if err := permitted(caller, x.route); err != nil {
		return ctx, err
	}
	if code, ok := x.match.values["merchant_code"]; ok && code != caller.Tenant.Merchant {
		return ctx, failure.NotFound("There is no such merchant.")
	}
	ctx = withCaller(ctx, caller, owner)
	return ctx, x.limited(ctx, x.server.callers, "credential "+caller.Tenant.String()+" "+caller.Actor.ID)
}

// secure says the client came over TLS, to us or to every proxy that vouches
// (contract §2.1).
func secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	schemes := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
	return !slices.ContainsFunc(schemes, func(s string) bool { return !strings.EqualFold(strings.TrimSpace(s), "https") })
}

// authenticated costs one call, and none for a token that cannot be one.
func (x *exchange) authenticated(ctx context.Context) (identity.Principal, merchant.Merchant, error) {
	header := x.request.Header.Get("Authorization")
	if header == "" {
		return identity.Principal{}, merchant.Merchant{}, failure.Unauthorized("missing-token")
	}
	scheme, text, _ := strings.Cut(header, " ")
	token, ok := identity.ParseToken(strings.TrimSpace(text))
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return identity.Principal{}, merchant.Merchant{}, failure.Unauthorized("invalid-token")
	}
	return x.server.store.Authenticate(ctx, token)
}

// permitted: a public key reaches the routes meant for it, whatever their
// scopes; any other credential needs one of them (contract §2.1).
func permitted(p identity.Principal, route *Route) error {
	allowed := p.May(route.Scopes...)
	if p.Actor.Kind == identity.PublicKey {
		allowed = route.Access == PublicToo
	}
	if !allowed {
		return failure.Forbidden("request_not_allowed")
	}
	return nil
}

func (x *exchange) limited(ctx context.Context, l *limiter, subject string) error {
	var err error
	x.quota, err = l.take(ctx, subject)
	return err
}
