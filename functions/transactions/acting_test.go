package transactions_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

const ownersEmail = "kaffee@example.com"

// sellers returns the shop with the credential of each kind of seller, grouped by the username that the payments show.
func sellers(s world.Shop) map[string]map[string]world.Shop {
	other := s.OtherShop()
	asTestProfile := func(t *identity.AccessToken) { t.Kind = identity.TestProfile }
	visitor := other.Owner()
	return map[string]map[string]world.Shop{
		ownersEmail: {"a key": s, "a client": s.WithKey(s.Token()), "a test profile": s.WithKey(s.Token(asTestProfile)),
			"the owner": s.WithKey(s.TokenOf(s.Owner()))},
		"Till@Example.com": {"an operator": s.WithKey(s.TokenOf(s.Employ("Till@Example.com", member.Permissions{})))},
		visitor.Email: {"another merchant's owner, an employee here": s.WithKey(other.Join(s, visitor,
			member.RoleEmployee))},
	}
}

// ways returns the ways to pay a checkout of the seller. For some of these ways, the caller who pays is not the seller.
func ways(s, seller world.Shop) map[string]func() world.Payment {
	customer, public := s.Customer(), s.WithKey(s.NewKey("public"))
	setup := s.Card(world.Frictionless)
	setup["mandate"] = map[string]any{"type": "recurrent", "user_agent": "Mozilla/5.0", "user_ip": "203.0.113.7"}
	s.Pay(s.Create("0", map[string]any{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"}), setup)
	var cards []struct{ Token string }
	got := s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil)
	if err := got.Into(&cards); err != nil || len(cards) != 1 {
		s.Fatalf("cards: got %d %s, want one", got.Status, got.Body)
	}
	return map[string]func() world.Payment{
		"by itself": func() world.Payment { return seller.Sell("10") },
		"by a payer's public key": func() world.Payment {
			c := seller.Create("10", nil)
			public.ProcessCheckout(c, s.Card(world.Frictionless))
			return paymentOf(s, c)
		},
		"by the merchant's key": func() world.Payment {
			return s.Pay(seller.Create("10", nil), s.Card(world.Frictionless))
		},
		"without an answer at once": func() world.Payment {
			return s.Pay(seller.Create("42.25", nil), s.Card(world.Frictionless))
		},
		"after a challenge": func() world.Payment {
			c := seller.Create("10", nil)
			form := s.Challenge(seller.ProcessCheckout(c, s.Card(world.Challenged)), "approve")
			s.Answer(c, form)
			return paymentOf(s, c)
		},
		"under a mandate, by the merchant's key": func() world.Payment {
			return s.Pay(seller.Create("10", map[string]any{"customer_id": customer}),
				map[string]any{"payment_type": "card", "token": cards[0].Token, "customer_id": customer})
		},
	}
}

// paymentOf returns the checkout's last transaction.
func paymentOf(s world.Shop, checkout string) world.Payment {
	s.Helper()
	var c struct {
		Reference    string          `json:"checkout_reference"`
		Transactions []world.Payment `json:"transactions"`
	}
	if got := s.Checkout(checkout); got.Into(&c) != nil || len(c.Transactions) == 0 {
		s.Fatalf("checkout: got %d %s, want it with a transaction", got.Status, got.Body)
	}
	p := c.Transactions[len(c.Transactions)-1]
	p.Checkout, p.Reference = checkout, c.Reference
	return p
}

// TestUsername_CheckoutCreator checks that a payment and its refunds show the name of the checkout's creator, even if
// other callers process and refund the checkout (contract §13.9). Each filter finds the payment only by that name.
func TestUsername_CheckoutCreator(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	refunder := s.WithKey(s.TokenOf(s.Employ("refunds@example.com", member.Permissions{RefundTransactions: true,
		FullTransactionHistoryView: true})))
	for name, all := range sellers(s) {
		for kind, seller := range all {
			for way, pay := range ways(s, seller) {
				p := pay()
				s.Clock.Advance(time.Minute)
				s.RunUntilIdle()
				refunder.Refund(p, "1")
				what := kind + ", " + way
				for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions?id=" + p.ID,
					"/v0.1/me/transactions?id=" + p.ID} {
					if got := seller.Send("GET", path, nil).Text("username"); got != name {
						t.Errorf("%s: got username %q, want %q", what, got, name)
					}
				}
				for filter, want := range map[string][]string{"": {name, name},
					"&users[]=" + url.QueryEscape(strings.ToUpper(name)): {name, name}, "&users[]=refunds@example.com": nil,
					"&users[]=nobody@example.com&users[]=" + url.QueryEscape(name): {name, name}} {
					for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history",
						"/v0.1/me/transactions/history"} {
						if diff := cmp.Diff(want, users(seller, path+"?transaction_code="+p.Code+filter)); diff != "" {
							t.Errorf("%s, %s: users (-want +got):\n%s", what, filter, diff)
						}
					}
				}
			}
		}
	}
}

