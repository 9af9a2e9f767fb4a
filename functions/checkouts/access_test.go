package checkouts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// guarded is a row of the table in contract §1, with the scopes of an operation.
type guarded struct {
	name    string
	scopes  []string // one suffices; nil: any credential of the merchant
	success int
	request func(*testing.T, world.Shop) world.Request
}

var (
	reading = []string{"payments", "checkouts.read"}
	writing = []string{"payments", "checkouts.write"}
)

var guardedRows = []guarded{
	{"create", writing, 201, func(_ *testing.T, s world.Shop) world.Request {
		return world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: s.CheckoutBody("10.10")}
	}},
	{"list", reading, 200, func(*testing.T, world.Shop) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/checkouts"}
	}},
	{"retrieve", reading, 200, func(t *testing.T, s world.Shop) world.Request {
		return requestsFor(s, s.Create("10.10", nil))[0]
	}},
	{"process", writing, 200, func(t *testing.T, s world.Shop) world.Request {
		return requestsFor(s, s.Create("10.10", nil))[1]
	}},
	{"deactivate", writing, 200,
		func(t *testing.T, s world.Shop) world.Request {
			return requestsFor(s, s.Create("10.10", nil))[2]
		}},
	{"update", writing, 200, func(t *testing.T, s world.Shop) world.Request {
		return requestsFor(s, s.Create("10.10", nil))[3]
	}},
	{"methods of a checkout", reading, 200, func(t *testing.T, s world.Shop) world.Request {
		return requestsFor(s, s.Create("10.10", nil))[4]
	}},
	{"methods of the merchant", nil, 200, func(_ *testing.T, s world.Shop) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/merchants/" + s.Merchant.Code + "/payment-methods"}
	}},
}

func TestScopes_EachOperation(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	none, keys := s.NewKey("secret"), map[string]string{}
	for _, scope := range []string{"payments", "checkouts.read", "checkouts.write"} {
		keys[scope] = s.NewKey("secret", scope)
	}
	others := s.NewKey("secret", slices.DeleteFunc(identity.AllScopes(), func(scope string) bool {
		return keys[scope] != ""
	})...)
	for _, row := range guardedRows {
		t.Run(row.name, func(t *testing.T) {
			for scope, key := range keys {
				request := row.request(t, s)
				request.APIKey = key
				got := s.Do(request)
				if row.scopes == nil || slices.Contains(row.scopes, scope) {
					if got.Status != row.success {
						t.Errorf("%s: got %d %s, want %d", scope, got.Status, got.Body, row.success)
					}
				} else {
					denied.Check(t, got)
				}
			}
			for _, key := range []string{none, others} {
				request := row.request(t, s)
				request.APIKey = key
				if got := s.Do(request); row.scopes != nil {
					if denied.Check(t, got); got.Text("error_message") != "request_not_allowed" || got.Text("status_code") != "403" {
						t.Errorf("got %s, want error_message request_not_allowed and status_code 403", got.Body)
					}
				} else if got.Status != row.success {
					t.Errorf("without scopes: got %d %s, want %d", got.Status, got.Body, row.success)
				}
			}
		})
	}
}

func TestCredential_RequiredByEachOperation(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	_, unknown, err := identity.NewAPIKey(s.Tenant(), identity.BootstrapKey(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range guardedRows {
		request := row.request(t, s)
		for _, c := range []struct{ key, slug, message string }{
			{world.NoKey, "missing-token", "access token required"}, {unknown, "invalid-token", "invalid access token"},
			{"sk_test_short", "invalid-token", "invalid access token"},
		} {
			request.APIKey = c.key
			got := s.Do(request)
			if world.Refused(401, "NOT_AUTHORIZED", "", c.slug).Check(t, got); got.Text("message") != c.message ||
				got.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s: got %s, headers %v, want message %q, WWW-Authenticate Bearer", row.name, got.Body, got.Header,
					c.message)
			}
		}
	}
}
