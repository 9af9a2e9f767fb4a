package merchants_test

import (
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/store"
)

// interrupted has the operations that change an operator. Each operation has its effect on an enabled operator. The
// effect is nil if the operation deletes the operator.
var interrupted = map[string]struct {
	request func(account) world.Request
	left    func(*account)
}{
	"update": {func(a account) world.Request {
		return world.Request{Method: "PUT", Path: a.path(), Body: fields{"username": "new-" + a.Username,
			"permissions": fields{"admin": true}}}
	}, func(a *account) { a.Username, a.Permissions = "new-"+a.Username, permissions("admin") }},
	"reset": {func(a account) world.Request {
		return world.Request{Method: "PUT", Path: a.path() + "/reset", Body: fields{"password": another}}
	}, func(*account) {}},
	"disable": {func(a account) world.Request { return world.Request{Method: "POST", Path: a.path() + "/disable"} },
		func(a *account) { a.Disabled = true }},
	"delete": {func(a account) world.Request { return world.Request{Method: "DELETE", Path: a.path()} }, nil},
}

// TestOperators_InterruptedChange checks that an interrupted change is made wholly or not at all. The repetition under
// the same key completes it.
func TestOperators_InterruptedChange(t *testing.T) {
	t.Parallel()
	for name, c := range interrupted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newOperatorShop(t)
			s.Attempts(5, func(try string, send func(world.Request) world.Response) {
				before := storeOperator(s, try+"@example.com")
				want := before
				want.Disabled = c.left == nil
				if c.left != nil {
					c.left(&want)
				}
				r := c.request(before)
				r.IdempotencyKey = try
				send(r)
				now := s.Send("GET", before.path(), nil)
				if gone := now.Status == 404; !gone || c.left != nil { // the operator may be deleted
					got := decodeAccount(t, 200, now)
					got.UpdatedAt = before.UpdatedAt
					if !cmp.Equal(got, before) && !cmp.Equal(got, want) {
						t.Errorf("%s: got %+v, want it as before or after", try, got)
					}
				}
				s.Clock.Advance(time.Minute)
				got := decodeAccount(t, 200, s.Do(r))
				got.UpdatedAt = want.UpdatedAt
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, repeated (-want +got):\n%s", try, diff)
				}
				s.Send("DELETE", before.path(), nil)
			})
			wantOperators(t, s, "")
		})
	}
}

// TestUpdateOperator_RepeatedPassword repeats an update whose reply was lost. The test checks that the repetition does
// not enable an account that was disabled meanwhile.
func TestUpdateOperator_RepeatedPassword(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	m := storeOperator(s, "till@example.com")
	r := world.Request{Method: "PUT", Path: m.path(), APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: "k",
		Body: fields{"password": another, "nickname": "Till"}}
	for step := 1; ; step++ {
		p := s.Process()
		p.Steps.Plan(step, faults.DieAfter)
		p.Do(r)
		p.Stop()
		stored, err := s.App.Store.Member(s.Context(), s.Tenant(), m.ID)
		if err != nil || step > 20 {
			t.Fatalf("step %d: got error %v, want the password set by a process that dies then", step, err)
		}
		if len(stored.Passwords) > 0 {
			break
		}
		s.Clock.Advance(time.Minute)
	}
	decodeAccount(t, 200, s.Send("POST", m.path()+"/disable", nil))
	s.Clock.Advance(time.Minute)
	got := s.Do(r)
	if !decodeAccount(t, 200, got).Disabled || got.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("got %s, want it disabled", got.Body)
	}
}

// storeOperator stores an operator without a password, which saves the time of its hash.
func storeOperator(s world.Shop, username string) account {
	s.Helper()
	m, err := s.App.Store.CreateMember(s.Context(), world.ByTest, s.Tenant(), username, username,
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewEmployee(id, member.Registration{Email: username}, nil, s.Clock.Now()), nil
		})
	if err != nil {
		s.Fatal(err)
	}
	return account{ID: m.Number(), Username: m.Email, AccountType: "operator", Permissions: permissions(),
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
}

// TestCreateOperator_Interrupted checks that an interrupted creation, once repeated, makes one operator, even if the
// operator was changed meanwhile.
func TestCreateOperator_Interrupted(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	s.Attempts(5, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: accounts, APIKey: s.Merchant.Key.Plaintext, IdempotencyKey: try,
			Body: operatorBody(try+"@example.com", nil)}
		send(r)
		there := wantOperators(t, s, "?email="+try, operatorNames(s, try)...)
		if len(there) == 1 { // the address changes meanwhile
			decodeAccount(t, 200, s.Send("PUT", there[0].path(), fields{"username": "renamed-" + try + "@example.com"}))
		}
		s.Clock.Advance(time.Minute)
		got := decodeAccount(t, 201, s.Do(r))
		if len(there) == 1 && there[0].ID != got.ID {
			t.Errorf("%s: got id %d, then %d, want the same", try, there[0].ID, got.ID)
		}
		decodeAccount(t, 200, s.Send("DELETE", got.path(), nil))
		wantOperators(t, s, "")
	})
}