// users returns the usernames of a page's items, in order.
func users(s world.Shop, path string) (all []string) {
	s.Helper()
	var page struct{ Items []struct{ User string } }
	if got := s.Send("GET", path, nil); got.Status != 200 || got.Into(&page) != nil {
		s.Fatalf("%s: got %d %s, want a page", path, got.Status, got.Body)
	}
	for _, item := range page.Items {
		all = append(all, item.User)
	}
	return all
}

// TestUsername_Snapshot checks that a payment keeps its user's name after the user is renamed or deleted.
func TestUsername_Snapshot(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	till := s.Employ("till@example.com", member.Permissions{})
	by := s.WithKey(s.TokenOf(till))
	before, open := by.Sell("10"), by.Create("10", nil)
	if _, err := s.App.Store.UpdateMember(t.Context(), world.ByTest, s.Tenant(), till.Number(), "counter@example.com",
		member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			m.Email = "counter@example.com"
			return m, nil
		}); err != nil {
		t.Fatal(err)
	}
	during := s.Pay(open, s.Card(world.Frictionless))
	after := by.Sell("10")
	if _, err := s.App.Store.DeleteMember(t.Context(), world.ByTest, s.Tenant(), till.Number(), "deletion", member.EndKeys,
		func(member.Member, member.Roles) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[world.Payment]string{before: "till@example.com", during: "till@example.com",
		after: "counter@example.com"} {
		if got := s.Transaction("id=" + p.ID).Text("username"); got != want {
			t.Errorf("got username %q, want %q", got, want)
		}
	}
	another, err := s.App.Store.CreateMember(t.Context(), world.ByTest, s.Tenant(), "till@example.com", "employ another",
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewEmployee(id, member.Registration{Email: "till@example.com"}, nil, s.Clock.Now()), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	again := s.WithKey(s.TokenOf(another))
	for _, p := range []world.Payment{before, during, after} {
		notFound.Check(t, again.Transaction("id="+p.ID)) // another person, who now has the same address
	}
}

// asked is a caller's request about a payment, with a name for messages.
type asked struct {
	name    string
	request world.Request
}

func about(s world.Shop, p world.Payment) []asked {
	mc := s.Merchant.Code
	get := func(path string) world.Request { return world.Request{Method: "GET", Path: path} }
	return []asked{
		{"detail", get("/v2.1/merchants/" + mc + "/transactions?id=" + p.ID)},
		{"legacy detail", get("/v0.1/me/transactions?id=" + p.ID)},
		{"receipt", get("/v1.1/receipts/" + p.ID + "?mid=" + mc)},
		{"receipt by code", get("/v1.1/receipts/" + p.Code + "?mid=" + mc)},
		{"checkout", get("/v0.1/checkouts/" + p.Checkout)},
		{"refund", world.Request{Method: "POST", Path: "/v0.1/me/refund/" + p.ID, Body: map[string]any{"amount": 1}}},
		{"refund by code", world.Request{Method: "POST",
			Path: "/v1.0/merchants/" + mc + "/payments/" + p.Code + "/refunds", Body: map[string]any{"amount": 1}}},
		{"payouts", get("/v1.0/merchants/" + mc + "/payouts?start_date=2026-01-01&end_date=2026-01-02")},
		{"legacy payouts", get("/v0.1/me/financials/payouts?start_date=2026-01-01&end_date=2026-01-02")},
	}
}

// TestPermissions_EachOperation checks the permissions refund_transactions and full_transaction_history_view. Operators
// have them directly, and users by a role. The test covers each person's own payments and the payments of others. Keys
// and clients need neither permission.
func TestPermissions_EachOperation(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	foreign := s.OtherShop()
	role, err := s.App.Store.CreateRole(t.Context(), world.ByTest, s.Tenant(), member.Role{ID: member.RoleID("refunds"),
		Name: "Refunds", Permissions: []identity.Permission{identity.RefundTransactions}}, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	operator := func(email string, p member.Permissions) string { return s.TokenOf(s.Employ(email, p)) }
	const reads, payouts = 5, 2 // numbers of requests of each kind
	answers := func(see, refund, payout int) []int {
		created := refund
		if refund == 204 {
			created = 201
		}
		return slices.Concat(slices.Repeat([]int{see}, reads), []int{refund, created}, slices.Repeat([]int{payout}, payouts))
	}
	profile := s.Token(func(t *identity.AccessToken) { t.Kind = identity.TestProfile })
	for name, c := range map[string]struct {
		credential  string
		own, others []int
	}{
		"a key":          {s.Merchant.Key.Plaintext, answers(200, 204, 200), answers(200, 204, 200)},
		"a client":       {s.Token(), answers(200, 204, 200), answers(200, 204, 200)},
		"a test profile": {profile, answers(200, 204, 200), answers(200, 204, 200)},
		"the owner":      {s.TokenOf(s.Owner()), answers(200, 204, 200), answers(200, 204, 200)},
		"an employee":    {operator("1@example.com", member.Permissions{}), answers(200, 403, 403), answers(404, 403, 403)},
		"who refunds": {operator("2@example.com", member.Permissions{RefundTransactions: true}),
			answers(200, 204, 403), answers(404, 404, 403)},
		"who sees all": {operator("3@example.com", member.Permissions{FullTransactionHistoryView: true}),
			answers(200, 403, 200), answers(200, 403, 200)},
		"who does both": {operator("4@example.com", member.Permissions{RefundTransactions: true,
			FullTransactionHistoryView: true}), answers(200, 204, 200), answers(200, 204, 200)},
		"a user who refunds": {foreign.Join(s, foreign.Owner(), role.ID), answers(200, 204, 403), answers(404, 404, 403)},
	} {
		by := s.WithKey(c.credential)
		for whose, of := range map[string]struct {
			payment world.Payment
			want    []int
		}{"its own": {by.Sell("10"), c.own}, "another's": {s.Sell("10"), c.others}} {
			for i, a := range about(s, of.payment) {
				if got := by.Send(a.request.Method, a.request.Path, a.request.Body); got.Status != of.want[i] {
					t.Errorf("%s, %s, %s: got %d %s, want %d", name, whose, a.name, got.Status, got.Body, of.want[i])
				}
			}
			refundable := len(linksOf(by, of.payment)) > 0
			if want := of.want[0] == 200 && of.want[reads] == 204; refundable != want {
				t.Errorf("%s, %s: got a link to refund: %t, want %t", name, whose, refundable, want)
			}
		}
	}
}

// linksOf returns the links of a transaction as the caller sees it, or none.
func linksOf(s world.Shop, p world.Payment) []any {
	s.Helper()
	var v struct{ Links []any }
	if got := s.Transaction("id=" + p.ID); got.Into(&v) != nil {
		s.Fatalf("got %s, want JSON", got.Body)
	}
	return v.Links
}

// TestIdempotencyKey_PerPerson checks that two persons who refund with the same Idempotency-Key make two refunds. If
// one person uses the key twice, even with different tokens, there is one refund (contract §2.8).
func TestIdempotencyKey_PerPerson(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	both := member.Permissions{RefundTransactions: true, FullTransactionHistoryView: true}
	ada, bob := s.Employ("ada@example.com", both), s.Employ("bob@example.com", both)
	p := s.Sell("10")
	r := world.Request{Method: "POST", Path: "/v0.1/me/refund/" + p.ID, IdempotencyKey: "k",
		Body: map[string]any{"amount": 1}}
	for _, c := range []struct {
		credential string
		replayed   bool
		left       string
	}{
		{s.TokenOf(ada), false, "9.00"}, {s.TokenOf(ada), true, "9.00"}, {s.TokenOf(bob), false, "8.00"},
		{s.Merchant.Key.Plaintext, false, "7.00"}, {s.Token(), false, "6.00"}, {s.TokenOf(bob), true, "6.00"},
		{s.Token(), true, "6.00"},
	} {
		r.APIKey = c.credential
		got := s.Do(r)
		if replayed := got.Header.Get("Idempotency-Replayed") == "true"; got.Status != 204 || replayed != c.replayed {
			t.Errorf("got %d, replayed %t, want 204, %t", got.Status, replayed, c.replayed)
		}
		if got := summary(s, p); !strings.HasSuffix(got, "left "+c.left) {
			t.Errorf("got %s, want %s left", got, c.left)
		}
	}
	less, err := s.App.Store.UpdateMember(t.Context(), world.ByTest, s.Tenant(), ada.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			m.Own.RefundTransactions = false
			return m, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	ended := s.WithKey(s.TokenOf(less))
	denied.Check(t, ended.Do(world.Request{Method: "POST", Path: r.Path, IdempotencyKey: "k", Body: r.Body}))
}
