package isolation_test

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

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestAdversary_GainsNoRights checks that an adversary gains no rights by its own requests. The adversary has some
// credential and sends random requests that change people, roles, keys and terms, with every field. It also uses the
// credentials that it gets this way: new keys, managed users whose passwords it set, and accepted invitations. In
// between, owners give and take rights. Only owners' requests may add to the combined rights of the adversary's
// credentials. A gain needs several requests in a certain order, so the test runs 100 histories, which take seconds.
func TestAdversary_GainsNoRights(t *testing.T) {
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
			a.checkPayments(t)
		})
	}
}

// bearer is a credential with its name in failures.
type bearer struct{ name, text string }

// arena is a merchant with its owners and staff, and an adversary with some of its credentials.
type arena struct {
	world.Shop
	routes    map[string]rest.Route
	employees rights   // rights of people without permissions
	bearers   []bearer // the adversary's credentials
	owner     string   // token of the owner
	checkout  string   // created by another person
	sold      string   // the checkout's transaction
	email     string   // the owner's
	now       snapshot
	people    []string // ids, the oldest first; likewise roles and keys
	roles     []string
	keys      []string
	invited   []string // ids of members whose invitations the adversary receives
	serial    int
}

func newArena(t *rapid.T, w *world.World, routes map[string]rest.Route) *arena {
	a := &arena{Shop: w.Shop().NewShop("DE", "EUR", nil), routes: routes}
	a.employees = rightsIn(routes, signedInPrincipal(nil, false))
	owner := a.Owner()
	a.owner, a.email = a.TokenOf(owner), owner.Email
	sold := a.Sell("10.10")
	a.checkout, a.sold = sold.Checkout, sold.ID
	a.people, a.keys = []string{owner.ID}, []string{a.Merchant.Key.ID}
	a.roles = []string{member.RoleOwner, member.RoleAdmin, member.RoleAccountant, member.RoleEmployee, "role_unknown"}
	a.now = a.takeSnapshot()
	for _, permissions := range [][]identity.Permission{{identity.DeveloperSettingsWrite}, {identity.MembersWrite},
		{identity.RefundTransactions, identity.FullTransactionHistoryView}, identity.AllPermissions()} {
		a.ownerSends(t, "POST", rolesPath, map[string]any{"name": "own", "permissions": permissions})
	}
	for _, one := range []struct {
		name  string
		roles []string
	}{{"admin", []string{member.RoleAdmin}}, {"accountant", []string{member.RoleAccountant}}, {"employee", nil}} {
		a.employ(one.name+"@example.com", one.roles, member.Permissions{})
	}
	a.giveCredential(t)
	return a
}

// employ stores a managed user without a password.
func (a *arena) employ(email string, roles []string, own member.Permissions) member.Member {
	a.Helper()
	m, err := a.App.Store.CreateMember(a.Context(), world.ByTest, a.Tenant(), member.Address(email), "employ "+email,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: email, Permissions: own}, nil, a.App.Store.Now())
			if len(roles) > 0 {
				m.Roles = slices.Compact(slices.Sorted(slices.Values(roles)))
			}
			return m, nil
		})
	a.must(err)
	a.remember(a.takeSnapshot())
	return m
}

// giveCredential gives the adversary its first credential: a key, or an employee's token.
func (a *arena) giveCredential(t *rapid.T) {
	if rapid.Bool().Draw(t, "by a key") {
		text := a.NewKey("secret", drawScopes(t)...)
		a.remember(a.takeSnapshot())
		a.bearers = []bearer{{"key", text}}
		return
	}
	known := slices.DeleteFunc(slices.Clone(a.roles), func(id string) bool {
		return id == member.RoleOwner || id == "role_unknown"
	})
	m := a.employ("mallory@example.com", rapid.SliceOfN(rapid.SampledFrom(known), 1, 2).Draw(t, "roles"),
		drawPermissions(t))
	token := a.TokenOf(m)
	if rapid.IntRange(0, 3).Draw(t, "narrow") == 0 {
		scopes := append(drawScopes(t), "user.profile")
		token = a.TokenOf(m, slices.Compact(slices.Sorted(slices.Values(scopes)))...)
	}
	a.bearers = []bearer{{"person", token}}
}

// remember stores the current snapshot and adds its new ids.
func (a *arena) remember(now snapshot) {
	a.people = appendNew(a.people, a.now.members, now.members)
	a.roles = appendNew(a.roles, a.now.roles, now.roles)
	a.keys = appendNew(a.keys, a.now.keys, now.keys)
	a.now = now
}

// appendNew returns the known ids followed by the ids that are only in after.
func appendNew[V any](known []string, before, after map[string]V) []string {
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if _, old := before[id]; !old && !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	return known
}

// authenticate returns the current principal of a credential, or the zero principal for a refused credential.
func (a *arena) authenticate(text string) identity.Principal {
	token, _ := identity.ParseToken(text)
	p, _, err := a.App.Store.Authenticate(a.Context(), token, "")
	if err != nil {
		return identity.Principal{}
	}
	return p
}

// allRights returns the adversary's combined rights. Public keys add none, because every payer's browser has one.
func (a *arena) allRights() rights {
	all := rights{}
	for _, b := range a.bearers {
		if p := a.authenticate(b.text); p.Actor.Kind != identity.PublicKey {
			maps.Copy(all, rightsIn(a.routes, p))
		}
	}
	return all
}

