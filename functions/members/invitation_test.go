package members_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

// browser keeps the cookie and the form of an invitation's page.
type browser struct {
	shop

	path, cookie, csrf string
}

// open loads the page.
func (s shop) open(token string) (browser, world.Response) {
	s.Helper()
	b := browser{shop: s, path: "/invitations/" + token}
	page := s.Do(world.Request{Method: "GET", Path: b.path, APIKey: world.NoKey})
	b.cookie, _, _ = strings.Cut(page.Header.Get("Set-Cookie"), ";")
	b.csrf = between(string(page.Body), `name="csrf_token" value="`, `"`)
	return b, page
}

func (b browser) request(password string) world.Request {
	return world.Request{Method: "POST", Path: b.path, APIKey: world.NoKey, Header: map[string]string{"Cookie": b.cookie},
		Body: url.Values{"csrf_token": {b.csrf}, "password": {password}}}
}

// accept sends the form.
func (b browser) accept(password string) world.Response {
	b.Helper()
	return b.Do(b.request(password))
}

// TestAcceptInvitation accepts an invitation with a new password. The person accepts the next invitation by confirming
// this password.
func TestAcceptInvitation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.invite("Ada@example.com", "role_accountant")
	b, page := s.open(s.invitationToken(p))
	for _, part := range []string{"Ada@example.com", `autocomplete="new-password"`, `for="password"`, `lang="de"`} {
		if !strings.Contains(string(page.Body), part) {
			t.Errorf("got page %s, want %s in it", page.Body, part)
		}
	}
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("got %s %s, want %s", name, got, want)
		}
	}
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
		strings.Contains(policy, "script-src") || strings.Contains(string(page.Body), "<script") {
		t.Errorf("got policy %s, want a strict one", policy)
	}
	if cookie := page.Header.Get("Set-Cookie"); !strings.Contains(cookie, "HttpOnly; SameSite=Lax") {
		t.Errorf("got cookie %s, want one that other sites cannot use", cookie)
	}
	got := b.accept(firstOne)
	if location := got.Header.Get("Location"); got.Status != 303 || !strings.HasSuffix(location, b.path) {
		t.Fatalf("got %d %s to %s, want 303 to the page", got.Status, got.Body, location)
	}
	m := s.read(p)
	if m.Status != "accepted" || m.Invite != nil || m.User == nil || m.User.Type != "user" || m.User.Virtual {
		t.Errorf("got %+v, want a member who is a user", m)
	}
	if _, page = s.open(strings.TrimPrefix(b.path, "/invitations/")); page.Status != 200 ||
		strings.Contains(string(page.Body), "<form") {
		t.Errorf("afterwards: got %d %s, want a page without a form", page.Status, page.Body)
	}
	b.Want("again", 303, b.accept("something else"))
	other := shop{s.OtherShop()}
	second := other.invite("ada@EXAMPLE.com", "role_owner")
	b, page = other.open(other.invitationToken(second))
	if !strings.Contains(string(page.Body), `autocomplete="current-password"`) {
		t.Errorf("got page %s, want it to ask for the current password", page.Body)
	}
	if wrong := b.accept(another); wrong.Status != 400 || !strings.Contains(string(wrong.Body), `role="alert"`) ||
		other.read(second).Status != "pending" {
		t.Errorf("another password: got %d %s, want 400 with the problem", wrong.Status, wrong.Body)
	}
	b.Want("the password", 303, b.accept(firstOne))
	if now := other.read(second); now.User == nil || now.User.ID != m.User.ID {
		t.Errorf("got user %+v, want the same as of the first merchant", now.User)
	}
}

// TestShowInvitation_InvalidToken checks that every invalid token gets the same page.
func TestShowInvitation_InvalidToken(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	deleted := s.invite("deleted@example.com", "role_employee")
	withdrawn, _ := s.open(s.invitationToken(deleted))
	s.Send("DELETE", s.path(deleted), nil)
	gone := s.invite("gone@example.com", "role_employee")
	joined, _ := s.open(s.invitationToken(gone))
	joined.accept(firstOne)
	s.Send("DELETE", s.path(gone), nil)
	late, _ := s.open(s.invitationToken(s.invite("late@example.com", "role_employee")))
	s.Clock.Advance(member.InviteLasts)
	for name, b := range map[string]browser{"unknown": {shop: s, path: "/invitations/guess"}, "withdrawn": withdrawn,
		"its member is gone": joined, "expired": late} {
		page := s.Do(world.Request{Method: "GET", Path: b.path, APIKey: world.NoKey})
		if page.Status != 404 || b.accept(firstOne).Status != 404 {
			t.Errorf("%s: got %d %s, want 404", name, page.Status, page.Body)
		}
	}
}

