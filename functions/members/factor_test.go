package members_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// TestMembers_SecondFactor checks that listing, reading and updating members show each user's current second
// factor.
func TestMembers_SecondFactor(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	with, without := s.employ("ada@example.com", nil), s.employ("bob@example.com", nil)
	s.invite("invited@example.com", "role_employee")
	type shown struct {
		User *struct {
			Email string `json:"email"`
			MFA   bool   `json:"mfa_on_login_enabled"`
		} `json:"user"`
	}
	have := func() (emails []string) {
		for _, m := range world.Into[struct {
			Items []shown `json:"items"`
		}](s, 200, s.Send("GET", s.members()+"?limit=25", nil)).Items {
			if m.User != nil && m.User.MFA {
				emails = append(emails, m.User.Email)
			}
		}
		slices.Sort(emails)
		return emails
	}
	turn := func(p person, change func(signin.Factor) signin.Factor) {
		_, err := s.App.Store.ChangeSecondFactor(t.Context(), signin.Account{Kind: identity.User, ID: p.User.ID},
			func(f signin.Factor) (signin.Factor, error) { return change(f), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	confirmed := func(f signin.Factor) signin.Factor {
		return signin.Factor{Enrolment: "app", ConfirmedAt: s.Clock.Now(), Version: f.Version}
	}
	turn(with, confirmed)
	if diff := cmp.Diff([]string{"ada@example.com"}, have()); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	for p, want := range map[string]bool{s.path(with): true, s.path(without): false} {
		read := world.Into[shown](s, 200, s.Send("GET", p, nil))
		updated := world.Into[shown](s, 200, s.Send("PUT", p, fields{"metadata": fields{"a": 1}}))
		if read.User.MFA != want || updated.User.MFA != want {
			t.Errorf("%s: got %t and %t, want %t", p, read.User.MFA, updated.User.MFA, want)
		}
	}
	turn(without, confirmed)
	turn(with, signin.Factor.Off)
	if diff := cmp.Diff([]string{"bob@example.com"}, have()); diff != "" {
		t.Errorf("the list afterwards (-want +got):\n%s", diff)
	}
}