// sendAs sends a request after it has filled in the route's path.
func (a *arena) sendAs(text, method, path, id string, body any) world.Response {
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

// ownerSends sends a request with the owner's token.
func (a *arena) ownerSends(t *rapid.T, method, path string, body any, id ...string) {
	a.Helper()
	got := a.sendAs(a.owner, method, path, strings.Join(id, ""), body)
	t.Logf("owner: %s %s %v %v: %d", method, path, id, body, got.Status)
	a.remember(a.takeSnapshot())
}

// settingPasswords are routes that let a caller sign in as an employee, because they make members or set their
// passwords (contract §8.1).
var settingPasswords = []string{"POST /v0.1/merchants/{merchant_code}/members",
	"PUT /v0.1/merchants/{merchant_code}/members/{member_id}", "POST /v0.1/me/accounts",
	"PUT /v0.1/me/accounts/{operator_id}", "PUT /v0.1/me/accounts/{operator_id}/reset"}

// adversarySends sends a request with one of the adversary's credentials. It checks that the request changes nothing
// beyond the rights of that credential.
func (a *arena) adversarySends(t *rapid.T, method, path, id string, body map[string]any) world.Response {
	a.Helper()
	b := rapid.SampledFrom(a.bearers).Draw(t, "bearer")
	caller, before, had := rightsIn(a.routes, a.authenticate(b.text)), a.now, a.allRights()
	got := a.sendAs(b.text, method, path, id, body)
	after := a.takeSnapshot()
	what := fmt.Sprintf("%s: %s %s %s %v: %d %s", b.name, method, path, id, body, got.Status, got.Body)
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
	if slices.ContainsFunc(settingPasswords, func(route string) bool { return caller[route] }) {
		allowed = append(allowed, a.employees)
	}
	for _, side := range []snapshot{before, after} {
		for id, of := range a.rightsOf(side) {
			more := of.without(allowed...)
			if len(more) > 0 && hasChanged(id, before, after) && !endedWithMaker(id, before, after) {
				t.Errorf("%s changed %s, which has %q beyond the caller", what, id, slices.Sorted(maps.Keys(more)))
			}
		}
	}
	a.remember(after)
	a.collect(b, before, got)
	if more := a.allRights().without(append(allowed, had)...); len(more) > 0 {
		t.Errorf("%s: the adversary gained %q", what, slices.Sorted(maps.Keys(more)))
	}
	return got
}

// hasChanged returns true if the member, role or key with the id has changed.
func hasChanged(id string, before, after snapshot) bool {
	return !reflect.DeepEqual(before.members[id], after.members[id]) ||
		!reflect.DeepEqual(before.roles[id], after.roles[id]) || !reflect.DeepEqual(before.keys[id], after.keys[id])
}

// endedWithMaker returns true if a key ended because its maker left. Removing the maker requires none of the key's
// rights (contract §8.2).
func endedWithMaker(id string, before, after snapshot) bool {
	maker := before.keys[id].Maker.Person
	_, stays := after.keys[id]
	active := func(in snapshot) bool { m, there := in.members[maker]; return there && !m.Disabled() }
	return !stays && active(before) && !active(after)
}

// collect adds the credentials that a request gives the adversary: the plaintext of a key, a merchant token, a managed
// user whose password the adversary set, and invitations to the adversary's addresses.
func (a *arena) collect(b bearer, before snapshot, got world.Response) {
	a.Helper()
	if got.Status == 201 && strings.Contains(string(got.Body), `"plaintext"`) {
		a.bearers = append(a.bearers, bearer{"key of " + b.name, got.Text("plaintext")})
	}
	if token := got.Text("access_token"); token != "" {
		a.bearers = append(a.bearers, bearer{"merchant token of " + b.name, token})
	}
	for _, id := range a.people {
		m, was := a.now.members[id], before.members[id]
		switch {
		case m.ID == "":
		case m.Invited() && was.ID == "" && strings.HasPrefix(m.Email, "mallory"):
			a.invited = append(a.invited, id)
		case len(m.Passwords) > 0 && !reflect.DeepEqual(m.Passwords, was.Passwords):
			a.bearers = append(a.bearers, bearer{"user of " + b.name, a.TokenOf(m)})
		}
	}
}

// accept accepts an invitation as the adversary and signs in.
func (a *arena) accept(id string) {
	a.Helper()
	m := a.now.members[id]
	if !m.Invited() {
		return
	}
	_, err := a.App.Store.AcceptInvitation(a.Context(), world.ByTest, a.App.InvitationToken(m.ID, m.Invite.ID),
		func(store.Invitation) (member.Passwords, error) { return member.Passwords{{Operation: "test"}}, nil })
	if err != nil {
		return // withdrawn or expired
	}
	a.remember(a.takeSnapshot())
	a.bearers = append(a.bearers, bearer{"invited user", a.TokenOf(a.now.members[id])})
}

// payingOthers is the right to pay other people's checkouts. With this right, a merchant token also shows these
// checkouts.
const payingOthers = "PUT /v0.1/checkouts/{id}, all with " + string(identity.FullTransactionHistoryView)

// checkPayments checks that the adversary's credentials show other people's payments only with the right to see them.
func (a *arena) checkPayments(t *rapid.T) {
	a.Helper()
	for _, b := range a.bearers {
		p := a.authenticate(b.text)
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
				has[one.route], strings.HasSuffix(one.path, a.checkout) && has[payingOthers] &&
				p.Actor.Kind == identity.MerchantToken:
				want = 200
			case !has[one.route]:
				want = 403
			}
			if got := a.Do(world.Request{Method: "GET", Path: one.path, APIKey: b.text}); got.Status != want {
				t.Errorf("%s: GET %s: got %d %s, want %d", b.name, one.path, got.Status, got.Body, want)
			}
		}
	}
}
