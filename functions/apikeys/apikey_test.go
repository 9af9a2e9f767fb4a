package apikeys_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
)

func TestCreateApiKey(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	now := s.ShownNow()
	for name, c := range map[string]struct {
		body   fields
		want   apiKey
		prefix string
	}{
		"secret": {fields{"name": "Web shop", "type": "secret", "scopes": []string{"transactions.history", "payments"}},
			apiKey{Name: "Web shop", Type: "secret", Scopes: []string{"payments", "transactions.history"}}, "sk_test_"},
		"secret unless said": {body("Täglich", "payments", "payments"),
			apiKey{Name: "Täglich", Type: "secret", Scopes: []string{"payments"}}, "sk_test_"},
		"alias": {body("profile", "profile"),
			apiKey{Name: "profile", Type: "secret", Scopes: []string{"user.profile_readonly"}}, "sk_test_"},
		"none": {body("nothing"), apiKey{Name: "nothing", Type: "secret", Scopes: []string{}}, "sk_test_"},
		"public": {fields{"name": "", "type": "public", "scopes": []string{}},
			apiKey{Type: "public", Scopes: []string{}}, "pk_test_"},
		"named public": {fields{"name": "page", "type": "public", "scopes": []string{}},
			apiKey{Name: "page", Type: "public", Scopes: []string{}}, "pk_test_"},
	} {
		got := s.readCreated(s.Send("POST", s.keys(), c.body))
		want := c.want
		want.ID, want.Plaintext, want.CreatedAt, want.UpdatedAt = got.ID, got.Plaintext, now, now
		want.CreatedBy = &maker{Type: "api_key", ID: s.Merchant.Key.ID}
		want.Preview = got.Plaintext[max(0, len(got.Plaintext)-8):]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: made (-want +got):\n%s", name, diff)
		}
		token, ok := identity.ParseToken(got.Plaintext)
		if !strings.HasPrefix(got.Plaintext, c.prefix) || !ok || token.Tenant != s.Tenant() {
			t.Errorf("%s: got key %s…, which parses %t, want %s… of %s", name, got.Preview, ok, c.prefix, s.Tenant())
		}
		if diff := cmp.Diff(got.hidden(), s.read(got.ID)); diff != "" {
			t.Errorf("%s: read (-want +got):\n%s", name, diff)
		}
	}
}

func TestApiKey_Scopes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	k := s.create("till", "checkouts.read")
	till := s.as(k.Plaintext)
	till.Want("list", 200, till.Send("GET", "/v0.1/checkouts", nil))
	till.Want("create", 403, till.Send("POST", "/v0.1/checkouts", till.CheckoutBody("1")))
	s.Want("restrict", 204, s.Send("PUT", s.path(k.ID), body("till", "checkouts.write")))
	till.Want("list, restricted", 403, till.Send("GET", "/v0.1/checkouts", nil))
	till.Want("create, restricted", 201, till.Send("POST", "/v0.1/checkouts", till.CheckoutBody("1")))
	s.Want("revoke", 204, s.Send("DELETE", s.path(k.ID), nil))
	for range 2 {
		badToken.Check(t, till.Send("POST", "/v0.1/checkouts", till.CheckoutBody("1")))
	}
	notFound.Check(t, s.Send("GET", s.path(k.ID), nil))
	if got := s.list(""); got.Total != 1 {
		t.Errorf("got %+v, want the first key alone", got)
	}
}

// TestDeleteApiKey_OtherProcesses checks that processes that have served a key refuse it after it was deleted.
func TestDeleteApiKey_OtherProcesses(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	k := s.create("till", identity.AllScopes()...)
	processes := []*world.Process{s.Process(), s.Process(), s.Process()}
	r := world.Request{Method: "GET", Path: s.keys(), APIKey: k.Plaintext}
	for _, p := range processes {
		s.Want("before", 200, p.Do(r))
	}
	s.Want("revoke", 204, s.Send("DELETE", s.path(k.ID), nil))
	for _, p := range processes {
		badToken.Check(t, p.Do(r))
		p.Stop()
	}
}

