package signin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

var there = identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}

func TestParseName(t *testing.T) {
	t.Parallel()
	profile := signin.Name{Profile: "tp_abc", Merchant: "MC0A1B2C3D"}
	for _, c := range []struct {
		username, merchant string
		want               signin.Name
	}{
		{" Ada@Example.com ", "", signin.Name{Address: "ada@example.com"}},
		{"ada@example.com", " mc0a1b2c3d ", signin.Name{Address: "ada@example.com", Merchant: "MC0A1B2C3D"}},
		{"tp_abc@MC0A1B2C3D", "", profile}, {" tp_abc@MC0A1B2C3D ", "MCOTHER000", profile},
		{"tp_abc@example.com", "", signin.Name{Address: "tp_abc@example.com"}}, // an ordinary address
		{"", "", signin.Name{}},
	} {
		if diff := cmp.Diff(c.want, signin.ParseName(c.username, c.merchant)); diff != "" {
			t.Errorf("%q, %q (-want +got):\n%s", c.username, c.merchant, diff)
		}
	}
}

// TestName_Subject checks that entering a merchant's code with the address gives no additional password tries.
func TestName_Subject(t *testing.T) {
	t.Parallel()
	for name, want := range map[signin.Name]string{
		{Address: "ada@example.com"}:                         "ada@example.com",
		{Address: "ada@example.com", Merchant: "MC0A1B2C3D"}: "ada@example.com",
		{Profile: "tp_abc", Merchant: "MC0A1B2C3D"}:          "tp_abc T#MC0A1B2C3D",
	} {
		if got := name.Subject(identity.Test); got != want {
			t.Errorf("%+v: got %s, want %s", name, got, want)
		}
	}
}

// TestAccount_SignsInAs checks that the name in an account's session finds the account.
func TestAccount_SignsInAs(t *testing.T) {
	t.Parallel()
	for a, want := range map[*signin.Account]signin.Name{
		{Kind: identity.User, ID: "u", Name: "Ada@example.com"}: {Address: "ada@example.com"},
		{Kind: identity.Operator, ID: "mem_a", Tenant: there, Name: "till@example.com"}: {Address: "till@example.com",
			Merchant: "MC0A1B2C3D"},
		{Kind: identity.TestProfile, ID: "tp_abc", Tenant: there, Name: "tp_abc@MC0A1B2C3D"}: {Profile: "tp_abc",
			Merchant: "MC0A1B2C3D"},
	} {
		if got := a.SignsInAs(); got != want {
			t.Errorf("%s: got %+v, want %+v", a.Kind, got, want)
		}
	}
}

// TestSession_Of checks that another account or password ends a session.
func TestSession_Of(t *testing.T) {
	t.Parallel()
	account := func(change func(*signin.Account)) signin.Account {
		a := signin.Account{Kind: identity.Operator, ID: "mem_a", Tenant: there, Name: "till@example.com",
			Passwords: member.Passwords{{Operation: "now"}, {Operation: "before"}}}
		change(&a)
		return a
	}
	as := account(func(*signin.Account) {})
	s := signin.Session{Account: as, Password: as.Passwords.Current()}
	for name, c := range map[string]struct {
		change func(*signin.Account)
		want   bool
	}{
		"itself":          {func(*signin.Account) {}, true},
		"another address": {func(a *signin.Account) { a.Name = "x@example.com" }, true},
		"nobody":          {func(a *signin.Account) { *a = signin.Account{} }, false},
		"a new password": {func(a *signin.Account) {
			a.Passwords = append(member.Passwords{{Operation: "later"}}, a.Passwords...)
		}, false},
		"an older one":     {func(a *signin.Account) { a.Passwords = a.Passwords[1:] }, false},
		"none":             {func(a *signin.Account) { a.Passwords = nil }, false},
		"another kind":     {func(a *signin.Account) { a.Kind = identity.User }, false},
		"another id":       {func(a *signin.Account) { a.ID = "mem_b" }, false},
		"the other mode":   {func(a *signin.Account) { a.Tenant.Mode = identity.Live }, false},
		"another merchant": {func(a *signin.Account) { a.Tenant.Merchant = "MCOTHER000" }, false},
	} {
		if got := s.Of(account(c.change)); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
	if without := (signin.Session{}); without.Of(signin.Account{}) || without.Of(account(func(a *signin.Account) {
		a.Passwords = nil
	})) {
		t.Error("no session: got it somebody's, want nobody's")
	}
}
