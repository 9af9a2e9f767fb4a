package apikeys_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// attemptsInOrder calls do like Attempts, and advances the clock by a second before each attempt, so that audit entries
// and keys sort in order.
func (s shop) attemptsInOrder(do func(try string, send func(world.Request) world.Response)) {
	s.Helper()
	s.Attempts(5, func(try string, send func(world.Request) world.Response) {
		s.Clock.Advance(time.Second)
		do(try, send)
	})
}

// readWritten returns the audit entries about the subject, and the number of mails.
func (s shop) readWritten(subject string) (entries []string, mails int) {
	s.Helper()
	_, entries = s.AuditOf(subject)
	return entries, s.CountItems("begins_with(pk, ?)", "MAIL#")
}

const route = "/v0.1/merchants/{merchant_code}/api-keys"

// TestCreateApiKey_Interrupted checks that an interrupted creation, once repeated, makes one key and one mail, and that
// a response shows the plaintext.
func TestCreateApiKey_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.attemptsInOrder(func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.keys(), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try,
			Body: body(try, "checkouts.read")}
		_, before := s.readWritten("")
		first := send(r)
		if first.Status == 201 {
			s.readCreated(first)
		}
		there := s.list("?limit=25")
		s.Clock.Advance(time.Minute)
		got := s.readCreated(s.Do(r))
		switch {
		case first.Status == 201 && first.Header.Get("Idempotency-Replayed") == "" && got.Plaintext == "": // already shown
			got.Plaintext = first.Text("plaintext")
		case got.Plaintext == "":
			t.Errorf("%s: got no plaintext, and none before: %d %s", try, first.Status, first.Body)
		}
		after := s.list("?limit=25")
		if after.Total != 2 || there.Total == 2 && !cmp.Equal(there.Items[1].hidden(), got.hidden()) {
			t.Errorf("%s: got %+v, then %+v and %+v, want one", try, there, got, after)
		}
		entries, mails := s.readWritten("api_key " + got.ID)
		if diff := cmp.Diff([]string{"POST " + route}, entries); diff != "" || mails != before+1 {
			t.Errorf("%s: got %d mails more, want one; entries (-want +got):\n%s", try, mails-before, diff)
		}
		till := s.as(got.Plaintext)
		till.Want(try, 200, till.Send("GET", "/v0.1/checkouts", nil))
		s.Want(try, 204, s.Send("DELETE", s.path(got.ID), nil))
	})
}

// TestUpdateApiKey_Interrupted checks that an interrupted change is made wholly or not at all, and that the change is
// made exactly once when the request is repeated.
func TestUpdateApiKey_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.attemptsInOrder(func(try string, send func(world.Request) world.Response) {
		k := s.create("till", "payments").hidden()
		want := k
		want.Name, want.Scopes = "Kasse", []string{"checkouts.read"}
		r := world.Request{Method: "PUT", Path: s.path(k.ID), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try,
			Body: body("Kasse", "checkouts.read")}
		s.Clock.Advance(time.Second)
		send(r)
		now := s.read(k.ID)
		now.UpdatedAt = k.UpdatedAt
		if !cmp.Equal(now, k) && !cmp.Equal(now, want) {
			t.Errorf("%s: got %+v, want it as before or after", try, now)
		}
		s.Clock.Advance(time.Minute)
		s.Want(try, 204, s.Do(r))
		now = s.read(k.ID)
		now.UpdatedAt = k.UpdatedAt
		if diff := cmp.Diff(want, now); diff != "" {
			t.Errorf("%s, repeated (-want +got):\n%s", try, diff)
		}
		s.Clock.Advance(time.Second)
		r = world.Request{Method: "DELETE", Path: s.path(k.ID), IdempotencyKey: "end " + try}
		s.Want(try, 204, s.Do(r))
		s.Want(try, 204, s.Do(r))
		entries, _ := s.readWritten("api_key " + k.ID)
		if diff := cmp.Diff([]string{"POST " + route, "PUT " + route + "/{key_id}", "DELETE " + route + "/{key_id}"},
			entries); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", try, diff)
		}
	})
}

