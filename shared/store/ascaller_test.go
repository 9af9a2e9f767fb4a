package store_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// authenticate returns the token's principal as the maker of a change.
func authenticate(t *testing.T, s *store.Store, token identity.Token) audit.By {
	t.Helper()
	p, _, err := s.Authenticate(t.Context(), token, "")
	if err != nil {
		t.Fatal(err)
	}
	return as(p)
}

// TestRequireCaller_LostRights checks that changes of each kind are refused after the caller lost the right.
func TestRequireCaller_LostRights(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(audit.By, *store.Store, int32) error{
		"CreateMember": func(by audit.By, s *store.Store, _ int32) error {
			return errOf(s.CreateMember(t.Context(), by, tenant, "new@example.com", "new", func(id string,
				_ member.Roles) (member.Member, error) {
				return member.NewEmployee(id, member.Registration{Email: "new@example.com"}, nil, s.Now()), nil
			}))
		},
		"UpdateMember": func(by audit.By, s *store.Store, n int32) error {
			return errOf(s.UpdateMember(t.Context(), by, tenant, n, "", member.EndKeys, nicknamed("Till")))
		},
		"DeleteMember": func(by audit.By, s *store.Store, n int32) error {
			return errOf(s.DeleteMember(t.Context(), by, tenant, n, "delete", member.EndKeys,
				func(member.Member, member.Roles) error { return nil }))
		},
		"CreateRole": func(by audit.By, s *store.Store, _ int32) error {
			return errOf(s.CreateRole(t.Context(), by, tenant, member.Role{ID: member.RoleID("role"), Name: "Role"},
				func() error { return nil }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			openShop(t, s)
			caller, other := employ(t, s, "caller@example.com", "1"), employ(t, s, "other@example.com", "2")
			token := issueToken(t, s, caller)
			by := authenticate(t, s, token)
			_, err := s.UpdateMember(t.Context(), byTest, tenant, caller.Number(), "", member.EndKeys, nicknamed("changed"))
			if err != nil {
				t.Fatal(err)
			}
			if err := change(by, s, other.Number()); !errors.Is(err, store.ErrCallerChanged) {
				t.Errorf("changed: got error %v, want %v", err, store.ErrCallerChanged)
			}
			by = authenticate(t, s, token)
			if err := s.RevokeAccessToken(t.Context(), token.Hash); err != nil {
				t.Fatal(err)
			}
			if err := change(by, s, other.Number()); !failure.Is(err, failure.KindUnauthorized) {
				t.Errorf("revoked: got error %v, want Unauthorized", err)
			}
			issueToken(t, s, caller)
			if err := change(authenticate(t, s, token), s, other.Number()); err != nil {
				t.Errorf("admitted again: got error %v, want none", err)
			}
		})
	}
}

// TestRequireCaller_ClientOrGrantRevoked revokes the client or grant after the request was admitted. Nothing is
// changed.
func TestRequireCaller_ClientOrGrantRevoked(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(*testing.T, *store.Store, member.Member){
		"its client": func(t *testing.T, s *store.Store, _ member.Member) { revokeClient(t, s, "till app") },
		"its grant": func(t *testing.T, s *store.Store, m member.Member) {
			if err := s.RevokeGrant(t.Context(), identity.Hash("refresh token of "+m.ID)); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			openShop(t, s)
			caller, other := employ(t, s, "caller@example.com", "1"), employ(t, s, "other@example.com", "2")
			by := authenticate(t, s, issueGrantToken(t, s, caller))
			if _, err := s.UpdateMember(t.Context(), by, tenant, other.Number(), "", member.EndKeys,
				nicknamed("before")); err != nil {
				t.Errorf("got error %v, want none before", err)
			}
			revoke(t, s, caller)
			_, err := s.UpdateMember(t.Context(), by, tenant, other.Number(), "", member.EndKeys, nicknamed("after"))
			if !failure.Is(err, failure.KindUnauthorized) {
				t.Errorf("got error %v, want Unauthorized", err)
			}
			if now, err := s.Member(t.Context(), tenant, other.Number()); err != nil || now.Nickname != "before" {
				t.Errorf("got nickname %q, error %v, want it as before", now.Nickname, err)
			}
		})
	}
}

// TestRequireCaller_OwnItem checks that callers can change their own member. A DynamoDB transaction takes only one
// operation on an item, so requireCaller adds no condition for that member. A change by outdated rights is still
// refused.
func TestRequireCaller_OwnItem(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	openShop(t, s)
	m := employ(t, s, "caller@example.com")
	token := issueToken(t, s, m)
	by := authenticate(t, s, token)
	if _, err := s.UpdateMember(t.Context(), by, tenant, m.Number(), "", member.EndKeys, nicknamed("first")); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	if _, err := s.UpdateMember(t.Context(), by, tenant, m.Number(), "", member.EndKeys,
		nicknamed("second")); !errors.Is(err,
		store.ErrCallerChanged) {
		t.Errorf("by the rights of before: got error %v, want %v", err, store.ErrCallerChanged)
	}
}

// TestRequireCaller_RevokedKey checks that a revoked key changes nothing. This also holds for a key that was stored
// before keys had versions.
func TestRequireCaller_RevokedKey(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		s := newStore(t)
		key := openShop(t, s)
		if old {
			makeOldKey(t, s, key, false)
		}
		m := employ(t, s, "till@example.com")
		by := authenticate(t, s, key.token)
		if _, err := s.UpdateMember(t.Context(), by, tenant, m.Number(), "", member.EndKeys, nicknamed("first")); err != nil {
			t.Errorf("old: %t: got error %v, want none", old, err)
		}
		if err := s.DeleteAPIKey(t.Context(), byTest, tenant, key.ID, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.UpdateMember(t.Context(), by, tenant, m.Number(), "", member.EndKeys,
			nicknamed("second")); !failure.Is(err,
			failure.KindUnauthorized) {
			t.Errorf("old: %t, revoked: got error %v, want Unauthorized", old, err)
		}
	}
}

// byTest is the maker of changes that a test itself makes.
var byTest = audit.ByPlatform(audit.Actor{Kind: audit.Command}, "test")

// as returns the principal as the maker of a change.
func as(p identity.Principal) audit.By {
	return audit.By{Principal: p, Actor: byTest.Actor, Operation: byTest.Operation}
}
