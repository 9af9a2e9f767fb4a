package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// findRoute sets the request's route. If no route matches, done is true and r is the reply: 404, 405, or the reply to a
// preflight.
func (x *exchange) findRoute() (r reply, done bool) {
	method := x.request.Method
	lookup := method
	if method == http.MethodHead {
		lookup = http.MethodGet // answers as GET, without the body (RFC 9110 §9.3.2)
	}
	x.match = x.server.routes.find(lookup, x.request.URL.EscapedPath())
	x.route = x.match.route
	switch {
	case x.route != nil:
		return reply{}, false
	case len(x.match.routes) == 0, x.match.routes[0].Path == notPlanned[method]:
		return x.errorReply(NothingHere()), true
	case method == http.MethodOptions && x.match.forBrowsers():
		return preflightReply(x.match), true
	}
	r = x.errorReply(failure.Malformed("This resource does not take the method " + safeMethod(method) + ".").
		WithSlug("method-not-allowed"))
	r.header.Set("Allow", x.match.allowHeader())
	return r, true
}

// notPlanned lists, by method, the paths of operations in contract §13.8. Other methods of these paths exist, but these
// operations answer 404, not 405.
var notPlanned = map[string]string{
	http.MethodPost: "/v0.1/customers/{customer_id}/payment-instruments", // createPaymentInstrument
}

// safeMethod replaces an unknown method by a fixed text, so that messages and logs never quote a client's text.
func safeMethod(method string) string {
	if isWriteMethod(method) || method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions {
		return method
	}
	return "of the request"
}

// admit checks HTTPS, the credential, its scope, the merchant in the path and the rate limit.
func (x *exchange) admit(ctx context.Context) (_ context.Context, err error) {
	if !x.server.allowHTTP && !isSecure(x.request) {
		return ctx, failure.Forbidden("https_required").WithSlug("https-required")
	}
	ctx = withState(ctx, func(s *state) { s.source, s.browser = addressSubject(x.client), x.browser() })
	if x.route.Access == Open {
		by := audit.By{Actor: audit.Actor{Source: x.source(), Request: x.id}, Operation: x.operation()}
		ctx = withState(ctx, func(s *state) { s.by, s.openRouteRequest = by, x.request })
		subject := SourceAddress(ctx)
		if x.route.PerAddress != (Limit{}) {
			subject += " " + x.operation()
		}
		x.quota, err = x.server.addresses.take(ctx, subject, x.route.PerAddress)
		return ctx, err
	}
	if ctx, err = x.admitCaller(ctx); err != nil {
		return ctx, err
	}
	return ctx, x.takeTokens(ctx)
}

// operation returns the route's name in audit entries.
func (x *exchange) operation() string { return x.route.Method + " " + x.route.Path }

// takeTokens takes one token from the credential's bucket and one from the tenant's. For a payer, the first bucket
// belongs to the payer's address together with the merchant token or public key, because all payers of the merchant
// share the public key. The second bucket belongs to all payers of the merchant (contract §2.9). The response shows the
// quota of the first bucket.
func (x *exchange) takeTokens(ctx context.Context) (err error) {
	s, tenant := x.server, x.caller.Tenant.String()
	own, subject, all := s.callers, "credential "+tenant+" "+x.caller.Actor.ID, "tenant "+tenant
	if x.caller.Actor.Kind.InBrowser() {
		own, subject, all = s.payers, "payer "+tenant+" "+x.caller.Actor.ID+" "+SourceAddress(ctx), "payers "+tenant
	}
	if x.quota, err = own.take(ctx, subject, Limit{}); err != nil {
		return err
	}
	var limit Limit
	if rate := Merchant(ctx).Requests; rate > 0 {
		limit = Limit{Rate: rate, Burst: 5 * rate}
	}
	_, err = s.tenants.take(ctx, all, limit)
	return err
}

// admitCaller checks credential, scope, permission and merchant. run calls it again if the caller's rights have
// changed.
func (x *exchange) admitCaller(ctx context.Context) (context.Context, error) {
	caller, owner, err := x.authenticate(ctx)
	if err != nil {
		return ctx, err
	}
	x.caller = caller
	x.server.uses.note(ctx, caller)
	if why := x.route.Refusal(caller); why != "" {
		return ctx, failure.Denied(why)
	}
	if code, ok := x.match.values["merchant_code"]; ok && code != caller.Tenant.Merchant {
		return ctx, failure.NotFound("There is no such merchant.")
	}
	by := audit.By{Principal: caller, Actor: x.actor(), Operation: x.operation()}
	return withState(ctx, func(s *state) { s.by, s.merchant = by, owner }), nil
}

// actor returns the caller in the form that audit entries use.
func (x *exchange) actor() audit.Actor {
	a := audit.Actor{Kind: audit.Client, ID: x.caller.Actor.ID, Source: x.source(), Request: x.id}
	switch {
	case x.caller.IsPerson():
		a.Kind, a.Email = audit.Member, x.caller.Email
	case x.caller.Client == "" && x.caller.Actor.Kind != identity.TestProfile:
		a.Kind = audit.APIKey
	}
	return a
}

// maxHeader bounds the text of a header that an acquirer gets.
const maxHeader = 2048

// browser describes the client, for the acquirer.
func (x *exchange) browser() payments.Browser {
	header := func(name string) string {
		text := strings.Join(x.request.Header.Values(name), ",")
		return strings.ToValidUTF8(text[:min(len(text), maxHeader)], "")
	}
	return payments.Browser{IP: x.source(), UserAgent: header("User-Agent"), Accept: header("Accept")}
}

// source returns the client's address, or "" if it is unknown.
func (x *exchange) source() string {
	if !x.client.IsValid() {
		return ""
	}
	return x.client.String()
}

// isSecure returns true if the client used TLS, either to us or to every proxy on the way (contract §2.1).
func isSecure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	schemes := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
	return !slices.ContainsFunc(schemes, func(s string) bool { return !strings.EqualFold(strings.TrimSpace(s), "https") })
}

// authenticate checks the Authorization header. An API key costs one call to the table. A malformed credential costs
// none.
func (x *exchange) authenticate(ctx context.Context) (identity.Principal, merchant.Merchant, error) {
	header := x.request.Header.Get("Authorization")
	if header == "" {
		return identity.Principal{}, merchant.Merchant{}, failure.Unauthorized("missing-token")
	}
	scheme, text, _ := strings.Cut(header, " ")
	token, ok := identity.ParseToken(strings.TrimSpace(text))
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return identity.Principal{}, merchant.Merchant{}, failure.Unauthorized("invalid-token")
	}
	return x.server.store.Authenticate(ctx, token, x.match.values["merchant_code"])
}
