// Package people simulates changes of roles, members and keys. Members are disabled and enabled. They also get new
// passwords, sign in again, or leave. Just before each write the simulation authenticates the caller again, and checks
// that the caller has the right to the change. Rules that need no race are tested in package functions. Use New with
// simulator.Run.
package people

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// people simulates owners, employees and keys of a merchant who change roles, members and keys at the same time.
type people struct {
	*simulator.World
	*shops.Shop
	rng     *rand.Rand // for the root goroutine only
	store   *store.Store
	tenant  identity.Tenant
	narrow  bool               // all requests are about the same role, member, key and guest
	story   story              // zero for a random plot
	victim  *holder            // loses rights while using them
	holders map[string]*holder // by name
	bearers []*holder          // includes earlier holders of the same name
	hot     map[string]string  // by collection: the id of most requests
	guest   string             // id of the member invited last to sameGuest
	guests  []string           // invited addresses
	others  int                // members that are counted but not stored
	numbers int

	begin, last records // when the faults began, and after the last write

	// Effects of all writes of roles, members and keys:
	ids      map[string][]string // by collection: all elements that ever existed
	made     map[string]made     // by mark
	created  map[string]int      // by day: invitations and new keys
	kept     map[string]bool     // by member id: the keys of the departed member stay
	accepted map[string]bool     // by id: the member has a user, or had one when it was deleted
	ends     []linear.RecordRequest
}

// holder has a credential: a key, or a member's access token.
type holder struct {
	name   string
	text   string // the credential
	key    string // id of the key, or "" for a person
	member string // id of the member, or "" for a key
	token  string // a name for the access token
	ended  int64  // logical time of the credential's end, or 0 while it is valid
}

// password is every user's password, and passwordHash one of its hashes, with cheap parameters.
const (
	password     = "correct horse"
	passwordHash = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$bIKRw3Ua1pluirFy81fnppmR01EnUxY3hLEBwbWxBG8"
)

// New returns the workload.
func New(w *simulator.World) simulator.Workload {
	p := &people{World: w, rng: w.Random(4_000), story: stories[w.Without],
		holders: map[string]*holder{}, hot: map[string]string{}, ids: map[string][]string{}, made: map[string]made{},
		created: map[string]int{}, kept: map[string]bool{}, accepted: map[string]bool{}}
	p.narrow = p.rng.IntN(2) == 0 || w.Without != "" // conflicts are then more frequent
	w.Held = []float64{0, 0.7, 0.95}[p.rng.IntN(3)]
	return p
}

func (p *people) Act() {
	p.Shop = shops.Open(p.World)[0]
	p.setUp()
	p.FaultsOn = true
	p.startPlots()
	shops.Recover(p.World)
}

// Check checks all records, and the histories that clients saw.
func (p *people) Check() {
	books.Check(p.World, p.otherLimits()...)
	p.last = p.readRecords()
	p.checkRecords(p.last)
	p.checkViews()
}

// setUp creates the merchant's people and brings them to the state at the beginning of the faults.
func (p *people) setUp() {
	p.tenant, _ = identity.ParseTenant(p.Tenant)
	p.store = p.OpenStore()
	p.createStaff()
	p.victim = p.holders["olga"]
	if victim := simulator.Pick(p.rng, []string{"rosa", "rosa", "spare", "olga"}); p.story.plot == nil {
		p.victim = cmp.Or(p.holders[victim], p.victim)
	}
	begins := p.story.begins
	if begins == nil {
		begins = beginnings[p.rng.IntN(len(beginnings))]
	}
	begins(p, p.readRecords())
	p.begin = p.readRecords()
	p.last = p.begin
	p.created[invitationsOn+p.last.count.Text("invited_on")] = p.last.count.Number("invited")
	p.created[keysOn+p.last.keyCount.Text("day")] = p.last.keyCount.Number("created")
	for _, collection := range collections {
		p.ids[collection] = simulator.Sorted(p.begin.shown(collection))
	}
	p.hot["members"], p.hot["api-keys"] = simulator.Pick(p.rng, p.ids["members"]), p.holders["spare"].key
}

// must returns a function that passes a result on, and ends the simulation at an error. It is for calls before the
// faults begin.
func must[T any](w *simulator.World) func(result T, err error) T {
	return func(result T, err error) T {
		w.Must(err)
		return result
	}
}

// ctx returns the context of calls that no client makes.
func (*people) ctx() context.Context { return context.Background() }

