package linear

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// peopleModel is a tenant whose requests take effect one after the other.
type peopleModel struct {
	roles, members, keys, roleNames, notes, keyNames, addresses, tokens, groups registry

	begin    peopleState
	requests []peopleRequest
	rights   map[rightsOf]rights
	tokensOf map[int]uint32 // by member: a bit for each token
}

// peopleRequest is a PeopleRequest by numbers.
type peopleRequest struct {
	by     peopleCaller
	group  int // -1: of its own
	answer PeopleAnswer
	do     peopleAction
}

// peopleCaller is a Caller by numbers; -1: none.
type peopleCaller struct {
	key, member, token int
	scopes             scopeSet
}

// peopleAction is what a request asks for.
type peopleAction interface {
	// refusals are the answers with which it may be refused in the state; none: it is done.
	refusals(m *peopleModel, s *peopleState, by peopleCaller) []PeopleAnswer
	// apply makes the change.
	apply(s *peopleState)
}

func newPeopleModel(h PeopleHistory) (*peopleModel, error) {
	m := &peopleModel{rights: map[rightsOf]rights{}, tokensOf: map[int]uint32{}}
	for r, most := range map[*registry]int{&m.roles: mostRoles, &m.members: mostMembers, &m.keys: mostKeys,
		&m.roleNames: 256, &m.notes: 256, &m.keyNames: 256, &m.addresses: 256, &m.tokens: 32, &m.groups: 64} {
		r.most = most
	}
	c := compiler{peopleModel: m}
	begin := c.people(h.Begin)
	for _, r := range h.Requests {
		c.signedIn(r.By.Token, r.By.Member)
		if in, later := r.Do.(SignIn); later {
			m.begin.out |= c.signedIn(in.Token, in.Member)
		}
	}
	for _, r := range h.Requests {
		m.requests = append(m.requests, c.request(r))
	}
	for i, known := range begin.roles {
		m.begin.roles[i] = known
	}
	for i, known := range begin.members {
		m.begin.members[i] = known
	}
	for i, known := range begin.keys {
		m.begin.keys[i] = known
	}
	return m, c.err
}

// step are the states that a request's answer allows.
func (m *peopleModel) step(s peopleState, r peopleRequest) []any {
	if r.answer == Unauthorized {
		if m.valid(&s, r.by) {
			return nil
		}
		return []any{s}
	}
	before := r.group >= 0 && s.made>>r.group&1 == 1
	refusals := r.do.refusals(m, &s, r.by)
	able := m.valid(&s, r.by) && len(refusals) == 0
	switch {
	case r.answer == Done && before:
		return []any{s}
	case r.answer == Done && able:
		return []any{r.made(s)}
	case r.answer == Done && r.changes() && r.made(s) == s && !slices.ContainsFunc(refusals, others):
		return []any{s} // what changes nothing is not written, so nothing holds its caller to its rights
	case r.answer == Unanswered && able && !before:
		return []any{s, r.made(s)}
	case r.answer == Unanswered:
		return []any{s}
	case slices.Contains(refusals, r.answer) && (!before || r.answer == Forbidden):
		return []any{s}
	case r.answer == Forbidden && !m.rightsOf(&s, r.by).all:
		return []any{s} // what it has was read before what it needs, which may have changed between
	default:
		return nil
	}
}

// changes says whether the request asks for a change.
func (r peopleRequest) changes() bool {
	_, admission := r.do.(doNothing)
	return !admission
}

// others says of a refusal that it is not for lack of rights.
func others(a PeopleAnswer) bool { return a != Forbidden }

func (r peopleRequest) made(s peopleState) peopleState {
	r.do.apply(&s)
	if r.group >= 0 {
		s.made |= 1 << r.group
	}
	return s
}

// valid says whether the credential is accepted.
func (*peopleModel) valid(s *peopleState, by peopleCaller) bool {
	switch {
	case by.key >= 0:
		return s.keys[by.key].exists
	case by.member >= 0:
		return s.members[by.member].active() && (by.token < 0 || s.out>>by.token&1 == 0)
	default:
		return true
	}
}

// rightsOf is all that a caller's rights follow from.
type rightsOf struct {
	free, person, owner bool
	permissions         permissionSet
	scopes              scopeSet
}

// rights are what a caller may do, and what it may give.
type rights struct {
	identity.Principal
	permissions permissionSet
	scopes      scopeSet
	all         bool // it may do all that an owner may
}

