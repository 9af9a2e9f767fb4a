package store_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/store"
)

var holder = oauth.Holder{Client: "till app", Kind: identity.Operator, Subject: "mem_1", Tenant: tenant,
	Scopes: []string{"payments"}}

// putCode stores a code.
func putCode(t *testing.T, s *store.Store, hash string) {
	t.Helper()
	c := oauth.Code{Holder: holder, Hash: hash, CreatedAt: s.Now(), ExpiresAt: s.Now().Add(oauth.CodeLasts)}
	if err := s.PutCode(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// redeem exchanges a code for tokens with the hashes "refresh" and "token", each with the name.
func redeem(t *testing.T, s *store.Store, codeHash, name string) error {
	t.Helper()
	return s.Redeem(t.Context(), codeHash, "refresh"+name, func(c oauth.Code) (oauth.Grant, identity.AccessToken, error) {
		g := c.NewGrant("refresh"+name, s.Now())
		return g, g.Token("token"+name, g.Hash, c.Scopes, s.Now()), nil
	})
}

// readHeld says which of a grant and its token are stored: both, neither, or the name of one.
func readHeld(t *testing.T, s *store.Store, name string) string {
	t.Helper()
	_, grantErr := s.Grant(t.Context(), "refresh"+name)
	_, tokenErr := s.AccessToken(t.Context(), "token"+name)
	for _, err := range []error{grantErr, tokenErr} {
		if err != nil && !isInvalidGrant(err) && !failure.Is(err, failure.KindUnauthorized) {
			t.Fatal(err)
		}
	}
	switch {
	case grantErr == nil && tokenErr == nil:
		return "both"
	case grantErr != nil && tokenErr != nil:
		return "neither"
	case grantErr == nil:
		return "the grant"
	default:
		return "the token"
	}
}

func isInvalidGrant(err error) bool { return err != nil && failure.Of(err).Code == oauth.InvalidGrant }

// TestRedeem_Twice checks that a second use is refused, and revokes the tokens of the first.
func TestRedeem_Twice(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	putCode(t, s, "code")
	if err := redeem(t, s, "code", "1"); err != nil {
		t.Fatal(err)
	}
	if got := readHeld(t, s, "1"); got != "both" {
		t.Errorf("got %s, want grant and token", got)
	}
	if err := redeem(t, s, "code", "2"); !isInvalidGrant(err) {
		t.Errorf("again: got error %v, want invalid_grant", err)
	}
	if first, again := readHeld(t, s, "1"), readHeld(t, s, "2"); first != "the token" || again != "neither" {
		t.Errorf("afterwards: got %s of the first, %s of the second; want only a token that its grant refuses", first, again)
	}
	if err := redeem(t, s, "unknown", "3"); !isInvalidGrant(err) {
		t.Errorf("unknown: got error %v, want invalid_grant", err)
	}
}

// TestRedeem_Concurrently checks that one of many concurrent uses succeeds, and that the others revoke its tokens.
func TestRedeem_Concurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	putCode(t, s, "code")
	const many = 8
	errs := make([]error, many)
	var running sync.WaitGroup
	for i := range many {
		running.Go(func() { errs[i] = redeem(t, s, "code", strconv.Itoa(i)) })
	}
	running.Wait()
	succeeded := 0
	for i, err := range errs {
		if err == nil {
			succeeded++
		} else if !isInvalidGrant(err) {
			t.Errorf("got error %v, want invalid_grant", err)
		}
		if got := readHeld(t, s, strconv.Itoa(i)); got != "neither" && (err != nil || got != "the token") {
			t.Errorf("got %s, want no grant", got)
		}
	}
	if succeeded != 1 {
		t.Errorf("got %d redemptions, want 1", succeeded)
	}
}

// TestRedeem_Refused checks that the client can still use a code that another client was refused.
func TestRedeem_Refused(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	putCode(t, s, "code")
	no := oauth.Refused(oauth.InvalidGrant, "No.")
	err := s.Redeem(t.Context(), "code", "refresh", func(oauth.Code) (oauth.Grant, identity.AccessToken, error) {
		return oauth.Grant{}, identity.AccessToken{}, no
	})
	if !errors.Is(err, no) {
		t.Errorf("got error %v, want %v", err, no)
	}
	if err := redeem(t, s, "code", "1"); err != nil {
		t.Errorf("got error %v, want none", err)
	}
}

// TestRedeem_LostCalls checks that grant and token are both stored if the redemption succeeded, and that the code works
// once, for each lost call.
func TestRedeem_LostCalls(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]faults.Fault{"requests": faults.FailBefore, "replies": faults.LoseReply} {
		for _, operation := range []string{"GetItem", "TransactWriteItems"} {
			for _, lost := range []int{1, 3, 4, 100} {
				wire := &faults.Wire{Send: enginetest.Do}
				s := openTable(t, clock.New(), wire)
				putCode(t, s, "code")
				wire.Inject(faults.Times(lost, operation, fault))
				err := redeem(t, s, "code", "1")
				wire.Inject(nil)
				got, name := readHeld(t, s, "1"), strconv.Itoa(lost)+" "+kind+" of "+operation
				if got != "both" && got != "neither" || err == nil && got != "both" {
					t.Errorf("%s lost: got %s after error %v, want both if it succeeded, else both or neither", name, got, err)
				}
				again := redeem(t, s, "code", "2")
				if got == "neither" && again != nil || got == "both" && !isInvalidGrant(again) {
					t.Errorf("%s lost, with %s: got error %v of the next use", name, got, again)
				}
			}
		}
	}
}

