package members_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

var (
	forbidden = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound  = world.Refused(404, "NOT_FOUND", "", "not-found")
)

// TestUpdateMember_LastOwner checks that the last owner can be neither demoted nor removed. Invited and disabled owners
// do not count.
func TestUpdateMember_LastOwner(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.readOwner()
	demote := fields{"roles": []string{"role_admin"}}
	conflict := world.Refused(409, "CONFLICT", "", "conflict")
	refused := func(what string) {
		t.Helper()
		t.Log(what)
		conflict.Check(t, s.Send("PUT", s.path(owner), demote))
		forbidden.Check(t, s.Send("DELETE", s.path(owner), nil))
	}
	refused("alone")
	s.invite("ada@example.com", "role_owner")
	refused("one who is invited")
	second := s.employ("second@example.com", fields{"roles": []string{"role_owner"}})
	world.Into[person](s, 200, s.Send("PUT", s.path(second), fields{"roles": []string{"role_owner", "role_employee"}}))
	world.Into[person](s, 200, s.Send("PUT", s.path(owner), demote))
	owner, second = second, owner
	refused("the other one")
	world.Into[person](s, 200, s.Send("PUT", s.path(second), fields{"roles": []string{"role_owner"}}))
	s.Want("one of two", 200, s.Send("DELETE", s.path(owner), nil))
	owner = second
	refused("alone again")
}

// TestUpdateMember_OwnersDemoteEachOther lets two owners demote each other concurrently, and checks that one owner
// stays.
func TestUpdateMember_OwnersDemoteEachOther(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owners := []person{s.readOwner(), s.employ("b@example.com", fields{"roles": []string{"role_owner"}}),
		s.employ("c@example.com", fields{"roles": []string{"role_owner"}})}
	var all sync.WaitGroup
	for i, o := range owners {
		all.Go(func() {
			if i == 1 {
				s.Send("DELETE", s.path(o), nil)
			} else {
				s.Send("PUT", s.path(o), fields{"roles": []string{"role_employee"}})
			}
		})
	}
	all.Wait()
	if left, _ := s.list("?roles=role_owner"); len(left) != 1 {
		t.Errorf("got owners %v, want one", left)
	}
}

