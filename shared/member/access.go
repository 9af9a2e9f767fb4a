package member

import (
	"slices"
	"time"
)

// Changed returns the member after a change at the time. If the change disables the member, sets a password, or takes a
// role or a permission of its own away, all that the member has allowed until then ends. A later change that gives it
// back revives nothing.
func (m Member) Changed(after Member, now time.Time) Member {
	after.UpdatedAt = now
	if m.endsAccess(after) {
		after = after.EndAccess(now)
	}
	return after
}

// Keys says what becomes of the API keys that a member made when it is disabled or removed (contract §8.2).
type Keys bool

// The choices.
const (
	EndKeys  Keys = false
	KeepKeys Keys = true
)

// KeysChoice is how an operation that disables or removes a member takes the choice.
type KeysChoice struct {
	KeepKeys *bool `query:"keep_api_keys"` // absent: as the merchant's setting says
}

// Or returns the choice of the request, or else the merchant's.
func (c KeysChoice) Or(setting bool) Keys {
	if c.KeepKeys != nil {
		return Keys(*c.KeepKeys)
	}
	return Keys(setting)
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

// endTakes bounds the time from reading the clock to the write that ends access: longer than a request lasts, by clocks that
// differ. Whoever signs in meanwhile is admitted before the write, so that access ends.
const endTakes = time.Minute

// AccessSince returns the earliest time of a sign-in whose access counts. A sign-in that is known to come after the end of
// access counts as of this time, or of its own if that is later.
func (m Member) AccessSince() time.Time {
	if m.AccessEnded.IsZero() {
		return time.Time{}
	}
	return m.AccessEnded.Add(endTakes)
}

// Honours reports whether what the member allowed counts, if it signed in at the time to allow it (contract §10).
func (m Member) Honours(signedIn time.Time) bool { return !signedIn.Before(m.AccessSince()) }

// EndAccess returns the member after all that it has allowed until the time has ended. A user who becomes a member starts
// like that, too, so that what it allowed as a member of other merchants does not reach this one.
func (m Member) EndAccess(at time.Time) Member {
	if !at.After(m.AccessEnded) { // it ended a moment ago, or a clock went back; somebody may have signed in since
		at = m.AccessEnded.Add(time.Nanosecond)
	}
	m.AccessEnded = at
	return m
}