// bySimulator is the author of writes before the faults begin.
var bySimulator = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "simulator")

// createStaff creates the members, and gives each a credential.
func (p *people) createStaff() {
	first := must[[]identity.APIKey](p.World)(p.store.APIKeys(p.ctx(), p.tenant))[0]
	p.addHolder(&holder{name: "key", text: p.Token, key: first.ID})
	spare, text, err := identity.NewAPIKey(p.tenant, identity.KeyRequest{Name: "spare", Scopes: &spareScopes}, p.Now())
	p.Must(err)
	spare = must[identity.APIKey](p.World)(p.store.CreateAPIKey(p.ctx(), bySimulator, spare))
	p.addHolder(&holder{name: "spare", text: text, key: spare.ID})
	emil := []string{member.RoleEmployee}
	if p.rng.IntN(4) > 0 {
		emil = append(emil, p.createRole("refunder", identity.RefundTransactions))
		p.hot["roles"] = p.createRole("manager", identity.MembersRead, identity.MembersWrite, identity.RefundTransactions,
			identity.FullTransactionHistoryView, identity.DeveloperSettingsWrite)
		p.employ("rosa", p.hot["roles"])
	}
	owner := must[member.Member](p.World)(p.store.Member(p.ctx(), p.tenant, member.NumberOf(member.OwnerID(p.tenant))))
	p.createLogin("owner", owner)
	p.employ("olga", member.RoleOwner)
	p.employ("emil", emil...)
	p.employ("till", member.RoleAdmin)
}

var spareScopes = []string{"members.write", "roles.write", "api_keys:write", "user.subaccounts", "payments"}

// addHolder registers a holder with its credential, under the holder's name. If a new key was revoked before a client
// was shown the key, the credential has ended already.
func (p *people) addHolder(h *holder) {
	if _, stays := p.last.keys[h.key]; p.last.keys != nil && h.key != "" && !stays {
		h.ended = p.LogicalTime()
	}
	p.Record(func() { p.holders[h.name], p.bearers = h, append(p.bearers, h) })
}

func (p *people) createRole(name string, permissions ...identity.Permission) string {
	now := p.store.Now()
	return must[member.Role](p.World)(p.store.CreateRole(p.ctx(), bySimulator, p.tenant, member.Role{
		ID: member.RoleID(name), Name: name, Permissions: permissions, CreatedAt: now, UpdatedAt: now},
		func() error { return nil })).ID
}

// employ creates a managed user with the roles, and gives it an access token.
func (p *people) employ(name string, roles ...string) {
	address := name + "@office.example"
	m := must[member.Member](p.World)(p.store.CreateMember(p.ctx(), bySimulator, p.tenant, address, "employ "+address,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewEmployee(id, member.Registration{Email: address}, member.Passwords{{Hash: passwordHash,
				Operation: "employ " + address, SetAt: p.Now()}}, p.Now())
			m.Roles = roles
			return m, nil
		}))
	p.createLogin(name, m)
}

// appOf returns the id of the OAuth client that a person has allowed to act.
func appOf(memberID string) string { return "app of " + memberID }

// refreshOf returns the hash of the refresh token for the access token with the name.
func (p *people) refreshOf(token string) string {
	return identity.Hash(fmt.Sprint("refresh ", p.Seed, token))
}

// createLogin gives a member an access token with a grant, by an OAuth client that no other member uses.
func (p *people) createLogin(name string, m member.Member) {
	must[oauth.Client](p.World)(p.store.CreateOAuthClient(p.ctx(), bySimulator, oauth.Client{ID: appOf(m.ID), Name: "App",
		Tenant: identity.Tenant{Mode: p.tenant.Mode, Merchant: "MC0APPS000"}, Scopes: identity.AllScopes(),
		Approved: identity.AllScopes()}))
	p.signIn(name, m, m.ID)
}

// signIn stores an access token for a member who signs in now. The holder uses this token from then on.
func (p *people) signIn(name string, m member.Member, token string) {
	at := p.Now()
	if since := m.AccessSince(); at.Before(since) {
		at = since
	}
	h := &holder{name: name, text: identity.Hash(fmt.Sprint(p.Seed, token)), member: m.ID, token: token}
	allowed := oauth.Holder{Client: appOf(m.ID), Kind: m.Kind(), Subject: m.ID, User: m.UserID, Tenant: p.tenant,
		Scopes: identity.AllScopes(), SignedIn: at}
	access := allowed.Token(identity.Hash(h.text), p.refreshOf(token), allowed.Scopes, p.Now())
	access.ExpiresAt = p.Now().AddDate(1, 0, 0)
	p.Must(p.store.PutGrant(p.ctx(), allowed.NewGrant(access.Grant, p.Now()), access))
	p.addHolder(h)
}

