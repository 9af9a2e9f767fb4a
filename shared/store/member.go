package store

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

type memberItem struct {
	key
	WriteID string `dynamo:"write_id"`
	member.Member
}

func newMemberItem(t identity.Tenant, m member.Member) memberItem {
	return memberItem{key: memberKey(t, m.Number()), WriteID: newWriteID(), Member: m}
}

// addressGuard keeps an e-mail address for one member of the tenant. It is deleted
// when the member no longer has the address, so that another may.
type addressGuard struct {
	key
	MemberID string `dynamo:"member_id"`
}

func newAddressGuard(t identity.Tenant, m member.Member) addressGuard {
	return addressGuard{key: addressKey(t, m.Address()), MemberID: m.ID}
}

// deletedMember is kept as long as a request may be repeated: a repeated deletion finds
// its own work, and a repeated creation does not bring the member back.
type deletedMember struct {
	key
	Operation string `dynamo:"operation"` // that deleted it
	ExpiresAt int64  `dynamo:"expires_at"`
	member.Member
}

// memberCount keeps a tenant's members below the limit.
type memberCount struct {
	key
	Count int `dynamo:"count"`
}

// The failures of a new member or address.
var (
	errAddressTaken   = failure.Conflict("Another account has this email address.")
	errTooManyMembers = failure.Conflict("The merchant has as many accounts as it can have.")
)

// CreateMember stores the member that the operation makes, under the id that create is
// given. Repeated by the same operation it returns what is stored, also if it has been
// deleted since. create is called only when the address is free, perhaps more than
// once. Failures: Conflict when another member has the address, when the tenant has
// member.MaxMembers, and ErrContended; those of create.
func (s *Store) CreateMember(ctx context.Context, t identity.Tenant, address, operation string,
	create func(id string) (member.Member, error)) (member.Member, error) {
	try := 0
	return Retry(func(bool) (member.Member, error) {
		id := member.ID(operation, try)
		found, err := s.obstaclesTo(ctx, t, id, address)
		switch {
		case err != nil:
			return member.Member{}, err
		case found.member != nil && found.member.ID == id:
			return *found.member, nil
		case found.member != nil: // another one has its number
			try++
			return member.Member{}, ErrStale
		case found.taken:
			return member.Member{}, errAddressTaken
		}
		m, err := create(id)
		if err != nil {
			return member.Member{}, err
		}
		m.Version = 1
		return s.putMember(ctx, t, m)
	})
}

// obstacles keep a new member from being stored.
type obstacles struct {
	member *member.Member // with its number, also a deleted one; nil: none
	taken  bool           // its address
}

func (s *Reader) obstaclesTo(ctx context.Context, t identity.Tenant, id, address string) (obstacles, error) {
	number := member.NumberOf(id)
	items, err := s.memberItems(ctx, memberKey(t, number), deletedMemberKey(t, number), addressKey(t, address))
	var found obstacles
	for k, m := range items {
		if k == addressKey(t, address) {
			found.taken = true
		} else {
			found.member = &m
		}
	}
	return found, err
}

// memberItems reads members, also deleted ones; of a guard, whether it exists.
func (s *Reader) memberItems(ctx context.Context, keys ...key) (map[key]member.Member, error) {
	var items []memberItem
	err := s.batch(ctx, keys, true, &items)
	found := map[key]member.Member{}
	for _, item := range items {
		found[item.key] = item.Member
	}
	return found, err
}

