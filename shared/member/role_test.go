package member_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestRoles_Counted applies random joins, changes and departures of members. Each role must count its members, and a
// role must be deletable exactly when it has no members.
func TestRoles_Counted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		roles := member.Roles{Own: []member.Role{{ID: "a"}, {ID: "b"}, {ID: "c"}}, Version: 1}
		members := map[int]member.Member{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			n := rapid.IntRange(0, 4).Draw(t, "member")
			var after member.Member
			if rapid.Bool().Draw(t, "stays") {
				after.Roles = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", member.RoleEmployee}),
					rapid.ID).Draw(t, "roles")
			}
			roles, _ = roles.Counted(members[n], after)
			members[n] = after
		}
		for _, role := range roles.Own {
			want := 0
			for _, m := range members {
				if slices.Contains(m.Roles, role.ID) {
					want++
				}
			}
			if _, err := roles.Without(role.ID); role.Members != want || (err == nil) != (want == 0) {
				t.Fatalf("%s: got %d members, error %v; want %d", role.ID, role.Members, err, want)
			}
		}
	})
}

func TestRoles_ChangedAndWithout(t *testing.T) {
	t.Parallel()
	roles := member.Roles{Own: []member.Role{{ID: "own"}}}
	same := func(r member.Role) (member.Role, error) { return r, nil }
	for id, want := range map[string]failure.Kind{"none": failure.KindNotFound, member.RoleOwner: failure.KindInvalid} {
		_, changed := roles.Changed(id, same)
		_, deleted := roles.Without(id)
		if !failure.Is(changed, want) || !failure.Is(deleted, want) {
			t.Errorf("%s: got errors %v and %v, want kind %d", id, changed, deleted, want)
		}
	}
	for i := len(roles.Own); i < member.MaxRoles; i++ {
		var err error
		if roles, err = roles.With(member.Role{ID: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := roles.With(member.Role{ID: "beyond"}); !failure.Is(err, failure.KindConflict) {
		t.Errorf("above the limit: got error %v, want Conflict", err)
	}
	if err := roles.CheckKnown([]string{"own", member.RoleAdmin}); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	if err := roles.CheckKnown([]string{"own", "none"}); !failure.Is(err, failure.KindInvalid) {
		t.Errorf("an unknown role: got error %v, want Invalid", err)
	}
}

// TestRoles_TextLimit checks the limit on texts, for a new and for a changed role. All roles are in one item, which can
// have at most 400 KB.
func TestRoles_TextLimit(t *testing.T) {
	t.Parallel()
	var roles member.Roles
	var err error
	long := member.Role{Name: strings.Repeat("\U0001F511", 255), Metadata: member.Metadata(strings.Repeat("x", 3000))}
	for i := 0; err == nil; i++ {
		if i > 16 { // 64 KiB in roles of 4,020 bytes
			t.Fatalf("got %d roles of 4 KB, want at most 16", i)
		}
		long.ID = fmt.Sprint(i)
		var next member.Roles
		if next, err = roles.With(long); err == nil {
			roles = next
		}
	}
	if !failure.Is(err, failure.KindConflict) || len(roles.Own) != 16 {
		t.Errorf("got error %v after %d roles, want Conflict after 16", err, len(roles.Own))
	}
	_, err = roles.Changed("0", func(r member.Role) (member.Role, error) {
		r.Description = strings.Repeat("\U0001F511", 255) + r.Name
		return r, nil
	})
	if !failure.Is(err, failure.KindConflict) {
		t.Errorf("a longer description: got error %v, want Conflict", err)
	}
}

// TestCheckMayChange_NoMoreRights draws random callers, roles and members. A caller may make or change a member only if
// the caller can do everything that the member's permissions allow.
func TestCheckMayChange_NoMoreRights(t *testing.T) {
	t.Parallel()
	permissions := rapid.SliceOfDistinct(rapid.SampledFrom(identity.AllPermissions()), rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		p := identity.Principal{Actor: identity.Actor{Kind: rapid.SampledFrom([]identity.Kind{identity.SecretKey,
			identity.User, identity.Operator, identity.Client}).Draw(t, "kind")}, Owner: rapid.Bool().Draw(t, "owner"),
			Permissions: permissions.Draw(t, "of the caller"),
			Scopes:      rapid.SliceOfDistinct(rapid.SampledFrom(identity.AllScopes()), rapid.ID).Draw(t, "scopes")}
		roles := member.Roles{Own: []member.Role{{ID: "own", Permissions: permissions.Draw(t, "of the role")}}}
		m := member.Member{Type: rapid.SampledFrom([]member.Type{member.TypeUser, member.TypeManaged}).Draw(t, "type"),
			Own: member.Permissions{Admin: rapid.Bool().Draw(t, "admin")},
			Roles: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"own", member.RoleOwner, member.RoleAdmin,
				member.RoleAccountant, member.RoleEmployee}), rapid.ID).Draw(t, "roles")}
		if member.CheckMayChange(p, member.Member{}, m, roles) != nil {
			return
		}
		made := m.As(identity.Principal{Scopes: identity.AllScopes()}, roles)
		for _, g := range identity.Guards {
			if made.Has(g.Permission) && (!p.May(g.Scopes...) || !p.Has(g.Permission)) {
				t.Fatalf("%+v makes %+v, who may use the routes of %+v", p, made, g)
			}
		}
		if made.Owner && !p.MayMakeOwner() {
			t.Fatalf("%+v makes an owner", p)
		}
		if member.CheckMayChange(p, m, member.Member{}, roles) != nil {
			t.Fatalf("%+v may make %+v, and not remove it", p, m)
		}
	})
}

func TestMember_Status(t *testing.T) {
	t.Parallel()
	now := clock.Start
	invite := member.Invite{ID: "invite", ExpiresAt: now.Add(time.Hour)}
	for want, m := range map[member.Status]member.Member{
		member.StatusAccepted: {Roles: []string{member.RoleOwner}}, member.StatusPending: {Invite: invite},
		member.StatusExpired:  {Invite: member.Invite{ID: "invite", ExpiresAt: now}},
		member.StatusDisabled: {Roles: []string{member.RoleOwner}, DisabledAt: now},
	} {
		if got := m.Status(now); got != want || m.Governs() != (want == member.StatusAccepted) {
			t.Errorf("got %s, want %s; an owner who is active: %t", got, want, m.Governs())
		}
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{}`: `{}`, `{"b":null,"a":[1.50]}`: `{"a":[1.50],"b":null}`, `[]`: `{}`,
		`[{}]`: "",
		`"x"`:  "", `1`: ""} {
		var m member.Metadata
		err := json.Unmarshal([]byte(text), &m)
		if got, _ := m.MarshalJSON(); (err == nil) != (want != "") || err == nil && string(got) != want {
			t.Errorf("%s: got %s, error %v; want %q", text, got, err, want)
		}
	}
}
