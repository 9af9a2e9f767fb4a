package merchants_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// requestsOf returns requests of each operation on one operator.
func requestsOf(path string) []world.Request {
	return []world.Request{
		{Method: "GET", Path: path}, {Method: "PUT", Path: path, Body: fields{"nickname": "x"}},
		{Method: "PUT", Path: path, Body: fields{"password": another}},
		{Method: "POST", Path: path + "/disable"}, {Method: "PUT", Path: path + "/reset", Body: fields{"password": another}},
		{Method: "DELETE", Path: path},
	}
}

// TestOperators_OfOtherTenant checks that operators of other merchants or modes, and malformed ids, are not found.
func TestOperators_OfOtherTenant(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	other := createOperator(s.OtherShop(), "till@example.com")
	live := s.NewShop("DE", "EUR", map[string]any{"sandbox": false, "test_key": true})
	of := createOperator(live, "till@example.com")
	notFound := world.Refused(404, "NOT_FOUND", "", "not-found")
	for _, path := range []string{other.path(), of.path(), accounts + "/0", accounts + "/01", accounts + "/-1",
		accounts + "/x", accounts + "/4294967297", accounts + "/" + strings.Repeat("1", 400), accounts + "/%00"} {
		for _, r := range requestsOf(path) {
			notFound.Check(t, s.Send(r.Method, r.Path, r.Body))
		}
	}
	decodeAccount(t, 200, s.OtherShop().Send("GET", other.path(), nil))
	test := identity.Tenant{Mode: identity.Test, Merchant: live.Merchant.Code}
	if got, err := s.App.Store.Members(t.Context(), test); err != nil || len(got) != 1 {
		t.Errorf("test mode: got members %v, %v, want the owner alone", got, err)
	}
}

// TestUpdateOperator_Owner checks that the owner is shown, but cannot be changed as an operator.
func TestUpdateOperator_Owner(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	owner := wantOperators(t, s, "?include_primary=true", "kaffee@example.com")[0]
	for _, r := range requestsOf(owner.path())[1:] {
		world.Refused(403, "FORBIDDEN", "", "forbidden").Check(t, s.Send(r.Method, r.Path, r.Body))
	}
	if diff := cmp.Diff(owner, decodeAccount(t, 200, s.Send("GET", owner.path(), nil))); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

func TestOperators_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	m := createOperator(s, "till@example.com")
	requests := append(requestsOf(m.path()), world.Request{Method: "GET", Path: accounts},
		world.Request{Method: "POST", Path: accounts, Body: operatorBody("new@example.com", nil)})
	denied := world.Refused(403, "FORBIDDEN", "", "forbidden")
	for _, key := range []string{s.NewKey("secret", "members.write", "user.profile"), s.NewKey("public")} {
		for _, r := range requests {
			denied.Check(t, s.WithKey(key).Send(r.Method, r.Path, r.Body))
		}
	}
	allowed := s.WithKey(s.NewKey("secret", "user.subaccounts"))
	decodeAccount(t, 200, allowed.Send("PUT", m.path(), fields{"nickname": "Till"}))
}
