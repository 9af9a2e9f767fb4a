package linear

import (
	"fmt"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// numbered are people by numbers.
type numbered struct {
	roles   map[int]roleState
	members map[int]memberState
	keys    map[int]keyState
}

// The actions by numbers.
type (
	doRole struct {
		role         int
		make, delete bool
		name         *uint8
		permissions  *permissionSet
	}
	doMember struct {
		member                   int
		make                     *memberState
		operator, delete, accept bool
		roles                    *roleSet
		own                      *permissionSet
		note                     *uint8
		disabled                 *bool
		password, keepKeys       bool
		tokens                   uint32 // the member's
	}
	doKey struct {
		by           peopleCaller
		key          int
		make, delete bool
		name         *uint8
		scopes       *scopeSet
	}
	doSignOut int    // the token
	doSignIn  uint32 // the token's bit
	doNothing struct{}
	doSee     struct {
		numbered
		some, sorts [3]bool // of roles, members, keys: not all that there are; shown
		having      map[int]roleSet
		not         []int // members that are not there
	}
	doCompare []heldSet
)

type heldSet struct {
	roles            roleSet
	own, permissions permissionSet
}

func (c *compiler) action(do any, by peopleCaller) peopleAction {
	switch d := do.(type) {
	case RoleChange:
		return doRole{c.number(&c.roles, d.ID), d.Make, d.Delete, c.optional(&c.roleNames, d.Name), sets(d.Permissions,
			permissionsOf)}
	case MemberChange:
		out := doMember{member: c.number(&c.members, d.ID), operator: d.Operator, delete: d.Delete, accept: d.Accept,
			roles: sets(d.Roles, c.roleSet), own: sets(d.Own, permissionsOf), note: c.optional(&c.notes, d.Note),
			disabled: d.Disabled, password: d.Password, keepKeys: d.KeepKeys}
		out.tokens = c.tokensOf[out.member]
		if d.Make != nil {
			made := c.member(*d.Make)
			out.make = &made
		}
		return out
	case KeyChange:
		return doKey{by, c.number(&c.keys, d.ID), d.Make, d.Delete, c.optional(&c.keyNames, d.Name), sets(d.Scopes, scopesOf)}
	case SignOut:
		return doSignOut(c.number(&c.tokens, d.Token))
	case SignIn:
		return doSignIn(1 << c.number(&c.tokens, d.Token))
	case Admission:
		return doNothing{}
	case Sight:
		see := doSee{numbered: c.people(d.People), some: [3]bool{d.Some, d.Some, d.Some},
			sorts: [3]bool{d.Roles != nil, d.Members != nil, d.Keys != nil}, having: map[int]roleSet{}}
		for id, roles := range d.Having {
			see.having[c.number(&c.members, id)] = c.roleSet(roles)
		}
		for _, id := range d.Not {
			see.not = append(see.not, c.number(&c.members, id))
		}
		return see
	case Rights:
		var all doCompare
		for _, h := range d {
			all = append(all, heldSet{c.roleSet(h.Roles), permissionsOf(h.Own), permissionsOf(h.Permissions)})
		}
		return all
	default:
		panic(fmt.Sprintf("linear: nobody asks for %T", do))
	}
}

func (c *compiler) optional(r *registry, text *string) *uint8 {
	if text == nil {
		return nil
	}
	n := c.small(r, *text)
	return &n
}

func sets[T, S any](list *[]T, of func([]T) S) *S {
	if list == nil {
		return nil
	}
	set := of(*list)
	return &set
}

// refused are the answers of those that apply.
func refused(when map[PeopleAnswer]bool) (answers []PeopleAnswer) {
	for _, a := range []PeopleAnswer{Forbidden, Missing, Rejected} {
		if when[a] {
			answers = append(answers, a)
		}
	}
	return answers
}

func (d doRole) refusals(m *peopleModel, s *peopleState, by peopleCaller) []PeopleAnswer {
	r := m.rightsOf(s, by)
	before := s.roles[d.role]
	after := *s
	d.apply(&after)
	inUse := false
	for _, one := range s.members {
		inUse = inUse || one.exists && one.roles>>(len(predefined)+d.role)&1 == 1
	}
	return refused(map[PeopleAnswer]bool{
		Forbidden: !r.may(identity.MembersWrite, "user.subaccounts", "roles.write") ||
			!r.mayGive(before.permissions|after.roles[d.role].permissions, false),
		Missing:  !before.exists && !d.make,
		Rejected: d.delete && inUse,
	})
}

func (d doRole) apply(s *peopleState) {
	if d.delete {
		s.roles[d.role] = roleState{}
		return
	}
	r := &s.roles[d.role]
	r.exists = r.exists || d.make
	set(&r.name, d.name)
	set(&r.permissions, d.permissions)
}

// set sets what is given.
func set[T any](target, value *T) {
	if value != nil {
		*target = *value
	}
}

func (d doMember) refusals(m *peopleModel, s *peopleState, by peopleCaller) []PeopleAnswer {
	r := m.rightsOf(s, by)
	before, next := s.members[d.member], *s
	d.apply(&next)
	after := next.members[d.member]
	scopes := []string{"user.subaccounts", "members.write"}
	if d.operator {
		scopes = scopes[:1]
	}
	// Nobody else's rights decide whether somebody accepts.
	may := d.accept || r.may(identity.MembersWrite, scopes...) && r.overMember(s, before) && r.overMember(s, after)
	lastOwner := s.owners() > 0 && next.owners() == 0
	return refused(map[PeopleAnswer]bool{
		Forbidden: !may || d.operator && before.exists && (before.owner() || !before.managed) || d.delete && lastOwner,
		Missing:   d.make == nil && !before.exists || d.operator && d.make == nil && !before.managed,
		Rejected:  !s.exist(after.roles&^before.roles) || d.make != nil && s.taken(after) || !d.delete && lastOwner,
	})
}

// taken says whether another member has the address.
func (s *peopleState) taken(m memberState) bool {
	for _, other := range s.members {
		if other.exists && other.address == m.address {
			return true
		}
	}
	return false
}

func (d doMember) apply(s *peopleState) {
	m := &s.members[d.member]
	before := *m
	defer d.end(s, before)
	switch {
	case d.delete:
		*m = memberState{}
	case d.make != nil:
		*m = *d.make
	case d.accept:
		m.pending = false
	}
	set(&m.roles, d.roles)
	set(&m.own, d.own)
	set(&m.note, d.note)
	set(&m.disabled, d.disabled)
}

// end ends the member's tokens if the change ends its access, and the member's keys if the change disables or deletes
// the member without keepKeys.
func (d doMember) end(s *peopleState, before memberState) {
	after := s.members[d.member]
	disabled := after.disabled && !before.disabled
	if d.password || disabled || before.roles&^after.roles != 0 || before.own&^after.own != 0 {
		s.out |= d.tokens
	}
	if d.keepKeys || before.pending || !disabled && !d.delete {
		return
	}
	for i, k := range s.keys {
		if k.exists && k.maker == makerOf(d.member) {
			s.keys[i] = keyState{}
		}
	}
}

func (d doKey) refusals(m *peopleModel, s *peopleState, by peopleCaller) []PeopleAnswer {
	r := m.rightsOf(s, by)
	before := s.keys[d.key]
	after := *s
	d.apply(&after)
	return refused(map[PeopleAnswer]bool{
		Forbidden: !r.may(identity.DeveloperSettingsWrite, "api_keys:write") ||
			(before.scopes|after.keys[d.key].scopes)&^r.scopes != 0,
		Missing:  !before.exists && !d.make,
		Rejected: d.delete && by.key == d.key,
	})
}

func (d doKey) apply(s *peopleState) {
	if d.delete {
		s.keys[d.key] = keyState{}
		return
	}
	k := &s.keys[d.key]
	k.exists = k.exists || d.make
	switch {
	case d.make && d.by.member >= 0:
		k.maker = makerOf(d.by.member)
	case d.make && d.by.key >= 0:
		k.maker = s.keys[d.by.key].maker
	}
	set(&k.name, d.name)
	set(&k.scopes, d.scopes)
}

func (doSignOut) refusals(*peopleModel, *peopleState, peopleCaller) []PeopleAnswer { return nil }

func (d doSignOut) apply(s *peopleState) { s.out |= 1 << d }

func (doSignIn) refusals(*peopleModel, *peopleState, peopleCaller) []PeopleAnswer { return nil }

func (d doSignIn) apply(s *peopleState) { s.out &^= uint32(d) }

func (doNothing) refusals(*peopleModel, *peopleState, peopleCaller) []PeopleAnswer { return nil }

func (doNothing) apply(*peopleState) {}

// refusals: what is not so cannot be shown. Who reads it had its rights before.
func (d doSee) refusals(_ *peopleModel, s *peopleState, _ peopleCaller) []PeopleAnswer {
	same := !d.sorts[0] || alike(s.roles[:], d.roles, d.some[0], roleState{})
	same = same && (!d.sorts[1] || alike(s.members[:], d.members, d.some[1], memberState{}))
	same = same && (!d.sorts[2] || alike(s.keys[:], d.keys, d.some[2], keyState{}))
	for i, roles := range d.having {
		same = same && s.members[i].exists && s.members[i].roles == roles
	}
	for _, i := range d.not {
		same = same && !s.members[i].exists
	}
	return refused(map[PeopleAnswer]bool{Rejected: !same})
}

// alike says whether what is shown is what there is.
func alike[T comparable](is []T, shown map[int]T, some bool, nothing T) bool {
	for i, one := range is {
		seen, ok := shown[i]
		if !ok && some {
			continue
		}
		if !ok {
			seen = nothing
		}
		if seen != one {
			return false
		}
	}
	return true
}

func (doSee) apply(*peopleState) {}

func (d doCompare) refusals(_ *peopleModel, s *peopleState, _ peopleCaller) []PeopleAnswer {
	for _, h := range d {
		if s.permissions(h.roles)|h.own != h.permissions {
			return []PeopleAnswer{Rejected}
		}
	}
	return nil
}

func (doCompare) apply(*peopleState) {}
