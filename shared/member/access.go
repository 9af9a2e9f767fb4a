package member

import (
	"slices"
	"time"
)

// Changed returns the member after a change. A change that disables the member, sets a password, or removes a role or a
// permission of Own ends the member's access. Giving these back revives no session or token.
func (m Member) Changed(after Member, now time.Time) Member {
	after.UpdatedAt = now
	if m.endsAccess(after) {
		after = after.EndAccess(now)
	}
	return after
}

// endsAccess returns true if a change to after ends the member's access. A first password ends nothing.
func (m Member) endsAccess(after Member) bool {
	return after.Disabled() && !m.Disabled() ||
		len(m.Passwords) > 0 && m.Passwords.Current() != after.Passwords.Current() ||
		lacksAny(after.Roles, m.Roles) || lacksAny(after.Own.names(), m.Own.names())
}

func lacksAny[T comparable](all, wanted []T) bool {
	return slices.ContainsFunc(wanted, func(one T) bool { return !slices.Contains(all, one) })
}

// endMargin bounds the time from reading the clock to the write that ends access. It is longer than any request takes,
// and allows for clocks that differ. A sign-in during that time, before the write, ends too.
const endMargin = time.Minute

// AccessSince returns the earliest honoured sign-in. A sign-in known to be later is recorded with at least this time.
func (m Member) AccessSince() time.Time {
	if m.AccessEnded.IsZero() {
		return time.Time{}
	}
	return m.AccessEnded.Add(endMargin)
}

// Honours returns true if a session or token of a person who signed in at the time is still valid (contract §10).
func (m Member) Honours(signedIn time.Time) bool { return !signedIn.Before(m.AccessSince()) }

// EndAccess returns the member with its access ended at the given time. Accepted calls it for a user who becomes a
// member, so that tokens the user has allowed at other merchants do not reach this merchant.
func (m Member) EndAccess(at time.Time) Member {
	if !at.After(m.AccessEnded) { // access ended just now, or a clock went back; the person may have signed in since
		at = m.AccessEnded.Add(time.Nanosecond)
	}
	m.AccessEnded = at
	return m
}
