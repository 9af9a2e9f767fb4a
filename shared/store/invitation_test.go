package store_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestAnInvitationIsAcceptedTwiceAtOnce, as by two clicks: the second finds it accepted, whatever it has read before.
func TestAnInvitationIsAcceptedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for _, read := range []int{1, 2, 3} { // the invitation, the member, the user's address
		wire := &faults.Wire{Send: enginetest.Do}
		s := emptyTable(t, clock.New(), wire)
		const token = "token"
		if _, err := s.CreateMember(t.Context(), tenant, "ada@example.com", "invite",
			func(id string, _ member.Roles) (member.Member, error) {
				return member.NewInvited(id, member.Invitation{Email: "ada@example.com", Roles: []string{member.RoleAdmin}},
					"invite", func(string, string) string { return token }, s.Now()), nil
			}); err != nil {
			t.Fatal(err)
		}
		accept := func(click string) {
			i, err := s.AcceptInvitation(t.Context(), token, func(i store.Invitation) (member.Passwords, error) {
				return append(i.User.Passwords, member.Password{Hash: "hash", Operation: click}), nil
			})
			if err != nil || i.Member.Email != "ada@example.com" {
				t.Errorf("read %d, the %s click: got %+v, error %v, want ada", read, click, i, err)
			}
		}
		wire.Meanwhile("GetItem", read, func() { accept("first") })
		accept("second")
		i, err := s.Invitation(t.Context(), token)
		if err != nil || !i.Accepted || i.Member.Invited() {
			t.Errorf("read %d: got %+v, error %v, want it accepted", read, i, err)
		}
	}
}
