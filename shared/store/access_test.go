package store_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

func putSession(t *testing.T, s *store.Store, hash string, a signin.Account) {
	t.Helper()
	err := s.PutSignIn(t.Context(), signin.Session{Hash: hash, Account: a, BeganAt: s.Now(),
		Expires: s.Now().Add(signin.SessionLasts)})
	if err != nil {
		t.Fatal(err)
	}
}

// listSessions returns the hashes of the account's sessions, in their order.
func listSessions(t *testing.T, s *store.Store, a signin.Account) (hashes []string) {
	t.Helper()
	all, err := s.SignIns(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range all {
		hashes = append(hashes, session.Hash)
	}
	return hashes
}

// TestSignIns checks that an account's list has its open sessions, the newest first. Accounts that differ only in
// kind or merchant have separate lists.
func TestSignIns(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	user := signin.Account{Kind: identity.User, ID: "mem_1"}
	managed := signin.Account{Kind: identity.Operator, ID: "mem_1", Tenant: tenant}
	elsewhere := signin.Account{Kind: identity.Operator, ID: "mem_1",
		Tenant: identity.Tenant{Mode: identity.Live, Merchant: tenant.Merchant}}
	for i, a := range []signin.Account{user, managed, user, elsewhere, user} {
		putSession(t, s, "session"+strconv.Itoa(i), a)
		now.Advance(time.Minute)
	}
	if err := s.EndSignIn(t.Context(), "session2"); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"user": {"session4", "session0"}, "managed": {"session1"}, "elsewhere": {"session3"}}
	got := map[string][]string{"user": listSessions(t, s, user), "managed": listSessions(t, s, managed),
		"elsewhere": listSessions(t, s, elsewhere)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	now.Advance(signin.SessionLasts - 5*time.Minute)
	if diff := cmp.Diff([]string{"session4"}, listSessions(t, s, user)); diff != "" {
		t.Errorf("when the first has expired (-want +got):\n%s", diff)
	}
	for i := range 60 {
		putSession(t, s, "more"+strconv.Itoa(i), user)
	}
	if got := len(listSessions(t, s, user)); got != 50 {
		t.Errorf("of more than 60 sessions: got %d, want 50", got)
	}
}

// TestEndSignIns_All checks that sessions that the list leaves out end, too.
func TestEndSignIns_All(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	ada, bob := signin.Account{Kind: identity.User, ID: "ada"}, signin.Account{Kind: identity.User, ID: "bob"}
	for i := range 60 {
		putSession(t, s, "session"+strconv.Itoa(i), ada)
	}
	putSession(t, s, "bob's", bob)
	for range 2 {
		err := s.EndSignIns(t.Context(), ada, func(hash string) bool { return hash != "session7" })
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		_, open, err := s.SignIn(t.Context(), "session"+strconv.Itoa(i))
		if err != nil || open != (i == 7) {
			t.Errorf("session%d: got open %t, %v; want %t", i, open, err, i == 7)
		}
	}
	if diff := cmp.Diff([]string{"bob's"}, listSessions(t, s, bob)); diff != "" {
		t.Errorf("another account (-want +got):\n%s", diff)
	}
}

// TestEndSignIns_ConfirmedMeanwhile confirms a pending session after EndSignIns has found it, and before it is deleted.
// The test checks that the session that replaces it ends, too.
func TestEndSignIns_ConfirmedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	turnOn(t, s, "ada")
	full := signedIn("full", "ada")
	if err := s.PutSignIn(t.Context(), signedIn("pending", "ada")); err != nil {
		t.Fatal(err)
	}
	confirmed := false
	err := s.EndSignIns(t.Context(), full.Account, func(string) bool {
		if !confirmed {
			confirmed = true
			if err := s.ConfirmSignIn(t.Context(), "pending", full, recovery("ada", 3)); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	if err != nil || !confirmed {
		t.Fatalf("got error %v, and confirmed %t; want a confirmation meanwhile", err, confirmed)
	}
	for _, hash := range []string{"pending", "full"} {
		if _, open, err := s.SignIn(t.Context(), hash); err != nil || open {
			t.Errorf("%s: got it open, %v; want it ended", hash, err)
		}
	}
}

func holderOf(a signin.Account, client string) oauth.Holder {
	h := oauth.Holder{Client: client, Kind: a.Kind, Subject: a.ID, Tenant: tenant, Scopes: []string{"payments"}}
	if a.Kind == identity.User {
		h.User, h.Subject = a.ID, "mem_1"
	}
	return h
}

// listGrants returns the hashes of the account's grants by client; "" stands for a code.
func listGrants(t *testing.T, s *store.Store, a signin.Account) map[string][]string {
	t.Helper()
	all, err := s.AllowedGrants(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string][]string{}
	for _, g := range all {
		hashes[g.Client] = append(hashes[g.Client], g.Hash)
	}
	return hashes
}

// TestRevokeGrants checks that all grants and codes of the account for the client are gone, and no others.
func TestRevokeGrants(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	ada, bob := signin.Account{Kind: identity.User, ID: "ada"}, signin.Account{Kind: identity.User, ID: "bob"}
	put := func(a signin.Account, client, hash string) {
		t.Helper()
		now.Advance(time.Second)
		g := holderOf(a, client).NewGrant(hash, s.Now())
		if err := s.PutGrant(t.Context(), g, g.Token("token of "+hash, hash, g.Scopes, s.Now())); err != nil {
			t.Fatal(err)
		}
	}
	for _, client := range []string{"app", "app2"} {
		register(t, s, client)
	}
	put(ada, "app", "first")
	put(ada, "app", "second")
	put(ada, "app2", "third")
	put(bob, "app", "bob's")
	code := oauth.Code{Holder: holderOf(ada, "app"), Hash: "code", CreatedAt: s.Now(),
		ExpiresAt: s.Now().Add(oauth.CodeLasts)}
	if err := s.PutCode(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"app": {"first", "second", ""}, "app2": {"third"}}
	if diff := cmp.Diff(want, listGrants(t, s, ada)); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := s.RevokeGrants(t.Context(), ada, "app"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string][]string{"app2": {"third"}}, listGrants(t, s, ada)); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"app": {"bob's"}}, listGrants(t, s, bob)); diff != "" {
		t.Errorf("another account (-want +got):\n%s", diff)
	}
	err := s.Redeem(t.Context(), "code", "late", func(c oauth.Code) (oauth.Grant, identity.AccessToken, error) {
		return c.NewGrant("late", s.Now()), identity.AccessToken{}, nil
	})
	if !isInvalidGrant(err) {
		t.Errorf("the code: got error %v, want invalid_grant", err)
	}
}

