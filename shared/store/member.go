package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

func memberItem(t identity.Tenant, m member.Member) storedItem {
	return newItem(memberKey(t, m.Number()), m, m.Version)
}

// memberLead leads to a member: from the member's address in the tenant, or from its user.
type memberLead struct {
	key
	MemberID string `dynamo:"member_id"`
}

// putAddressGuard returns the put that reserves the member's e-mail address. The guard is deleted when the member gives
// up the address, so that another member may have the address.
func (s *Store) putAddressGuard(t identity.Tenant, m member.Member) *dynamo.Put {
	return s.table.Put(memberLead{addressKey(t, m.Address()), m.ID}).If("attribute_not_exists(pk)")
}

// Failures of a new member or address.
var (
	ErrAddressTaken   = failure.Conflict("Another account has this email address.")
	errTooManyMembers = failure.Conflict("The merchant has as many accounts as it can have.")
)

// CreateMember stores the member that the operation makes, under the id that create is given. Repeated by the same
// operation, it returns the stored member, even a deleted one. The function create is called only when the address is
// free, and may be called more than once. Failures: ErrAddressTaken; Conflict at member.MaxMembers; TooMany
// invitations.
func (s *Store) CreateMember(ctx context.Context, by audit.By, t identity.Tenant, address, operation string,
	create func(id string, roles member.Roles) (member.Member, error)) (member.Member, error) {
	try := 0
	return retryAs(ctx, by, s.View, func() (member.Member, error) {
		id := member.ID(operation, try)
		found, err := s.readObstacles(ctx, t, id, address)
		switch {
		case err != nil:
			return member.Member{}, err
		case found.member != nil && found.member.ID == id:
			return *found.member, nil
		case found.member != nil: // another member has its number
			try++
			return member.Member{}, ErrStale
		case found.taken:
			return member.Member{}, ErrAddressTaken
		}
		m, err := create(id, found.roles)
		if err != nil {
			return member.Member{}, err
		}
		m.Version = 1
		return s.putMember(ctx, by, t, m, found)
	})
}

// obstacles holds what is read before a new member is stored.
type obstacles struct {
	member  *member.Member // the member with the number, even a deleted one, or nil
	taken   bool           // another member has the address
	roles   member.Roles
	count   memberCount
	invited invitedItem // recent invitations to the address
}

func (s *View) readObstacles(ctx context.Context, t identity.Tenant, id, address string) (obstacles, error) {
	number := member.NumberOf(id)
	var stored, deleted member.Member
	var guard memberLead
	var found obstacles
	err := s.readInto(ctx, map[key]any{memberKey(t, number): &stored, deletedMemberKey(t, number): &deleted,
		addressKey(t, address): &guard, rolesKey(t): &found.roles, memberCountKey(t): &found.count,
		invitedKey(t, address): &found.invited})
	switch {
	case stored.ID != "":
		found.member = &stored
	case deleted.ID != "":
		found.member = &deleted
	}
	found.taken = guard.MemberID != ""
	return found, err
}

// putMember stores a new member with its guard, and counts the member. Error: ErrStale when its number or address was
// taken meanwhile.
func (s *Store) putMember(ctx context.Context, by audit.By, t identity.Tenant, m member.Member,
	read obstacles) (member.Member, error) {
	tx := s.newAuditedTx(by)
	count, err := tx.invite(t, m, read)
	if err != nil {
		return m, err
	}
	tx.Update(s.addOwnerChange(count.Add("count", 1).If("attribute_not_exists(pk) OR 'count' < ?", member.MaxMembers),
		member.Member{}, m))
	tx.requireCaller(tx.countRoles(t, read.roles, member.Member{}, m)...)
	tx.addMember(t, m)
	if err = tx.Run(ctx); err == nil || tx.err != nil {
		return m, err
	}
	found, readErr := s.readObstacles(ctx, t, m.ID, m.Address())
	switch {
	case readErr != nil:
		return m, errors.Join(err, readErr)
	case found.member != nil && found.member.ID == m.ID:
		return *found.member, nil
	case !dynamo.IsCondCheckFailed(err):
		return m, err
	case found.member == nil && !found.taken && found.count.Count >= member.MaxMembers:
		return m, errTooManyMembers
	default:
		return m, ErrStale
	}
}

// addMember adds a new member, its guard and its audit entry.
func (tx *auditedTx) addMember(t identity.Tenant, m member.Member) {
	tx.Put(tx.store.replace(memberItem(t, m))).
		Put(tx.store.putAddressGuard(t, m))
	tx.audit(t, subjectMember(m), nil, m.ForAudit())
}

func subjectMember(m member.Member) string { return "member " + m.ID }

var errNoMember = failure.NotFound("There is no such account.")

// Member reads a member by its number, consistently. Failure: NotFound.
func (s *View) Member(ctx context.Context, t identity.Tenant, number int32) (member.Member, error) {
	return readOne[member.Member](ctx, s, memberKey(t, number), errNoMember)
}

// MemberByAddress reads the tenant's member with an address (member.Address). Failure: NotFound.
func (s *View) MemberByAddress(ctx context.Context, t identity.Tenant, address string) (member.Member, error) {
	guard, err := readOne[memberLead](ctx, s, addressKey(t, address), errNoMember)
	if err != nil {
		return member.Member{}, err
	}
	return s.Member(ctx, t, member.NumberOf(guard.MemberID))
}

// MemberWithRoles is Member with the tenant's roles, which determine the member's permissions.
func (s *View) MemberWithRoles(ctx context.Context, t identity.Tenant, number int32) (member.Member, member.Roles,
	error) {
	var m member.Member
	var roles member.Roles
	err := s.readInto(ctx, map[key]any{memberKey(t, number): &m, rolesKey(t): &roles})
	if err == nil && m.ID == "" {
		err = errNoMember
	}
	return m, roles, err
}

// Members returns all members of a tenant, oldest first, consistently.
func (s *View) Members(ctx context.Context, t identity.Tenant) ([]member.Member, error) {
	members := []member.Member{}
	err := s.prefixed(KindMembers.of(t), memberPrefix).Limit(member.MaxMembers).All(ctx, &members)
	slices.SortFunc(members, func(a, b member.Member) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return members, err
}