// TestDeleteApiKey_Interrupted checks that after an interrupted deletion either the key is listed and works, or it is
// not listed and does not work. The repetition completes the deletion.
func TestDeleteApiKey_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.attemptsInOrder(func(try string, send func(world.Request) world.Response) {
		k := s.create("till", "checkouts.read")
		till := s.as(k.Plaintext)
		till.Want(try, 200, till.Send("GET", "/v0.1/checkouts", nil))
		s.Clock.Advance(time.Second)
		r := world.Request{Method: "DELETE", Path: s.path(k.ID), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try}
		send(r)
		there, works := s.Send("GET", s.path(k.ID), nil), till.Send("GET", "/v0.1/checkouts", nil)
		if (there.Status == 200) != (works.Status == 200) {
			t.Errorf("%s: got %d %s of a key that is answered %d", try, there.Status, there.Body, works.Status)
		}
		s.Clock.Advance(time.Minute)
		s.Want(try, 204, s.Do(r))
		badToken.Check(t, till.Send("GET", "/v0.1/checkouts", nil))
		entries, _ := s.readWritten("api_key " + k.ID)
		if len(entries) != 2 || entries[1] != "DELETE "+route+"/{key_id}" {
			t.Errorf("%s: got entries %v, want its creation and its deletion", try, entries)
		}
		notFound.Check(t, s.Send("DELETE", s.path(k.ID), nil)) // a new request, not a repetition
	})
}

// TestCreateApiKey_RepeatedAfterChanges checks that the repetition of an interrupted creation returns the key with its
// later changes, and does not make a deleted key again.
func TestCreateApiKey_RepeatedAfterChanges(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	maker := s.as(s.create("maker", "api_keys:write", "payments").Plaintext)
	cut := func(key string) (world.Request, string) {
		r := world.Request{Method: "POST", Path: s.keys(), APIKey: maker.Merchant.Key.Plaintext, IdempotencyKey: key,
			Body: body(key, "payments")}
		for step := 1; step < 20; step++ {
			p := s.Process()
			p.Steps.Plan(step, faults.DieAfter)
			p.Do(r)
			p.Stop()
			for _, k := range s.list("?limit=25").Items {
				if k.Name == key {
					s.Clock.Advance(time.Minute)
					return r, k.ID
				}
			}
			s.Clock.Advance(time.Minute)
		}
		t.Fatal("got no key by a process that dies then, want one")
		return r, ""
	}
	r, id := cut("renamed")
	s.Want("rename", 204, s.Send("PUT", s.path(id), body("another", "payments")))
	if got := s.readCreated(s.Do(r)); got.ID != id || got.Name != "another" || got.Plaintext == "" {
		t.Errorf("got %+v, want the key by its new name, with its plaintext", got)
	}
	r, id = cut("widened")
	s.Want("widen", 204, s.Send("PUT", s.path(id), body("another", "payments", "checkouts.read")))
	notAllowed.Check(t, s.Do(r)) // the response would give the creating key rights that it lacks
	r, id = cut("revoked")
	s.Want("revoke", 204, s.Send("DELETE", s.path(id), nil))
	got := s.readCreated(s.Do(r))
	if gone := s.as(got.Plaintext).Send("GET", "/v0.1/checkouts", nil); got.ID != id || gone.Status != 401 {
		t.Errorf("got %+v, whose key is answered %d, want the one that is revoked, 401", got, gone.Status)
	}
}

// TestCreateApiKey_Replayed checks that a replayed response has no plaintext. The plaintext is stored nowhere, not even
// encrypted.
func TestCreateApiKey_Replayed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := world.Request{Method: "POST", Path: s.keys(), IdempotencyKey: "k", Body: body("till", "payments")}
	first, again := s.readCreated(s.Do(r)), s.Do(r)
	if diff := cmp.Diff(first.hidden(), world.Into[apiKey](s, 201, again)); diff != "" ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replayed %q (-want +got):\n%s", again.Header.Get("Idempotency-Replayed"), diff)
	}
	if other := s.readCreated(s.Do(world.Request{Method: "POST", Path: s.keys(), IdempotencyKey: "l",
		Body: body("till", "payments")})); other.Plaintext == first.Plaintext || other.ID == first.ID {
		t.Error("another operation: got the same key, want another")
	}
}