// TestRevokeGrants_CodeRedeemedMeanwhile checks that either the code is refused or its grant is revoked.
func TestRevokeGrants_CodeRedeemedMeanwhile(t *testing.T) {
	t.Parallel()
	ada := signin.Account{Kind: identity.User, ID: "ada"}
	s := openTable(t, clock.New(), nil)
	register(t, s, "app")
	for i := range 30 {
		n := strconv.Itoa(i)
		code := oauth.Code{Holder: holderOf(ada, "app"), Hash: "code" + n, CreatedAt: s.Now(),
			ExpiresAt: s.Now().Add(oauth.CodeLasts)}
		if err := s.PutCode(t.Context(), code); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		var revoked, redeemed error
		group.Go(func() { revoked = s.RevokeGrants(t.Context(), ada, "app") })
		group.Go(func() {
			redeemed = s.Redeem(t.Context(), code.Hash, "grant"+n,
				func(c oauth.Code) (oauth.Grant, identity.AccessToken, error) {
					g := c.NewGrant("grant"+n, s.Now())
					return g, g.Token("token"+n, g.Hash, g.Scopes, s.Now()), nil
				})
		})
		group.Wait()
		if revoked != nil {
			t.Fatal(revoked)
		}
		if _, err := s.Grant(t.Context(), "grant"+n); !isInvalidGrant(err) {
			t.Errorf("try %d: got the grant, %v; want it refused", i, err)
		}
		_, table := s.Raw()
		kept, err := table.Scan().Filter("pk = ?", "CODE#"+code.Hash).Count(t.Context())
		if err != nil || kept != 1 && redeemed == nil {
			t.Errorf("try %d: got %d codes, %v; want the used code kept, so that a second use is noticed", i, kept, err)
		}
	}
}

// TestRefresh_Lists checks that a grant from before the list appears when it is used, and stays as long as the grant.
func TestRefresh_Lists(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	register(t, s, "app")
	ada := signin.Account{Kind: identity.User, ID: "ada"}
	g := holderOf(ada, "app").NewGrant("grant", s.Now())
	if err := s.PutGrant(t.Context(), g, g.Token("token", g.Hash, g.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	_, table := s.Raw()
	var leads []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	err := table.Scan().Filter("begins_with(pk, ?)", "ACCESS#").All(t.Context(), &leads)
	if err != nil || len(leads) != 1 {
		t.Fatalf("got leads %v, %v; want one", leads, err)
	}
	if err := table.Delete("pk", leads[0].PK).Range("sk", leads[0].SK).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	now.Advance(100 * 24 * time.Hour)
	if err := s.Refresh(t.Context(), g, g.Token("next", g.Hash, g.Scopes, s.Now())); err != nil {
		t.Fatal(err)
	}
	now.Advance(100 * 24 * time.Hour)
	if diff := cmp.Diff(map[string][]string{"app": {"grant"}}, listGrants(t, s, ada)); diff != "" {
		t.Errorf("200 days later (-want +got):\n%s", diff)
	}
	now.Advance(80 * 24 * time.Hour)
	if got := listGrants(t, s, ada); len(got) != 0 {
		t.Errorf("after 180 days without use: got %v, want none", got)
	}
	if err := s.RevokeGrant(t.Context(), "grant"); err != nil {
		t.Fatal(err)
	}
	if n, err := table.Scan().Filter("begins_with(pk, ?)", "ACCESS#").Count(t.Context()); err != nil || n != 0 {
		t.Errorf("revoked: got %d leads, %v; want none", n, err)
	}
}

// TestSignIns_EndedOnes checks that ended and expired sessions, which the table may keep for days, hide no session that
// is open.
func TestSignIns_EndedOnes(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put := func(hash string, began, expires time.Duration) {
		t.Helper()
		err := s.PutSignIn(t.Context(), signin.Session{Hash: hash, Account: userOf("user"), BeganAt: s.Now().Add(began),
			Expires: s.Now().Add(expires)})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("open", -time.Minute, time.Hour)
	for n := range 60 {
		put(fmt.Sprint("expired-", n), -time.Second, 0)
		ended := fmt.Sprint("ended-", n)
		put(ended, -time.Second, time.Hour)
		if err := s.EndSignIn(t.Context(), ended); err != nil {
			t.Fatal(err)
		}
	}
	open, err := s.SignIns(t.Context(), userOf("user"))
	if err != nil || len(open) != 1 || open[0].Hash != "open" {
		t.Errorf("got %+v, %v; want the open session", open, err)
	}
}
