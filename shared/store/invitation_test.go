package store_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestAcceptInvitation_TwiceConcurrently accepts an invitation twice, as two clicks do. One acceptance is complete
// before the other has read everything. The slower acceptance finds the invitation accepted.
func TestAcceptInvitation_TwiceConcurrently(t *testing.T) {
	t.Parallel()
	for _, read := range []int{1, 2, 3} { // the invitation, the member, the user's address
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		inviteAda(t, s, tenant, "token")
		wire.Meanwhile("GetItem", read, func() { acceptInvitation(t, s, "token", "first") })
		acceptInvitation(t, s, "token", "second")
		i, err := s.Invitation(t.Context(), "token")
		if err != nil || !i.Accepted || i.Member.Invited() {
			t.Errorf("read %d: got %+v, error %v, want it accepted", read, i, err)
		}
	}
}

// TestAcceptInvitation_TwoOfNewUserConcurrently checks that two invitations of the same new user create one user, with
// the password of the acceptance that comes first.
func TestAcceptInvitation_TwoOfNewUserConcurrently(t *testing.T) {
	t.Parallel()
	other := identity.Tenant{Mode: identity.Test, Merchant: "MC9Z8Y7X6W"}
	for _, before := range []string{"GetItem", "TransactWriteItems"} {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		inviteAda(t, s, tenant, "here")
		inviteAda(t, s, other, "there")
		wire.Meanwhile(before, 1, func() { acceptInvitation(t, s, "here", "first") })
		acceptInvitation(t, s, "there", "second")
		user, err := s.UserByEmail(t.Context(), "ada@example.com")
		if err != nil || len(user.Passwords) == 0 || user.Passwords[0].Operation != "first" {
			t.Fatalf("before %s: got user %+v, error %v, want it with the first password", before, user, err)
		}
		for token, at := range map[string]identity.Tenant{"here": tenant, "there": other} {
			i, err := s.Invitation(t.Context(), token)
			if err != nil || i.Tenant != at || i.Member.UserID != user.ID {
				t.Errorf("before %s: got %+v, error %v, want a member at %v of user %s", before, i, err, at, user.ID)
			}
		}
	}
}

// TestInvitation_EachConditionAlone checks each condition alone. The link and its member both have the invitation's
// expiry and token hash, which normally agree. Each alone is enough to refuse the invitation.
func TestInvitation_EachConditionAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token    string
		accepted bool
		after    time.Duration // since the invitation
		left     time.Duration // of the link
	}{
		"the link has expired, and is not deleted yet":   {token: "token"},
		"the link of an accepted invitation has expired": {token: "token", accepted: true},
		"the member's invitation has expired":            {token: "token", after: member.InviteLasts, left: time.Hour},
		"the member was invited by another token":        {token: "other", left: time.Hour},
	} {
		now := clock.New()
		s := openTable(t, now, nil)
		ada := inviteAda(t, s, tenant, "token")
		if c.accepted {
			acceptInvitation(t, s, "token", "first")
		}
		now.Advance(c.after)
		_, table := s.Raw()
		if err := table.Update("pk", "INVITATION#"+identity.Hash(c.token)).Range("sk", "INVITATION").
			Set("mode", string(tenant.Mode)).Set("merchant_code", tenant.Merchant).Set("member_id", ada.ID).
			Set("expires_at", now.Now().Add(c.left).Unix()).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		passwords := func(store.Invitation) (member.Passwords, error) { return member.Passwords{{Hash: "hash"}}, nil }
		if i, err := s.AcceptInvitation(t.Context(), byTest, c.token, passwords); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("%s: got %+v, error %v, want KindNotFound", name, i, err)
		}
	}
}

func inviteAda(t *testing.T, s *store.Store, at identity.Tenant, token string) member.Member {
	t.Helper()
	m, err := s.CreateMember(t.Context(), byTest, at, "ada@example.com", token,
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, member.Invitation{Email: "ada@example.com", Roles: []string{member.RoleAdmin}},
				token, func(string, string) string { return token }, s.Now()), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// acceptInvitation accepts ada's invitation. The operation names the password that she adds.
func acceptInvitation(t *testing.T, s *store.Store, token, operation string) {
	t.Helper()
	i, err := s.AcceptInvitation(t.Context(), byTest, token, func(i store.Invitation) (member.Passwords, error) {
		return append(i.User.Passwords, member.Password{Hash: "hash", Operation: operation}), nil
	})
	if err != nil || i.Member.Email != "ada@example.com" {
		t.Errorf("%s: got %+v, error %v, want ada", operation, i, err)
	}
}