func TestListApiKeys_Pages(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const many = 27 // number of keys, including the first key
	for i := 1; i < many; i++ {
		s.Clock.Advance(time.Second)
		s.create(fmt.Sprint(i), "payments")
	}
	for query, want := range map[string][2]int{ // position of the first listed key, and number of listed keys
		"": {0, 10}, "?limit=3": {0, 3}, "?offset=20": {20, 7}, "?offset=26&limit=25": {26, 1}, "?limit=25": {0, 25},
		"?limit=1000": {0, 25}, "?offset=27": {27, 0}, "?offset=1000000000": {27, 0},
	} {
		got := s.list(query)
		if got.Total != many || len(got.Items) != want[1] {
			t.Errorf("%s: got %d of %d, want %d of %d", query, len(got.Items), got.Total, want[1], many)
		}
		for i, k := range got.Items {
			name := fmt.Sprint(want[0] + i)
			if name == "0" {
				name = "bootstrap"
			}
			if k.Name != name || k.Plaintext != "" {
				t.Errorf("%s: got key %d %+v, want %s without its plaintext", query, i, k, name)
			}
		}
	}
	for query, param := range map[string]string{"?limit=0": "limit", "?limit=-1": "limit", "?limit=x": "limit",
		"?offset=-1": "offset", "?offset=x": "offset"} {
		world.Invalid(param).Check(t, s.Send("GET", s.keys()+query, nil))
	}
}

func TestCreateApiKey_Invalid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	long := slices.Repeat([]string{"payments"}, 129)
	for _, c := range []struct {
		body fields
		want world.Refusal
	}{
		{fields{"scopes": []string{}}, world.Missing("name")},
		{fields{"name": "", "scopes": []string{}}, world.Missing("name")},
		{fields{"name": "till"}, world.Missing("scopes")},
		{fields{"name": "till", "scopes": nil}, world.Missing("scopes")},
		{fields{"name": strings.Repeat("ä", 256), "scopes": []string{}}, world.Invalid("name")},
		{fields{"name": "till\u0000", "scopes": []string{}}, world.Invalid("name")},
		{fields{"name": "till", "scopes": "payments"}, world.Invalid("scopes")},
		{fields{"name": "till", "scopes": long}, world.Invalid("scopes")},
		{fields{"name": "till", "scopes": []string{"paiments"}}, world.Invalid("scopes")},
	} {
		c.want.Check(t, s.Send("POST", s.keys(), c.body))
		c.want.Check(t, s.Send("PUT", s.path(s.Merchant.Key.ID), c.body))
	}
	for _, c := range []struct {
		body fields
		want world.Refusal
	}{
		{fields{"name": "till", "type": "private", "scopes": []string{}}, world.Invalid("type")},
		{fields{"name": "", "type": "public", "scopes": []string{"payments"}}, world.Invalid("scopes")},
	} {
		c.want.Check(t, s.Send("POST", s.keys(), c.body))
	}
	public := s.readCreated(s.Send("POST", s.keys(), fields{"name": "", "type": "public", "scopes": []string{}}))
	world.Invalid("scopes").Check(t, s.Send("PUT", s.path(public.ID), body("page", "payments")))
	s.Want("rename a public key", 204, s.Send("PUT", s.path(public.ID), body("page")))
	s.Want("take its name", 204, s.Send("PUT", s.path(public.ID), body("")))
	s.Want("most scopes", 201, s.Send("POST", s.keys(), body(strings.Repeat("ä", 255), long[:128]...)))
}

