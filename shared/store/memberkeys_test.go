package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestDeleteMember_ManyKeys ends more keys than one transaction can delete. One of them made the request.
func TestDeleteMember_ManyKeys(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	till := employ(t, s, "till@example.com")
	storeMemberKey(t, s, "another's", "")
	var by identity.Principal
	for i := range 60 {
		if k := storeMemberKey(t, s, fmt.Sprint(i), till.ID); i == 30 {
			by = k.Principal()
		}
	}
	if _, err := s.DeleteMember(t.Context(), as(by), tenant, till.Number(), "delete", member.EndKeys,
		func(member.Member, member.Roles) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var left []string
	keys, err := s.APIKeys(t.Context(), tenant)
	for _, k := range keys {
		left = append(left, k.Name)
	}
	if diff := cmp.Diff([]string{"another's"}, left); diff != "" || err != nil {
		t.Errorf("the keys that are left, %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.Member(t.Context(), tenant, till.Number()); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("the member: got %v, want NotFound", err)
	}
}

// TestUpdateMember_KeyCreatedMeanwhile creates a key while its maker is being disabled. It checks that no key is left.
func TestUpdateMember_KeyCreatedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	till := employ(t, s, "till@example.com")
	made := 0
	_, err := s.UpdateMember(t.Context(), byTest, tenant, till.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			if made == 0 { // after the member was read
				storeMemberKey(t, s, "meanwhile", m.ID)
			}
			made++
			return m.Enabled(false, s.Now()), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if keys, err := s.APIKeys(t.Context(), tenant); len(keys) != 0 || err != nil {
		t.Errorf("got keys %+v, %v, want none", keys, err)
	}
}

// TestDeleteMember_LastOwnerWithManyKeys checks that the deletion is refused, and ends none of the keys.
func TestDeleteMember_LastOwnerWithManyKeys(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	owner := appoint(t, s, "ada@example.com")
	for i := range 30 {
		storeMemberKey(t, s, fmt.Sprint(i), owner.ID)
	}
	_, err := s.DeleteMember(t.Context(), byTest, tenant, owner.Number(), "delete", member.EndKeys, allow)
	keys, readErr := s.APIKeys(t.Context(), tenant)
	if !failure.Is(err, failure.KindForbidden) || len(keys) != 30 || readErr != nil {
		t.Errorf("got %v and %d keys, %v; want Forbidden and 30 keys", err, len(keys), readErr)
	}
}

// storeMemberKey stores a key with all scopes. The member stands behind the key (identity.Maker.Person).
func storeMemberKey(t *testing.T, s *store.Store, name, maker string) identity.APIKey {
	t.Helper()
	scopes := identity.AllScopes()
	k, _, err := identity.NewAPIKey(tenant, identity.KeyRequest{Name: name, Scopes: &scopes}, s.Now())
	k.Maker.Person = maker
	if err == nil {
		k, err = s.CreateAPIKey(t.Context(), byTest, k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}
