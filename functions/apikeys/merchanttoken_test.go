package apikeys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// merchantToken is a merchant token in a response.
type merchantToken struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"`
	TokenType   string `json:"token_type"`
}

func (s shop) tokens() string { return "/v0.1/merchants/" + s.Merchant.Code + "/tokens" }

// forCheckout is the body of a request for a merchant token that can take payments.
var forCheckout = fields{"actions": []string{"checkout"}}

func (s shop) readToken(got world.Response) merchantToken {
	s.Helper()
	token := world.Into[merchantToken](s, 200, got)
	if token.AccessToken != "" {
		s.Secret("merchant token", token.AccessToken)
	}
	return token
}

// wantStatus checks the status of a request with the shop's merchant token.
func (s shop) wantStatus(when string, want int) {
	s.Helper()
	s.Want(when, want, s.Send("GET", "/v0.1/checkouts/4e425463-3e1b-431d-83fa-1e51c2925e99", nil))
}

// TestCreateMerchantToken follows a token from the server that creates it to the app that takes a payment with it.
func TestCreateMerchantToken(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	token := s.readToken(s.Send("POST", s.tokens(), forCheckout))
	want := merchantToken{AccessToken: token.AccessToken, ExpiresIn: 900, TokenType: "Bearer"}
	if parsed, ok := identity.ParseToken(token.AccessToken); token != want || !ok || parsed.Kind != "" {
		t.Errorf("got %+v, want %+v with an access token", token, want)
	}
	app := s.as(token.AccessToken)
	id := app.Create("10.10", nil)
	app.Pay(id, app.Card(world.Frictionless))
	if got := app.Checkout(id); got.Text("status") != "PAID" || got.Text("user_id") != "" {
		t.Errorf("to the app: got %d %s, want it PAID without user_id", got.Status, got.Body)
	}
	by := s.Checkout(id).Text("user_id")
	if entries, _ := s.AuditOf("merchant_token " + by); !cmp.Equal(entries, []string{
		"test api_key : POST /v0.1/merchants/{merchant_code}/tokens {} " + `{"actions":["checkout"]}`}) {
		t.Errorf("got entries %q of the token %q that the checkout names, want one", entries, by)
	}
	s.Clock.Advance(15*time.Minute - time.Second)
	app.wantStatus("before it expires", 404)
	s.Clock.Advance(time.Second)
	badToken.Check(t, app.Checkout(id))
}

func TestCreateMerchantToken_Invalid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, c := range []struct {
		body any
		want world.Refusal
	}{
		{nil, world.Missing("actions")}, {fields{}, world.Missing("actions")},
		{fields{"actions": nil}, world.Missing("actions")}, {fields{"actions": []string{}}, world.Invalid("actions")},
		{fields{"actions": "checkout"}, world.Invalid("actions")}, {fields{"actions": []any{1}}, world.Invalid("actions.0")},
		{fields{"actions": []string{"refund"}}, world.Invalid("actions")},
		{fields{"actions": []string{"checkout", ""}}, world.Invalid("actions")},
		{fields{"actions": []string{"checkout", "checkout"}}, world.Invalid("actions")},
	} {
		c.want.Check(t, s.Send("POST", s.tokens(), c.body))
	}
	notFound.Check(t, s.Send("POST", shop{s.OtherShop()}.tokens(), forCheckout))
}

func TestCreateMerchantToken_EachCaller(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	person := func(email string, p member.Permissions, scopes ...string) string {
		return s.TokenOf(s.Employ(email, p), scopes...)
	}
	viewer := member.Permissions{FullTransactionHistoryView: true}
	for name, c := range map[string]struct {
		credential string
		want       int
	}{
		"payments":         {s.NewKey("secret", "payments"), 200},
		"checkouts.write":  {s.NewKey("secret", "checkouts.write"), 200},
		"other scopes":     {s.NewKey("secret", scopesWithout("payments", "checkouts.write")...), 403},
		"a client":         {s.Token(), 200},
		"a test profile":   {s.Token(func(t *identity.AccessToken) { t.Kind = identity.TestProfile }), 200},
		"the owner":        {s.TokenOf(s.Owner()), 200},
		"a viewer":         {person("viewer@example.com", viewer), 200},
		"a viewer by less": {person("less@example.com", viewer, "checkouts.read"), 403},
		"an administrator": {person("admin@example.com", member.Permissions{Admin: true}), 403},
		"a public key":     {s.NewKey("public"), 403},
		"a merchant token": {s.MerchantToken(), 403},
	} {
		got := s.as(c.credential).Send("POST", s.tokens(), forCheckout)
		if got.Status != c.want {
			t.Errorf("%s: got %d %s, want %d", name, got.Status, got.Body, c.want)
		} else if got.Status == 403 {
			notAllowed.Check(t, got)
		} else {
			s.readToken(got)
		}
	}
}

