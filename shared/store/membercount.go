package store

import (
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// memberCount counts a tenant's members and its invitations of a day, which have limits, and its active owners, so that
// there is always one.
type memberCount struct {
	key
	Count     int    `dynamo:"count"`
	Owners    int    `dynamo:"owners"`
	InvitedOn string `dynamo:"invited_on,omitempty"` // the last day with invitations, in UTC
	Invited   int    `dynamo:"invited,omitempty"`    // on that day
}

func (s *Store) memberCountUpdate(t identity.Tenant) *dynamo.Update {
	return s.update(memberCountKey(t))
}

// addOwnerChange changes the number of active owners in an update of the count, if the member becomes an active owner
// or ceases to be an active owner. In the second case the update requires that another active owner remains.
func (s *Store) addOwnerChange(count *dynamo.Update, before, after member.Member) *dynamo.Update {
	switch {
	case after.Governs() && !before.Governs():
		return count.Add("owners", 1)
	case before.Governs() && !after.Governs():
		return count.Add("owners", -1).If("owners > ?", 1)
	default:
		return count
	}
}

// invitedItem holds the times of the latest invitations to an address. It is kept when the member is deleted, so that
// withdrawn invitations count too.
type invitedItem struct {
	Times   []time.Time `dynamo:"times"`
	Version int         `dynamo:"version"`
}

// invite adds the invitation of a new member, if the member is invited, and returns the update that counts the
// invitation. Failure: TooMany.
func (tx *auditedTx) invite(t identity.Tenant, m member.Member, read obstacles) (*dynamo.Update, error) {
	s := tx.store
	count, now := s.memberCountUpdate(t), s.now()
	if !m.Invited() {
		return count, nil
	}
	times, err := member.CountInvitation(read.invited.Times, now)
	if err != nil {
		return count, err
	}
	next := invitedItem{Times: times, Version: read.invited.Version + 1}
	tx.Put(s.replace(storedItem{key: invitedKey(t, m.Address()), value: next, version: next.Version,
		TTL: now.Add(2 * member.InvitationsWithin)}))
	tx.Put(s.table.Put(invitationItem{key: invitationKey(m.Invite.TokenHash), Tenant: t, MemberID: m.ID,
		TTL: m.Invite.ExpiresAt}).If("attribute_not_exists(pk)"))
	tx.Put(s.putMail(t, mail.NewInvitation(m.Invite.ID, m.Number(), m.Email, m.Invite.ID)))
	today := now.Format(time.DateOnly)
	if read.count.InvitedOn != today {
		return count.Set("invited_on", today).Set("invited", 1).
			If("attribute_not_exists(invited_on) OR invited_on < ?", today), nil
	}
	if read.count.Invited >= member.InvitationsADay {
		return count, failure.TooMany(untilTomorrow(now))
	}
	return count.Add("invited", 1).If("invited_on = ? AND invited < ?", today, member.InvitationsADay), nil
}