// putMember stores a new member with its guard, and counts it. Errors: ErrStale when
// its number or address was taken meanwhile.
func (s *Store) putMember(ctx context.Context, t identity.Tenant, m member.Member) (member.Member, error) {
	tx := s.db.WriteTx().Idempotent(true).Update(s.countMember(t, 1).If("attribute_not_exists(pk) OR 'count' < ?",
		member.MaxMembers))
	if err := s.addMember(ctx, tx, t, m); err != nil {
		return m, err
	}
	err := tx.Run(ctx)
	if err == nil {
		return m, nil
	}
	found, readErr := s.obstaclesTo(ctx, t, m.ID, m.Address())
	switch {
	case readErr != nil:
		return m, errors.Join(err, readErr)
	case found.member != nil && found.member.ID == m.ID:
		return *found.member, nil
	case !dynamo.IsCondCheckFailed(err):
		return m, err
	case found == obstacles{}:
		return m, s.uncounted(ctx, t)
	default:
		return m, ErrStale
	}
}

// addMember adds a new member, its guard and its audit entry to a transaction.
func (s *Store) addMember(ctx context.Context, tx *dynamo.WriteTx, t identity.Tenant, m member.Member) error {
	tx.Put(s.table.Put(newMemberItem(t, m)).If("attribute_not_exists(pk)")).
		Put(s.table.Put(newAddressGuard(t, m)).If("attribute_not_exists(pk)"))
	return s.putAudit(ctx, tx, t.Merchant, audit.Change{Mode: t.Mode, Subject: subjectMember(m), After: m.ForAudit()})
}

// subjectMember is the subject of entries about a member.
func subjectMember(m member.Member) string { return "member " + m.ID }

func (s *Store) countMember(t identity.Tenant, n int) *dynamo.Update {
	k := memberCountKey(t)
	return s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).Add("count", n)
}

// uncounted is why a new member was refused though number and address were free.
func (s *Reader) uncounted(ctx context.Context, t identity.Tenant) error {
	var count memberCount
	err := s.get(memberCountKey(t)).One(ctx, &count)
	switch {
	case err != nil && !errors.Is(err, dynamo.ErrNotFound):
		return err
	case count.Count >= member.MaxMembers:
		return errTooManyMembers
	default:
		return ErrStale
	}
}

// errNoMember is the failure of every read of an unknown member.
var errNoMember = failure.NotFound("There is no such account.")

// Member reads a member by its number, consistently. Failure: NotFound.
func (s *Reader) Member(ctx context.Context, t identity.Tenant, number int32) (member.Member, error) {
	var item memberItem
	err := s.get(memberKey(t, number)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = errNoMember
	}
	return item.Member, err
}

// Members are all members of a tenant, the oldest first, consistently.
func (s *Reader) Members(ctx context.Context, t identity.Tenant) ([]member.Member, error) {
	var items []memberItem
	err := s.table.Get(partitionKey, KindMembers.of(t)).Range(sortKey, dynamo.BeginsWith, memberPrefix).
		Consistent(true).Limit(member.MaxMembers).All(ctx, &items)
	members := make([]member.Member, len(items))
	for i, item := range items {
		members[i] = item.Member
	}
	slices.SortFunc(members, func(a, b member.Member) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return members, err
}

// UpdateMember applies a change to a member. address is the one that the change gives it,
// "" when it gives none. Of two at once both are applied, the second to the result of the
// first; one that changes nothing writes nothing. Failures: NotFound; Conflict when
// another member has the address; ErrContended; those of change.
func (s *Store) UpdateMember(ctx context.Context, t identity.Tenant, number int32, address string,
	change func(member.Member) (member.Member, error)) (member.Member, error) {
	return Retry(func(bool) (member.Member, error) {
		keys := []key{memberKey(t, number)}
		if address != "" {
			keys = append(keys, addressKey(t, address))
		}
		items, err := s.memberItems(ctx, keys...)
		if err != nil {
			return member.Member{}, err
		}
		before, known := items[memberKey(t, number)]
		_, taken := items[addressKey(t, address)]
		switch {
		case !known:
			return before, errNoMember
		case taken && before.Address() != address:
			return before, errAddressTaken
		}
		after, err := change(before)
		if err != nil || reflect.DeepEqual(before, after) {
			return before, err
		}
		return s.replaceMember(ctx, t, before, after)
	})
}

// replaceMember errors with ErrStale when the member changed, or its new address was
// taken.
func (s *Store) replaceMember(ctx context.Context, t identity.Tenant, before,
	after member.Member) (member.Member, error) {
	after.Version, after.UpdatedAt = before.Version+1, s.now()
	item := newMemberItem(t, after)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("version = ?", before.Version))
	if err := s.putAudit(ctx, tx, t.Merchant, audit.Change{Mode: t.Mode, Subject: subjectMember(after),
		Before: before.ForAudit(), After: after.ForAudit()}); err != nil {
		return before, err
	}
	if before.Address() != after.Address() {
		tx.Put(s.table.Put(newAddressGuard(t, after)).If("attribute_not_exists(pk)")).Delete(s.freeAddress(t, before))
	}
	if after.Disabled() && !before.Disabled() { // to the address of before, so that nobody keeps it from its member
		s.putMail(tx, t, mail.NewAccountDisabled(versionOf(item.key, after.Version), after.Number(), before.Email))
	}
	return after, s.resolveWrite(ctx, item.key, written{item.WriteID, after.Version}, ErrStale, tx.Run(ctx))
}

