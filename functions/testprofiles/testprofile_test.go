package testprofiles_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

func TestCreateTestProfile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var want []profile
	for _, c := range []struct {
		body any
		name string
	}{
		{fields{"name": "Checkout team"}, "Checkout team"}, {fields{}, ""}, {nil, ""}, {fields{"name": nil}, ""},
		{fields{"name": strings.Repeat("ä", 64)}, strings.Repeat("ä", 64)},
	} {
		s.Clock.Advance(time.Second)
		got := s.readCreated(s.Send("POST", s.profiles(), c.body))
		if len(got.Password) != 24 || len(got.ID) != 29 {
			t.Errorf("%v: got id %s and a password of %d characters, want tp_ and 26, and 24", c.body, got.ID,
				len(got.Password))
		}
		one := profile{ID: got.ID, Name: c.name, Username: got.ID + "@" + s.Merchant.Code, Password: got.Password,
			CreatedAt: s.ShownNow()}
		if diff := cmp.Diff(one, got); diff != "" {
			t.Errorf("%v: (-want +got):\n%s", c.body, diff)
		}
		want = append(want, one.hidden())
	}
	if diff := cmp.Diff(want, s.list()); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	for _, body := range []any{fields{"name": strings.Repeat("ä", 65)}, fields{"name": "a\u0000"}, fields{"name": 1}} {
		world.Invalid("name").Check(t, s.Send("POST", s.profiles(), body))
	}
}

// TestCreateTestProfile_SignsIn checks that only the profile's password signs the profile in, and only in test mode.
func TestCreateTestProfile_SignsIn(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p, other := s.create("one"), s.create("two")
	a := s.readAccount(p.Username, identity.Test)
	if a.Kind != identity.TestProfile || a.ID != p.ID || a.Tenant != s.Tenant() || a.Name != p.Username {
		t.Errorf("got account %+v, want the profile's", a)
	}
	for password, want := range map[string]error{p.Password: nil, other.Password: store.ErrWrongPassword,
		"": store.ErrWrongPassword} {
		budget := store.Budget{Name: p.Username, Source: "192.0.2.1"}
		err := s.App.Store.PasswordFrom(budget, secret.New(password)).Confirm(s.Context(), a.Passwords)
		if !errors.Is(err, want) {
			t.Errorf("got error %v, want %v", err, want)
		}
	}
	if live := s.readAccount(p.Username, identity.Live); live.Kind != "" {
		t.Errorf("live mode: got account %+v, want none", live)
	}
}

