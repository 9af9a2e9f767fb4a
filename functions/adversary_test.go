package functions_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestNobodyGainsRights: an adversary with some credential sends random requests that change people, roles, keys and
// terms, with every field, and goes on with whatever it has made: keys, managed users whose passwords it set, accepted
// invitations. Owners give and take rights in between. No request of the adversary adds to what all its credentials
// may do; only those of owners do.
func TestNobodyGainsRights(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	routes := allRoutes(w)
	rounds, _ := strconv.Atoi(os.Getenv("CASHWRAP_ADVERSARY_CHECKS"))
	for range max(1, rounds/100) { // rapid's default is 100 checks
		rapid.Check(t, func(t *rapid.T) {
			a := newArena(t, w, routes)
			actions := map[string]func(*rapid.T){}
			for name, act := range adversaryActions {
				actions[name] = func(t *rapid.T) { act(a, t) }
			}
			t.Repeat(actions)
			a.looksAtPayments(t)
		})
	}
}

// hand is a credential that the adversary has.
type hand struct{ name, text string }

// arena is a merchant with owners and everybody else, and an adversary among them.
type arena struct {
	world.Shop
	routes    map[string]rest.Route
	employees rights // of people without permissions
	hands     []hand
	owner     string // token of the owner
	checkout  string // and transaction, which others have made
	sold      string
	email     string // of the owner
	now       stock
	people    []string // ids, as they came
	roles     []string
	keys      []string
	invited   []string // who can accept: ids of members whose mails the adversary reads
	serial    int
}

func newArena(t *rapid.T, w *world.World, routes map[string]rest.Route) *arena {
	a := &arena{Shop: w.Shop().NewShop("DE", "EUR", nil), routes: routes}
	a.employees = rightsIn(routes, signedIn(nil, false))
	owner := a.Owner()
	a.owner, a.email = a.TokenOf(owner), owner.Email
	sold := a.Sell("10.10")
	a.checkout, a.sold = sold.Checkout, sold.ID
	a.people, a.keys = []string{owner.ID}, []string{a.Merchant.Key.ID}
	a.roles = []string{member.RoleOwner, member.RoleAdmin, member.RoleAccountant, member.RoleEmployee, "role_unknown"}
	a.now = a.stock()
	for _, permissions := range [][]identity.Permission{{identity.DeveloperSettingsWrite}, {identity.MembersWrite},
		{identity.RefundTransactions, identity.FullTransactionHistoryView}, identity.AllPermissions()} {
		a.owns(t, "POST", rolesPath, map[string]any{"name": "own", "permissions": permissions})
	}
	for _, one := range []struct {
		name  string
		roles []string
	}{{"admin", []string{member.RoleAdmin}}, {"accountant", []string{member.RoleAccountant}}, {"employee", nil}} {
		a.employ(one.name+"@example.com", one.roles, member.Permissions{})
	}
	a.arm(t)
	return a
}

// employ stores a managed user, whose password is of no interest.
func (a *arena) employ(email string, roles []string, own member.Permissions) member.Member {
	a.Helper()
	m, err := a.App.Store.CreateMember(a.Context(), a.Tenant(), member.Address(email), "employ "+email,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: email, Permissions: own}, nil, a.App.Store.Now())
			if len(roles) > 0 {
				m.Roles = slices.Compact(slices.Sorted(slices.Values(roles)))
			}
			return m, nil
		})
	a.must(err)
	a.settle(a.stock())
	return m
}

