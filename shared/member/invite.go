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
	// InvitationsWithin is the period that counts invitations to one address.
	InvitationsWithin = time.Hour
	invitationsToOne  = 5
)

// CountInvitation returns the times of an address's invitations that still count, with now. Failure: TooMany.
func CountInvitation(earlier []time.Time, now time.Time) ([]time.Time, error) {
	times := slices.DeleteFunc(slices.Clone(earlier),
		func(at time.Time) bool { return !now.Before(at.Add(InvitationsWithin)) })
	if len(times) >= invitationsToOne {
		return times, failure.TooMany(times[len(times)-invitationsToOne].Add(InvitationsWithin).Sub(now))
	}
	return append(times, now), nil
}

// Invite is the open invitation of a member that has not accepted.
type Invite struct {
	ID        string    `dynamo:"id"` // of this invitation; its token is derived from it
	ExpiresAt time.Time `dynamo:"expires_at"`
	TokenHash string    `dynamo:"token_hash"` // finds the invitation
}

// Invitation is a request to invite a new member.
type Invitation struct {
	Email    string
	Roles    []string
	Metadata Metadata
}

// NewInvited returns a member invited by the operation. token derives the secret in the mail's link from the ids.
func NewInvited(id string, i Invitation, operation string, token func(memberID, inviteID string) string,
	now time.Time) Member {
	invite := Invite{ID: identity.DerivedID("", "invite\x00"+operation), ExpiresAt: now.Add(InviteLasts)}
	invite.TokenHash = identity.Hash(token(id, invite.ID))
	return Member{ID: id, Email: i.Email, Type: TypeUser, Roles: i.Roles, Metadata: i.Metadata, Invite: invite,
		CreatedAt: now, UpdatedAt: now}
}

// Accepted returns the invited member after the user accepted at the time.
func (m Member) Accepted(u User, now time.Time) Member {
	m.UserID, m.Invite, m.UpdatedAt = u.ID, Invite{}, now
	return m.EndAccess(now)
}
