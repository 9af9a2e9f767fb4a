package apikeys_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// requestsOn returns a request for each operation: list, retrieve, create, update and delete, in this order. Retrieve,
// update and delete are for the key with the id.
func (s shop) requestsOn(id string) []world.Request {
	return []world.Request{
		{Method: "GET", Path: s.keys()}, {Method: "GET", Path: s.path(id)}, {Method: "POST", Path: s.keys(), Body: body("x")},
		{Method: "PUT", Path: s.path(id), Body: body("x")}, {Method: "DELETE", Path: s.path(id)},
	}
}

func TestApiKeys_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	reads, all := []int{200, 200, 403, 403, 403}, []int{200, 200, 201, 204, 204}
	none := []int{403, 403, 403, 403, 403}
	operator := func(email string, p member.Permissions, scopes ...string) string {
		return s.TokenOf(s.Employ(email, p), scopes...)
	}
	for name, c := range map[string]struct {
		credential string
		want       []int
	}{
		"a key of api_keys":             {s.NewKey("secret", "api_keys"), reads},
		"a key of api_keys:write":       {s.NewKey("secret", "api_keys:write"), all},
		"a key of all else":             {s.NewKey("secret", scopesWithout("api_keys", "api_keys:write")...), none},
		"a public key":                  {s.NewKey("public"), none},
		"a client":                      {s.Token(), all},
		"the owner":                     {s.TokenOf(s.Owner()), all},
		"the owner, by less":            {s.TokenOf(s.Owner(), "api_keys"), reads},
		"the owner, by nothing":         {s.TokenOf(s.Owner(), "payments"), none},
		"an administrator":              {operator("admin@example.com", member.Permissions{Admin: true}), all},
		"an employee":                   {operator("e@example.com", member.Permissions{}), none},
		"an employee who sees, refunds": {operator("r@example.com", member.Permissions{RefundTransactions: true}), none},
	} {
		k := s.create("restricted")
		for i, r := range s.requestsOn(k.ID) {
			if got := s.as(c.credential).Send(r.Method, r.Path, r.Body); got.Status != c.want[i] {
				t.Errorf("%s, %s %s: got %d %s, want %d", name, r.Method, r.Path, got.Status, got.Body, c.want[i])
			} else if got.Status == 403 {
				notAllowed.Check(t, got)
			} else if got.Status == 201 {
				s.readCreated(got)
			}
		}
	}
}

// scopesWithout returns all scopes except the given scopes.
func scopesWithout(but ...string) []string {
	return slices.DeleteFunc(identity.AllScopes(), func(scope string) bool { return slices.Contains(but, scope) })
}

