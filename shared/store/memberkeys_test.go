package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestDeleteMember_ManyKeys ends more keys than one transaction can, including the key by which the request comes.
func TestDeleteMember_ManyKeys(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	till := employ(t, s, "till@example.com")
	scopes := identity.AllScopes()
	var by identity.Principal
	for i := range 60 {
		k, _, err := identity.NewAPIKey(tenant, identity.KeyRequest{Name: fmt.Sprint(i), Scopes: &scopes}, s.Now())
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 { // the first is another's
			k.Maker.Person = till.ID
		}
		if k, err = s.CreateAPIKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if i == 30 {
			by = k.Principal()
		}
	}
	if _, err := s.DeleteMember(identity.As(t.Context(), by), tenant, till.Number(), "delete", member.EndKeys,
		func(member.Member, member.Roles) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var left []string
	keys, err := s.APIKeys(t.Context(), tenant)
	for _, k := range keys {
		left = append(left, k.Name)
	}
	if diff := cmp.Diff([]string{"0"}, left); diff != "" || err != nil {
		t.Errorf("the keys that are left, %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.Member(t.Context(), tenant, till.Number()); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("the member: got %v, want NotFound", err)
	}
}

// TestUpdateMember_KeyMadeMeanwhile makes a key while its maker is being disabled. No key is left.
func TestUpdateMember_KeyMadeMeanwhile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	till := employ(t, s, "till@example.com")
	scopes := []string{"email"}
	made := 0
	_, err := s.UpdateMember(t.Context(), tenant, till.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			if made == 0 { // after the member was read
				k, _, err := identity.NewAPIKey(tenant, identity.KeyRequest{Name: "meanwhile", Scopes: &scopes}, s.Now())
				if err != nil {
					return m, err
				}
				k.Maker.Person = m.ID
				if _, err = s.CreateAPIKey(t.Context(), k); err != nil {
					return m, err
				}
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
