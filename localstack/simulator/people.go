package simulator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

// people is the life of a world in which owners, administrators, employees and keys of
// one or two merchants change roles, members and keys at the same time.
type people struct {
	*World
	rng     *rand.Rand // the root goroutine's alone
	store   *store.Store
	offices []*office
	asks    []*ask
	secrets map[string]string // texts that must not be stored → what they are

	race   race
	writes peopleWrites // that have been done
}

// office is a tenant, and what its people know of each other.
type office struct {
	*people
	*shop
	name    string
	tenant  identity.Tenant // hides the shop's, which is text
	begin   linear.People
	end     linear.PeopleRequest                      // sees all that there is
	outs    []linear.PeopleRequest                    // tokens that were revoked
	holders map[string]*holder                        // by name
	roles   []string                                  // ids of the tenant's own
	members []string                                  // ids
	keys    []string                                  // ids
	guests  []string                                  // addresses that are invited
	hot     struct{ role, member, key, guest string } // about whom most requests are
	others  int                                       // members that are counted, and of whom nothing is stored
	last    records                                   // as they were after the last change
	numbers int
	own     map[string][]identity.Permission // of operators, by mark
	counted map[string]int                   // invitations and keys before the faults begin, by tenant and day
}

// holder is somebody with a credential.
type holder struct {
	name  string
	token string
	home  *office   // of the token
	in    time.Time // when its person signed in
	user  string    // id of a person's user
	by    linear.Caller
}

// password is what everybody chooses, and passwordHash one of its hashes, of parameters
// that cost little.
const (
	password     = "correct horse"
	passwordHash = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$bIKRw3Ua1pluirFy81fnppmR01EnUxY3hLEBwbWxBG8"
)

// tokenOf makes the invitations of those who are members before the faults begin.
func tokenOf(memberID, inviteID string) string { return "simulated " + memberID + inviteID }

func newPeople(w *World) *people {
	p := &people{World: w, rng: rand.New(rand.NewPCG(w.seed, 4_000)), secrets: map[string]string{},
		writes: newPeopleWrites()}
	p.race = newRace(p.rng)
	w.held = p.race.held
	return p
}

// simulate lets all changes compete, and then recover.
func (p *people) simulate() {
	p.run(clients, p.setUpMerchants)
	p.steer(clients)
	p.open()
	p.faultsOn = true
	common := plots[p.rng.IntN(len(plots))]
	if p.rng.IntN(2) == 0 {
		common = guests
	}
	for _, o := range p.offices {
		o.plot(common)
		o.expectGuests()
	}
	p.steer(clients, stragglers)
	p.recover()
	p.check()
	p.checkPeople()
	for _, o := range p.offices {
		o.end = o.request(linear.Sight{People: o.everything()})
	}
}

// open opens the offices. One user is a member of both of two.
func (p *people) open() {
	p.store = store.Open(store.Config{Table: p.config.Table, Region: p.config.Region, Endpoint: p.config.DynamoDBEndpoint,
		Credentials: credentials, HTTP: plainClient(p.table), Now: p.now, DueShards: p.config.DueShards})
	for n := range 1 + p.rng.IntN(2) {
		p.offices = append(p.offices, p.newOffice(n, p.shops[n]))
	}
	for i, o := range p.offices {
		o.staff(i)
		o.chooseVictim()
	}
	for _, o := range p.offices {
		o.approach()
		o.begin = o.everything()
		r := o.recordsIn(p.scan())
		o.last = r
		for _, m := range r.members {
			p.writes.before[m.text("id")] = m
		}
		o.counted[r.count.text("pk")+" "+r.count.text("invited_on")] = number(r.count["invited"])
		o.counted[r.keys.text("pk")+" "+r.keys.text("day")] = number(r.keys["created"])
		o.hot.member = pick(p.rng, sorted(o.begin.Members))
		if len(o.begin.Roles) > 0 {
			o.hot.role = o.roleNamed("manager")
		}
		o.roles, o.members, o.keys = sorted(o.begin.Roles), sorted(o.begin.Members), sorted(o.begin.Keys)
	}
}

func (p *people) newOffice(n int, s *shop) *office {
	t, _ := identity.ParseTenant(s.tenant)
	return &office{people: p, shop: s, name: fmt.Sprintf("office-%d", n), tenant: t, holders: map[string]*holder{},
		own: map[string][]identity.Permission{}, counted: map[string]int{}}
}

// must is for what is done before the faults begin.
func must[T any](w *World) func(result T, err error) T {
	return func(result T, err error) T {
		w.must(err)
		return result
	}
}

// ctx is of what is done beside the clients.
func (*people) ctx() context.Context { return context.Background() }

// bySimulator is who writes it.
var bySimulator = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "simulator")

