package signin_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
)

func TestHeldByMember(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	allowed := oauth.Holder{Kind: identity.User, Subject: "mem_a", User: "u", SignedIn: at}
	active := member.Member{ID: "mem_a", UserID: "u"}
	for name, c := range map[string]struct {
		change func(*oauth.Holder, *member.Member)
		want   bool
	}{
		"active":                {func(*oauth.Holder, *member.Member) {}, true},
		"another member":        {func(_ *oauth.Holder, m *member.Member) { m.ID = "mem_b" }, false},
		"another user":          {func(_ *oauth.Holder, m *member.Member) { m.UserID = "v" }, false},
		"another kind":          {func(h *oauth.Holder, _ *member.Member) { h.Kind = identity.Operator }, false},
		"invited again":         {func(_ *oauth.Holder, m *member.Member) { m.Invite.ID = "inv" }, false},
		"access ended since":    {func(_ *oauth.Holder, m *member.Member) { *m = m.EndAccess(at.Add(time.Hour)) }, false},
		"access ended long ago": {func(_ *oauth.Holder, m *member.Member) { *m = m.EndAccess(at.Add(-time.Hour)) }, true},
	} {
		h, m := allowed, active
		if c.change(&h, &m); signin.HeldByMember(h, m) != c.want {
			t.Errorf("%s: got %t, want %t", name, !c.want, c.want)
		}
	}
}

func TestHeldByPassword(t *testing.T) {
	t.Parallel()
	set := func(operation string) member.Passwords { return member.Passwords{{Operation: operation}} }
	for name, c := range map[string]struct {
		at  string // operation that set the password used at the sign-in
		now member.Passwords
		ok  bool
	}{
		"the same":            {"op", set("op"), true},
		"a new one":           {"op", set("later"), false},
		"none any more":       {"op", nil, false},
		"never one, none now": {"", nil, false},
	} {
		if signin.HeldByPassword(oauth.Holder{Password: c.at}, c.now) != c.ok {
			t.Errorf("%s: got %t, want %t", name, !c.ok, c.ok)
		}
	}
}
