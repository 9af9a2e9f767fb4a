package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// getCounter counts the reads of single items.
type getCounter struct{ count atomic.Int64 }

func (g *getCounter) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetItem") {
		g.count.Add(1)
	}
	return enginetest.Do(r)
}

// TestSignInAccount checks the account of each name, merchant and mode. An unknown name takes as many reads as a known
// name.
func TestSignInAccount(t *testing.T) {
	t.Parallel()
	var read getCounter
	s := openTable(t, clock.New(), &read)
	joinAda(t, s)
	till := employ(t, s, "Till@example.com")
	if err := createProfile(t, byTest, s, "tp_1"); err != nil {
		t.Fatal(err)
	}
	gone := employ(t, s, "gone@example.com")
	_, err := s.UpdateMember(t.Context(), byTest, tenant, gone.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) { return m.Enabled(false, s.Now()), nil })
	if err != nil {
		t.Fatal(err)
	}
	ada, err := s.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	user := signin.Account{Kind: identity.User, ID: ada.ID, Name: "ada@example.com"}
	profile := signin.Account{Kind: identity.TestProfile, ID: "tp_1", Tenant: tenant, Name: "tp_1@" + tenant.Merchant}
	for _, c := range []struct {
		name  signin.Name
		mode  identity.Mode
		want  signin.Account
		reads int64
	}{
		{signin.Name{Address: "ada@example.com"}, identity.Live, user, 2},
		{signin.Name{Address: "ada@example.com"}, identity.Test, user, 2},
		{signin.Name{Address: "eve@example.com"}, identity.Test, signin.Account{}, 2},
		{signin.Name{Address: "till@example.com"}, identity.Test, signin.Account{}, 2},
		{signin.Name{Address: "till@example.com", Merchant: tenant.Merchant}, identity.Test,
			signin.Account{Kind: identity.Operator, ID: till.ID, Tenant: tenant, Name: "Till@example.com"}, 4},
		{signin.Name{Address: "till@example.com", Merchant: tenant.Merchant}, identity.Live, signin.Account{}, 4},
		{signin.Name{Address: "till@example.com", Merchant: "MC9Z8Y7X6W"}, identity.Test, signin.Account{}, 4},
		{signin.Name{Address: "till@example.com", Merchant: "nowhere"}, identity.Test, signin.Account{}, 0},
		{signin.Name{Address: "gone@example.com", Merchant: tenant.Merchant}, identity.Test, signin.Account{}, 4},
		{signin.Name{Address: "ada@example.com", Merchant: tenant.Merchant}, identity.Test, user, 4},
		{signin.Name{Profile: "tp_1", Merchant: tenant.Merchant}, identity.Test, profile, 1},
		{signin.Name{Profile: "tp_1", Merchant: tenant.Merchant}, identity.Live, signin.Account{}, 1},
		{signin.Name{Profile: "tp_1", Merchant: "MC9Z8Y7X6W"}, identity.Test, signin.Account{}, 1},
		{signin.Name{Profile: "tp_2", Merchant: tenant.Merchant}, identity.Test, signin.Account{}, 1},
		{signin.Name{}, identity.Test, signin.Account{}, 2},
	} {
		before := read.count.Load()
		got, err := s.SignInAccount(t.Context(), c.name, c.mode)
		diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(signin.Account{}, "Passwords"))
		if reads := read.count.Load() - before; err != nil || diff != "" || reads != c.reads {
			t.Errorf("%+v in mode %s: got %d reads, want %d; error %v (-want +got):\n%s", c.name, c.mode, reads, c.reads, err,
				diff)
		}
		if has := len(got.Passwords) > 0; has != (got.Kind == identity.User || got.Kind == identity.TestProfile) {
			t.Errorf("%+v: got passwords %t", c.name, has)
		}
	}
}

// TestSignIn_Expiry checks that a session lasts until its time, or until the session is ended. Ending it may be
// repeated.
func TestSignIn_Expiry(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	there := func() bool {
		t.Helper()
		_, found, err := s.SignIn(t.Context(), "hash")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	put := func() {
		t.Helper()
		session := signin.Session{Hash: "hash", Expires: s.Now().Add(signin.SessionLasts)}
		if err := s.PutSignIn(t.Context(), session); err != nil {
			t.Fatal(err)
		}
	}
	if there() {
		t.Error("before: got a session, want none")
	}
	put()
	now.Advance(time.Hour - time.Second)
	if !there() {
		t.Error("a second before its end: got none, want the session")
	}
	now.Advance(time.Second)
	if there() {
		t.Error("at its end: got a session, want none")
	}
	put()
	for range 2 {
		if err := s.EndSignIn(t.Context(), "hash"); err != nil || there() {
			t.Errorf("ended: got error %v, want no session", err)
		}
	}
}

// TestPasswordFrom_HashesOnlyWithTokens counts the hashes of 250 guesses. Each hash takes a token of the bucket of the
// name, and a token of the bucket of the address. All 1,000 guesses take two seconds.
func TestPasswordFrom_HashesOnlyWithTokens(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	hers, err := s.PasswordOf(tenant, "hers", secret.New("correct horse battery")).Set(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		name, source func(n int) string
		passwords    member.Passwords
		want         int
	}{
		"one account":               {fixed("ada"), numbered("address"), hers, 10},
		"a name that is nobody's":   {fixed("eve"), numbered("other address"), nil, 10},
		"all accounts, one address": {numbered("name"), fixed("one address"), hers, 30},
		"one of both":               {fixed("bob"), fixed("bob's address"), nil, 10},
	} {
		hashes := 0
		for n := range 250 {
			guess := s.PasswordFrom(store.Budget{Name: c.name(n), Source: c.source(n)}, secret.New("a guess"))
			err := guess.Confirm(t.Context(), c.passwords)
			if !errors.Is(err, store.ErrWrongPassword) && !failure.Is(err, failure.KindTooMany) {
				t.Fatalf("%s: got error %v, want a wrong password or TooMany", what, err)
			}
			if errors.Is(err, store.ErrWrongPassword) != (guess.Computed() == 1) || guess.Computed() > 1 {
				t.Fatalf("%s: got %d hashes and error %v, want one for a wrong password", what, guess.Computed(), err)
			}
			hashes += guess.Computed()
		}
		if hashes != c.want {
			t.Errorf("%s: got %d hashes, want %d", what, hashes, c.want)
		}
	}
}

func fixed(text string) func(int) string { return func(int) string { return text } }

func numbered(text string) func(int) string {
	return func(n int) string { return fmt.Sprint(text, " ", n) }
}

// TestPasswordFrom_TableUnavailable checks that limits of passwords, unlike others, hold while the table does not
// answer.
func TestPasswordFrom_TableUnavailable(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	ended, end := context.WithCancel(t.Context())
	end()
	guess := s.PasswordFrom(store.Budget{Name: "ada", Source: "address"}, secret.New("a guess"))
	if err := guess.Confirm(ended, nil); err == nil || errors.Is(err, store.ErrWrongPassword) || guess.Computed() != 0 {
		t.Errorf("got error %v and %d hashes, want an error before the first", err, guess.Computed())
	}
}