func (s *Store) freeAddress(t identity.Tenant, m member.Member) *dynamo.Delete {
	k := addressKey(t, m.Address())
	return s.table.Delete(partitionKey, k.PK).Range(sortKey, k.SK).If("member_id = ?", m.ID)
}

// DeleteMember deletes a member, unless check refuses, and returns it as it was.
// Repeated by the same operation it returns the same. Failures: NotFound;
// ErrContended; those of check.
func (s *Store) DeleteMember(ctx context.Context, t identity.Tenant, number int32, operation string,
	check func(member.Member) error) (member.Member, error) {
	return Retry(func(bool) (member.Member, error) {
		m, err := s.Member(ctx, t, number)
		if failure.Is(err, failure.KindNotFound) {
			return s.deletedBy(ctx, t, number, operation)
		}
		if err == nil {
			err = check(m)
		}
		if err != nil {
			return m, err
		}
		return m, s.removeMember(ctx, t, m, operation)
	})
}

// removeMember errors with ErrStale when the member changed, or is gone; whoever made
// it go, a repeated try finds out.
func (s *Store) removeMember(ctx context.Context, t identity.Tenant, m member.Member, operation string) error {
	k := memberKey(t, m.Number())
	deleted := deletedMember{key: deletedMemberKey(t, m.Number()), Operation: operation, Member: m,
		ExpiresAt: s.now().Add(idempotencyKept).Unix()}
	deleted.Passwords = nil
	tx := s.db.WriteTx().Idempotent(true).
		Delete(s.table.Delete(partitionKey, k.PK).Range(sortKey, k.SK).If("version = ?", m.Version)).
		Delete(s.freeAddress(t, m)).
		Put(s.table.Put(deleted)).
		Update(s.countMember(t, -1))
	if err := s.putAudit(ctx, tx, t.Merchant, audit.Change{Mode: t.Mode, Subject: subjectMember(m),
		Before: m.ForAudit()}); err != nil {
		return err
	}
	err := tx.Run(ctx)
	if err == nil {
		return nil
	}
	now, readErr := s.Member(ctx, t, m.Number())
	switch {
	case failure.Is(readErr, failure.KindNotFound):
		return ErrStale
	case readErr != nil:
		return errors.Join(err, readErr)
	case now.Version != m.Version:
		return ErrStale
	default:
		return err
	}
}

// deletedBy is the member with the number that the operation deleted. Failure: NotFound.
func (s *Reader) deletedBy(ctx context.Context, t identity.Tenant, number int32,
	operation string) (member.Member, error) {
	var item deletedMember
	err := s.get(deletedMemberKey(t, number)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) || err == nil && item.Operation != operation {
		err = errNoMember
	}
	return item.Member, err
}
