package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// invitationItem leads from an invitation's token to its member, which records whether the invitation was accepted. The
// item is kept until the invitation would have expired, or until the invitation is withdrawn.
type invitationItem struct {
	key
	identity.Tenant
	MemberID string    `dynamo:"member_id"`
	TTL      time.Time `dynamo:"expires_at,unixtime"`
}

// Invitation is an invitation as found by its token.
type Invitation struct {
	Tenant   identity.Tenant
	Member   member.Member
	User     member.User // the user with the invited address; version 0 if there is none yet
	Accepted bool
}

// Invitation reads an invitation by its token, consistently. An accepted invitation is found until it would have
// expired. Failure: NotFound.
func (s *View) Invitation(ctx context.Context, token string) (Invitation, error) {
	hash := identity.Hash(token)
	item, err := readOne[invitationItem](ctx, s, invitationKey(hash), ErrNoLink)
	if err == nil && !s.now().Before(item.TTL) {
		err = ErrNoLink
	}
	if err != nil {
		return Invitation{}, err
	}
	i := Invitation{Tenant: item.Tenant}
	i.Member, err = s.Member(ctx, i.Tenant, member.NumberOf(item.MemberID))
	i.Accepted = !i.Member.Invited()
	pending := i.Member.Invite.TokenHash == hash && s.now().Before(i.Member.Invite.ExpiresAt)
	switch {
	case failure.Is(err, failure.KindNotFound), err == nil && (i.Member.ID != item.MemberID || i.Member.Disabled() ||
		!pending && !i.Accepted):
		return Invitation{}, ErrNoLink
	case err != nil || i.Accepted:
		return i, err
	}
	i.User, err = s.UserByEmail(ctx, i.Member.Email)
	return i, err
}

// AcceptInvitation records that the invited member has accepted, as the user with the member's address. A missing user
// is created. The function passwords returns the user's passwords. These include a new password, or are unchanged when
// the user confirmed the current password. An invitation that was accepted before is returned unchanged, without a call
// of passwords. Failure: NotFound.
func (s *Store) AcceptInvitation(ctx context.Context, by audit.By, token string,
	passwords func(Invitation) (member.Passwords, error)) (Invitation, error) {
	return Retry(func(bool) (Invitation, error) {
		i, err := s.Invitation(ctx, token)
		if err != nil || i.Accepted {
			return i, err
		}
		chosen, err := passwords(i)
		if err != nil {
			return i, err
		}
		return i, s.accept(ctx, by, i, chosen)
	})
}

// accept returns ErrStale when an item changed since it was read.
func (s *Store) accept(ctx context.Context, by audit.By, i Invitation, chosen member.Passwords) error {
	t, u, before := i.Tenant, i.User, i.Member
	if u.Version == 0 {
		u = member.User{ID: member.UserID("invitation " + before.Invite.ID), Email: before.Email, CreatedAt: s.now()}
	}
	after := before.Accepted(u, s.now())
	after.Version = before.Version + 1
	item := memberItem(t, after)
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(item))
	if len(u.Passwords) == 0 {
		u.Passwords = chosen
		tx.putUser(u)
	} else {
		tx.Check(s.check(userKey(u.ID)).If("version = ?", u.Version))
	}
	tx.putMembership(t, after)
	if after.Owner() {
		tx.Update(s.addOwnerChange(s.memberCountUpdate(t), before, after))
	}
	tx.audit(t, subjectMember(after), before.ForAudit(), after.ForAudit())
	return tx.runReplacement(ctx, item, ErrStale)
}
