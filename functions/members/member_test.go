package members_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

func numberOf(p person) int32 { return member.NumberOf(p.ID) }

// TestCreateMember_Invitation checks that an invitation is pending, then expired, and that the member has no user until
// the invitation is accepted.
func TestCreateMember_Invitation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := world.Into[person](s, 201, s.Send("POST", s.members(), fields{"email": "Ada@example.com", "nickname": "ignored",
		"roles": []string{"role_accountant", "role_employee", "role_employee"}, "metadata": fields{"a": 1, "b": []any{"c"}},
		"attributes": fields{"ignored": true}}))
	want := person{ID: p.ID, Roles: []string{"role_accountant", "role_employee"}, Status: "pending",
		Permissions: []string{"full_transaction_history_view"}, Metadata: fields{"a": 1.0, "b": []any{"c"}},
		CreatedAt: world.Start, UpdatedAt: world.Start, Invite: p.Invite}
	if diff := cmp.Diff(want, p); diff != "" || p.Invite == nil || p.Invite.Email != "Ada@example.com" ||
		!p.Invite.ExpiresAt.Equal(world.Start.Add(7*24*time.Hour)) {
		t.Errorf("invite %+v, (-want +got):\n%s", p.Invite, diff)
	}
	if diff := cmp.Diff(p, s.read(p)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	s.Clock.Advance(7*24*time.Hour - time.Second)
	if got := s.read(p).Status; got != "pending" {
		t.Errorf("a second before the end: got %s, want pending", got)
	}
	s.Clock.Advance(time.Second)
	if got := s.read(p).Status; got != "expired" {
		t.Errorf("after a week: got %s, want expired", got)
	}
}

// TestCreateMember_ManagedUser checks that a managed user is a member at once, and also an operator.
func TestCreateMember_ManagedUser(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.employ("till@example.com", fields{"roles": []string{"role_accountant"}, "nickname": "Till"})
	if p.Status != "accepted" || p.Invite != nil || p.User == nil || p.User.Type != "managed_user" || !p.User.Virtual ||
		p.User.Nickname != "Till" || p.User.Classic.UserID != numberOf(p) {
		t.Errorf("got %+v with user %+v, want a managed user", p, p.User)
	}
	operator := "/v0.1/me/accounts/" + fmt.Sprint(numberOf(p))
	shown := s.Send("GET", operator, nil)
	if !shown.JSON()["permissions"].(map[string]any)["full_transaction_history_view"].(bool) {
		t.Errorf("as an operator: got %s, want the permission of its role", shown.Body)
	}
	s.Send("PUT", operator, fields{"permissions": fields{"admin": true}, "nickname": "Counter"})
	got := s.read(p)
	want := []string{"members_read", "members_write", "full_transaction_history_view", "developer_settings_write",
		"developer_settings_read"}
	if !slices.Equal(got.Permissions, want) || got.User.Nickname != "Counter" {
		t.Errorf("after a change as an operator: got %+v, want %v", got, want)
	}
	s.Send("POST", operator+"/disable", nil)
	if got := s.read(p); got.Status != "disabled" || got.User.DisabledAt == nil {
		t.Errorf("got %+v, want it disabled", got)
	}
}

