package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// tryEmploy creates an operator by an operation that is named after the address, unless another is given.
func tryEmploy(t *testing.T, s *store.Store, of identity.Tenant, email string,
	operation ...string) (member.Member, error) {
	t.Helper()
	return s.CreateMember(t.Context(), byTest, of, member.Address(email), strings.Join(append(operation, email)[:1], ""),
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewEmployee(id, member.Registration{Email: email}, nil, s.Now()), nil
		})
}

func employ(t *testing.T, s *store.Store, email string, operation ...string) member.Member {
	t.Helper()
	m, err := tryEmploy(t, s, tenant, email, operation...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func nicknamed(name string) func(member.Member, member.Roles) (member.Member, error) {
	return func(m member.Member, _ member.Roles) (member.Member, error) {
		m.Nickname = name
		return m, nil
	}
}

// changeAddress gives a member another address.
func changeAddress(t *testing.T, s *store.Store, m member.Member, to string) (member.Member, error) {
	t.Helper()
	return s.UpdateMember(t.Context(), byTest, tenant, m.Number(), member.Address(to), member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			m.Email = to
			return m, nil
		})
}

func wantKind(t *testing.T, what string, err error, want failure.Kind) {
	t.Helper()
	if !failure.Is(err, want) {
		t.Errorf("%s: got error %v, want one of kind %d", what, err, want)
	}
}

func TestCreateMember_TakenAddress(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ada := employ(t, s, "Ada@example.com")
	bob := employ(t, s, "bob@example.com")
	_, err := tryEmploy(t, s, tenant, "ada@EXAMPLE.com", "other")
	wantKind(t, "another of the same address", err, failure.KindConflict)
	_, err = changeAddress(t, s, bob, "ADA@example.com")
	wantKind(t, "a change to the same address", err, failure.KindConflict)
	if _, err = changeAddress(t, s, ada, "ada@example.com"); err != nil {
		t.Errorf("other letters of one's own: got error %v, want none", err)
	}
	if _, err = changeAddress(t, s, ada, "ada@example.org"); err != nil {
		t.Fatal(err)
	}
	employ(t, s, "ada@example.com", "a free address")
	_, err = s.DeleteMember(t.Context(), byTest, tenant, bob.Number(), "delete", member.EndKeys, allow)
	if err != nil {
		t.Fatal(err)
	}
	employ(t, s, "bob@example.com", "another free address")
	for _, of := range []identity.Tenant{{Mode: identity.Live, Merchant: tenant.Merchant},
		{Mode: identity.Test, Merchant: "MC00000000"}} {
		if _, err := tryEmploy(t, s, of, "ada@example.com"); err != nil {
			t.Errorf("%s: got error %v, want none: each tenant has its own members", of, err)
		}
	}
}

func TestCreateMember_SameAddressConcurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const many = 100
	errs := make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { _, errs[i] = tryEmploy(t, s, tenant, "ada@example.com", fmt.Sprint(i)) })
	}
	all.Wait()
	created := 0
	for _, err := range errs {
		if err == nil {
			created++
		} else {
			wantKind(t, "another of the same address", err, failure.KindConflict)
		}
	}
	if members, err := s.Members(t.Context(), tenant); created != 1 || len(members) != 1 || err != nil {
		t.Errorf("got %d created, %d members, error %v, want one", created, len(members), err)
	}
}

// TestMembers_AddressTakenMeanwhile checks that a write is refused if the address was taken after it was found free.
func TestMembers_AddressTakenMeanwhile(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	wire.Meanwhile("TransactWriteItems", 1, func() { employ(t, s, "ada@example.com", "faster") })
	_, err := tryEmploy(t, s, tenant, "ada@example.com", "slower")
	wantKind(t, "a creation", err, failure.KindConflict)
	bob := employ(t, s, "bob@example.com")
	wire.Meanwhile("TransactWriteItems", 1, func() { employ(t, s, "new@example.com") })
	_, err = changeAddress(t, s, bob, "new@example.com")
	wantKind(t, "a change", err, failure.KindConflict)
	wire.Inject(nil)
	if members, err := s.Members(t.Context(), tenant); len(members) != 3 || err != nil {
		t.Errorf("got members %v, error %v, want three", members, err)
	}
}

// TestCreateMember_Limit creates 1,000 members, concurrently and one by one. Deleted members do not count.
func TestCreateMember_Limit(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := employ(t, s, "first@example.com")
	_, table := s.Raw()
	const left = 3
	if err := table.Update("pk", "MEMBERS#"+tenant.String()).Range("sk", "COUNT").
		Set("count", member.MaxMembers-left).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	const many = 10
	errs := make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { _, errs[i] = tryEmploy(t, s, tenant, fmt.Sprintf("%d@example.com", i)) })
	}
	all.Wait()
	created := 0
	for _, err := range errs {
		if err == nil {
			created++
		} else {
			wantKind(t, "one more", err, failure.KindConflict)
		}
	}
	if created != left {
		t.Errorf("got %d members more, want %d", created, left)
	}
	if _, err := s.DeleteMember(t.Context(), byTest, tenant, first.Number(), "delete", member.EndKeys,
		allow); err != nil {
		t.Fatal(err)
	}
	employ(t, s, "last@example.com")
	_, err := tryEmploy(t, s, tenant, "beyond@example.com")
	wantKind(t, "above the limit", err, failure.KindConflict)
}