// TestMembers_MoreRightsThanCaller checks that no key or person can give rights that the caller lacks, or change a
// member with more rights than the caller.
func TestMembers_MoreRightsThanCaller(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.readOwner()
	admin := s.employ("admin@example.com", fields{"roles": []string{"role_admin"}})
	support := s.createRole("Support", "members_read", "members_write", "refund_transactions")
	helper := s.employ("helper@example.com", fields{"roles": []string{support.ID}})
	accountant := s.employ("books@example.com", fields{"roles": []string{"role_accountant"}})
	employee := s.employ("till@example.com", nil)
	stored := func(p person) member.Member {
		m, err := s.App.Store.Member(s.Context(), s.Tenant(), numberOf(p))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	callers := map[string]struct {
		key string
		may []string // the members that the caller may create and change
	}{
		"key of members alone":    {s.NewKey("secret", "members.read", "members.write"), []string{"employee"}},
		"key of all":              {s.Merchant.Key.Plaintext, []string{"owner", "admin", "helper", "accountant", "employee"}},
		"owner":                   {s.TokenOf(stored(owner)), []string{"owner", "admin", "helper", "accountant", "employee"}},
		"owner, by a small token": {s.TokenOf(stored(owner), "members.write", "members.read"), []string{"employee"}},
		"administrator":           {s.TokenOf(stored(admin)), []string{"admin", "helper", "accountant", "employee"}},
		"helper":                  {s.TokenOf(stored(helper)), []string{"helper", "employee"}},
		"accountant":              {s.TokenOf(stored(accountant)), nil},
		"employee":                {s.TokenOf(stored(employee)), nil},
	}
	rolesOf := map[string]string{"owner": "role_owner", "admin": "role_admin", "helper": support.ID,
		"accountant": "role_accountant", "employee": "role_employee"}
	targets := map[string]person{"owner": owner, "admin": admin, "helper": helper, "accountant": accountant,
		"employee": employee}
	for name, c := range callers {
		as := shop{s.WithKey(c.key)}
		for whom, roleID := range rolesOf {
			allowed := slices.Contains(c.may, whom)
			email := strings.NewReplacer(" ", "-", ",", "").Replace(name + "-" + whom + "@example.com")
			made := as.Send("POST", s.members(), fields{"email": email, "roles": []string{roleID}})
			changed := as.Send("PUT", s.path(targets[whom]), fields{"metadata": fields{"by": name}})
			if (made.Status == 201) != allowed || (changed.Status == 200) != allowed {
				t.Errorf("%s, %s: got %d for making one and %d for changing one, want success: %t", name, whom, made.Status,
					changed.Status, allowed)
			}
			if !allowed {
				forbidden.Check(t, made)
				forbidden.Check(t, as.Send("DELETE", s.path(targets[whom]), nil))
				forbidden.Check(t, as.Send("PUT", s.path(targets[whom]), fields{"user": fields{"password": another}}))
				if whom != "employee" {
					forbidden.Check(t, as.Send("PUT", s.path(employee), fields{"roles": []string{roleID}}))
				}
			}
		}
	}
	as := shop{s.WithKey(callers["helper"].key)}
	const gives, lacks = "To give these rights, the credential lacks ", "It has rights that the credential could not give."
	for what, c := range map[string]struct {
		got  world.Response
		want string
	}{
		"a role of its own": {as.Send("PUT", s.path(employee), fields{"roles": []string{"role_accountant"}}),
			gives + "the permission full_transaction_history_view."},
		"a scope": {shop{s.WithKey(callers["key of members alone"].key)}.Send("PUT", s.path(employee),
			fields{"roles": []string{"role_accountant"}}), "the scope transactions.history or transactions.read"},
		"a role that it may not read": {shop{s.WithKey(callers["key of members alone"].key)}.Send("PUT", s.path(employee),
			fields{"roles": []string{s.createRole("Hidden", "developer_settings_read").ID}}), lacks},
		"a role that it may read": {as.Send("PUT", s.path(employee),
			fields{"roles": []string{s.createRole("Shown", "developer_settings_read").ID}}),
			gives + "the permission developer_settings_read."},
		"an owner": {shop{s.WithKey(callers["administrator"].key)}.Send("PUT", s.path(employee),
			fields{"roles": []string{"role_owner"}}), gives + "the role role_owner."},
		"another's": {as.Send("PUT", s.path(admin), fields{"metadata": fields{"a": 1}}), lacks},
		"a role": {as.Send("POST", s.roles(), fields{"name": "x", "permissions": []string{"developer_settings_read"}}),
			gives + "the permission developer_settings_read."},
		"another role":   {as.Send("DELETE", s.roles()+"/"+s.createRole("Keys", "developer_settings_read").ID, nil), lacks},
		"the last owner": {s.Send("DELETE", s.path(owner), nil), "The merchant's last owner cannot be removed."},
	} {
		if forbidden.Check(t, c.got); !strings.Contains(c.got.Text("detail"), c.want) {
			t.Errorf("%s: got detail %q, want %q", what, c.got.Text("detail"), c.want)
		}
	}
	more := fields{"name": "more", "permissions": []string{"developer_settings_write"}}
	forbidden.Check(t, as.Send("POST", s.roles(), more))
	forbidden.Check(t, as.Send("PATCH", s.roles()+"/"+support.ID, more))
	wider := s.createRole("Wider", "full_transaction_history_view")
	forbidden.Check(t, as.Send("PATCH", s.roles()+"/"+wider.ID, fields{"name": "x"}))
	forbidden.Check(t, as.Send("DELETE", s.roles()+"/"+wider.ID, nil))
	world.Into[role](s, 201, as.Send("POST", s.roles(), fields{"name": "less",
		"permissions": []string{"refund_transactions"}}))
}

// TestMembers_OfOtherTenant checks that members of other merchants and of the other mode seem not to exist.
func TestMembers_OfOtherTenant(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := shop{s.OtherShop()}
	theirs := other.employ("till@example.com", nil)
	live := shop{s.NewShop("DE", "EUR", map[string]any{"sandbox": false, "test_key": true})}
	ofLive := live.employ("till@example.com", nil)
	for _, path := range []string{s.path(theirs), s.path(ofLive), other.path(theirs), other.members(), other.roles(),
		other.roles() + "/role_owner", s.members() + "/" + strings.Repeat("m", 2000), s.members() + "/%00"} {
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE", "POST"} {
			r := s.Send(method, path, nil)
			if r.Status != 405 {
				notFound.Check(t, r)
			}
		}
	}
	if found, _ := other.list("?email=till"); !slices.Equal(found, []string{"till@example.com"}) {
		t.Errorf("got %v, want theirs still there", found)
	}
}

// TestMembers_RequiredScopes checks the scopes that each operation requires, and that a public key may not manage
// members.
func TestMembers_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	m := s.employ("till@example.com", nil)
	for scope, want := range map[string]map[string]int{
		"members.read":     {"GET members": 200, "PUT member": 403, "GET roles": 403, "POST roles": 403},
		"members.write":    {"GET members": 403, "PUT member": 200, "GET roles": 403, "POST roles": 403},
		"roles.read":       {"GET members": 403, "PUT member": 403, "GET roles": 200, "POST roles": 403},
		"roles.write":      {"GET members": 403, "PUT member": 403, "GET roles": 403, "POST roles": 201},
		"user.profile":     {"GET members": 403, "PUT member": 403, "GET roles": 403, "POST roles": 403},
		"user.subaccounts": {"GET members": 200, "PUT member": 200, "GET roles": 200, "POST roles": 201},
	} {
		as := s.WithKey(s.NewKey("secret", scope))
		got := map[string]int{
			"GET members": as.Send("GET", s.members(), nil).Status,
			"PUT member":  as.Send("PUT", s.path(m), fields{"metadata": fields{"a": 1}}).Status,
			"GET roles":   as.Send("GET", s.roles(), nil).Status,
			"POST roles":  as.Send("POST", s.roles(), fields{"name": "a", "permissions": []string{"create_referral"}}).Status,
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", scope, got, want)
		}
	}
	for _, path := range []string{s.members(), s.path(m), s.roles(), "/v0.1/memberships"} {
		forbidden.Check(t, s.WithKey(s.NewKey("public")).Send("GET", path, nil))
	}
}