func TestMembers_InvalidRequests(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p, m := s.invite("ada@example.com", "role_employee"), s.employ("till@example.com", nil)
	long := strings.Repeat("r", 65)
	many := map[string]any{}
	for i := range 65 {
		many[fmt.Sprint(i)] = i
	}
	for name, c := range map[string]struct {
		body fields
		want world.Refusal
	}{
		"no address":      {fields{"roles": []string{"role_employee"}}, world.Missing("email")},
		"no roles":        {fields{"email": "a@example.com", "roles": []string{}}, world.Invalid("roles")},
		"bad address":     {fields{"email": "ada", "roles": []string{"role_employee"}}, world.Invalid("email")},
		"unknown role":    {fields{"email": "a@example.com", "roles": []string{"role_none"}}, world.Invalid("roles")},
		"too long a role": {fields{"email": "a@example.com", "roles": []string{long}}, world.Invalid("roles.0")},
		"existing member": {fields{"email": "TILL@example.com", "roles": []string{"role_employee"}}, world.Invalid("email")},
		"invited already": {fields{"email": "ada@EXAMPLE.com", "roles": []string{"role_employee"}}, world.Invalid("email")},
		"no password":     {managed("a@example.com", fields{"password": nil}), world.Missing("password")},
		"short password":  {managed("a@example.com", fields{"password": "kqzvjmwhbxp"}), world.Invalid("password")},
		"common password": {managed("a@example.com", fields{"password": "Password2026!"}), world.Invalid("password")},
		"repeated text":   {managed("a@example.com", fields{"password": "kqzvkqzvkqzv"}), world.Invalid("password")},
		"too many keys":   {managed("a@example.com", fields{"metadata": many}), world.Invalid("metadata")},
		"no object":       {managed("a@example.com", fields{"metadata": []any{1}}), world.Invalid("metadata")},
		"too long a key":  {managed("a@example.com", fields{"metadata": fields{long: 1}}), world.Invalid("metadata")},
		"too much of it": {managed("a@example.com", fields{"metadata": fields{"a": strings.Repeat("x", 4096)}}),
			world.Invalid("metadata")},
		"too long a name": {managed("a@example.com", fields{"nickname": long}), world.Invalid("nickname")},
		"125 of the roles": {managed("a@example.com", fields{"roles": slices.Repeat([]string{"role_employee"}, 125)}),
			world.Invalid("roles")},
	} {
		t.Log(name)
		c.want.Check(t, s.Send("POST", s.members(), c.body))
	}
	for name, c := range map[string]struct {
		of   person
		body fields
		want world.Refusal
	}{
		"no role left":            {m, fields{"roles": []string{}}, world.Invalid("roles")},
		"unknown role":            {m, fields{"roles": []string{"role_none"}}, world.Invalid("roles")},
		"of an invited member":    {p, fields{"user": fields{"nickname": "x"}}, world.Invalid("user")},
		"its password":            {p, fields{"user": fields{"password": another}}, world.Invalid("user")},
		"short password":          {m, fields{"user": fields{"password": "kqzvjmwhbxp"}}, world.Invalid("user.password")},
		"common password":         {m, fields{"user": fields{"password": "Password2026!"}}, world.Invalid("user.password")},
		"the password it has":     {m, fields{"user": fields{"password": firstOne}}, forbidden},
		"an unknown member":       {person{ID: "mem_" + strings.Repeat("a", 26)}, fields{}, notFound},
		"an id of another length": {person{ID: m.ID + "a"}, fields{}, notFound},
	} {
		t.Log(name)
		c.want.Check(t, s.Send("PUT", s.path(c.of), c.body))
	}
}

// TestListMembers_Filters tries all filters of listMembers, in several spellings.
func TestListMembers_Filters(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.readOwner()
	s.Clock.Advance(time.Minute)
	s.invite("ada@example.com", "role_accountant")
	till := s.employ("till@example.com", nil)
	s.Clock.Advance(7 * 24 * time.Hour)
	s.invite("adele+1@example.com", "role_admin", "role_employee")
	off := s.employ("off@example.com", nil)
	s.Send("POST", "/v0.1/me/accounts/"+fmt.Sprint(numberOf(off))+"/disable", nil)
	first := owner.User.Email
	for query, want := range map[string][]string{
		"":                     {first, "ada@example.com", "till@example.com", "adele+1@example.com", "off@example.com"},
		"?scroll=true&limit=1": {first}, "?offset=3&limit=2": {"adele+1@example.com", "off@example.com"}, "?offset=9": nil,
		"?limit=100&email=AD": {"ada@example.com", "adele+1@example.com"}, "?email=@": nil,
		"?email=adele+1@example.com": {"adele+1@example.com"},
		"?user.id=" + till.User.ID:   {"till@example.com"}, "?user.id=" + strings.ToUpper(owner.User.ID): {first},
		"?user.type=managed_user": {"till@example.com", "off@example.com"}, "?user.type=user": {first},
		"?user.type=user,managed_user": {first, "till@example.com", "off@example.com"},
		"?user.type=service_account":   nil, "?status=unknown": nil,
		"?status=pending": {"adele+1@example.com"}, "?status=expired": {"ada@example.com"},
		"?status=disabled": {"off@example.com"}, "?status=accepted": {first, "till@example.com"},
		"?roles=role_admin": {"adele+1@example.com"}, "?roles[]=role_admin&roles[]=role_accountant": {"ada@example.com",
			"adele+1@example.com"},
		"?roles=role_admin,role_owner": {first, "adele+1@example.com"}, "?roles=role_none": nil,
		"?roles=role_employee&status=accepted&email=t": {"till@example.com"},
	} {
		got, total := s.list(query)
		if !slices.Equal(sorted(got...), sorted(want...)) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
		if !strings.Contains(query, "limit") && !strings.Contains(query, "offset") && total != len(want) {
			t.Errorf("%s: got total %d, want %d", query, total, len(want))
		}
	}
	for query, param := range map[string]string{"?limit=0": "limit", "?limit=": "limit", "?offset=-1": "offset",
		"?status=gone": "status", "?user.type=robot": "user.type", "?user.id=1": "user.id", "?scroll=2": "scroll"} {
		world.Invalid(param).Check(t, s.Send("GET", s.members()+query, nil))
	}
}