// TestCreateMember_SameNumber checks that the second of two members with one number gets another id, and keeps the id
// when its creation is repeated.
func TestCreateMember_SameNumber(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	one, other := findSameNumber(t)
	first := employ(t, s, "first@example.com", one)
	second := employ(t, s, "second@example.com", other)
	if first.ID != member.ID(one, 0) || second.ID != member.ID(other, 1) {
		t.Errorf("got ids %s and %s, want %s and %s", first.ID, second.ID, member.ID(one, 0), member.ID(other, 1))
	}
	if again := employ(t, s, "second@example.com", other); !cmp.Equal(again, second) {
		t.Errorf("again: got %v, want %v", again, second)
	}
}

// findSameNumber returns two operations whose members have the same number.
func findSameNumber(t *testing.T) (one, other string) {
	t.Helper()
	seen := map[int32]string{}
	for i := range 500_000 {
		operation := fmt.Sprint(i)
		n := member.NumberOf(member.ID(operation, 0))
		if before, found := seen[n]; found {
			return before, operation
		}
		seen[n] = operation
	}
	t.Fatal("got no two operations with one number, want some among half a million")
	return "", ""
}

// TestUpdateMember_Concurrently checks that no update is lost or mixed with another.
func TestUpdateMember_Concurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	m := employ(t, s, "ada@example.com")
	var updates sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		updates.Go(func() {
			_, errs[i] = s.UpdateMember(t.Context(), byTest, tenant, m.Number(), "", member.EndKeys,
				func(m member.Member, _ member.Roles) (member.Member, error) {
					m.Nickname += fmt.Sprint(i)
					return m, nil
				})
		})
	}
	updates.Wait()
	got, err := s.Member(t.Context(), tenant, m.Number())
	if err = errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	for i := range errs {
		if strings.Count(got.Nickname, fmt.Sprint(i)) != 1 || len(got.Nickname) != len(errs) {
			t.Fatalf("got nickname %s, want each of %d digits once", got.Nickname, len(errs))
		}
	}
}

// TestUpdateMember_SameAddressConcurrently gives one of two members the address. The other keeps its old address.
func TestUpdateMember_SameAddressConcurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	members := []member.Member{employ(t, s, "a@example.com"), employ(t, s, "b@example.com")}
	errs := make([]error, len(members))
	var updates sync.WaitGroup
	for i, m := range members {
		updates.Go(func() {
			_, errs[i] = changeAddress(t, s, m, "wanted@example.com")
		})
	}
	updates.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("got errors %v, want one", errs)
	}
	wantKind(t, "the other", errors.Join(errs...), failure.KindConflict)
	for i, m := range members {
		want := m.Email
		if errs[i] == nil {
			want = "wanted@example.com"
		}
		if got, err := s.Member(t.Context(), tenant, m.Number()); err != nil || got.Email != want {
			t.Errorf("got address %s, error %v, want %s", got.Email, err, want)
		}
	}
}

// TestUpdateMember_NoChange checks that a change without effect leaves the member's version and time as they were.
func TestUpdateMember_NoChange(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	m := employ(t, s, "ada@example.com")
	now.Advance(time.Hour)
	got, err := s.UpdateMember(t.Context(), byTest, tenant, m.Number(), "", member.EndKeys, nicknamed(""))
	if err != nil || !cmp.Equal(got, m) {
		t.Errorf("got %v, error %v, want %v", got, err, m)
	}
}

func TestDeleteMember(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	m := employ(t, s, "ada@example.com", "creation")
	refused := failure.Forbidden("request_not_allowed")
	_, err := s.DeleteMember(t.Context(), byTest, tenant, m.Number(), "refused", member.EndKeys,
		func(member.Member, member.Roles) error { return refused })
	wantKind(t, "a refused deletion", err, failure.KindForbidden)
	if _, err = s.DeleteMember(t.Context(), byTest, tenant, m.Number(), "deletion", member.EndKeys, allow); err != nil {
		t.Fatal(err)
	}
	_, err = s.Member(t.Context(), tenant, m.Number())
	wantKind(t, "a read", err, failure.KindNotFound)
	_, err = s.UpdateMember(t.Context(), byTest, tenant, m.Number(), "", member.EndKeys, nicknamed("x"))
	wantKind(t, "an update", err, failure.KindNotFound)
	_, err = s.DeleteMember(t.Context(), byTest, tenant, m.Number(), "another", member.EndKeys, allow)
	wantKind(t, "another deletion", err, failure.KindNotFound)
	if again := employ(t, s, "ada@example.com", "creation"); again.ID != m.ID {
		t.Errorf("the creation again: got %s, want the deleted %s", again.ID, m.ID)
	}
	if members, err := s.Members(t.Context(), tenant); len(members) != 0 || err != nil {
		t.Errorf("got members %v, error %v, want none", members, err)
	}
}

// TestMembers_LostCalls checks that each operation is done once, although calls are lost and the operation is repeated
// until it succeeds.
func TestMembers_LostCalls(t *testing.T) {
	t.Parallel()
	operations := []string{"TransactWriteItems", "BatchGetItem", "GetItem"}
	runEachLoss(t, operations, func(t *testing.T, s *store.Store, until untilDone) {
		t.Helper()
		var m member.Member
		until("create", func() (err error) {
			m, err = tryEmploy(t, s, tenant, "ada@example.com", "creation")
			return err
		})
		until("update", func() error { return errOf(changeAddress(t, s, m, "bob@example.com")) })
		if got, err := s.Members(t.Context(), tenant); len(got) != 1 || got[0].Version != 2 || err != nil {
			t.Errorf("got members %v, error %v, want one of version 2", got, err)
		}
		until("delete", func() error {
			return errOf(s.DeleteMember(t.Context(), byTest, tenant, m.Number(), "deletion", member.EndKeys, allow))
		})
		employ(t, s, "bob@example.com", "another")
		if count, err := countOf(t.Context(), s, tenant); count != 1 || err != nil {
			t.Errorf("got count %d, error %v, want 1", count, err)
		}
	})
}
