package linear

import (
	"fmt"
	"slices"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// Bounds of a history's objects. The states are arrays, so that the search can compare
// and copy them fast.
const (
	mostRoles   = 14
	mostMembers = 20
	mostKeys    = 14
)

// peopleState are a tenant's people, by numbers that stand for ids, names and addresses.
type peopleState struct {
	roles   [mostRoles]roleState
	members [mostMembers]memberState
	keys    [mostKeys]keyState
	out     uint32 // tokens that are revoked
	made    uint64 // groups of requests whose change was made
}

type roleState struct {
	exists      bool
	name        uint8
	permissions permissionSet
}

type memberState struct {
	exists, managed, pending, disabled bool
	address, note                      uint8
	roles                              roleSet
	own                                permissionSet
}

type keyState struct {
	exists bool
	name   uint8
	maker  uint8 // makerOf the member; 0: none
	scopes scopeSet
}

// makerOf returns the number of a member in keyState.maker.
func makerOf(member int) uint8 { return uint8(member + 1) } //nolint:gosec // at most mostMembers

// Sets, a bit for each element.
type (
	permissionSet uint16 // in the order of identity.AllPermissions
	roleSet       uint32 // the predefined ones, then the tenant's
	scopeSet      uint64 // in the order of identity.AllScopes
)

// predefined are the roles that every tenant has, in the order of their bits.
var predefined = []string{member.RoleOwner, member.RoleAdmin, member.RoleAccountant, member.RoleEmployee}

// unknownRole is the bit of a role that nobody has made.
const unknownRole roleSet = 1 << 31

const ownerRole roleSet = 1

var (
	allPermissions = identity.AllPermissions()
	allScopes      = identity.AllScopes()

	// predefinedPermissions are those of the predefined roles (contract §8.1).
	predefinedPermissions = []permissionSet{permissionsOf(allPermissions), permissionsOf(allPermissions),
		permissionsOf([]identity.Permission{identity.FullTransactionHistoryView}), 0}
)

func permissionsOf(list []identity.Permission) (set permissionSet) {
	for _, p := range list {
		set |= 1 << slices.Index(allPermissions, p)
	}
	return set
}

func (p permissionSet) list() (list []identity.Permission) {
	for i, one := range allPermissions {
		if p>>i&1 == 1 {
			list = append(list, one)
		}
	}
	return list
}

func scopesOf(list []string) (set scopeSet) {
	for _, s := range list {
		if i := slices.Index(allScopes, s); i >= 0 {
			set |= 1 << i
		}
	}
	return set
}

func (s scopeSet) list() (list []string) {
	for i, one := range allScopes {
		if s>>i&1 == 1 {
			list = append(list, one)
		}
	}
	return list
}

// permissions are what roles let their members do.
func (s *peopleState) permissions(roles roleSet) (all permissionSet) {
	for i, p := range predefinedPermissions {
		if roles>>i&1 == 1 {
			all |= p
		}
	}
	for i, r := range s.roles {
		if roles>>(len(predefined)+i)&1 == 1 {
			all |= r.permissions
		}
	}
	return all
}

// exist says whether all of the roles do.
func (s *peopleState) exist(roles roleSet) bool {
	if roles&unknownRole != 0 {
		return false
	}
	for i, r := range s.roles {
		if roles>>(len(predefined)+i)&1 == 1 && !r.exists {
			return false
		}
	}
	return true
}

// active says whether the member may act for the tenant.
func (m memberState) active() bool { return m.exists && !m.pending && !m.disabled }

func (m memberState) owner() bool { return m.roles&ownerRole != 0 }

// owners are the members of whom there must be one.
func (s *peopleState) owners() (n int) {
	for _, m := range s.members {
		if m.active() && m.owner() {
			n++
		}
	}
	return n
}

// hash need only differ for most states.
func (s peopleState) hash() uint64 {
	h := s.made*0x9E3779B97F4A7C15 + uint64(s.out)<<7 + 1
	mix := func(x uint64) { h = (h ^ x) * 0x100000001B3 }
	for _, r := range s.roles {
		mix(uint64(r.permissions)<<8 | uint64(r.name))
	}
	for _, m := range s.members {
		mix(uint64(m.roles)<<32 | uint64(m.note)<<16 | uint64(m.own)<<4 | bits(m.exists, m.pending, m.disabled))
	}
	for _, k := range s.keys {
		mix(uint64(k.scopes) ^ uint64(k.name)<<48 ^ uint64(k.maker)<<56 ^ bits(k.exists))
	}
	return h
}

func bits(all ...bool) (n uint64) {
	for _, b := range all {
		n <<= 1
		if b {
			n |= 1
		}
	}
	return n
}

// registry gives texts numbers, from 0.
type registry struct {
	texts []string
	most  int
}

// number is the text's; it registers a new one. Error: ErrTooLong.
func (r *registry) number(text string) (int, error) {
	if i := slices.Index(r.texts, text); i >= 0 {
		return i, nil
	}
	if len(r.texts) == r.most {
		return 0, fmt.Errorf("%w: more than %d of a sort, as %s", ErrTooLong, r.most, text)
	}
	r.texts = append(r.texts, text)
	return len(r.texts) - 1, nil
}
