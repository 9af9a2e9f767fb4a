package member

import (
	"slices"
	"time"
)

// Changed returns the member after a change. Some changes end the member's access: they disable the member, set a
// password, or remove a role or a permission of Own. If the right is given back later, no old session or token works
// again.
func (m Member) Changed(after Member, now time.Time) Member {
	after.UpdatedAt = now
	if m.endsAccess(after) {
		after = after.EndAccess(now)
	}
	return after
}

// endsAccess returns true if the change to after ends the member's access. A first password does not end access.
func (m Member) endsAccess(after Member) bool {
	return after.Disabled() && !m.Disabled() ||
		len(m.Passwords) > 0 && m.Passwords.Current() != after.Passwords.Current() ||
		lacksAny(after.Roles, m.Roles) || lacksAny(after.Own.names(), m.Own.names())
}

func lacksAny[T comparable](all, wanted []T) bool {
	return slices.ContainsFunc(wanted, func(one T) bool { return !slices.Contains(all, one) })
}

// endMargin bounds the time between reading the clock and the write that ends access. It is longer than any request
// takes, and allows for clocks that differ. A sign-in during this time loses its access, too.
const endMargin = time.Minute

// AccessSince returns the time of the earliest sign-in that still counts. A sign-in that is known to be later is
// recorded with at least this time.
func (m Member) AccessSince() time.Time {
	if m.AccessEnded.IsZero() {
		return time.Time{}
	}
	return m.AccessEnded.Add(endMargin)
}

// Honours returns true if a session or token of a person who signed in at the time is still valid (contract §10).
func (m Member) Honours(signedIn time.Time) bool { return !signedIn.Before(m.AccessSince()) }

// EndAccess returns the member with its access ended at the given time. Accepted calls it for a user who becomes a
// member. The user may have allowed tokens at other merchants before, and these must not reach this merchant.
func (m Member) EndAccess(at time.Time) Member {
	if !at.After(m.AccessEnded) { // access ended just now, or a clock went back; perhaps a sign-in followed
		at = m.AccessEnded.Add(time.Nanosecond)
	}
	m.AccessEnded = at
	return m
}