// operatorNames returns the operators whose address has the prefix.
func operatorNames(s world.Shop, prefix string) (found []string) {
	members, err := s.App.Store.Members(s.Context(), s.Tenant())
	if err != nil {
		s.Fatal(err)
	}
	for _, m := range members {
		if strings.HasPrefix(m.Email, prefix) {
			found = append(found, m.Email)
		}
	}
	return found
}

// TestUpdateOperator_Concurrently changes several fields concurrently. The test checks that each change is made wholly.
func TestUpdateOperator_Concurrently(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	want := createOperator(s, "till@example.com")
	changes := []fields{
		{"nickname": "Till", "permissions": fields{"admin": true}}, {"permissions": fields{"refund_transactions": true}},
		{"permissions": fields{"create_referral": true}}, {"username": "t@example.com"},
		{"permissions": fields{"create_moto_payments": true}}, {"password": another},
	}
	var running sync.WaitGroup
	for _, change := range changes {
		running.Go(func() { decodeAccount(t, 200, s.Send("PUT", want.path(), change)) })
	}
	running.Wait()
	nickname := "Till"
	want.Username, want.Nickname = "t@example.com", &nickname
	want.Permissions = permissions("admin", "refund_transactions", "create_referral", "create_moto_payments")
	if diff := cmp.Diff(want, decodeAccount(t, 200, s.Send("GET", want.path(), nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	world.Invalid("password").Check(t, s.Send("PUT", want.path()+"/reset", fields{"password": another}))
}

// TestCreateOperator_Replayed checks that a replayed reply shows no password. No stored text has it either
// (newOperatorShop).
func TestCreateOperator_Replayed(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	r := world.Request{Method: "POST", Path: accounts, IdempotencyKey: "k", Body: operatorBody("till@example.com", nil)}
	first, again := s.Do(r), s.Do(r)
	if replayed := again.Header.Get("Idempotency-Replayed"); string(first.Body) != string(again.Body) ||
		replayed != "true" || strings.Contains(string(again.Body), "password") {
		t.Errorf("got %s, then %s, replayed %q, want the same without a password", first.Body, again.Body, replayed)
	}
	other := operatorBody("till@example.com", fields{"password": another})
	r.Body = other
	world.Refused(422, "IDEMPOTENCY_KEY_REUSED", "", "idempotency-key-reused").Check(t, s.Do(r))
}

// TestResetOperatorPassword_TooMany checks that a tenant can set only a limited number of passwords, and that each
// tenant has a separate limit.
func TestResetOperatorPassword_TooMany(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	m := createOperator(s, "till@example.com")
	bucket := store.Bucket{Rate: 1, Burst: 100}
	if _, _, err := s.App.Store.LeaseTokens(t.Context(), "passwords "+s.Tenant().String(), bucket, 98,
		time.Time{}); err != nil {
		t.Fatal(err)
	}
	decodeAccount(t, 200, s.Send("PUT", m.path()+"/reset", fields{"password": another})) // the last of a hundred passwords
	for _, r := range []world.Request{
		{Method: "POST", Path: accounts, Body: operatorBody("new@example.com", nil)},
		{Method: "PUT", Path: m.path(), Body: fields{"password": "a third battery"}},
		{Method: "PUT", Path: m.path() + "/reset", Body: fields{"password": "a third battery"}},
	} {
		got := s.Do(r)
		world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests").Check(t, got)
		if after := got.Header.Get("Retry-After"); after != "1" {
			t.Errorf("got Retry-After %s, want 1", after)
		}
	}
	decodeAccount(t, 200, s.Send("PUT", m.path(), fields{"nickname": "Till"}))
	taken := world.Refused(409, "CONFLICT", "", "conflict")
	taken.Check(t, s.Send("POST", accounts, operatorBody("Till@example.com", nil)))
	createOperator(s.OtherShop(), "till@example.com")
	s.Clock.Advance(time.Second)
	decodeAccount(t, 200, s.Send("PUT", m.path()+"/reset", fields{"password": "a third battery"}))
	s.Want("in the same second", 429, s.Send("PUT", m.path()+"/reset", fields{"password": "a fourth battery"}))
}

// TestCreateOperator_TooMany checks that a thousand members leave no room for another until a member is deleted.
func TestCreateOperator_TooMany(t *testing.T) {
	t.Parallel()
	s := newOperatorShop(t)
	_, table := s.App.Store.Raw()
	if err := table.Update("pk", "MEMBERS#"+s.Tenant().String()).Range("sk", "COUNT").Set("count", 999).
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	last := createOperator(s, "till@example.com")
	full := world.Refused(409, "CONFLICT", "", "conflict")
	full.Check(t, s.Send("POST", accounts, operatorBody("beyond@example.com", nil)))
	decodeAccount(t, 200, s.Send("DELETE", last.path(), nil))
	createOperator(s, "beyond@example.com")
	if got := s.DoConcurrently(3, world.Request{Method: "POST", Path: accounts,
		Body: operatorBody("another@example.com", nil)}); !maps.Equal(got, map[int]int{409: 3}) {
		t.Errorf("got %v, want 409 for all", got)
	}
}