// story is the plot and the beginning of a world for a mutation control. Few other worlds would notice that the
// condition is missing that the mutation control removes.
type story struct {
	plot   plot
	begins beginning // nil for any
}

// stories lists the stories by the missing condition (Mutation.Without).
var stories = map[string]story{
	"ConditionCheck CLIENT: (version = ?)":                          {plot: signOutPlot(clerk.revokeClient)},
	"ConditionCheck GRANT: (attribute_exists(pk))":                  {plot: signOutPlot(clerk.revokeGrant)},
	"ConditionCheck TOKEN: (attribute_exists(pk))":                  {plot: signOutPlot(clerk.revokeToken)},
	"Put INVITED: (version = ?)":                                    {plot: guestPlot},
	"Put KEY COUNT: (attribute_not_exists(pk))":                     {keyPlot, (*people).beginUncounted},
	"Update MEMBERS COUNT: (attribute_not_exists(pk) OR count < ?)": {hiringPlot, (*people).beginWithMembers},
}

type beginning func(p *people, r records) // sets the merchant's counts before the faults begin

var beginnings = []beginning{(*people).beginAfterADay, (*people).beginWithInvitations, (*people).beginWithMembers,
	(*people).beginUncounted}

// beginAfterADay moves the merchant's counted invitations to the day before.
func (p *people) beginAfterADay(r records) {
	p.SetCount(r.count, "invited_on", "S", p.Now().Add(-24*time.Hour).Format(time.DateOnly))
}

// beginWithInvitations sets the count of the day's invitations to almost the maximum.
func (p *people) beginWithInvitations(r records) {
	p.SetCount(r.count, "invited_on", "S", p.Now().Format(time.DateOnly))
	p.SetCount(r.count, "invited", "N", member.InvitationsADay-1-p.rng.IntN(2))
}

// beginWithMembers sets the count of the merchant's members to almost the maximum.
func (p *people) beginWithMembers(r records) {
	to := member.MaxMembers - 1 - p.rng.IntN(2)
	p.others = to - len(r.members)
	p.SetCount(r.count, "count", "N", to)
}

func (p *people) beginUncounted(r records) { p.DeleteItem(r.keyCount) }

// startPlots starts the clients of one or two plots, and the guests.
func (p *people) startPlots() {
	for n := range 1 + p.rng.IntN(2) {
		chosen := p.story.plot
		if chosen == nil {
			chosen = plots[p.rng.IntN(len(plots))]
		}
		for i := range 3 + p.rng.IntN(3) {
			as := chosen[i%len(chosen)]
			name := simulator.Pick(p.rng, as.who)
			p.startClient(fmt.Sprintf("%s-%d-%d", name, n, i), func(c clerk) { c.play(as, name) })
		}
	}
	for i := range p.rng.IntN(3) {
		p.startClient(fmt.Sprintf("guest-%d", i), clerk.acceptInvitation)
	}
}

// startClient starts a client with separate random numbers, so that the client's choices do not depend on when it acts.
func (p *people) startClient(actor string, act func(clerk)) {
	c := clerk{people: p, actor: actor, rng: rand.New(rand.NewPCG(p.rng.Uint64(), p.Seed))}
	p.Go(simulator.Clients, func() { act(c) })
}

// play takes some steps of a side with the holder's credential.
func (c clerk) play(as side, name string) {
	for range 1 + c.rng.IntN(3) {
		c.Think(c.actor)
		c.by = c.victim
		if name != "victim" {
			c.by = cmp.Or(c.holders[name], c.holders["owner"]) // the world may not have that person
		}
		as.steps[c.rng.IntN(len(as.steps))](c)
		if c.rng.IntN(3) == 0 {
			c.read()
		}
	}
}

func (p *people) path(parts ...string) string {
	return "/v0.1/merchants/" + p.Merchant + "/" + strings.Join(parts, "/")
}

// newName returns an unused name.
func (p *people) newName(what string) (name string) {
	p.Record(func() {
		p.numbers++
		name = fmt.Sprintf("%s-%d", what, p.numbers)
	})
	return name
}
