package store_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// appoint creates an owner.
func appoint(t *testing.T, s *store.Store, email string) member.Member {
	t.Helper()
	m, err := s.CreateMember(t.Context(), byTest, tenant, email, email, func(id string, _ member.Roles) (member.Member,
		error) {
		m := member.NewEmployee(id, member.Registration{Email: email}, nil, s.Now())
		m.Roles = []string{member.RoleOwner}
		return m, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func demote(t *testing.T, s *store.Store, m member.Member) error {
	t.Helper()
	_, err := s.UpdateMember(t.Context(), byTest, tenant, m.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			m.Roles = []string{member.RoleEmployee}
			return m, nil
		})
	return err
}

func dismiss(t *testing.T, s *store.Store, m member.Member) error {
	t.Helper()
	_, err := s.DeleteMember(t.Context(), byTest, tenant, m.Number(), "dismiss "+m.ID, member.EndKeys,
		func(member.Member, member.Roles) error { return nil })
	return err
}

// TestMembers_LastOwner checks that the last owner can neither be demoted nor removed, also when two owners go at once
// (contract §8.1).
func TestMembers_LastOwner(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	ada, bob, cem := appoint(t, s, "ada@example.com"), appoint(t, s, "bob@example.com"), appoint(t, s, "cem@example.com")
	if err := dismiss(t, s, cem); err != nil {
		t.Fatal(err)
	}
	wire.Meanwhile("TransactWriteItems", 1, func() {
		if err := demote(t, s, ada); err != nil {
			t.Errorf("the first of two: got error %v, want none", err)
		}
	})
	wantKind(t, "the second of two", dismiss(t, s, bob), failure.KindForbidden)
	wantKind(t, "the last one's demotion", demote(t, s, bob), failure.KindConflict)
	wantKind(t, "the last one's removal", dismiss(t, s, bob), failure.KindForbidden)
}

// TestUpdateMember_OwnerChangedMeanwhile checks that an owner who is removed meanwhile is not taken for the last owner.
func TestUpdateMember_OwnerChangedMeanwhile(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	ada := appoint(t, s, "ada@example.com")
	appoint(t, s, "bob@example.com")
	wire.Meanwhile("TransactWriteItems", 1, func() {
		if err := dismiss(t, s, ada); err != nil {
			t.Errorf("the removal: got error %v, want none", err)
		}
	})
	wantKind(t, "a demotion after the removal", demote(t, s, ada), failure.KindNotFound)
}
