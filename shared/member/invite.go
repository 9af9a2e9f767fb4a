package member

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// InviteLasts limits how long an invitation can be accepted (contract §8.1).
const InviteLasts = 7 * 24 * time.Hour

// The limits of invitations (contract §8.1).
const (
	// InvitationsADay limits the invitations of one merchant on a day in UTC.
	InvitationsADay = 250
	// InvitationsWithin is the period in which invitations to one address are counted.
	InvitationsWithin = time.Hour
	invitationsToOne  = 5
)

// CountInvitation returns the times of the earlier invitations to an address that still count, followed by now.
// Failure: TooMany.
func CountInvitation(earlier []time.Time, now time.Time) ([]time.Time, error) {
	times := slices.DeleteFunc(slices.Clone(earlier),
		func(at time.Time) bool { return !now.Before(at.Add(InvitationsWithin)) })
	if len(times) >= invitationsToOne {
		return times, failure.TooMany(times[len(times)-invitationsToOne].Add(InvitationsWithin).Sub(now))
	}
	return append(times, now), nil
}

// Invite is the open invitation of a member who has not accepted it.
type Invite struct {
	ID        string    `dynamo:"id"` // id of this invitation, from which its token is derived
	ExpiresAt time.Time `dynamo:"expires_at"`
	TokenHash string    `dynamo:"token_hash"` // the key for finding the invitation
}

// Invitation is a request to invite a new member.
type Invitation struct {
	Email    string
	Roles    []string
	Metadata Metadata
}

// NewInvited returns a member whom the operation invites. token derives the secret in the mail's link from the two ids.
func NewInvited(id string, i Invitation, operation string, token func(memberID, inviteID string) string,
	now time.Time) Member {
	invite := Invite{ID: identity.DerivedID("", "invite\x00"+operation), ExpiresAt: now.Add(InviteLasts)}
	invite.TokenHash = identity.Hash(token(id, invite.ID))
	return Member{ID: id, Email: i.Email, Type: TypeUser, Roles: i.Roles, Metadata: i.Metadata, Invite: invite,
		CreatedAt: now, UpdatedAt: now}
}

// Accepted returns the member after the user has accepted the invitation.
func (m Member) Accepted(u User, now time.Time) Member {
	m.UserID, m.Invite, m.UpdatedAt = u.ID, Invite{}, now
	return m.EndAccess(now)
}