// staff makes the office's members, and gives all a credential.
func (o *office) staff(n int) {
	o.secrets[o.token] = "API key"
	o.holders["key"] = &holder{name: "key", token: o.token, home: o, by: linear.Caller{Key: o.apiKeys()[0].text("id")}}
	o.lend("members.write", "roles.write", "api_keys:write", "user.subaccounts", "payments")
	emil := []string{member.RoleEmployee}
	if o.rng.IntN(4) > 0 {
		o.role("refunder", identity.RefundTransactions)
		emil = append(emil, o.roleNamed("refunder"))
		o.role("manager", identity.MembersRead, identity.MembersWrite, identity.RefundTransactions,
			identity.FullTransactionHistoryView, identity.DeveloperSettingsWrite)
		o.login("rosa", o.join("rosa", o.roleNamed("manager")), identity.AllScopes())
	}
	owner := must[member.Member](o.World)(o.store.Member(o.ctx(), o.tenant, member.NumberOf(member.OwnerID(o.tenant))))
	o.login("owner", owner, identity.AllScopes())
	o.login("olga", o.join("olga", member.RoleOwner), identity.AllScopes())
	if o.rng.IntN(2) == 0 {
		o.login("ada", o.join("ada", member.RoleAdmin), identity.AllScopes())
	}
	o.login("emil", o.join("emil", emil...), identity.AllScopes())
	o.login("till", o.employ("till"), identity.AllScopes())
	o.login("anna", o.join("anna", member.RoleAccountant), []string{"user.subaccounts", "payments", "api_keys:write"})
	if n > 0 { // the first office's accountant is here, too, with more rights
		first := o.offices[0].holders["anna"]
		o.enter(first.name, o.join("anna@"+o.offices[0].name, member.RoleOwner))
	}
}

// chooseVictim settles from whom rights are taken away while they are used.
func (o *office) chooseVictim() {
	o.holders["victim"] = o.holders["olga"]
	if _, told := stories[o.Without]; told { // the stories revoke olga's token
		return
	}
	if h := o.holders[pick(o.rng, []string{"rosa", "rosa", "spare", "olga"})]; h != nil {
		o.holders["victim"] = h
	}
}

// lend makes a key that may do some things, before the faults begin.
func (o *office) lend(scopes ...string) {
	k, text, err := identity.NewAPIKey(o.tenant, identity.KeyRequest{Name: "spare", Scopes: &scopes}, o.now())
	if err == nil {
		k, err = o.store.CreateAPIKey(o.ctx(), bySimulator, k)
	}
	o.must(err)
	o.secrets[text], o.hot.key = "API key", k.ID
	o.holders["spare"] = &holder{name: "spare", token: text, home: o, by: linear.Caller{Key: k.ID}}
}

// role makes a role before the faults begin.
func (o *office) role(name string, permissions ...identity.Permission) {
	now := o.store.Now()
	must[member.Role](o.World)(o.store.CreateRole(o.ctx(), bySimulator, o.tenant, member.Role{
		ID: member.RoleID(o.name + name), Name: name, Permissions: permissions, CreatedAt: now, UpdatedAt: now},
		func() error { return nil }))
}

// join makes a member with a user, whose password is that of password. Its hash is of
// few parameters, as a former one may be.
func (o *office) join(name string, roles ...string) member.Member {
	name, at, _ := strings.Cut(name, "@")
	address := name + "@" + cmp.Or(at, o.name) + ".example"
	invitation, operation := member.Invitation{Email: address, Roles: roles}, "join "+o.name+address
	m := must[member.Member](o.World)(o.store.CreateMember(o.ctx(), bySimulator, o.tenant, address, operation,
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, invitation, operation, tokenOf, o.now()), nil
		}))
	must[store.Invitation](o.World)(o.store.AcceptInvitation(o.ctx(), bySimulator, tokenOf(m.ID, m.Invite.ID),
		func(i store.Invitation) (member.Passwords, error) {
			if len(i.User.Passwords) > 0 {
				return i.User.Passwords, nil
			}
			return member.Passwords{{Hash: passwordHash, Operation: operation, SetAt: o.now()}}, nil
		}))
	return must[member.Member](o.World)(o.store.Member(o.ctx(), o.tenant, m.Number()))
}

func (o *office) roleNamed(name string) string { return member.RoleID(o.name + name) }

// everything are the office's people as they are stored.
func (o *office) everything() linear.People {
	all := linear.People{Roles: map[string]linear.Role{}, Members: map[string]linear.Member{},
		Keys: map[string]linear.Key{}}
	for _, r := range must[member.Roles](o.World)(o.store.Roles(o.ctx(), o.tenant)).Own {
		all.Roles[r.ID] = linear.Role{Name: r.Name, Permissions: r.Permissions}
	}
	for _, m := range must[[]member.Member](o.World)(o.store.Members(o.ctx(), o.tenant)) {
		all.Members[m.ID] = linear.Member{Address: m.Address(), Roles: m.Roles, Own: ownOf(m),
			Note: noteOf(string(m.Metadata)), Managed: m.Type == member.TypeManaged, Pending: m.Invited(),
			Disabled: m.Disabled()}
	}
	for _, k := range o.apiKeys() {
		all.Keys[k.text("id")] = linear.Key{Name: k.text("name"), Scopes: texts(k["scopes"]),
			Maker: k.object("maker").text("person")}
	}
	return all
}