// TestUpdateApiKey_Concurrently checks that concurrent changes are all made. Of several concurrent deletions only one
// succeeds.
func TestUpdateApiKey_Concurrently(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	k := s.create("till", "payments")
	done := make(chan bool)
	for i := range 8 {
		go func() {
			s.Want("update", 204, s.Send("PUT", s.path(k.ID), body(fmt.Sprint(i), "checkouts.read")))
			done <- true
		}()
	}
	for range 8 {
		<-done
	}
	entries, _ := s.readWritten("api_key " + k.ID)
	if got := s.read(k.ID); len(entries) != 9 || !slices.Equal(got.Scopes, []string{"checkouts.read"}) {
		t.Errorf("got %+v after %d entries, want 9", got, len(entries))
	}
	if got := s.DoConcurrently(4, world.Request{Method: "DELETE", Path: s.path(k.ID)}); got[204] != 1 || got[404] != 3 {
		t.Errorf("got %v, want one 204 and three 404", got)
	}
}

// TestCreateApiKey_MailToOwners checks that an owner gets one mail with the key's name, and without the plaintext.
func TestCreateApiKey_MailToOwners(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	k := s.create("Kasse 7", "payments")
	for s.Relay() > 0 {
	}
	sent := s.Mails.Sent()
	if len(sent) != 1 || sent[0].To != s.Owner().Email || sent[0].Times != 1 || !strings.Contains(sent[0].Text, k.Name) {
		t.Fatalf("got mails %+v, want one to the owner with the key's name", sent)
	}
	if strings.Contains(sent[0].Text+sent[0].HTML, k.Plaintext) {
		t.Error("got the key in a mail, want its name alone")
	}
}

// TestAudit_EachChange checks that each change's entry names the actor, and shows the key before and after the change
// without its plaintext.
func TestAudit_EachChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.as(s.TokenOf(s.Owner()))
	k := owner.create("till", "payments", "email")
	s.Clock.Advance(time.Second)
	owner.Want("update", 204, owner.Send("PUT", s.path(k.ID), body("till", "payments")))
	owner.Want("update", 204, owner.Send("PUT", s.path(k.ID), body("till", "payments")))
	s.Clock.Advance(time.Second)
	s.Want("revoke", 204, s.Send("DELETE", s.path(k.ID), nil))
	got, _ := s.AuditOf("api_key " + k.ID)
	email, by := s.Owner().Email, `{"made_by":"`+s.Owner().ID+`","made_with":"app_1","name":"till","scopes":[`
	want := []string{
		"test member " + email + ": POST " + route + " {} " + by + `"email","payments"],"type":"secret"}`,
		"test member " + email + ": PUT " + route + `/{key_id} {"scopes":["email","payments"]} {"scopes":["payments"]}`,
		"test api_key : DELETE " + route + "/{key_id} " + by + `"payments"],"type":"secret"} {}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestRetrieveApiKey_LastUsed checks that a key shows the time of its last use, to the hour.
func TestRetrieveApiKey_LastUsed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	public := s.readCreated(s.Send("POST", s.keys(), fields{"name": "page", "type": "public", "scopes": []string{}}))
	k := s.create("till", "checkouts.read")
	if got := s.read(k.ID).LastUsedAt; got != nil {
		t.Errorf("unused: got %s, want none", got)
	}
	till := s.as(k.Plaintext)
	var want time.Time
	for _, after := range []time.Duration{0, time.Minute, 58 * time.Minute, time.Minute, 0, 3 * time.Hour} {
		s.Clock.Advance(after)
		if !s.Clock.Now().Before(want.Add(time.Hour)) {
			want = s.Clock.Now().Truncate(time.Second)
		}
		till.Want("use", 403, till.Send("POST", "/v0.1/checkouts", till.CheckoutBody("1")))
		till.Want("use", 200, till.Send("GET", "/v0.1/checkouts", nil))
		if got := s.read(k.ID).LastUsedAt; got == nil || !got.Equal(want) {
			t.Errorf("after %s: got %v, want %s", after, got, want)
		}
	}
	for _, listed := range s.list("").Items {
		switch {
		case listed.ID == public.ID && listed.LastUsedAt != nil, listed.ID == k.ID && !listed.LastUsedAt.Equal(want):
			t.Errorf("listed: got %+v", listed)
		}
	}
	page := s.as(public.Plaintext)
	page.Want("public", 200, page.Send("GET", "/v0.1/checkouts/"+s.Create("1", nil), nil))
	if got := s.read(public.ID).LastUsedAt; got == nil || !got.Equal(s.Clock.Now().Truncate(time.Second)) {
		t.Errorf("public: got %v, want now", got)
	}
	if first := s.read(s.Merchant.Key.ID).LastUsedAt; first == nil {
		t.Error("the first: got none, want a time")
	}
}