// arm gives the adversary its first credential.
func (a *arena) arm(t *rapid.T) {
	if rapid.Bool().Draw(t, "by a key") {
		text := a.NewKey("secret", scopesFor(t)...)
		a.settle(a.stock())
		a.hands = []hand{{"key", text}}
		return
	}
	known := slices.DeleteFunc(slices.Clone(a.roles), func(id string) bool {
		return id == member.RoleOwner || id == "role_unknown"
	})
	m := a.employ("mallory@example.com", rapid.SliceOfN(rapid.SampledFrom(known), 1, 2).Draw(t, "roles"),
		permissionsOf(t))
	token := a.TokenOf(m)
	if rapid.IntRange(0, 3).Draw(t, "narrow") == 0 {
		scopes := append(scopesFor(t), "user.profile")
		token = a.TokenOf(m, slices.Compact(slices.Sorted(slices.Values(scopes)))...)
	}
	a.hands = []hand{{"person", token}}
}

// settle takes note of what is stored after a request.
func (a *arena) settle(now stock) {
	a.people = appeared(a.people, a.now.members, now.members)
	a.roles = appeared(a.roles, a.now.roles, now.roles)
	a.keys = appeared(a.keys, a.now.keys, now.keys)
	a.now = now
}

func appeared[V any](known []string, before, after map[string]V) []string {
	for _, id := range sortedKeys(after) {
		if _, old := before[id]; !old && !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	return known
}

// principal is who a credential stands for now; nobody when it is of no use any more.
func (a *arena) principal(text string) identity.Principal {
	token, _ := identity.ParseToken(text)
	p, _, err := a.App.Store.Authenticate(a.Context(), token, "")
	if err != nil {
		return identity.Principal{}
	}
	return p
}

// all is what the adversary's credentials may do. Public keys add nothing: every payer's browser has one.
func (a *arena) all() rights {
	all := rights{}
	for _, h := range a.hands {
		if p := a.principal(h.text); p.Actor.Kind != identity.PublicKey {
			maps.Copy(all, rightsIn(a.routes, p))
		}
	}
	return all
}

// request fills the path of a route and sends it.
func (a *arena) request(text, method, path, id string, body any) world.Response {
	a.Helper()
	if strings.Contains(path, "{operator_id}") {
		id = strconv.Itoa(int(member.NumberOf(id)))
	}
	for _, name := range []string{"{member_id}", "{role_id}", "{key_id}", "{operator_id}"} {
		path = strings.ReplaceAll(path, name, id)
	}
	path = strings.ReplaceAll(path, "{merchant_code}", a.Merchant.Code)
	return a.Do(world.Request{Method: method, Path: path, APIKey: text, Body: body})
}

// owns is a request of the owner's.
func (a *arena) owns(t *rapid.T, method, path string, body any, id ...string) {
	a.Helper()
	got := a.request(a.owner, method, path, strings.Join(id, ""), body)
	t.Logf("owner: %s %s %v %v: %d", method, path, id, body, got.Status)
	a.settle(a.stock())
}

// making are the routes of which each lets its caller be an employee: who makes members, or sets their passwords, may
// sign in as one (contract §8.1).
var making = []string{"POST /v0.1/merchants/{merchant_code}/members",
	"PUT /v0.1/merchants/{merchant_code}/members/{member_id}", "POST /v0.1/me/accounts",
	"PUT /v0.1/me/accounts/{operator_id}", "PUT /v0.1/me/accounts/{operator_id}/reset"}

// acts is a request of the adversary's, by one of its credentials, and checks what comes of it.
func (a *arena) acts(t *rapid.T, method, path, id string, body map[string]any) world.Response {
	a.Helper()
	h := rapid.SampledFrom(a.hands).Draw(t, "hand")
	caller, before, had := rightsIn(a.routes, a.principal(h.text)), a.now, a.all()
	got := a.request(h.text, method, path, id, body)
	after := a.stock()
	what := fmt.Sprintf("%s: %s %s %s %v: %d %s", h.name, method, path, id, body, got.Status, got.Body)
	t.Log(what)
	refused := got.Status >= 400
	switch {
	case len(caller) == 0 && got.Status != 401, len(caller) > 0 && got.Status == 401,
		len(caller) > 0 && !caller[method+" "+path] && got.Status != 403,
		refused && !slices.Contains([]int{400, 401, 403, 404, 409, 429}, got.Status):
		t.Errorf("want another status: %s", what)
	case refused && !reflect.DeepEqual(before, after):
		t.Errorf("it was refused, and changed something: %s", what)
	}
	allowed := []rights{caller}
	if slices.ContainsFunc(making, func(route string) bool { return caller[route] }) {
		allowed = append(allowed, a.employees)
	}
	for _, side := range []stock{before, after} {
		for id, of := range a.rightsOf(side) {
			if more := of.without(allowed...); len(more) > 0 && changed(id, before, after) {
				t.Errorf("%s changed %s, which has %q beyond the caller", what, id, sortedKeys(more))
			}
		}
	}
	a.settle(after)
	a.takes(h, before, got)
	if more := a.all().without(append(allowed, had)...); len(more) > 0 {
		t.Errorf("%s: the adversary gained %q", what, sortedKeys(more))
	}
	return got
}

// changed reports whether something about a member, a role or a key is not as it was.
func changed(id string, before, after stock) bool {
	return !reflect.DeepEqual(before.members[id], after.members[id]) ||
		!reflect.DeepEqual(before.roles[id], after.roles[id]) || !reflect.DeepEqual(before.keys[id], after.keys[id])
}

// takes has the adversary take what it can use: the plaintext of a key, a managed user whose password it has set, and
// invitations to addresses that it reads.
func (a *arena) takes(h hand, before stock, got world.Response) {
	a.Helper()
	if got.Status == 201 && strings.Contains(string(got.Body), `"plaintext"`) {
		a.hands = append(a.hands, hand{"key of " + h.name, got.Text("plaintext")})
	}
	for _, id := range a.people {
		m, was := a.now.members[id], before.members[id]
		switch {
		case m.ID == "":
		case m.Invited() && was.ID == "" && strings.HasPrefix(m.Email, "mallory"):
			a.invited = append(a.invited, id)
		case len(m.Passwords) > 0 && !reflect.DeepEqual(m.Passwords, was.Passwords):
			a.hands = append(a.hands, hand{"user of " + h.name, a.TokenOf(m)})
		}
	}
}

// accepts an invitation, and signs in.
func (a *arena) accepts(id string) {
	a.Helper()
	m := a.now.members[id]
	if !m.Invited() {
		return
	}
	_, err := a.App.Store.AcceptInvitation(a.Context(), a.App.InvitationToken(m.ID, m.Invite.ID),
		func(store.Invitation) (member.Passwords, error) { return member.Passwords{{Operation: "test"}}, nil })
	if err != nil {
		return // there is none any more
	}
	a.settle(a.stock())
	a.hands = append(a.hands, hand{"invited user", a.TokenOf(a.now.members[id])})
}

// looksAtPayments: each credential sees those of others if it has the right, and no other.
func (a *arena) looksAtPayments(t *rapid.T) {
	a.Helper()
	for _, h := range a.hands {
		p := a.principal(h.text)
		has := rightsIn(a.routes, p)
		for _, one := range []struct{ route, path string }{
			{"GET /v0.1/checkouts/{id}", "/v0.1/checkouts/" + a.checkout},
			{"GET /v2.1/merchants/{merchant_code}/transactions",
				"/v2.1/merchants/" + a.Merchant.Code + "/transactions?id=" + a.sold}} {
			want := 404
			switch {
			case len(has) == 0:
				want = 401
			case has[one.route+", all with "+string(identity.FullTransactionHistoryView)], p.Actor.Kind == identity.PublicKey &&
				has[one.route]:
				want = 200
			case !has[one.route]:
				want = 403
			}
			if got := a.Do(world.Request{Method: "GET", Path: one.path, APIKey: h.text}); got.Status != want {
				t.Errorf("%s: GET %s: got %d %s, want %d", h.name, one.path, got.Status, got.Body, want)
			}
		}
	}
}