// TestAcceptInvitation_InvalidForm checks that a refused form leaves the invitation pending.
func TestAcceptInvitation_InvalidForm(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.invite("ada@example.com", "role_employee")
	b, _ := s.open(s.invitationToken(p))
	stranger, fresh := b, b
	stranger.cookie = ""
	fresh.csrf = "made up"
	for name, got := range map[string]world.Response{
		"short": b.accept("kqzvjmwhbxp"), "common": b.accept("Password2026!"), "none": b.accept(""),
		"long":                b.accept(strings.Repeat("x", 257)),
		"a control character": b.accept("correct horse\n"), "another browser": stranger.accept(firstOne),
		"another form": fresh.accept(firstOne),
	} {
		if got.Status != 400 || !strings.Contains(string(got.Body), `role="alert"`) {
			t.Errorf("%s: got %d %s, want 400 with the problem", name, got.Status, got.Body)
		}
	}
	if now := s.read(p); now.Status != "pending" {
		t.Errorf("got %+v, want it pending", now)
	}
}

// TestAcceptInvitation_OlderPassword checks that a person can confirm a password of eight characters, which was once
// allowed.
func TestAcceptInvitation_OlderPassword(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, _ := s.open(s.invitationToken(s.invite("ada@example.com", "role_employee")))
	first.Must(303, first.accept(firstOne))
	s.setOldPassword("ada@example.com", olderHash)
	other := shop{s.OtherShop()}
	b, page := other.open(other.invitationToken(other.invite("ada@example.com", "role_employee")))
	if strings.Contains(string(page.Body), "minlength") {
		t.Errorf("got page %s, want no least length of a password that is there", page.Body)
	}
	if got := b.accept("8 chars."); got.Status != 303 {
		t.Errorf("got %d %s, want 303", got.Status, got.Body)
	}
}

// olderHash is the hash of "8 chars.", with parameters that make hashing fast.
const olderHash = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$ue+nqhDuF9JN+hbILe1TTXDy7eO96rw2Z9q1r9KaNqs"

