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
	"github.com/cashwrap/cashwrap/shared/store"
)

// storeKey stores a key of the scopes.
func storeKey(t *testing.T, s *store.Store, scopes ...string) issued {
	t.Helper()
	k := newKey(t, tenant)
	k.Scopes = scopes
	if _, err := s.CreateAPIKey(t.Context(), byTest, k.APIKey); err != nil {
		t.Fatal(err)
	}
	return k
}

func newScopedKey(t *testing.T, scopes ...string) identity.APIKey {
	t.Helper()
	k := newKey(t, tenant).APIKey
	k.Scopes = scopes
	return k
}

// changesOfKeys lists changes that a caller may make to its own key, or to another key, which has no rights.
var changesOfKeys = map[string]func(by audit.By, t *testing.T, s *store.Store, other, own issued) error{
	"create": func(by audit.By, t *testing.T, s *store.Store, _, _ issued) error {
		t.Helper()
		return errOf(s.CreateAPIKey(t.Context(), by, newScopedKey(t)))
	},
	"update": func(by audit.By, t *testing.T, s *store.Store, other, _ issued) error {
		return errOf(s.UpdateAPIKey(t.Context(), by, tenant, other.ID, named("x")))
	},
	"update itself": func(by audit.By, t *testing.T, s *store.Store, _, own issued) error {
		return errOf(s.UpdateAPIKey(t.Context(), by, tenant, own.ID, named("x")))
	},
	"delete": func(by audit.By, t *testing.T, s *store.Store, other, _ issued) error {
		return s.DeleteAPIKey(t.Context(), by, tenant, other.ID, "deletion")
	},
}

// TestAPIKeys_CallerLosesRights restricts or revokes the caller's key after the caller was admitted, or during the
// write. The change is refused.
func TestAPIKeys_CallerLosesRights(t *testing.T) {
	t.Parallel()
	for name, change := range changesOfKeys {
		for _, revoked := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				wire := &faults.Wire{Send: enginetest.Do}
				s := openTable(t, clock.New(), wire)
				openShop(t, s)
				caller, other := storeKey(t, s, identity.KeysWrite, "payments"), storeKey(t, s)
				by := authenticate(t, s, caller.token)
				take := func() {
					var err error
					if revoked {
						err = s.DeleteAPIKey(t.Context(), byTest, tenant, caller.ID, "taken")
					} else {
						_, err = s.UpdateAPIKey(t.Context(), byTest, tenant, caller.ID, func(k identity.APIKey) (identity.APIKey, error) {
							k.Scopes = []string{"payments"}
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
				err := change(by, t, s, other, caller)
				wire.Inject(nil)
				gone := failure.Is(err, failure.KindUnauthorized) ||
					name == "update itself" && failure.Is(err, failure.KindNotFound) // the caller asked for its own key
				if revoked && !gone || !revoked && !errors.Is(err, store.ErrCallerChanged) {
					t.Errorf("%s, revoked %t, late %t: got error %v, want it refused", name, revoked, late, err)
				}
				keys, err := s.APIKeys(t.Context(), tenant)
				left := 3
				if revoked {
					left = 2
				}
				if len(keys) != left || err != nil {
					t.Errorf("%s, revoked %t, late %t: got %d keys, %v, want %d", name, revoked, late, len(keys), err, left)
				}
				for _, k := range keys {
					if k.Name == "x" {
						t.Errorf("%s, revoked %t, late %t: got %v, want it as it was", name, revoked, late, k)
					}
				}
			}
		}
	}
}

// TestAPIKeys_KeyWithMoreRights checks that a caller cannot create, change or delete a key with more rights. The caller
// also cannot repeat a creation if the key got more rights meanwhile.
func TestAPIKeys_KeyWithMoreRights(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	caller, other := storeKey(t, s, identity.KeysWrite, "payments"), storeKey(t, s, "email")
	by := authenticate(t, s, caller.token)
	wantKind(t, "create", errOf(s.CreateAPIKey(t.Context(), by, newScopedKey(t, "email"))), failure.KindForbidden)
	wantKind(t, "update", errOf(s.UpdateAPIKey(t.Context(), by, tenant, other.ID, named("x"))), failure.KindForbidden)
	wantKind(t, "delete", s.DeleteAPIKey(t.Context(), by, tenant, other.ID, "deletion"), failure.KindForbidden)
	made := newScopedKey(t, "payments")
	if _, err := s.CreateAPIKey(t.Context(), by, made); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdateAPIKey(t.Context(), byTest, tenant, made.ID, func(k identity.APIKey) (identity.APIKey, error) {
		k.Scopes = append(k.Scopes, "email")
		return k, nil
	}); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "create again", errOf(s.CreateAPIKey(t.Context(), by, made)), failure.KindForbidden)
}
