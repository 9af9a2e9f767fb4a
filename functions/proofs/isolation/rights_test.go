package isolation_test

import (
	"maps"
	"net/http"
	"slices"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// rights are a principal's rights. A right is ownership, or a route that the principal may call, by method and path.
// For partial routes the permission to see everything is a separate right. Rights are computed from the stored data and
// the table of routes, without the platform's own rules on giving rights.
type rights map[string]bool

// ownership is the right to make owners.
const ownership = "to make owners"

// without returns the rights that none of the others has.
func (r rights) without(others ...rights) rights {
	more := maps.Clone(r)
	for _, other := range others {
		for right := range other {
			delete(more, right)
		}
	}
	return more
}

// unusedScopes are the scopes that no operation needs (contract §2.1).
var unusedScopes = []string{"products", "invoices.read", "invoices.write", "accounting.read", "accounting.write",
	"email"}

// rightsIn returns the principal's rights by the table of routes.
func rightsIn(routes map[string]rest.Route, p identity.Principal) rights {
	r := rights{}
	if p.Actor.Kind == "" {
		return r
	}
	person := p.Actor.Kind == identity.User || p.Actor.Kind == identity.Operator
	token := p.Actor.Kind == identity.MerchantToken
	limited := person || token && p.Person != ""
	has := func(one identity.Permission) bool {
		return one == "" || !limited || slices.Contains(p.Permissions, one)
	}
	for name, route := range routes {
		scoped := len(route.Scopes) == 0
		for _, scope := range route.Scopes {
			scoped = scoped || slices.Contains(p.Scopes, scope)
		}
		public := p.Actor.Kind == identity.PublicKey
		if token { // a GET shows its maker nothing new: answers of updateCheckout show the same
			scoped = slices.Contains(p.Actions, route.Action) && route.Method != http.MethodGet
		}
		if route.Access == rest.Open || public && route.Access != rest.PublicToo || !public && !scoped ||
			!has(route.Permission) {
			continue
		}
		r[name] = true
		for _, one := range route.Partial {
			if has(one) {
				r[name+", all with "+string(one)] = true
			}
		}
	}
	all := !limited || p.Owner
	for _, scope := range identity.AllScopes() {
		all = all && (slices.Contains(unusedScopes, scope) || slices.Contains(p.Scopes, scope))
	}
	if all {
		r[ownership] = true
	}
	return r
}

// allRoutes returns the routes of all functions by method and path.
func allRoutes(w *world.World) map[string]rest.Route {
	routes := map[string]rest.Route{}
	for _, f := range functions.All {
		for _, route := range examples.Routes(w.App, f) {
			routes[route.Method+" "+route.Path] = route
		}
	}
	return routes
}

// signedInPrincipal returns a signed-in person's principal. It has all scopes, because an OAuth client may ask for any.
func signedInPrincipal(permissions []identity.Permission, owner bool) identity.Principal {
	return identity.Principal{Actor: identity.Actor{Kind: identity.Operator}, Scopes: identity.AllScopes(),
		Permissions: permissions, Owner: owner}
}

// snapshot contains a merchant's stored people, keys and terms.
type snapshot struct {
	members map[string]member.Member
	roles   map[string]member.Role
	keys    map[string]identity.APIKey
	all     member.Roles // with their version
	other   []any        // terms and bank accounts
}

func (a *arena) takeSnapshot() snapshot {
	a.Helper()
	read, s, t, ctx := a.App.Store, snapshot{members: map[string]member.Member{}, roles: map[string]member.Role{},
		keys: map[string]identity.APIKey{}}, a.Tenant(), a.Context()
	members, err := read.Members(ctx, t)
	a.must(err)
	for _, m := range members {
		s.members[m.ID] = m
	}
	s.all, err = read.Roles(ctx, t)
	a.must(err)
	for _, r := range s.all.Own {
		r.Members = 0 // the number of members is no right
		s.roles[r.ID] = r
	}
	keys, err := read.APIKeys(ctx, t)
	a.must(err)
	for _, k := range keys {
		s.keys[k.ID] = k
	}
	m, err := read.Merchant(ctx, t.Merchant)
	a.must(err)
	accounts, err := read.BankAccounts(ctx, t)
	a.must(err)
	s.other = []any{m, accounts}
	return s
}

func (a *arena) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// rightsOf returns the rights of each member, role and key in the snapshot, by id. Members, roles and keys that are
// currently unusable count, too. A role's rights are the rights that it adds to an employee's rights. Public keys have
// no rights, because they reach only checkouts with a known id.
func (a *arena) rightsOf(s snapshot) map[string]rights {
	of := map[string]rights{}
	for id, m := range s.members {
		of[id] = rightsIn(a.routes, signedInPrincipal(m.Permissions(s.all), m.Owner()))
	}
	for id, r := range s.roles {
		of[id] = rightsIn(a.routes, signedInPrincipal(r.Permissions, false)).without(a.employees)
	}
	for id, k := range s.keys {
		if k.Kind == identity.SecretKey {
			of[id] = rightsIn(a.routes, k.Principal())
		}
	}
	return of
}
