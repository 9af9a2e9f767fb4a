package member

import (
	"slices"
	"time"
)

// Honours reports whether what the member allowed counts, if it signed in at the time to allow it (contract §10).
func (m Member) Honours(signedIn time.Time) bool { return !signedIn.Before(m.AccessSince) }

// Changed returns the member after a change at the time. If the change disables the member, sets a password, or takes a
// role or a permission of its own away, all that the member has allowed until then ends. A later change that gives it
// back revives nothing.
func (m Member) Changed(after Member, now time.Time) Member {
	after.UpdatedAt = now
	if m.endsAccess(after) {
		after = after.AccessEnded(now)
	}
	return after
}

func (m Member) endsAccess(after Member) bool {
	return after.Disabled() && !m.Disabled() ||
		len(m.Passwords) > 0 && m.Passwords.Current() != after.Passwords.Current() ||
		lacks(after.Roles, m.Roles) || lacks(after.Own.names(), m.Own.names())
}

// lacks reports whether one of the wanted is not among all.
func lacks[T comparable](all, wanted []T) bool {
	return slices.ContainsFunc(wanted, func(one T) bool { return !slices.Contains(all, one) })
}

// AccessEnded returns the member after all that it has allowed until the time has ended. It may be repeated. A clock that
// goes back revives nothing.
func (m Member) AccessEnded(at time.Time) Member {
	if since := at.Add(time.Nanosecond); since.After(m.AccessSince) {
		m.AccessSince = since
	}
	return m
}
