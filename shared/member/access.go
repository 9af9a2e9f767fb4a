package member

import (
	"slices"
	"time"
)

// Changed returns the member after a change. It ends the member's access if it disables the member, sets a password, or
// removes a role or permission of the member's own. Giving these back revives no session or token.
func (m Member) Changed(after Member, now time.Time) Member {
	after.UpdatedAt = now
	if m.endsAccess(after) {
		after = after.EndAccess(now)
	}
	return after
}

// endsAccess reports whether a change to after ends the member's access. A first password ends nothing.
func (m Member) endsAccess(after Member) bool {
	return after.Disabled() && !m.Disabled() ||
		len(m.Passwords) > 0 && m.Passwords.Current() != after.Passwords.Current() ||
		lacks(after.Roles, m.Roles) || lacks(after.Own.names(), m.Own.names())
}

func lacks[T comparable](all, wanted []T) bool {
	return slices.ContainsFunc(wanted, func(one T) bool { return !slices.Contains(all, one) })
}

// endTakes bounds the time from reading the clock to the write that ends access. It is longer than a request takes, and
// allows for clocks that differ. A person may sign in during that time, before the write; that access ends, too.
const endTakes = time.Minute

// AccessSince returns the earliest sign-in that the member honours. One known to be later gets at least this time.
func (m Member) AccessSince() time.Time {
	if m.AccessEnded.IsZero() {
		return time.Time{}
	}
	return m.AccessEnded.Add(endTakes)
}

// Honours reports whether a session or token still counts whose person signed in at the given time (contract §10).
func (m Member) Honours(signedIn time.Time) bool { return !signedIn.Before(m.AccessSince()) }

// EndAccess returns the member with its access ended at the given time. Accepted uses it for a user who becomes a
// member, so that tokens which the user has allowed at other merchants do not reach this one.
func (m Member) EndAccess(at time.Time) Member {
	if !at.After(m.AccessEnded) { // access ended a moment ago, or a clock went back; the person may have signed in since
		at = m.AccessEnded.Add(time.Nanosecond)
	}
	m.AccessEnded = at
	return m
}
