package store_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// allowDeletion allows every deletion.
func allowDeletion() error { return nil }

// createProfile creates a test profile.
func createProfile(t *testing.T, by audit.By, s *store.Store, id string) error {
	t.Helper()
	password := s.PasswordOf(tenant, id, secret.New("correct horse battery"))
	return errOf(s.CreateTestProfile(t.Context(), by, tenant, member.TestProfile{ID: id, CreatedAt: s.Now()}, password))
}

// TestTestProfiles_CallerLosesRights restricts or revokes the caller's key after the caller was admitted, or during the
// write. The change is refused.
func TestTestProfiles_CallerLosesRights(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(audit.By, *store.Store) error{
		"create": func(by audit.By, s *store.Store) error { return createProfile(t, by, s, "tp_2") },
		"delete": func(by audit.By, s *store.Store) error {
			return s.DeleteTestProfile(t.Context(), by, tenant, "tp_1", "deletion", allowDeletion)
		},
	} {
		for _, revoked := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				wire := &faults.Wire{Send: enginetest.Do}
				s := openTable(t, clock.New(), wire)
				openShop(t, s)
				if err := createProfile(t, byTest, s, "tp_1"); err != nil {
					t.Fatal(err)
				}
				caller := storeKey(t, s, "user.subaccounts")
				by := authenticate(t, s, caller.token)
				take := func() {
					var err error
					if revoked {
						err = s.DeleteAPIKey(t.Context(), byTest, tenant, caller.ID, "taken")
					} else {
						_, err = s.UpdateAPIKey(t.Context(), byTest, tenant, caller.ID, func(k identity.APIKey) (identity.APIKey, error) {
							k.Scopes = nil
							return k, nil
						})
					}
					if err != nil {
						t.Error(err)
					}
				}
				if late {
					wire.Meanwhile("TransactWriteItems", 1, take)
				} else {
					take()
				}
				err := change(by, s)
				wire.Inject(nil)
				if revoked && !failure.Is(err, failure.KindUnauthorized) || !revoked && !errors.Is(err, store.ErrCallerChanged) {
					t.Errorf("%s, revoked %t, late %t: got error %v, want it refused", name, revoked, late, err)
				}
				left, err := s.TestProfiles(t.Context(), tenant)
				if len(left) != 1 || left[0].ID != "tp_1" || err != nil {
					t.Errorf("%s, revoked %t, late %t: got %v, %v, want tp_1 alone", name, revoked, late, left, err)
				}
			}
		}
	}
}

// TestCreateTestProfile_Concurrently creates a profile while the creation of another is in flight.
func TestCreateTestProfile_Concurrently(t *testing.T) {
	t.Parallel()
	for _, room := range []int{2, 1} {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		openShop(t, s)
		for i := range member.MaxTestProfiles - room {
			if err := createProfile(t, byTest, s, "tp_"+string(rune('a'+i))); err != nil {
				t.Fatal(err)
			}
		}
		wire.Meanwhile("TransactWriteItems", 1, func() {
			if err := createProfile(t, byTest, s, "tp_first"); err != nil {
				t.Error(err)
			}
		})
		err := createProfile(t, byTest, s, "tp_second")
		wire.Inject(nil)
		if full := failure.Is(err, failure.KindConflict); full != (room == 1) {
			t.Errorf("room for %d: got error %v, want one for the second if there is room for one", room, err)
		}
		all, err := s.TestProfiles(t.Context(), tenant)
		if len(all) != member.MaxTestProfiles || err != nil {
			t.Errorf("room for %d: got %d, %v, want %d", room, len(all), err, member.MaxTestProfiles)
		}
	}
}