func TestUpdateApiKey(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	k := s.create("till", "payments").hidden()
	s.Clock.Advance(time.Minute)
	s.Want("as it is", 204, s.Send("PUT", s.path(k.ID), body("till", "payments")))
	if diff := cmp.Diff(k, s.read(k.ID)); diff != "" {
		t.Errorf("a change of nothing (-want +got):\n%s", diff)
	}
	s.Want("rename", 204, s.Send("PUT", s.path(k.ID), body("Kasse", "payments")))
	k.Name, k.UpdatedAt = "Kasse", s.ShownNow()
	if diff := cmp.Diff(k, s.read(k.ID)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDeleteApiKey_Itself checks that a key cannot delete itself, but can give up rights.
func TestDeleteApiKey_Itself(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	conflict.Check(t, s.Send("DELETE", s.path(s.Merchant.Key.ID), nil))
	k := s.create("developer", "api_keys:write", "payments")
	developer := s.as(k.Plaintext)
	developer.Want("rename itself", 204, developer.Send("PUT", s.path(k.ID), body("dev", "api_keys:write", "payments")))
	developer.Want("restrict itself", 204, developer.Send("PUT", s.path(k.ID), body("dev", "api_keys:write")))
	notAllowed.Check(t, developer.Send("PUT", s.path(k.ID), body("dev", "api_keys:write", "payments")))
	conflict.Check(t, developer.Send("DELETE", s.path(k.ID), nil))
	developer.Want("retire itself", 204, developer.Send("PUT", s.path(k.ID), body("dev")))
	notAllowed.Check(t, developer.Send("PUT", s.path(k.ID), body("dev")))
	s.Want("revoke", 204, s.Send("DELETE", s.path(k.ID), nil))
}

// TestApiKeys_OfOtherTenant checks that keys of other merchants and of the other mode seem not to exist.
func TestApiKeys_OfOtherTenant(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := shop{s.OtherShop()}
	others := other.create("till", "payments")
	live := shop{s.NewShop("DE", "EUR", map[string]any{"sandbox": false, "test_key": true})}
	ofLive := live.create("till", "payments")
	if token, _ := identity.ParseToken(ofLive.Plaintext); token.Tenant.Mode != identity.Live {
		t.Errorf("got mode %s, want that of the maker, live", token.Tenant.Mode)
	}
	test := shop{live.WithTestKey()}
	for _, c := range []struct {
		by   shop
		path string
	}{
		{s, s.path(others.ID)}, {s, other.path(others.ID)}, {s, s.path("key_unknown")}, {s, s.path("x")},
		{s, s.path(strings.Repeat("k", 2000))}, {s, s.path("%00")}, {test, live.path(ofLive.ID)},
	} {
		for _, r := range []world.Request{{Method: "GET"}, {Method: "PUT", Body: body("x")}, {Method: "DELETE"}} {
			notFound.Check(t, c.by.Send(r.Method, c.path, r.Body))
		}
	}
	for _, r := range []world.Request{{Method: "GET"}, {Method: "POST", Body: body("x")}} {
		notFound.Check(t, s.Send(r.Method, other.keys(), r.Body))
	}
	if got := test.list(""); got.Total != 2 { // the tenant's first key, and the key that sends the request
		t.Errorf("test mode: got %+v, want two", got)
	}
	other.Want("afterwards", 200, other.Send("GET", other.path(others.ID), nil))
}

func TestCreateApiKey_TooMany(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first := s.create("till").ID
	for range 98 {
		s.create("till")
	}
	s.Clock.Advance(24 * time.Hour)
	conflict.Check(t, s.Send("POST", s.keys(), body("one more")))
	if got := s.list("?offset=99").Items; len(got) != 1 {
		t.Errorf("got %d keys after the first 99, want 1", len(got))
	}
	s.Want("revoke", 204, s.Send("DELETE", s.path(first), nil))
	if got := s.DoConcurrently(4, world.Request{Method: "POST", Path: s.keys(), Body: body("at once")}); got[201] != 1 ||
		got[409] != 3 {
		t.Errorf("got %v, want one 201 and three 409", got)
	}
}

func TestCreateApiKey_TooManyInADay(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, table := s.App.Store.Raw()
	first := s.create("first")
	if err := table.Update("pk", "KEY#"+s.Tenant().String()).Range("sk", "COUNT").Set("created", 99).
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.create("the hundredth")
	s.Clock.Advance(time.Hour)
	r := world.Request{Method: "POST", Path: s.keys(), Body: body("one more"), IdempotencyKey: "k"}
	got := s.Do(r)
	tooMany.Check(t, got)
	midnight := s.Clock.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
	if want := fmt.Sprint(int(midnight.Sub(s.Clock.Now()).Seconds())); got.Header.Get("Retry-After") != want {
		t.Errorf("got Retry-After %s, want %s", got.Header.Get("Retry-After"), want)
	}
	s.Want("change", 204, s.Send("PUT", s.path(first.ID), body("another")))
	other := shop{s.OtherShop()}
	other.create("of another merchant")
	s.Clock.Advance(midnight.Sub(s.Clock.Now()))
	s.Want("the next day", http.StatusCreated, s.Do(r))
}
