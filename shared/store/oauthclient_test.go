package store_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

func registerClient(t *testing.T, s *store.Store) oauth.Client {
	t.Helper()
	c, err := s.CreateOAuthClient(t.Context(), byTest, oauth.Client{ID: "client_1", Name: "Till", Tenant: tenant,
		Scopes: []string{"payments", "profile"}, SecretHash: "0123456789abcdef", CreatedAt: s.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func renameClient(s *store.Store, t *testing.T, name string) (oauth.Client, error) {
	t.Helper()
	return s.UpdateOAuthClient(t.Context(), byTest, "client_1", func(c oauth.Client) (oauth.Client, error) {
		c.Name += name
		return c, nil
	})
}

// auditLength returns the number of entries in the audit of the tenant's merchant.
func auditLength(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	for _, err := range s.AuditEntries(t.Context(), tenant.Merchant, clock.Start, s.Now(), "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestUpdateOAuthClient_LostCalls checks that a change is made once, and is in the audit once, although calls are lost
// and the change is repeated.
func TestUpdateOAuthClient_LostCalls(t *testing.T) {
	t.Parallel()
	for lost := 1; lost <= 3; lost++ {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		registerClient(t, s)
		wire.Inject(faults.Times(lost, "TransactWriteItems", faults.LoseReply))
		got, err := renameClient(s, t, "!")
		if err != nil || got.Name != "Till!" || got.Version != 2 {
			t.Errorf("%d lost: got %+v, %v, want Till! in version 2", lost, got, err)
		}
		if n := auditLength(t, s); n != 2 {
			t.Errorf("%d lost: got %d entries, want 2", lost, n)
		}
	}
}

// TestUpdateOAuthClient_Concurrently checks that the second of two changes applies to the result of the first.
func TestUpdateOAuthClient_Concurrently(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	registerClient(t, s)
	wire.Meanwhile("TransactWriteItems", 1, func() {
		if _, err := renameClient(s, t, "?"); err != nil {
			t.Errorf("the first: got %v, want no error", err)
		}
	})
	if got, err := renameClient(s, t, "!"); err != nil || got.Name != "Till?!" || got.Version != 3 {
		t.Errorf("got %+v, %v, want Till?! in version 3", got, err)
	}
}

// TestUpdateOAuthClient_NoChange checks that an unchanged client is not written, in any order of its stored scopes.
func TestUpdateOAuthClient_NoChange(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), &faults.Wire{Send: enginetest.Do})
	registerClient(t, s)
	got, err := s.UpdateOAuthClient(t.Context(), byTest, "client_1", func(c oauth.Client) (oauth.Client, error) {
		c.Scopes = []string{"profile", "payments"}
		return c, nil
	})
	if err != nil || got.Version != 1 || auditLength(t, s) != 1 {
		t.Errorf("got %+v, %v, want version 1, and one entry", got, err)
	}
	_, err = s.UpdateOAuthClient(t.Context(), byTest, "client_2", func(c oauth.Client) (oauth.Client, error) {
		return c,
			nil
	})
	wantKind(t, "an unknown client", err, failure.KindNotFound)
}
