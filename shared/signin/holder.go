package signin

import (
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// HeldByMember reports whether a code or grant still counts for the member who allowed it: the member is active, and
// its access has not ended since it signed in (contract §10).
func HeldByMember(h oauth.Holder, m member.Member) bool {
	return m.ID == h.Subject && m.Kind() == h.Kind && m.UserID == h.User && m.Active() && m.Honours(h.SignedIn)
}

// HeldByPassword reports whether the holder's password is still the one with which the holder signed in to allow a code
// or grant (contract §10).
func HeldByPassword(h oauth.Holder, now member.Passwords) bool {
	return now.Current() != "" && now.Current() == h.Password
}
