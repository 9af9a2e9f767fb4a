package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// joinAda accepts an invitation to the tenant as Ada, and sets her password by the operation "first".
func joinAda(t *testing.T, s *store.Store) {
	t.Helper()
	inviteAda(t, s, tenant, "token")
	none := func(store.Invitation) (member.Passwords, error) { return nil, nil }
	_, err := s.AcceptInvitation(t.Context(), byTest, "token", none)
	if err == nil {
		err = setPassword(t, s, "first")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func setPassword(t *testing.T, s *store.Store, operation string) error {
	t.Helper()
	_, err := s.SetUserPassword(t.Context(), byTest, tenant, "ada@example.com",
		s.PasswordByOperator(operation, secret.New("password of "+operation)))
	return err
}

// wantPasswords checks that these operations have set Ada's passwords, the last one first.
func wantPasswords(t *testing.T, s *store.Store, operations ...string) {
	t.Helper()
	u, err := s.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range u.Passwords {
		got = append(got, p.Operation)
	}
	if len(got) != len(operations) || got[0] != operations[0] {
		t.Errorf("got passwords of %v, want of %v", got, operations)
	}
}

// TestSetUserPassword_LostCalls loses the replies of the first one, two or three transactions. The audit has one entry
// for the password and one for the end of access.
func TestSetUserPassword_LostCalls(t *testing.T) {
	t.Parallel()
	for lost := 1; lost <= 3; lost++ {
		wire := &faults.Wire{Send: enginetest.Do}
		now := clock.New()
		s := openTable(t, now, wire)
		joinAda(t, s)
		now.Advance(time.Second)
		entries := auditLength(t, s)
		wire.Inject(faults.Times(lost, "TransactWriteItems", faults.LoseReply))
		if err := setPassword(t, s, "second"); err != nil {
			t.Errorf("%d lost: got %v, want no error", lost, err)
		}
		if err := setPassword(t, s, "second"); err != nil {
			t.Errorf("%d lost, again: got %v, want no error", lost, err)
		}
		wantPasswords(t, s, "second", "first")
		if n := auditLength(t, s) - entries; n != 2 {
			t.Errorf("%d lost: got %d entries more, want two", lost, n)
		}
	}
}

// TestSetUserPassword_Concurrently checks that the second of two passwords counts, and the first is remembered.
func TestSetUserPassword_Concurrently(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	joinAda(t, s)
	wire.Meanwhile("TransactWriteItems", 1, func() {
		if err := setPassword(t, s, "second"); err != nil {
			t.Errorf("the first: got %v, want no error", err)
		}
	})
	if err := setPassword(t, s, "third"); err != nil {
		t.Errorf("the second: got %v, want no error", err)
	}
	wantPasswords(t, s, "third", "second", "first")
}

// TestSetUserPassword_Refused checks that no password is set for a user who is unknown, disabled or managed, or who has
// not accepted the invitation.
func TestSetUserPassword_Refused(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), &faults.Wire{Send: enginetest.Do})
	wantKind(t, "nobody", setPassword(t, s, "1"), failure.KindNotFound)
	inviteAda(t, s, tenant, "token")
	wantKind(t, "invited", setPassword(t, s, "2"), failure.KindConflict)
	acceptInvitation(t, s, "token", "first")
	change := func(change func(*member.Member)) {
		t.Helper()
		i, err := s.Invitation(t.Context(), "token")
		if err == nil {
			_, err = s.UpdateMember(t.Context(), byTest, tenant, i.Member.Number(), "", member.EndKeys,
				func(m member.Member, _ member.Roles) (member.Member, error) {
					change(&m)
					return m, nil
				})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change(func(m *member.Member) { m.Type = member.TypeManaged })
	wantKind(t, "managed", setPassword(t, s, "3"), failure.KindNotFound)
	change(func(m *member.Member) { m.Type, m.DisabledAt = member.TypeUser, s.Now() })
	wantKind(t, "disabled", setPassword(t, s, "4"), failure.KindConflict)
	wantPasswords(t, s, "first")
	wire := &faults.Wire{Send: enginetest.Do}
	s = openTable(t, clock.New(), wire)
	joinAda(t, s)
	wire.Inject(faults.Times(100, "TransactWriteItems", faults.FailBefore))
	if err := setPassword(t, s, "second"); err == nil || errors.Is(err, store.ErrStale) {
		t.Errorf("a table that takes no writes: got %v, want its error", err)
	}
	wantPasswords(t, s, "first")
}