// apiKeys are those that work.
func (o *office) apiKeys() (keys []item) {
	for _, i := range o.scan() {
		if at := partition(i.text("pk")); at.Kind == store.KindAPIKey && at.Tenant == o.tenant &&
			strings.HasPrefix(i.text("sk"), "KEY#") && i["revoked"] != true {
			keys = append(keys, i)
		}
	}
	return keys
}

// noteOf is the note in a member's metadata.
func noteOf(metadata string) string {
	var m struct{ Note string }
	_ = json.Unmarshal([]byte(metadata), &m) // "": none
	return m.Note
}

// ownOf are a member's own permissions, of which the workload gives one alone.
func ownOf(m member.Member) []identity.Permission {
	if m.Own.RefundTransactions {
		return []identity.Permission{identity.RefundTransactions}
	}
	return nil
}

// plot starts the clients of one or two plots, perhaps of the one that all offices have in
// common.
func (o *office) plot(common plot) {
	for n := range 1 + o.rng.IntN(2) {
		of := plots[o.rng.IntN(len(plots))]
		if o.race.common {
			of = common
		}
		if told, ok := stories[o.Without]; ok {
			of = told.plot
		}
		for i := range 3 + o.rng.IntN(3) {
			actor := fmt.Sprintf("%s-%s-%d-%d", o.name, of.name, n, i)
			as := of.sides[i%len(of.sides)]
			who := as.who[o.rng.IntN(len(as.who))]
			rng := rand.New(rand.NewPCG(o.rng.Uint64(), o.seed))
			o.run(clients, func() { o.play(as, actor, who, rng) })
		}
	}
}

// expectGuests starts those who wait for an invitation.
func (o *office) expectGuests() {
	least := 0
	if o.race.common {
		least = 1
	}
	for i := range least + o.rng.IntN(3-least) {
		actor, rng := fmt.Sprintf("%s-guest-%d", o.name, i), rand.New(rand.NewPCG(o.rng.Uint64(), o.seed))
		o.run(clients, func() { o.accept(actor, rng) })
	}
}

// play takes some steps of a side.
func (o *office) play(as side, actor, who string, rng *rand.Rand) {
	h := o.holders[who]
	if h == nil { // that one is not there, or not yet
		h = o.holders["owner"]
	}
	for range 1 + rng.IntN(3) {
		o.think(actor)
		as.steps[rng.IntN(len(as.steps))](o, actor, rng, h)
		if rng.IntN(3) == 0 {
			o.read(actor, rng, h)
		}
	}
}

// appOf is the id of the OAuth client that a person has allowed to act.
func appOf(memberID string) string { return "app of " + memberID }

// refreshOf returns the hash of the refresh token that belongs to the access token of the name.
func (o *office) refreshOf(tokenName string) string {
	return identity.Hash(fmt.Sprint("refresh ", o.seed, tokenName))
}

// login gives a member an access token, by a client of its own and a grant.
func (o *office) login(name string, m member.Member, scopes []string) {
	must[oauth.Client](o.World)(o.store.CreateOAuthClient(o.ctx(), bySimulator, oauth.Client{ID: appOf(m.ID), Name: "App",
		Tenant: identity.Tenant{Mode: o.tenant.Mode, Merchant: "MC0APPS000"}, Scopes: identity.AllScopes(),
		Approved: identity.AllScopes()}))
	o.signIn(name, m, scopes, m.ID, o.now())
}

// enter has somebody of another office act here, too, by the same token.
func (o *office) enter(name string, m member.Member) {
	there := o.offices[0].holders[name]
	o.holders["visitor"] = &holder{name: name, token: there.token, home: there.home, user: there.user, in: there.in,
		by: linear.Caller{Member: m.ID, Token: "visit", Scopes: there.by.Scopes}}
}

func number(v any) int {
	n, _ := strconv.Atoi(fmt.Sprint(v)) // nil: none
	return n
}

// pick is one of them, or "".
func pick(rng *rand.Rand, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[rng.IntN(len(ids))]
}

// subset are some of them, in order.
func subset[T any](rng *rand.Rand, of []T, most int) []T {
	var some []T
	for range 1 + rng.IntN(most) {
		some = append(some, of[rng.IntN(len(of))])
	}
	return some
}

// learn adds an id that somebody was shown.
func (o *office) learn(ids *[]string, id string) {
	o.record(func() {
		if id != "" && !slices.Contains(*ids, id) {
			*ids = append(*ids, id)
		}
	})
}

// wait passes time until something is so, for at most some minutes.
func (o *office) wait(until func() bool) bool {
	for range 30 {
		if until() {
			return true
		}
		o.pass(10 * time.Second)
	}
	return false
}
