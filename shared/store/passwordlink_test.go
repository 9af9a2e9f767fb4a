package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// mailLink makes Ada a user with a password, and mails her a link. It returns the hash of the link's token.
func mailLink(t *testing.T, s *store.Store) string {
	t.Helper()
	joinAda(t, s)
	return mailAnother(t, s, "hash of the token")
}

func mailAnother(t *testing.T, s *store.Store, hash string) string {
	t.Helper()
	u, err := s.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	link := signin.NewPasswordLink(hash, u, s.Now().Add(signin.PasswordLinkLasts))
	for range 2 { // it may be repeated
		err := s.MailPasswordLink(t.Context(), identity.Tenant{}, link, hash, mail.NewPasswordLink(link.ID, u.Email, u.ID))
		if err != nil {
			t.Fatal(err)
		}
	}
	return hash
}

func usePasswordLink(t *testing.T, s *store.Store, hash string) error {
	t.Helper()
	link, _, err := s.PasswordLink(t.Context(), hash)
	if err != nil {
		return err
	}
	return s.UsePasswordLink(t.Context(), byTest, hash, s.PasswordByOperator(link.Operation(), secret.New("by "+hash)))
}

// TestUsePasswordLink_LostCalls loses the replies of the first one, two or three transactions. The password is set
// once, with one entry in the audit, and one for the end of access.
func TestUsePasswordLink_LostCalls(t *testing.T) {
	t.Parallel()
	for lost := 1; lost <= 3; lost++ {
		wire := &faults.Wire{Send: enginetest.Do}
		now := clock.New()
		s := openTable(t, now, wire)
		hash := mailLink(t, s)
		now.Advance(time.Second)
		entries := auditLength(t, s)
		wire.Inject(faults.Times(lost, "TransactWriteItems", faults.LoseReply))
		for range 2 {
			if err := usePasswordLink(t, s, hash); err != nil {
				t.Errorf("%d lost: got %v, want no error", lost, err)
			}
		}
		link, u, err := s.PasswordLink(t.Context(), hash)
		if err != nil || !link.IsUsed(u) || len(u.Passwords) != 2 {
			t.Errorf("%d lost: got link %+v of %+v, %v; want it used", lost, link, u, err)
		}
		if n := auditLength(t, s) - entries; n != 2 {
			t.Errorf("%d lost: got %d entries more, want two", lost, n)
		}
	}
}

// TestUsePasswordLink_Concurrently checks that one of two links sets the password, and the other one ends with it.
func TestUsePasswordLink_Concurrently(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	first := mailLink(t, s)
	second := mailAnother(t, s, "hash of another token")
	wire.Meanwhile("TransactWriteItems", 1, func() {
		if err := usePasswordLink(t, s, first); err != nil {
			t.Errorf("the first: got %v, want no error", err)
		}
	})
	if err := usePasswordLink(t, s, second); !errors.Is(err, store.ErrNoLink) {
		t.Errorf("the second: got %v, want %v", err, store.ErrNoLink)
	}
	link, u, err := s.PasswordLink(t.Context(), first)
	if err != nil || !link.IsUsed(u) || len(u.Passwords) != 2 {
		t.Errorf("got link %+v of %+v, %v; want the first used", link, u, err)
	}
}