// TestDeleteTestProfile checks that a deleted profile cannot sign in, and that its next request is refused, even by
// processes that have served the profile.
func TestDeleteTestProfile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p, kept := s.create("one"), s.create("two")
	r := world.Request{Method: "GET", Path: "/v0.1/checkouts", APIKey: s.createToken(p.ID)}
	processes := []*world.Process{s.Process(), s.Process()}
	for _, process := range processes {
		s.Want("before", 200, process.Do(r))
	}
	notFound.Check(t, s.Send("DELETE", s.path("tp_"+strings.Repeat("0", 26)), nil))
	s.Want("delete", 204, s.Send("DELETE", s.path(p.ID), nil))
	for _, process := range processes {
		badToken.Check(t, process.Do(r))
		process.Stop()
	}
	s.Want("the other", 200, s.as(s.createToken(kept.ID)).Send("GET", "/v0.1/checkouts", nil))
	if a := s.readAccount(p.Username, identity.Test); a.Kind != "" {
		t.Errorf("got account %+v, want none", a)
	}
	notFound.Check(t, s.Send("DELETE", s.path(p.ID), nil))
	if diff := cmp.Diff([]profile{kept.hidden()}, s.list()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestCreateTestProfile_TooMany creates several profiles concurrently when only one more is allowed. The test checks
// that one is created. Deleting a profile makes room for another.
func TestCreateTestProfile_TooMany(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for i := range member.MaxTestProfiles - 1 {
		s.create(fmt.Sprint(i))
	}
	got := map[int]int{}
	answers := make(chan world.Response)
	for range 4 {
		go func() { answers <- s.Send("POST", s.profiles(), fields{"name": "last"}) }()
	}
	for range 4 {
		answer := <-answers
		if got[answer.Status]++; answer.Status == http.StatusCreated {
			s.readCreated(answer)
		} else {
			tooMany.Check(t, answer)
		}
	}
	all := s.list()
	if got[201] != 1 || got[409] != 3 || len(all) != member.MaxTestProfiles {
		t.Errorf("got answers %v and %d profiles, want one 201, three 409 and %d", got, len(all), member.MaxTestProfiles)
	}
	tooMany.Check(t, s.Send("POST", s.profiles(), nil))
	shop{s.NewShop("DE", "EUR", nil)}.create("of another merchant")
	s.Want("delete", 204, s.Send("DELETE", s.path(all[0].ID), nil))
	s.create("again")
	tooMany.Check(t, s.Send("POST", s.profiles(), nil))
}

func TestCreateTestProfile_LiveMode(t *testing.T) {
	t.Parallel()
	live := shop{newShop(t).NewShop("DE", "EUR", map[string]any{"sandbox": false})}
	s := shop{live.WithTestKey()}
	p := s.create("one")
	notAllowed.Check(t, live.Send("POST", live.profiles(), fields{"name": "x"}))
	notFound.Check(t, live.Send("DELETE", live.path(p.ID), nil))
	if got := live.list(); len(got) != 0 {
		t.Errorf("got %+v, want none", got)
	}
	if diff := cmp.Diff([]profile{p.hidden()}, s.list()); diff != "" {
		t.Errorf("test mode (-want +got):\n%s", diff)
	}
}

func TestTestProfiles_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	all, reads, none := []int{200, 201, 204}, []int{200, 403, 403}, []int{403, 403, 403}
	sees := member.Permissions{RefundTransactions: true, FullTransactionHistoryView: true, CreateMOTOPayments: true,
		CreateReferral: true}
	admin := sees
	admin.Admin = true
	most := []string{"user.subaccounts", "payments", "transactions.history", "user.profile", "user.payout-settings",
		"readers.read", "readers.write", "payment_instruments"}
	operator := func(email string, p member.Permissions, scopes ...string) string {
		return s.TokenOf(s.Employ(email, p), scopes...)
	}
	for name, c := range map[string]struct {
		credential string
		want       []int
	}{
		"a key":                      {s.Merchant.Key.Plaintext, all},
		"a key of what is needed":    {s.NewKey("secret", most...), all},
		"a key without refunds":      {s.NewKey("secret", append([]string{"checkouts.read"}, most[2:]...)...), none},
		"a key that only makes them": {s.NewKey("secret", "user.subaccounts"), reads},
		"a key of all else":          {s.NewKey("secret", "members.write", "members.read", "payments"), none},
		"a public key":               {s.NewKey("public"), none},
		"a client":                   {s.Token(), all},
		"a test profile":             {s.createToken(s.TestProfile("").ID), none},
		"the owner":                  {s.TokenOf(s.Owner()), all},
		"the owner, by less":         {s.TokenOf(s.Owner(), "user.subaccounts", "transactions.history"), reads},
		"the owner, by nothing":      {s.TokenOf(s.Owner(), "payments"), none},
		"an administrator":           {operator("admin@example.com", admin), all},
		"one who may not refund":     {operator("a@example.com", member.Permissions{Admin: true}), reads},
		"an employee":                {operator("e@example.com", sees), none},
	} {
		p := s.create("existing")
		for i, r := range []world.Request{{Method: "GET", Path: s.profiles()}, {Method: "POST", Path: s.profiles()},
			{Method: "DELETE", Path: s.path(p.ID)}} {
			got := s.as(c.credential).Send(r.Method, r.Path, nil)
			if got.Status != c.want[i] {
				t.Errorf("%s, %s %s: got %d %s, want %d", name, r.Method, r.Path, got.Status, got.Body, c.want[i])
			} else if got.Status == 403 {
				notAllowed.Check(t, got)
			} else if got.Status == 201 {
				s.Want("clean up", 204, s.Send("DELETE", s.path(s.readCreated(got).ID), nil))
			}
		}
		s.Send("DELETE", s.path(p.ID), nil)
	}
	other := shop{s.NewShop("DE", "EUR", nil)}
	p := s.create("one")
	for _, got := range []world.Response{other.Send("GET", s.profiles(), nil), other.Send("POST", s.profiles(), nil),
		other.Send("DELETE", s.path(p.ID), nil), other.Send("DELETE", other.path(p.ID), nil)} {
		notFound.Check(t, got)
	}
}
