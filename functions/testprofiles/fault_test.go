package testprofiles_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

const route = "/v0.1/merchants/{merchant_code}/test-profiles"

// auditOperations returns the operations in the audit about a profile.
func (s shop) auditOperations(id string) []string {
	s.Helper()
	_, operations := s.AuditOf("test_profile " + id)
	return operations
}

// TestCreateTestProfile_Interrupted interrupts a creation, and repeats it. It checks that one profile is made, and that
// one of the responses shows a password that signs in.
func TestCreateTestProfile_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(5, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.profiles(), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try,
			Body: fields{"name": try}}
		first := send(r)
		if first.Status == 201 {
			s.readCreated(first)
		}
		there := s.list()
		s.Clock.Advance(time.Minute)
		got := s.readCreated(s.Do(r))
		switch {
		case got.Password != "":
		case first.Status == 201 && first.Header.Get("Idempotency-Replayed") == "": // the first reply has shown the password
			got.Password = first.Text("password")
		default:
			t.Errorf("%s: got no password, and none before: %d %s", try, first.Status, first.Body)
		}
		if all := s.list(); len(all) != 1 || len(there) == 1 && there[0].ID != got.ID ||
			!cmp.Equal(all[0], got.hidden()) {
			t.Errorf("%s: got %+v, then %+v and %+v, want one", try, there, got, all)
		}
		s.wantSignIn(try, got)
		s.Clock.Advance(time.Second)
		s.Want(try, 204, s.Send("DELETE", s.path(got.ID), nil))
		if diff := cmp.Diff([]string{"POST " + route, "DELETE " + route + "/{id}"}, s.auditOperations(got.ID)); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", try, diff)
		}
	})
}

// TestDeleteTestProfile_Interrupted checks an interrupted deletion. After it, the profile is either listed and its
// token accepted, or the profile is not listed and its token refused. The repetition completes the deletion.
func TestDeleteTestProfile_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(5, func(try string, send func(world.Request) world.Response) {
		p := s.create(try)
		by := s.as(s.createToken(p.ID))
		r := world.Request{Method: "DELETE", Path: s.path(p.ID), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try}
		s.Clock.Advance(time.Second)
		send(r)
		there, works := len(s.list()) == 1, by.Send("GET", "/v0.1/checkouts", nil).Status == 200
		if there != works {
			t.Errorf("%s: got a profile listed: %t, and its token taken: %t", try, there, works)
		}
		s.Clock.Advance(time.Minute)
		s.Want(try, 204, s.Do(r))
		s.Want(try, 204, s.Do(r))
		badToken.Check(t, by.Send("GET", "/v0.1/checkouts", nil))
		if got := s.list(); len(got) != 0 {
			t.Errorf("%s: got %+v, want none", try, got)
		}
		if got := s.auditOperations(p.ID); len(got) != 2 {
			t.Errorf("%s: got entries %v, want its creation and its deletion", try, got)
		}
		notFound.Check(t, s.Send("DELETE", s.path(p.ID), nil)) // a new request, not a repetition
	})
}

// TestCreateTestProfile_Repeated checks that a replayed reply has no password, and that a repetition does not make a
// deleted profile again.
func TestCreateTestProfile_Repeated(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := world.Request{Method: "POST", Path: s.profiles(), IdempotencyKey: "k", Body: fields{"name": "one"}}
	first, again := s.readCreated(s.Do(r)), s.Do(r)
	if diff := cmp.Diff(first.hidden(), world.Into[profile](s, 201, again)); diff != "" ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replayed %q (-want +got):\n%s", again.Header.Get("Idempotency-Replayed"), diff)
	}
	r.IdempotencyKey = "l"
	if other := s.readCreated(s.Do(r)); other.Password == first.Password || other.ID == first.ID {
		t.Error("another operation: got the same profile, want another")
	}
	s.Want("delete", 204, s.Send("DELETE", s.path(first.ID), nil))
	r.IdempotencyKey = "k"
	s.Want("again", 201, s.Do(r))
	if got := s.list(); len(got) != 1 {
		t.Errorf("got %+v, want the other alone", got)
	}
}

// TestCreateTestProfile_RepeatedAfterDelete checks that the repetition of an interrupted creation does not make a
// deleted profile again.
func TestCreateTestProfile_RepeatedAfterDelete(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(5, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.profiles(), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try}
		send(r)
		deleted := s.list()
		for _, p := range deleted {
			s.Want(try, 204, s.Send("DELETE", s.path(p.ID), nil))
		}
		s.Clock.Advance(time.Minute)
		got := s.readCreated(s.Do(r))
		now := s.list()
		if len(deleted) == 1 && (got.ID != deleted[0].ID || len(now) != 0) {
			t.Errorf("%s: deleted %+v, got %+v and %+v, want none", try, deleted, got, now)
		}
		for _, p := range now {
			s.Want(try, 204, s.Send("DELETE", s.path(p.ID), nil))
		}
	})
}

// TestAudit_EachChange checks that each change's entry has the actor, but not the password.
func TestAudit_EachChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.as(s.TokenOf(s.Owner()))
	p := owner.create("one")
	s.Clock.Advance(time.Second)
	s.Want("delete", 204, s.Send("DELETE", s.path(p.ID), nil))
	got, _ := s.AuditOf("test_profile " + p.ID)
	view := fmt.Sprintf(`{"created_at":%q,"name":"one"}`, p.CreatedAt.Format(time.RFC3339Nano))
	want := []string{
		"test member " + s.Owner().Email + ": POST " + route + " {} " + view,
		"test api_key : DELETE " + route + "/{id} " + view + " {}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// wantSignIn fails unless the profile signs in with its password.
func (s shop) wantSignIn(what string, p profile) {
	s.Helper()
	a := s.readAccount(p.Username, identity.Test)
	s.Clock.Advance(time.Hour) // passwords from one address are limited
	budget := store.Budget{Name: p.Username, Source: "192.0.2.1"}
	if err := s.App.Store.PasswordFrom(budget, p.secret()).Confirm(s.Context(), a.Passwords); err != nil {
		s.Errorf("%s: got error %v of its password, want none", what, err)
	}
}
