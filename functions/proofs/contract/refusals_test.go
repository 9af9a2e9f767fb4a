package contract_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// TestRefusals_OfEveryRoute sends each operation requests that every route refuses in the same way. The
// world checks each answer against the status, form and code that the document has for the operation.
func TestRefusals_OfEveryRoute(t *testing.T) {
	t.Parallel()
	one := examples.New(t)
	weak := one.NewKey("secret", "products") // this scope gives access to nothing
	large := `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, o := range examples.All(t) {
		known := pathWith(one, o, "4e425463-3e1b-431d-83fa-1e51c2925e99")
		ask := func(want int, r world.Request) {
			t.Helper()
			r.Method = o.Method
			if got := one.Do(r); got.Status != want {
				t.Errorf("%s %.80q (body of %.20q, %v): got %d, want %d\n%.300s", o.Method, r.Path, r.Body, r.Header,
					got.Status, want, got.Body)
			}
			one.Clock.Advance(refillTime)
		}
		ask(http.StatusBadRequest, world.Request{Path: known + "?x=%zz"})
		ask(http.StatusBadRequest, world.Request{Path: known + "?x=%ff"})
		if !o.Public {
			ask(http.StatusUnauthorized, world.Request{Path: known, APIKey: world.NoKey})
			ask(http.StatusUnauthorized, world.Request{Path: known, APIKey: "sk_test_x"})
		}
		if len(o.Scopes) > 0 {
			ask(http.StatusForbidden, world.Request{Path: known, APIKey: weak})
		}
		if o.Method != http.MethodGet {
			ask(http.StatusRequestEntityTooLarge, world.Request{Path: known, Body: large})
			ask(http.StatusUnsupportedMediaType, world.Request{Path: known, Body: "{}",
				Header: map[string]string{"Content-Encoding": "br"}})
		}
		if len(o.InputsIn("json")) > 0 {
			for _, body := range []string{"{", "null", "[1]", `{"x":"\ud800"}`, "\"\xff\""} {
				ask(http.StatusBadRequest, world.Request{Path: known, Body: body})
			}
		}
		if o.Method != http.MethodGet && !o.Public {
			key := o.OperationID
			one.Do(world.Request{Method: o.Method, Path: known, IdempotencyKey: key})
			ask(http.StatusUnprocessableEntity, world.Request{Path: known + "?x=1", IdempotencyKey: key})
			ask(http.StatusBadRequest, world.Request{Path: known, IdempotencyKey: "é"})
		}
		if !strings.Contains(strings.ReplaceAll(o.Path, "{merchant_code}", ""), "{") {
			continue
		}
		for _, value := range []string{"%C2%80", "a%C2%9F", "%00", "%7F", "a%0Ab", strings.Repeat("x", 1025),
			strings.Repeat("%C3%A9", 1500)} {
			if got := one.Do(requestWith(one, o, value)); got.Status != http.StatusNotFound {
				t.Errorf("%s with %.20s: got %d %.300s, want 404", o.OperationID, value, got.Status, got.Body)
			}
			one.Clock.Advance(refillTime)
		}
	}
}

var pathSegment = regexp.MustCompile(`\{[^}]*\}`)

// TestRefusals_NameMissingRights checks that a refusal's detail names the sufficient scopes, the permission, or the
// kinds of credentials that may call. error_message keeps the value that clients know.
func TestRefusals_NameMissingRights(t *testing.T) {
	t.Parallel()
	one := examples.New(t)
	weak, public := one.NewKey("secret", "products"), one.NewKey("public")
	employee := one.TokenOf(one.Employ("e@example.com", member.Permissions{}))
	for _, f := range functions.All {
		for _, r := range examples.Routes(one.App, f) {
			path := pathSegment.ReplaceAllString(strings.ReplaceAll(r.Path, "{merchant_code}", one.Merchant.Code), "1")
			ask := func(credential string, names ...string) {
				t.Helper()
				got := one.Do(world.Request{Method: r.Method, Path: path, APIKey: credential})
				detail := got.Text("detail")
				if got.Status != http.StatusForbidden || got.Text("error_message") != "request_not_allowed" {
					t.Errorf("%s %s: got %d %s, want 403", r.Method, r.Path, got.Status, got.Body)
				}
				for _, name := range names {
					if !strings.Contains(detail, name) {
						t.Errorf("%s %s: got detail %q, want it to name %s", r.Method, r.Path, detail, name)
					}
				}
				one.Clock.Advance(refillTime)
			}
			if r.Access == rest.Open {
				continue
			}
			if len(r.Scopes) > 0 {
				ask(weak, r.Scopes...)
			}
			if r.Access == rest.SecretOnly {
				ask(public, "not for public keys", "secret keys")
			}
			if r.Permission != "" {
				ask(employee, "the permission "+string(r.Permission))
			}
		}
	}
}

// refillTime is the wait until an address may send again, at five requests a second (contract §2.9).
const refillTime = time.Second

// pathWith returns the operation's path for the merchant, with the URL-encoded value for all other parameters.
func pathWith(one *examples.Scenario, o checker.Operation, value string) string {
	path := o.Path
	for _, p := range o.InputsIn("path") {
		put := value
		if p.Path == "merchant_code" {
			put = one.Merchant.Code
		}
		path = strings.ReplaceAll(path, "{"+p.Path+"}", put)
	}
	return path
}

// requestWith returns the operation's first example request for the merchant, with the value in its path.
func requestWith(one *examples.Scenario, o checker.Operation, value string) world.Request {
	r := examples.Build(one, o, func(shown string) string {
		if examples.Placeholder(o, shown) == "MERCHANT_CODE" {
			return one.Merchant.Code
		}
		return shown
	})
	_, query, _ := strings.Cut(r.Path, "?")
	if r.Path = pathWith(one, o, value); query != "" {
		r.Path += "?" + query
	}
	if o.Public {
		r.APIKey = world.NoKey
	}
	return r
}
