package isolation_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestRights_LimitedCredentials sends each operation's example, about existing data, with credentials of limited
// rights. A caller without the route's scope or permission is refused and changes nothing. Other callers are let in. A
// person who may see only its own payments gets 404 for other people's payments.
func TestRights_LimitedCredentials(t *testing.T) {
	t.Parallel()
	a := &arena{Shop: world.NewShop(t).WithCallbacks()}
	a.routes = allRoutes(a.World)
	fix := examples.WithEverything(a.Shop)
	person := func(name string, p member.Permissions, scopes ...string) bearer {
		return bearer{name, a.TokenOf(a.Employ(name+"@example.com", p), scopes...)}
	}
	a.bearers = []bearer{
		person("employee", member.Permissions{}),
		person("accountant", member.Permissions{FullTransactionHistoryView: true}),
		person("cashier", member.Permissions{RefundTransactions: true, CreateReferral: true}),
		person("administrator", member.Permissions{Admin: true}),
		person("administrator-of-little", member.Permissions{Admin: true}, "checkouts.read", "members.read"),
	}
	for _, scopes := range [][]string{nil, {"checkouts.read"}, {"members.read"}, {"roles.read", "api_keys"},
		{"transactions.read", "payouts.read"}, {"customers.write", "user.profile_readonly"}, {"email", "products"}} {
		a.bearers = append(a.bearers, bearer{"key of " + strings.Join(scopes, " "), a.NewKey("secret", scopes...)})
	}
	for _, b := range a.bearers {
		p := a.authenticate(b.text)
		for _, o := range examples.All(t) {
			if !o.Public {
				r := fix.Named(o)
				r.APIKey = b.text
				a.try(b, p, o.Method+" "+o.Path, r)
			}
		}
	}
}

// rightGivingPaths are path prefixes of operations that give rights. These operations may refuse a caller although the
// caller has the route's permission.
var rightGivingPaths = []string{membersPath, rolesPath, keysPath, accountsPath, profilesPath}

func (a *arena) try(b bearer, p identity.Principal, route string, r world.Request) {
	a.Helper()
	has, before := rightsIn(a.routes, p), a.takeSnapshot()
	got := a.Do(r)
	gives := r.Method != http.MethodGet && slices.ContainsFunc(rightGivingPaths, func(path string) bool {
		return strings.HasPrefix(a.routes[route].Path, path)
	})
	switch {
	case !has[route]:
		if got.Status != http.StatusForbidden || got.Text("error_message") != "request_not_allowed" {
			a.Errorf("%s, %s: got %d %s, want 403 request_not_allowed", b.name, route, got.Status, got.Body)
		}
	case got.Status == http.StatusUnauthorized, got.Status >= http.StatusInternalServerError,
		got.Status == http.StatusForbidden && !gives:
		a.Errorf("%s, %s: got %d %s, want it let in", b.name, route, got.Status, got.Body)
	case strings.Contains(route, "/checkouts/{id}") && p.IsPerson() &&
		!has[route+", all with "+string(identity.FullTransactionHistoryView)] && got.Status != http.StatusNotFound:
		a.Errorf("%s, %s: got %d %s, want 404 for the checkout of another", b.name, route, got.Status, got.Body)
	}
	if got.Status >= http.StatusBadRequest {
		a.checkUnchanged(b.name+", "+route, before)
	}
}

// checkUnchanged checks that the stored data are as before.
func (a *arena) checkUnchanged(what string, before snapshot) {
	a.Helper()
	if after := a.takeSnapshot(); !reflect.DeepEqual(before, after) {
		a.Errorf("%s: it was refused, and changed something", what)
	}
}