// TestUpdateMember checks that exactly the sent fields change, and that metadata is replaced as one value.
func TestUpdateMember(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	anything := fields{"b": nil, "c": 1.5, "d": fields{"e": []any{nil, true, []any{}, fields{"f": nil}}}}
	p := s.employ("till@example.com", fields{"metadata": fields{"a": 1}})
	s.Clock.Advance(time.Second)
	got := world.Into[person](s, 200, s.Send("PUT", s.path(p), fields{"roles": []string{"role_accountant"},
		"metadata": anything, "attributes": fields{"ignored": 1}, "user": fields{"nickname": "Till",
			"password": another}}))
	if !slices.Equal(got.Roles, []string{"role_accountant"}) || got.User.Nickname != "Till" ||
		!cmp.Equal(got.Metadata, anything) || !got.UpdatedAt.Equal(world.Start.Add(time.Second)) {
		t.Errorf("got %+v, want all that was sent", got)
	}
	if again := world.Into[person](s, 200, s.Send("PUT", s.path(p), fields{})); !cmp.Equal(again, got) {
		t.Errorf("nothing sent: got %+v, want %+v", again, got)
	}
	owner := s.readOwner()
	if same := world.Into[person](s, 200, s.Send("PUT", s.path(owner), fields{"user": fields{"nickname": "x",
		"password": another}})); !cmp.Equal(same, owner) {
		t.Errorf("a person's own user: got %+v, want it as it was", same)
	}
	r := s.Send("DELETE", s.path(p), nil)
	if r.Status != 200 || len(r.Body) != 0 || r.Header.Get("Content-Length") != "0" {
		t.Errorf("got %d %q, want 200 without a body", r.Status, r.Body)
	}
	notFound.Check(t, s.Send("GET", s.path(p), nil))
	s.employ("till@example.com", nil)
}

// TestCreateMember_TooManyToOneAddress checks that an address gets at most five invitations in an hour, including
// withdrawn invitations.
func TestCreateMember_TooManyToOneAddress(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	body := fields{"email": "ada@example.com", "roles": []string{"role_employee"}}
	for range 5 {
		p := world.Into[person](s, 201, s.Send("POST", s.members(), body))
		s.Clock.Advance(time.Minute)
		world.Into[any](s, 200, world.Response{Status: s.Send("DELETE", s.path(p), nil).Status, Body: []byte("{}")})
	}
	refused := s.Send("POST", s.members(), body)
	world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests").Check(t, refused)
	if after := refused.Header.Get("Retry-After"); after != "3300" {
		t.Errorf("got Retry-After %s, want 3300: 55 minutes", after)
	}
	s.invite("bob@example.com", "role_employee")
	s.employ("ada@example.com", nil) // a managed user is no invitation
	other := shop{s.OtherShop()}
	other.invite("ada@example.com", "role_employee")
	s.Clock.Advance(55 * time.Minute)
	ada, _ := s.list("?email=ada")
	if len(ada) != 1 {
		t.Fatalf("got %v, want the managed user", ada)
	}
	world.Invalid("email").Check(t, s.Send("POST", s.members(), body))
}

// TestCreateMember_TooManyInADay checks that the limit applies to each merchant separately.
func TestCreateMember_TooManyInADay(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.invite("first@example.com", "role_employee")
	_, table := s.App.Store.Raw()
	if err := table.Update("pk", "MEMBERS#"+s.Tenant().String()).Range("sk", "COUNT").Set("invited", 249).
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.invite("last@example.com", "role_employee")
	body := fields{"email": "beyond@example.com", "roles": []string{"role_employee"}}
	refused := s.Send("POST", s.members(), body)
	world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests").Check(t, refused)
	if after := refused.Header.Get("Retry-After"); after != "43200" {
		t.Errorf("got Retry-After %s, want 43200: at midnight UTC", after)
	}
	s.Clock.Advance(12 * time.Hour)
	world.Into[person](s, 201, s.Send("POST", s.members(), body))
}