// rightsOf are the caller's in the state.
func (m *peopleModel) rightsOf(s *peopleState, by peopleCaller) rights {
	var of rightsOf
	switch {
	case by.key >= 0:
		of.scopes = s.keys[by.key].scopes
	case by.member >= 0:
		who := s.members[by.member]
		of = rightsOf{person: true, owner: who.owner(), permissions: s.permissions(who.roles) | who.own, scopes: by.scopes}
	default:
		of.free = true
	}
	known, ok := m.rights[of]
	if !ok {
		known = of.compute()
		m.rights[of] = known
	}
	return known
}

func (of rightsOf) compute() rights {
	p := identity.Principal{Actor: identity.Actor{Kind: identity.SecretKey}, Scopes: of.scopes.list()}
	if of.free {
		p.Scopes = allScopes
	}
	if of.person {
		p.Actor.Kind, p.Permissions, p.Owner = identity.User, of.permissions.list(), of.owner
	}
	r := rights{Principal: p, all: p.MayMakeOwner()}
	for i, one := range allPermissions {
		if p.MayGivePermission(one) {
			r.permissions |= 1 << i
		}
	}
	for i, one := range allScopes {
		if p.MayGiveScope(one) {
			r.scopes |= 1 << i
		}
	}
	return r
}

// may says whether the caller may use a route.
func (r rights) may(needs identity.Permission, scopes ...string) bool {
	return r.Has(needs) && r.May(scopes...)
}

// mayGive says whether the caller may give the permissions, and role_owner if it is asked.
func (r rights) mayGive(permissions permissionSet, owner bool) bool {
	return permissions&^r.permissions == 0 && (!owner || r.all)
}

// overMember says whether the caller may act over the member: it may give what that has.
func (r rights) overMember(s *peopleState, m memberState) bool {
	return r.mayGive(s.permissions(m.roles)|m.own, m.owner())
}

// compiler turns a history into numbers; its first error stays.
type compiler struct {
	*peopleModel
	err error
}

func (c *compiler) number(r *registry, text string) int {
	n, err := r.number(text)
	if c.err == nil {
		c.err = err
	}
	return n
}

// signedIn records that a token belongs to a member, and returns the token's bit.
func (c *compiler) signedIn(token, member string) (bit uint32) {
	if token == "" || member == "" {
		return 0
	}
	bit = 1 << c.number(&c.tokens, token)
	c.tokensOf[c.number(&c.members, member)] |= bit
	return bit
}

func (c *compiler) small(r *registry, text string) uint8 {
	return uint8(c.number(r, text)) //nolint:gosec // at most 256 are registered
}

func (c *compiler) roleSet(ids []string) (set roleSet) {
	for _, id := range ids {
		switch i := slices.Index(predefined, id); {
		case i >= 0:
			set |= 1 << i
		case id == "":
			set |= unknownRole
		default:
			set |= 1 << (len(predefined) + c.number(&c.roles, id))
		}
	}
	return set
}

func (c *compiler) people(p People) (s numbered) {
	s = numbered{map[int]roleState{}, map[int]memberState{}, map[int]keyState{}}
	for id, r := range p.Roles {
		s.roles[c.number(&c.roles, id)] = roleState{true, c.small(&c.roleNames, r.Name), permissionsOf(r.Permissions)}
	}
	for id, one := range p.Members {
		s.members[c.number(&c.members, id)] = c.member(one)
	}
	for id, k := range p.Keys {
		key := keyState{exists: true, name: c.small(&c.keyNames, k.Name), scopes: scopesOf(k.Scopes)}
		if k.Maker != "" {
			key.maker = makerOf(c.number(&c.members, k.Maker))
		}
		s.keys[c.number(&c.keys, id)] = key
	}
	return s
}

func (c *compiler) member(m Member) memberState {
	return memberState{exists: true, managed: m.Managed, pending: m.Pending, disabled: m.Disabled,
		address: c.small(&c.addresses, m.Address), note: c.small(&c.notes, m.Note), roles: c.roleSet(m.Roles),
		own: permissionsOf(m.Own)}
}

func (c *compiler) request(r PeopleRequest) peopleRequest {
	out := peopleRequest{by: peopleCaller{-1, -1, -1, scopesOf(r.By.Scopes)}, group: -1, answer: r.Answer}
	if r.By.Key != "" {
		out.by.key = c.number(&c.keys, r.By.Key)
	}
	if r.By.Member != "" {
		out.by.member = c.number(&c.members, r.By.Member)
	}
	if r.By.Token != "" {
		out.by.token = c.number(&c.tokens, r.By.Token)
	}
	if r.Group != "" {
		out.group = c.number(&c.groups, r.Group)
	}
	out.do = c.action(r.Do, out.by)
	return out
}
