package members_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func TestRoles_CreateToDelete(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Clock.Advance(time.Hour)
	want := role{Name: "Support", Description: "phone", Permissions: []string{"full_transaction_history_view",
		"refund_transactions"}, Metadata: fields{"a": "b"}, CreatedAt: world.Start.Add(time.Hour),
		UpdatedAt: world.Start.Add(time.Hour)}
	got := world.Into[role](s, 201, s.Send("POST", s.roles(), fields{"name": "Support", "description": "phone",
		"permissions": []string{"refund_transactions", "full_transaction_history_view", "refund_transactions"},
		"metadata":    fields{"a": "b"}}))
	want.ID = got.ID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	one := s.roles() + "/" + got.ID
	if diff := cmp.Diff(want, world.Into[role](s, 200, s.Send("GET", one, nil))); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	all := world.Into[struct{ Items []role }](s, 200, s.Send("GET", s.roles(), nil)).Items
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	if !slices.Equal(ids, []string{"role_owner", "role_admin", "role_accountant", "role_employee", got.ID}) ||
		!all[0].Predefined || !all[0].CreatedAt.Equal(world.Start) || len(all[0].Permissions) != 8 || all[4].Predefined {
		t.Errorf("got roles %v, %+v", ids, all)
	}
	m := s.employ("till@example.com", fields{"roles": []string{got.ID, "role_employee"}})
	if !slices.Equal(m.Permissions, want.Permissions) {
		t.Errorf("its member: got %v, want %v", m.Permissions, want.Permissions)
	}
	s.Clock.Advance(time.Hour)
	changed := world.Into[role](s, 200, s.Send("PATCH", one, fields{"name": "Help", "description": "",
		"permissions": []string{"create_referral"}}))
	if changed.Name != "Help" || changed.Description != "" || !changed.UpdatedAt.Equal(s.Clock.Now()) ||
		!cmp.Equal(changed.Metadata, want.Metadata) {
		t.Errorf("changed: got %+v", changed)
	}
	if now := s.read(m).Permissions; !slices.Equal(now, []string{"create_referral"}) {
		t.Errorf("its member: got %v, want the role's new permission", now)
	}
	if found, _ := s.list("?roles=" + got.ID); !slices.Equal(found, []string{"till@example.com"}) {
		t.Errorf("got members %v, want the one", found)
	}
	inUse := world.Refused(400, "INVALID", "", "invalid-parameter")
	inUse.Check(t, s.Send("DELETE", one, nil))
	world.Into[person](s, 200, s.Send("PUT", s.path(m), fields{"roles": []string{"role_employee"}}))
	if r := s.Send("DELETE", one, nil); r.Status != 200 || len(r.Body) != 0 {
		t.Errorf("got %d %s, want 200 without a body", r.Status, r.Body)
	}
	for _, method := range []string{"GET", "DELETE"} {
		world.Refused(404, "NOT_FOUND", "", "not-found").Check(t, s.Send(method, one, nil))
	}
}

func TestRoles_InvalidRequests(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for name, c := range map[string]struct {
		body  fields
		param string
	}{
		"no permissions":     {fields{"name": "a", "permissions": []string{}}, "permissions"},
		"unknown permission": {fields{"name": "a", "permissions": []string{"everything"}}, "permissions.0"},
		"too many": {fields{"name": "a", "permissions": slices.Repeat([]string{"members_read"}, 101)},
			"permissions"},
		"too long a name": {fields{"name": strings.Repeat("n", 256), "permissions": []string{"members_read"}}, "name"},
		"metadata":        {fields{"name": "a", "permissions": []string{"members_read"}, "metadata": "x"}, "metadata"},
	} {
		t.Log(name)
		world.Invalid(c.param).Check(t, s.Send("POST", s.roles(), c.body))
	}
	world.Missing("name").Check(t, s.Send("POST", s.roles(), fields{"permissions": []string{"members_read"}}))
	predefined := world.Refused(400, "INVALID", "", "invalid-parameter")
	for _, id := range []string{"role_owner", "role_admin", "role_accountant", "role_employee"} {
		predefined.Check(t, s.Send("PATCH", s.roles()+"/"+id, fields{"name": "x"}))
		predefined.Check(t, s.Send("DELETE", s.roles()+"/"+id, nil))
	}
	other := shop{s.OtherShop()}.createRole("theirs", "members_read")
	for _, id := range []string{other.ID, "role_none", strings.Repeat("r", 2000)} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			world.Refused(404, "NOT_FOUND", "", "not-found").Check(t, s.Send(method, s.roles()+"/"+id, nil))
		}
	}
	world.Invalid("roles").Check(t, s.Send("POST", s.members(),
		managed("a@example.com", fields{"roles": []string{other.ID}})))
}

// TestCreateRole_TooMany checks that a merchant has at most a hundred roles.
func TestCreateRole_TooMany(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var first role
	for i := range 100 {
		if r := s.createRole(fmt.Sprint(i), "members_read"); i == 0 {
			first = r
		}
	}
	body := fields{"name": "beyond", "permissions": []string{"members_read"}}
	world.Refused(409, "CONFLICT", "", "conflict").Check(t, s.Send("POST", s.roles(), body))
	s.Send("DELETE", s.roles()+"/"+first.ID, nil)
	world.Into[role](s, 201, s.Send("POST", s.roles(), body))
}

// TestDeleteRole_GivenMeanwhile deletes a role while a member gets that role. The test checks that only one of the two
// requests succeeds.
func TestDeleteRole_GivenMeanwhile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	m := s.employ("till@example.com", nil)
	for i := range 10 {
		r := s.createRole(fmt.Sprint(i), "members_read")
		var given, deleted world.Response
		var both sync.WaitGroup
		both.Go(func() { given = s.Send("PUT", s.path(m), fields{"roles": []string{r.ID}}) })
		both.Go(func() { deleted = s.Send("DELETE", s.roles()+"/"+r.ID, nil) })
		both.Wait()
		now := s.read(m).Roles
		if (given.Status == 200) == (deleted.Status == 200) || (given.Status == 200) != slices.Contains(now, r.ID) {
			t.Errorf("given %d, deleted %d, now %v; want one of both", given.Status, deleted.Status, now)
		}
	}
}