// setOldPassword stores a hash as the user's password, as an older version did.
func (s shop) setOldPassword(address, hash string) {
	s.Helper()
	u, err := s.App.Store.UserByEmail(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	_, table := s.App.Store.Raw()
	passwords := member.Passwords{{Hash: member.Hash(hash), Operation: u.Passwords[0].Operation, SetAt: s.Clock.Now()}}
	err = table.Update("pk", "USER#"+u.ID).Range("sk", "USER").Set("passwords", passwords).Run(s.Context())
	if err != nil {
		s.Fatal(err)
	}
}

// TestAcceptInvitation_TooManyPasswords checks that a person may try ten passwords at once, then one every six minutes.
func TestAcceptInvitation_TooManyPasswords(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, _ := s.open(s.invitationToken(s.invite("ada@example.com", "role_employee")))
	first.accept(firstOne) // the first of ten passwords
	other := shop{s.OtherShop()}
	b, _ := other.open(other.invitationToken(other.invite("ada@example.com", "role_employee")))
	for range 9 {
		b.Must(400, b.accept(another))
		s.Clock.Advance(time.Second)
	}
	got := b.accept(firstOne)
	if got.Status != 429 || got.Header.Get("Retry-After") == "" {
		t.Fatalf("the eleventh: got %d, want 429", got.Status)
	}
	s.Clock.Advance(6 * time.Minute)
	b.Want("after six minutes", 303, b.accept(firstOne))
}

// TestAcceptInvitation_StrangersSigningIn checks that wrong passwords at sign-in take no tokens from the invitation's
// bucket.
func TestAcceptInvitation_StrangersSigningIn(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	b, _ := s.open(s.invitationToken(s.invite("ada@example.com", "role_employee")))
	for range 11 {
		guess := s.App.Store.PasswordFrom(store.Budget{Name: "ada@example.com", Source: "address"}, secret.New(another))
		if err := guess.Confirm(t.Context(), nil); guess.Blocked() != failure.Is(err, failure.KindTooMany) {
			t.Fatalf("got error %v, blocked %t", err, guess.Blocked())
		}
	}
	if got := b.accept(firstOne); got.Status != 303 {
		t.Errorf("got %d %s, want 303", got.Status, got.Body)
	}
}

// TestShowInvitation_Language checks that the page is in the merchant's language.
func TestShowInvitation_Language(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for country, want := range map[string][2]string{"DE": {`lang="de"`, "Einladung annehmen"},
		"BR": {`lang="pt"`, "Aceitar o convite"}, "GB": {`lang="en"`, "Accept the invitation"},
		"FR": {`lang="en"`, "Accept the invitation"}} {
		currency := map[string]string{"BR": "BRL", "GB": "GBP"}[country]
		if currency == "" {
			currency = "EUR"
		}
		of := shop{s.NewShop(country, currency, map[string]any{"name": "A <b>"})}
		_, page := of.open(of.invitationToken(of.invite("ada@example.com", "role_employee")))
		for _, part := range append(want[:], "A &lt;b&gt;") {
			if !strings.Contains(string(page.Body), part) {
				t.Errorf("%s: got page %s, want %s in it", country, page.Body, part)
			}
		}
	}
}

// TestListMemberships checks that a key lists the owner's membership of the key's merchant, and that a person's token
// lists all memberships of the person. Both list only memberships in the credential's mode.
func TestListMemberships(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := shop{s.OtherShop()}
	for of, roleID := range map[shop]string{s: "role_accountant", other: "role_admin"} {
		b, _ := of.open(of.invitationToken(of.invite("ada@example.com", roleID)))
		b.Must(303, b.accept(firstOne))
	}
	type membership struct {
		ResourceID string   `json:"resource_id"`
		Roles      []string `json:"roles"`
		Status     string   `json:"status"`
		Resource   struct{ Name string }
	}
	names := map[string]string{s.Merchant.Code: "Kaffeehaus", other.Merchant.Code: "Teehaus"}
	list := func(key, query string) (found []string, total int) {
		v := world.Into[struct {
			Items []membership `json:"items"`
			Total int          `json:"total_count"`
		}](s, 200, s.WithKey(key).Send("GET", "/v0.1/memberships"+query, nil))
		for _, m := range v.Items {
			found = append(found, m.ResourceID+" "+strings.Join(m.Roles, ","))
			if m.Status != "accepted" || m.Resource.Name != names[m.ResourceID] {
				t.Errorf("%s: got %+v, want it accepted, at %s", query, m, names[m.ResourceID])
			}
		}
		return found, v.Total
	}
	ada, err := s.App.Store.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	of, err := s.App.Store.Memberships(t.Context(), ada.ID, identity.Test)
	if err != nil || len(of) != 2 {
		t.Fatalf("got memberships %+v, %v, want 2", of, err)
	}
	token := s.TokenOf(of[slices.IndexFunc(of, func(m store.Membership) bool { return m.Tenant == s.Tenant() })].Member)
	here, there := s.Merchant.Code+" role_accountant", other.Merchant.Code+" role_admin"
	both := sorted(here, there)
	for query, want := range map[string][]string{"": both, "?limit=1": both[:1], "?offset=1": both[1:],
		"?roles=role_admin": {there}, "?status=accepted": both, "?status=pending": nil, "?kind=merchant": both,
		"?kind=organization": nil, "?resource.type=organization": nil, "?resource.type=merchant": both,
		"?resource.id=" + other.Merchant.Code: {there}, "?resource.id=MNOBODY": nil,
		"?resource.id=" + other.Merchant.Code + "&roles=role_accountant": nil,
		"?resource.name=nobody": nil, "?resource.parent.id=x&resource.parent.type=organization": nil,
		"?resource.parent.id=null&resource.parent.type=null": both} {
		if got, _ := list(token, query); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	if got, total := list(s.Merchant.Key.Plaintext, "?roles=role_owner"); !slices.Contains(got,
		s.Merchant.Code+" role_owner") || total != len(got) {
		t.Errorf("by a key: got %v of %d, want the owner's", got, total)
	}
	for query, param := range map[string]string{"?resource.parent.id=x": "resource.parent.id",
		"?resource.parent.type=merchant": "resource.parent.id", "?kind=shop": "kind", "?resource.type=": "resource.type",
		"?resource.attributes.sandbox=2": "resource.attributes.sandbox", "?resource.id=": "resource.id"} {
		world.Invalid(param).Check(t, s.Send("GET", "/v0.1/memberships"+query, nil))
	}
	till := s.employ("till@example.com", nil)
	stored, err := s.App.Store.Member(t.Context(), s.Tenant(), numberOf(till))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := list(s.TokenOf(stored), ""); !slices.Equal(got, []string{s.Merchant.Code + " role_employee"}) {
		t.Errorf("an operator: got %v, want its one", got)
	}
}