// TestApiKeys_MoreRightsThanCaller checks that no caller gives rights that it lacks to a new or existing key, or
// restricts or deletes a key with more rights.
func TestApiKeys_MoreRightsThanCaller(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	admin := s.Employ("admin@example.com", member.Permissions{Admin: true})
	for name, c := range map[string]struct {
		credential    string
		may, mayNever []string
	}{
		"a restricted key": {s.NewKey("secret", "api_keys:write", "checkouts.read"), []string{"checkouts.read"},
			[]string{"payments", "api_keys", "checkouts.write", "email"}},
		"a client": {s.Token(func(t *identity.AccessToken) { t.Scopes = []string{"api_keys:write", "payments"} }),
			[]string{"payments", "api_keys:write"}, []string{"refunds.write", "checkouts.read"}},
		"an administrator who may not refund": {s.TokenOf(admin),
			[]string{"api_keys:write", "members.write", "files.read"},
			[]string{"payments", "checkouts.write", "refunds.write", "payouts.read", "user.payout-settings",
				"customers.read", "payment_instruments"}},
		"an administrator, by less": {s.TokenOf(admin, "api_keys:write", "files.read"),
			[]string{"files.read"}, []string{"checkouts.write", "members.write"}},
		"the owner, by less": {s.TokenOf(s.Owner(), "api_keys:write", "payments"), []string{"payments"},
			[]string{"refunds.write"}},
		"the owner": {s.TokenOf(s.Owner()), identity.AllScopes(), nil},
	} {
		by := s.as(c.credential)
		own := by.create("own")
		for _, scope := range c.may {
			by.create("given", scope)
			by.Want(name+" gives "+scope, 204, by.Send("PUT", s.path(own.ID), body("own", scope)))
		}
		by.Want(name, 204, by.Send("PUT", s.path(own.ID), body("own", c.may...)))
		for _, scope := range c.mayNever {
			others := s.create("others", append(c.may, scope)...)
			for _, r := range []world.Request{
				{Method: "POST", Path: s.keys(), Body: body("x", append(c.may, scope)...)},
				{Method: "PUT", Path: s.path(own.ID), Body: body("x", scope)},
				{Method: "PUT", Path: s.path(others.ID), Body: body("x", append(c.may, scope)...)},
				{Method: "PUT", Path: s.path(others.ID), Body: body("x", c.may...)},
				{Method: "PUT", Path: s.path(others.ID), Body: body("others", append(c.may, scope)...)},
				{Method: "DELETE", Path: s.path(others.ID)},
			} {
				got := by.Do(r)
				notAllowed.Check(t, got)
				if named := strings.Contains(got.Text("detail"), "lacks the "); named != (r.Path == s.keys() ||
					r.Path == s.path(own.ID)) {
					t.Errorf("%s, %s %s %v: got %s, want it to name what is missing, and not of others' keys", name,
						r.Method, r.Path, r.Body, got.Body)
				}
			}
			if got := s.read(others.ID); got.Name != "others" {
				t.Errorf("%s: got %+v, want it as it was", name, got)
			}
		}
		by.Want(name, 204, by.Send("DELETE", s.path(own.ID), nil))
	}
}

// TestCreateApiKey_RefusalNamesMissingRights checks that a refusal names the scopes that the credential lacks, or the
// permissions that its person lacks.
func TestCreateApiKey_RefusalNamesMissingRights(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	admin := s.Employ("admin@example.com", member.Permissions{Admin: true})
	for name, c := range map[string]struct{ credential, scope, want string }{
		"a scope": {s.NewKey("secret", "api_keys:write"), "files.read",
			"To give these rights, the credential lacks the scope files.read."},
		"permissions": {s.TokenOf(admin), "customers.read",
			"To give these rights, the credential lacks the permission create_moto_payments."},
		"both": {s.TokenOf(admin, "api_keys:write"), "refunds.write", "To give these rights, the credential lacks " +
			"the scope refunds.write, the permission refund_transactions and the permission full_transaction_history_view."},
	} {
		got := s.as(c.credential).Send("POST", s.keys(), body("x", c.scope))
		if notAllowed.Check(t, got); got.Text("detail") != c.want {
			t.Errorf("%s: got detail %q, want %q", name, got.Text("detail"), c.want)
		}
	}
}

// TestCreateApiKey_ByRevokedKey revokes a key while that key creates other keys. The test checks that a new key exists
// exactly if its creation got a successful reply.
func TestCreateApiKey_ByRevokedKey(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for range 5 {
		k := s.create("maker", "api_keys:write")
		maker := s.as(k.Plaintext)
		var running sync.WaitGroup
		var mu sync.Mutex
		var made []string
		for range 4 {
			running.Go(func() {
				got := maker.Send("POST", s.keys(), body("made"))
				if got.Status == 201 {
					mu.Lock()
					defer mu.Unlock()
					made = append(made, s.readCreated(got).ID)
				} else if got.Status != 401 && got.Status != 409 {
					t.Errorf("got %d %s, want 201, 401 or 409", got.Status, got.Body)
				}
			})
		}
		running.Go(func() { s.Want("revoke", 204, s.Send("DELETE", s.path(k.ID), nil)) })
		running.Wait()
		badToken.Check(t, maker.Send("POST", s.keys(), body("late")))
		for _, id := range made {
			s.Want("revoke what it made", 204, s.Send("DELETE", s.path(id), nil))
		}
		if got := s.list(""); got.Total != 1 {
			t.Errorf("got %+v, want the first alone: %d were made", got, len(made))
		}
	}
}