// TestMerchantToken_EndsWithItsMaker checks that a token is refused once its maker could no longer create the token.
func TestMerchantToken_EndsWithItsMaker(t *testing.T) {
	t.Parallel()
	viewer := member.Permissions{FullTransactionHistoryView: true}
	remove := func(s shop, m member.Member) {
		s.Want("remove", 200, s.Send("DELETE", "/v0.1/merchants/"+s.Merchant.Code+"/members/"+m.ID, nil))
	}
	for name, prepare := range map[string]func(shop) (maker string, end func()){
		"key revoked": func(s shop) (string, func()) {
			k := s.create("till", "payments")
			return k.Plaintext, func() { s.Want("revoke", 204, s.Send("DELETE", s.path(k.ID), nil)) }
		},
		"key restricted": func(s shop) (string, func()) {
			k := s.create("till", "payments")
			return k.Plaintext, func() { s.Want("restrict", 204, s.Send("PUT", s.path(k.ID), body("till", "checkouts.read"))) }
		},
		"member disabled": func(s shop) (string, func()) {
			m := s.Employ("till@example.com", viewer)
			return s.TokenOf(m), func() {
				s.Want("disable", 200, s.Send("POST", fmt.Sprint("/v0.1/me/accounts/", m.Number(), "/disable"), nil))
			}
		},
		"member removed": func(s shop) (string, func()) {
			m := s.Employ("till@example.com", viewer)
			return s.TokenOf(m), func() { remove(s, m) }
		},
		"member without the permission": func(s shop) (string, func()) {
			m := s.Employ("till@example.com", viewer)
			return s.TokenOf(m), func() {
				s.Want("take", 200, s.Send("PUT", fmt.Sprint("/v0.1/me/accounts/", m.Number()),
					fields{"permissions": fields{"full_transaction_history_view": false}}))
			}
		},
		"member elsewhere": func(s shop) (string, func()) {
			m := s.Person("grace@example.com", member.RoleOwner)
			return s.Join(s.OtherShop(), m, member.RoleOwner), func() { remove(s, m) }
		},
		"access token revoked": func(s shop) (string, func()) {
			token := s.TokenOf(s.Owner())
			return token, func() {
				if err := s.App.Store.RevokeAccessToken(s.Context(), identity.Hash(token)); err != nil {
					s.Error(err)
				}
			}
		},
		"access token expired": func(s shop) (string, func()) {
			token := s.Token(func(t *identity.AccessToken) { t.ExpiresAt = t.CreatedAt.Add(5 * time.Minute) })
			return token, func() {
				if got := s.readToken(s.as(token).Send("POST", s.tokens(), forCheckout)).ExpiresIn; got != 300 {
					s.Errorf("got a token for %d s, want 300", got)
				}
				s.Clock.Advance(5 * time.Minute)
			}
		},
		"client revoked": func(s shop) (string, func()) {
			c, _ := s.RegisterClient()
			return s.Token(func(t *identity.AccessToken) { t.Subject, t.Client = c.ID, c.ID }), func() {
				s.ChangeClient(c, func(c *oauth.Client) { c.RevokedAt = s.Clock.Now() })
			}
		},
		"client without the scope": func(s shop) (string, func()) {
			c, _ := s.RegisterClient()
			return s.Token(func(t *identity.AccessToken) { t.Subject, t.Client = c.ID, c.ID }), func() {
				s.ChangeClient(c, func(c *oauth.Client) { c.Approved = nil })
			}
		},
		"profile deleted": func(s shop) (string, func()) {
			p := s.TestProfile("Card")
			return s.Token(func(t *identity.AccessToken) { t.Kind, t.Subject = identity.TestProfile, p.ID }), func() {
				s.Want("delete", 204, s.Send("DELETE", "/v0.1/merchants/"+s.Merchant.Code+"/test-profiles/"+p.ID, nil))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			maker, end := prepare(s)
			app := s.as(s.as(maker).MerchantToken())
			id := app.Create("10.10", nil)
			end()
			if got := app.Checkout(id); got.Status != 401 {
				t.Errorf("got %d %s, want 401", got.Status, got.Body)
			}
			if got := s.Checkout(id); got.Text("user_id")[:4] != "tok_" {
				t.Errorf("got %d %s, want the checkout of the token", got.Status, got.Body)
			}
		})
	}
}

// TestCreateMerchantToken_Interrupted checks that a repeated creation shows one token, and shows it only once. If the
// interrupted request had already made a token, the audit has an entry for that token, too.
func TestCreateMerchantToken_Interrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	seen := map[string]bool{}
	s.attemptsInOrder(func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.tokens(), IdempotencyKey: try, Body: forCheckout}
		entries := s.countItems("AUDIT#")
		first := send(r)
		s.Clock.Advance(time.Minute)
		got, text := s.readToken(s.Do(r)), first.Text("access_token")
		if text == "" {
			text = got.AccessToken
		}
		s.Secret("merchant token", text)
		if got.AccessToken != "" && got.AccessToken != text || seen[text] || got.ExpiresIn != 900 {
			t.Errorf("%s: got %d %s, then %+v, want one new token", try, first.Status, first.Body, got)
		}
		seen[text] = true
		s.as(text).wantStatus(try, 404)
		if more := s.countItems("AUDIT#") - entries; more < 1 || more > 2 {
			t.Errorf("%s: got %d more entries in the audit, want 1 or 2", try, more)
		}
	})
}

// countItems returns how many items have keys with the prefix.
func (s shop) countItems(prefix string) int {
	s.Helper()
	return s.CountItems("begins_with(pk, ?)", prefix)
}

// TestCreateMerchantToken_RepeatedAfterMonths uses an Idempotency-Key again after its record has expired. The test
// checks that the expired token does not become valid again.
func TestCreateMerchantToken_RepeatedAfterMonths(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := world.Request{Method: "POST", Path: s.tokens(), IdempotencyKey: "monthly", Body: forCheckout,
		APIKey: s.Merchant.Key.Plaintext}
	first := s.readToken(s.Do(r)).AccessToken
	s.Clock.Advance(90 * 24 * time.Hour)
	if second := s.readToken(s.Do(r)).AccessToken; second == first || second == "" {
		t.Errorf("got %q after %q, want another token", second, first)
	}
	badToken.Check(t, s.as(first).Send("GET", "/v0.1/checkouts/x", nil))
}
