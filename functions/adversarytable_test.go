package functions_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestWhatEachMayDo sends each operation as the document shows it, for what exists, with credentials that may do a
// part of all. Who lacks the scope or the permission of the table of routes is refused, and changes nothing; who has
// them is let in. What belongs to others is unknown to a person who may see its own payments alone.
func TestWhatEachMayDo(t *testing.T) {
	t.Parallel()
	a := &arena{Shop: world.NewShop(t).WithCallbacks()}
	a.routes = allRoutes(a.World)
	fix := withEverything(a.Shop)
	person := func(name string, p member.Permissions, scopes ...string) hand {
		return hand{name, a.TokenOf(a.Employ(name+"@example.com", p), scopes...)}
	}
	a.hands = []hand{
		person("employee", member.Permissions{}),
		person("accountant", member.Permissions{FullTransactionHistoryView: true}),
		person("cashier", member.Permissions{RefundTransactions: true, CreateReferral: true}),
		person("administrator", member.Permissions{Admin: true}),
		person("administrator-of-little", member.Permissions{Admin: true}, "checkouts.read", "members.read"),
	}
	for _, scopes := range [][]string{nil, {"checkouts.read"}, {"members.read"}, {"roles.read", "api_keys"},
		{"transactions.read", "payouts.read"}, {"customers.write", "user.profile_readonly"}, {"email", "products"}} {
		a.hands = append(a.hands, hand{"key of " + strings.Join(scopes, " "), a.NewKey("secret", scopes...)})
	}
	for _, h := range a.hands {
		p := a.principal(h.text)
		for _, o := range documented(t) {
			if !o.Public {
				r := fix.named(o)
				r.APIKey = h.text
				a.tries(h, p, o.Method+" "+o.Path, r)
			}
		}
	}
}

// giving are the beginnings of paths where more than the route's permission decides.
var giving = []string{membersPath, rolesPath, keysPath, accountsPath}

func (a *arena) tries(h hand, p identity.Principal, route string, r world.Request) {
	a.Helper()
	has, before := rightsIn(a.routes, p), a.stock()
	got := a.Do(r)
	gives := r.Method != http.MethodGet && slices.ContainsFunc(giving, func(path string) bool {
		return strings.HasPrefix(a.routes[route].Path, path)
	})
	switch {
	case !has[route]:
		if got.Status != http.StatusForbidden || got.Text("error_message") != "request_not_allowed" {
			a.Errorf("%s, %s: got %d %s, want 403 request_not_allowed", h.name, route, got.Status, got.Body)
		}
	case got.Status == http.StatusUnauthorized, got.Status >= http.StatusInternalServerError,
		got.Status == http.StatusForbidden && !gives:
		a.Errorf("%s, %s: got %d %s, want it let in", h.name, route, got.Status, got.Body)
	case strings.Contains(route, "/checkouts/{id}") && p.IsPerson() &&
		!has[route+", all with "+string(identity.FullTransactionHistoryView)] && got.Status != http.StatusNotFound:
		a.Errorf("%s, %s: got %d %s, want 404 for the checkout of another", h.name, route, got.Status, got.Body)
	}
	if got.Status >= http.StatusBadRequest {
		a.unchanged(h.name+", "+route, before)
	}
}

// unchanged checks that everything is as it was before.
func (a *arena) unchanged(what string, before stock) {
	a.Helper()
	if after := a.stock(); !reflect.DeepEqual(before, after) {
		a.Errorf("%s: it was refused, and changed something", what)
	}
}