// TestRefresh_ExtendsGrant checks that a grant lasts 180 days from its last use, though the table deletes late.
func TestRefresh_ExtendsGrant(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	g := holder.NewGrant("grant", s.Now())
	if err := s.PutGrant(t.Context(), g, g.Token("token", g.Hash, g.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	now.Advance(oauth.RefreshLasts - time.Second)
	read, err := s.Grant(t.Context(), "grant")
	if err != nil {
		t.Fatalf("in time: got error %v, want none", err)
	}
	if err := s.Refresh(t.Context(), read, g.Token("next", g.Hash, g.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	now.Advance(oauth.RefreshLasts - time.Second)
	want := g
	want.ExpiresAt = now.Now().Add(time.Second).Truncate(time.Second)
	if got, err := s.Grant(t.Context(), "grant"); err != nil || !cmp.Equal(want, got) {
		t.Errorf("after its use: error %v, (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	now.Advance(time.Second)
	if got, err := s.Grant(t.Context(), "grant"); !isInvalidGrant(err) {
		t.Errorf("unused for 180 days: got %+v, error %v, want invalid_grant", got, err)
	}
}

// TestRefresh_RevokedGrant checks that a revoked grant is refused, even to a request that read it before.
func TestRefresh_RevokedGrant(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	g := holder.NewGrant("grant", s.Now())
	if err := s.PutGrant(t.Context(), g, g.Token("token", g.Hash, g.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeGrant(t.Context(), "grant"); err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(t.Context(), g, g.Token("next", g.Hash, g.Scopes, s.Now())); !isInvalidGrant(err) {
		t.Errorf("got error %v, want invalid_grant", err)
	}
	if _, err := s.AccessToken(t.Context(), "next"); !failure.Is(err, failure.KindUnauthorized) {
		t.Errorf("got error %v, want no token", err)
	}
	if _, err := s.Grant(t.Context(), "grant"); !isInvalidGrant(err) {
		t.Errorf("got error %v, want no grant", err)
	}
}

// TestRefresh_Concurrently checks that a client may use its refresh token several times at once.
func TestRefresh_Concurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	g := holder.NewGrant("grant", s.Now())
	if err := s.PutGrant(t.Context(), g, g.Token("token", g.Hash, g.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	const many = 4
	errs := make([]error, many)
	var running sync.WaitGroup
	for i := range many {
		running.Go(func() {
			errs[i] = s.Refresh(t.Context(), g, g.Token("token"+strconv.Itoa(i), g.Hash, g.Scopes, s.Now()))
		})
	}
	running.Wait()
	for i, err := range errs {
		if _, readErr := s.AccessToken(t.Context(), "token"+strconv.Itoa(i)); err != nil || readErr != nil {
			t.Errorf("got errors %v, %v, want a token for each", err, readErr)
		}
	}
}
