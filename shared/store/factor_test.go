package store_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// turnFactorOn is the change that turns a second factor on, with recovery codes of the id "codes".
func turnFactorOn(f signin.Factor) (signin.Factor, error) {
	return signin.Factor{Enrolment: "app", ConfirmedAt: start, Recovery: signin.Recovery{ID: "codes", MadeAt: start},
		Version: f.Version}, nil
}

// recovery uses one of the codes that turnFactorOn gives.
func recovery(user string, place int) func(signin.Factor) (signin.Factor, error) {
	secrets := signin.FactorKey("key").Of(user)
	code := signin.Code{Text: secret.New(secrets.Recovery("codes")[place]), At: start}
	return func(f signin.Factor) (signin.Factor, error) { return f.Use(secrets, code, "") }
}

func turnOn(t *testing.T, s *store.Store, user string) {
	t.Helper()
	if _, err := s.ChangeSecondFactor(t.Context(), userOf(user), turnFactorOn); err != nil {
		t.Fatal(err)
	}
}

// userOf returns the account of a user.
func userOf(id string) signin.Account { return signin.Account{Kind: identity.User, ID: id} }

// signedIn returns a session of the user.
func signedIn(hash, user string) signin.Session {
	return signin.Session{Hash: hash, Account: userOf(user), BeganAt: start,
		Expires: start.Add(time.Hour)}
}

// TestConfirmSignIn_SameCodeConcurrently checks that of two concurrent uses of a code one succeeds.
func TestConfirmSignIn_SameCodeConcurrently(t *testing.T) {
	t.Parallel()
	s := storedtest.Open(t, clock.New().Now, nil)
	turnOn(t, s, "ada")
	var group sync.WaitGroup
	both := make([]error, 2)
	for i := range both {
		group.Go(func() { both[i] = errOf(s.ChangeSecondFactor(t.Context(), userOf("ada"), recovery("ada", 3))) })
	}
	group.Wait()
	if (both[0] == nil) == (both[1] == nil) || !errors.Is(errors.Join(both...), signin.ErrWrongCode) {
		t.Errorf("got %v, want one success and %v", both, signin.ErrWrongCode)
	}
	f, err := s.SecondFactor(t.Context(), "ada")
	if diff := cmp.Diff([]int{3}, f.Recovery.Used); err != nil || diff != "" {
		t.Errorf("got error %v, used (-want +got):\n%s", err, diff)
	}
}

// TestConfirmSignIn_SameSessionConcurrently checks that two concurrent codes confirm a session once.
func TestConfirmSignIn_SameSessionConcurrently(t *testing.T) {
	t.Parallel()
	s := storedtest.Open(t, clock.New().Now, nil)
	turnOn(t, s, "ada")
	if err := s.PutSignIn(t.Context(), signedIn("pending", "ada")); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	both := make([]error, 2)
	for i, hash := range []string{"first", "second"} {
		group.Go(func() { both[i] = s.ConfirmSignIn(t.Context(), "pending", signedIn(hash, "ada"), recovery("ada", i)) })
	}
	group.Wait()
	if (both[0] == nil) == (both[1] == nil) || !errors.Is(errors.Join(both...), store.ErrSignedOut) {
		t.Errorf("got %v, want one success and %v", both, store.ErrSignedOut)
	}
	f, readErr := s.SecondFactor(t.Context(), "ada")
	_, first, firstErr := s.SignIn(t.Context(), "first")
	_, last, lastErr := s.SignIn(t.Context(), "second")
	if err := errors.Join(readErr, firstErr, lastErr); err != nil || f.Left() != signin.RecoveryCodes-1 || first == last {
		t.Errorf("got %d codes left, sessions %t and %t, error %v; want one used for one", f.Left(), first, last, err)
	}
}

// uncounted refuses the writes that count attempts.
type uncounted struct {
	aws.HTTPClient
	on bool
}

func (u *uncounted) Do(r *http.Request) (*http.Response, error) {
	if u.on && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") {
		return nil, faults.ErrNetwork
	}
	return u.HTTPClient.Do(r)
}

// TestSecondFactor_CodeLimit checks that no code is tried beyond the limit, nor while attempts cannot be counted.
func TestSecondFactor_CodeLimit(t *testing.T) {
	t.Parallel()
	wire, now := &uncounted{}, clock.New()
	s := storedtest.Open(t, now.Now, func(c aws.HTTPClient) aws.HTTPClient {
		wire.HTTPClient = c
		return wire
	})
	tried := 0
	try := func(f signin.Factor) (signin.Factor, error) {
		tried++
		return f, signin.ErrWrongCode
	}
	both := func() (change, confirm error) {
		_, change = s.ChangeSecondFactor(t.Context(), userOf("ada"), try)
		return change, s.ConfirmSignIn(t.Context(), "pending", signedIn("next", "ada"), try)
	}
	wire.on = true
	if change, confirm := both(); change == nil || confirm == nil || tried > 0 {
		t.Errorf("uncounted: got %v, %v and %d tries, want errors and none", change, confirm, tried)
	}
	wire.on = false
	for range 5 {
		if change, confirm := both(); !errors.Is(change, signin.ErrWrongCode) || !errors.Is(confirm, signin.ErrWrongCode) {
			t.Errorf("got %v, %v, want %v", change, confirm, signin.ErrWrongCode)
		}
	}
	if change, confirm := both(); !failure.Is(change, failure.KindTooMany) ||
		!failure.Is(confirm, failure.KindTooMany) || tried != 10 {
		t.Errorf("got %v, %v after %d tries, want too many after 10", change, confirm, tried)
	}
	now.Advance(6 * time.Minute)
	if change, confirm := both(); !errors.Is(change, signin.ErrWrongCode) || !failure.Is(confirm, failure.KindTooMany) {
		t.Errorf("six minutes later: got %v, %v, want one more try", change, confirm)
	}
	if _, err := s.ChangeSecondFactor(t.Context(), userOf("bob"), turnFactorOn); err != nil {
		t.Errorf("another account: got %v", err)
	}
}

// TestRemoveSecondFactor_Twice checks that the second removal finds no second factor.
func TestRemoveSecondFactor_Twice(t *testing.T) {
	t.Parallel()
	s := storedtest.Open(t, clock.New().Now, nil)
	m := member.Member{ID: "mem_1", UserID: "ada"}
	by := fixture{TB: t, Store: s, Filler: &storedtest.Filler{}}.actor()
	for i, want := range []bool{false, true, false} {
		if i == 1 {
			turnOn(t, s, "ada")
		}
		if err := s.RemoveSecondFactor(t.Context(), by, tenant, m); (err == nil) != want ||
			!want && !failure.Is(err, failure.KindNotFound) {
			t.Errorf("%d: got %v, want success %t", i, err, want)
		}
	}
}
