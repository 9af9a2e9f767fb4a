package simulator

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/client"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// leaving disables, enables and deletes the managed user "till", and sets its password and roles, while that user
// makes API keys and signs in again.
var leaving = plot{"leaving", []side{
	{[]string{"owner", "key", "olga"}, []step{(*office).disableTill, (*office).disableTill, (*office).enableTill,
		(*office).resetTill, (*office).demoteTill, (*office).dismissTill}},
	{[]string{"till"}, []step{(*office).makeKey, (*office).makeKey, (*office).annotate}},
	{[]string{"spare"}, []step{(*office).makeKey, (*office).annotate}},
	{[]string{"till"}, []step{(*office).signInAgain, (*office).annotate}},
}}

// till returns the id of the member that the steps of leaving change.
func (o *office) till() (id string) {
	o.record(func() { id = o.holders["till"].by.Member })
	return id
}

// operatorPath returns the path of an operation on an operator.
func operatorPath(id string, more ...string) string {
	return strings.Join(append([]string{"/v0.1/me/accounts", strconv.Itoa(int(member.NumberOf(id)))}, more...), "/")
}

// keeping draws whether a request keeps the member's keys, and returns the request's query.
func keeping(rng *rand.Rand) (keep bool, query string) {
	keep = rng.IntN(3) == 0
	return keep, map[bool]string{true: "?keep_api_keys=true"}[keep]
}

func (o *office) disableTill(actor string, rng *rand.Rand, h *holder) {
	keep, query := keeping(rng)
	yes := true
	o.ask(actor, h, client.Request{Method: http.MethodPost, Path: operatorPath(o.till(), "disable") + query},
		ask{do: linear.MemberChange{ID: o.till(), Operator: true, Disabled: &yes, KeepKeys: keep}})
}

func (o *office) enableTill(actor string, rng *rand.Rand, h *holder) {
	no := false
	o.ask(actor, h, o.maybeKeyed(rng, actor, client.Request{Method: http.MethodPut, Path: operatorPath(o.till()),
		Body: encoded(fields{"disabled": false})}),
		ask{do: linear.MemberChange{ID: o.till(), Operator: true, Disabled: &no}})
}

func (o *office) resetTill(actor string, _ *rand.Rand, h *holder) {
	name := o.newName("a new password")
	o.record(func() { o.secrets[name] = "password" })
	o.ask(actor, h, client.Request{Method: http.MethodPut, Path: operatorPath(o.till(), "reset"),
		IdempotencyKey: actor + name, Body: encoded(fields{"password": name})},
		ask{do: linear.MemberChange{ID: o.till(), Operator: true, Password: true}})
}

func (o *office) demoteTill(actor string, rng *rand.Rand, h *holder) {
	for _, roles := range [][]string{{member.RoleEmployee}, {member.RoleAdmin}} {
		o.changeMember(actor, rng, h, linear.MemberChange{ID: o.till(), Roles: &roles}, fields{"roles": roles})
	}
}

func (o *office) dismissTill(actor string, rng *rand.Rand, h *holder) {
	keep, query := keeping(rng)
	o.ask(actor, h, client.Request{Method: http.MethodDelete, Path: o.path("members", o.till()+query),
		IdempotencyKey: o.newName("delete member")},
		ask{do: linear.MemberChange{ID: o.till(), Delete: true, KeepKeys: keep}})
}

// signInAgain gives a holder of this office another access token, if the member is active.
func (o *office) signInAgain(actor string, _ *rand.Rand, h *holder) {
	at, call := o.now(), o.logicalTime()
	m, err := o.store.Member(o.ctx(), o.tenant, member.NumberOf(h.by.Member))
	if err != nil || !m.Active() || h.home != o || h.by.Token == "" {
		return
	}
	o.notef(actor, "%s signs in again", h.name)
	name := o.newName("token of " + h.name)
	o.signIn(h.name, m, h.by.Scopes, name, at)
	done := o.request(linear.SignIn{Token: name, Member: m.ID})
	done.Call = call
	o.record(func() { o.outs = append(o.outs, done) })
}

// employ makes a managed user with the role of an administrator.
func (o *office) employ(name string) member.Member {
	address := name + "@" + o.name + ".example"
	return must[member.Member](o.World)(o.store.CreateMember(o.ctx(), bySimulator, o.tenant, address, "employ "+address,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: address}, member.Passwords{{Hash: passwordHash,
				Operation: "employ " + address, SetAt: o.now()}}, o.now())
			m.Roles = []string{member.RoleAdmin}
			return m, nil
		}))
}

// signIn stores an access token for a member who signed in at the given time, and makes the token the holder's.
func (o *office) signIn(name string, m member.Member, scopes []string, tokenName string, at time.Time) {
	if since := m.AccessSince(); at.Before(since) {
		at = since
	}
	h := &holder{name: name, home: o, user: m.UserID, token: identity.Hash(fmt.Sprint(o.seed, tokenName)), in: at,
		by: linear.Caller{Member: m.ID, Token: tokenName, Scopes: scopes}}
	o.record(func() {
		o.secrets[h.token] = "access token"
		o.holders[name] = h
	})
	allowed := oauth.Holder{Client: appOf(m.ID), Kind: m.Kind(), Subject: m.ID, User: m.UserID, Tenant: o.tenant,
		Scopes: scopes, SignedIn: at}
	token := allowed.Token(identity.Hash(h.token), o.refreshOf(tokenName), scopes, o.now())
	token.ExpiresAt = o.now().AddDate(1, 0, 0)
	o.must(o.store.PutGrant(o.ctx(), allowed.NewGrant(token.Grant, o.now()), token))
}
