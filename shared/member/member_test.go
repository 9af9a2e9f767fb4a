package member_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/optional"
)

var tenant = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}

func TestID_PerOperation(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^mem_[a-z2-7]{26}$`)
	ids, numbers := map[string]bool{}, map[int32]int{}
	const operations, tries = 500, 2
	for i := range operations {
		for try := range tries {
			id := member.ID(fmt.Sprintf("operation %d", i), try)
			n := member.NumberOf(id)
			if !form.MatchString(id) || n < 1 || id != member.ID(fmt.Sprintf("operation %d", i), try) {
				t.Fatalf("got id %q with number %d, want %s, and the same again", id, n, form)
			}
			ids[id] = true
			numbers[n]++
		}
	}
	if len(ids) != operations*tries || len(numbers) < operations*tries-1 {
		t.Errorf("got %d ids with %d numbers, want %d of each", len(ids), len(numbers), operations*tries)
	}
	live := identity.Tenant{Mode: identity.Live, Merchant: tenant.Merchant}
	if member.OwnerID(tenant) == member.OwnerID(live) || !form.MatchString(member.OwnerID(live)) {
		t.Errorf("got owners %s and %s, want one of each mode", member.OwnerID(tenant), member.OwnerID(live))
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"ada@example.com", "ada@example.com", true},
		{"Ada.Lovelace@Example.COM", "ada.lovelace@example.com", true},
		{"zo\u00eb@example.com", "Zoe\u0308@example.com", true},
		{"ada@example.com", "ada+till@example.com", false}, // a mail host may treat these as two addresses
		{"ada.l@example.com", "adal@example.com", false},
		{"ada@example.com", "ada@example.org", false},
		{"stra\u00dfe@example.com", "strasse@example.com", false},
		{"ZO\u00cb@example.com", "zo\u00eb@example.com", true},
		{"ada@ma\u0130l.example", "ada@mail.example", false}, // another domain: xn--mail-tdd.example
	} {
		if got := member.Address(c.one) == member.Address(c.other); got != c.same {
			t.Errorf("%s and %s: got the same %t, want %t", c.one, c.other, got, c.same)
		}
	}
}

// TestMember_Operator checks which accounts the operations on operators may change.
func TestMember_Operator(t *testing.T) {
	t.Parallel()
	employee := member.NewEmployee("mem_1", member.Registration{Email: "till@example.com"}, nil, clock.Start)
	admin, owner := employee, employee
	admin.Roles, owner.Roles = []string{member.RoleAdmin}, []string{member.RoleEmployee, member.RoleOwner}
	for name, c := range map[string]struct {
		m    member.Member
		want bool
	}{
		"employee": {employee, true}, "managed administrator": {admin, true}, "managed owner": {owner, false},
		"owner": {member.NewOwner(tenant, "owner@example.com", member.User{}, clock.Start), false},
	} {
		if got := c.m.Operator(); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}

func TestMember_Granted(t *testing.T) {
	t.Parallel()
	own := member.Permissions{RefundTransactions: true}
	all := member.Permissions{Admin: true, CreateMOTOPayments: true, FullTransactionHistoryView: true,
		RefundTransactions: true, CreateReferral: true}
	for name, c := range map[string]struct {
		m    member.Member
		want member.Permissions
	}{
		"an operator has its own": {member.Member{Type: member.TypeManaged, Roles: []string{member.RoleEmployee},
			Own: own}, own},
		"and those of its roles": {member.Member{Type: member.TypeManaged, Roles: []string{member.RoleAccountant},
			Own: own}, member.Permissions{RefundTransactions: true, FullTransactionHistoryView: true}},
		"owner":    {member.Member{Type: member.TypeUser, Roles: []string{member.RoleOwner}}, all},
		"admin":    {member.Member{Type: member.TypeUser, Roles: []string{member.RoleAdmin}}, all},
		"employee": {member.Member{Type: member.TypeUser, Roles: []string{member.RoleEmployee}}, member.Permissions{}},
		"accountant": {member.Member{Roles: []string{member.RoleAccountant}},
			member.Permissions{FullTransactionHistoryView: true}},
		"two roles": {member.Member{Roles: []string{member.RoleEmployee, member.RoleAccountant}},
			member.Permissions{FullTransactionHistoryView: true}},
		"unknown role": {member.Member{Roles: []string{"role_none"}, Own: own}, member.Permissions{}},
	} {
		if diff := cmp.Diff(c.want, c.m.Granted(member.Roles{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPermissionsChange_Apply checks that each permission can be set, cleared or left alone independently.
func TestPermissionsChange_Apply(t *testing.T) {
	t.Parallel()
	fields := map[string]struct {
		change func(*member.PermissionsChange) *optional.Of[bool]
		of     func(*member.Permissions) *bool
	}{
		"admin": {func(c *member.PermissionsChange) *optional.Of[bool] { return &c.Admin },
			func(p *member.Permissions) *bool { return &p.Admin }},
		"create_moto_payments": {func(c *member.PermissionsChange) *optional.Of[bool] { return &c.CreateMOTOPayments },
			func(p *member.Permissions) *bool { return &p.CreateMOTOPayments }},
		"full_transaction_history_view": {
			func(c *member.PermissionsChange) *optional.Of[bool] { return &c.FullTransactionHistoryView },
			func(p *member.Permissions) *bool { return &p.FullTransactionHistoryView }},
		"refund_transactions": {func(c *member.PermissionsChange) *optional.Of[bool] { return &c.RefundTransactions },
			func(p *member.Permissions) *bool { return &p.RefundTransactions }},
		"create_referral": {func(c *member.PermissionsChange) *optional.Of[bool] { return &c.CreateReferral },
			func(p *member.Permissions) *bool { return &p.CreateReferral }},
	}
	all := member.Permissions{Admin: true, CreateMOTOPayments: true, FullTransactionHistoryView: true,
		RefundTransactions: true, CreateReferral: true}
	for name, f := range fields {
		for _, before := range []member.Permissions{{}, all} {
			for _, to := range []optional.Of[bool]{{}, optional.Null[bool](), optional.Some(true), optional.Some(false)} {
				var change member.PermissionsChange
				*f.change(&change) = to
				want := before
				*f.of(&want) = to.Or(*f.of(&before))
				if diff := cmp.Diff(want, change.Apply(before)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
	}
	if got := (*member.PermissionsChange)(nil).Apply(all); got != all {
		t.Errorf("no change: got %+v, want %+v", got, all)
	}
}

// TestMember_Enabled checks that a member who is disabled twice keeps the time of the first disabling.
func TestMember_Enabled(t *testing.T) {
	t.Parallel()
	later := clock.Start.Add(time.Hour)
	m := member.Member{}.Enabled(false, clock.Start).Enabled(false, later)
	if !m.Disabled() || !m.DisabledAt.Equal(clock.Start) {
		t.Errorf("got disabled at %s, want %s", m.DisabledAt, clock.Start)
	}
	if m = m.Enabled(true, later); m.Disabled() {
		t.Errorf("enabled: got disabled at %s, want never", m.DisabledAt)
	}
}
