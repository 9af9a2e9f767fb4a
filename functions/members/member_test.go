package members_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

func numberOf(p person) int32 { return member.NumberOf(p.ID) }

// TestAnInvitation is shown as pending, then as expired, and is no user before it is accepted.
func TestAnInvitation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := into[person](s, 201, s.Send("POST", s.members(), fields{"email": "Ada@example.com", "nickname": "ignored",
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
