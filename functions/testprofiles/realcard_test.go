package testprofiles_test

import (
	"context"
	"iter"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// countingAcquirer is a live acquirer that counts its calls.
type countingAcquirer struct {
	acquirer.Acquirer
	calls *atomic.Int64
}

func (c countingAcquirer) Charge(ctx context.Context, charge acquirer.Charge) (payments.Outcome, error) {
	c.calls.Add(1)
	return c.Acquirer.Charge(ctx, charge)
}

func (c countingAcquirer) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	c.calls.Add(1)
	return c.Acquirer.LookUp(ctx, id)
}

func (c countingAcquirer) Complete(ctx context.Context, id, answer string) (payments.Outcome, error) {
	c.calls.Add(1)
	return c.Acquirer.Complete(ctx, id, answer)
}

func (c countingAcquirer) Cancel(ctx context.Context, id string) (payments.Outcome, error) {
	c.calls.Add(1)
	return c.Acquirer.Cancel(ctx, id)
}

func (c countingAcquirer) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	c.calls.Add(1)
	return c.Acquirer.Refund(ctx, r)
}

func (c countingAcquirer) CancelRefund(ctx context.Context, id string) (payments.Outcome, error) {
	c.calls.Add(1)
	return c.Acquirer.CancelRefund(ctx, id)
}

func (c countingAcquirer) DeleteCard(ctx context.Context, token string) error {
	c.calls.Add(1)
	return c.Acquirer.DeleteCard(ctx, token)
}

func (c countingAcquirer) Statement(ctx context.Context, since time.Time) iter.Seq2[acquirer.Movement, error] {
	c.calls.Add(1)
	return c.Acquirer.Statement(ctx, since)
}

// Numbers that look like real cards' numbers. No acquirer here publishes them as test cards (contract §12).
const (
	realVisa       = "4539578763621486"
	realMastercard = "5425233430109903"
	realAmex       = "371449635398431"
)

// newMarket returns a live shop of a deployment with a live acquirer, and the counter of calls to that acquirer.
func newMarket(t *testing.T) (shop, *atomic.Int64) {
	t.Helper()
	s, calls := newShop(t), &atomic.Int64{}
	s.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return countingAcquirer{a, calls} })
	return shop{s.NewShop("DE", "EUR", map[string]any{"sandbox": false})}, calls
}

// payAndRefund pays in every way with real cards, and refunds. It returns the payments.
func (s shop) payAndRefund() (paid []world.Payment) {
	s.Helper()
	for _, number := range []string{realVisa, realMastercard, realAmex} {
		body := s.Card(number)
		body["card"].(map[string]any)["cvv"] = map[bool]string{true: "1234", false: "123"}[number == realAmex]
		p := s.Pay(s.Create("10.10", nil), body)
		s.Refund(p, "5.05")
		paid = append(paid, p)
	}
	customer := s.Customer()
	setup := s.Card(realVisa)
	setup["mandate"] = fields{"type": "recurrent", "user_agent": "Mozilla/5.0", "user_ip": "203.0.113.7"}
	s.Pay(s.Create("0", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"}), setup)
	cards := "/v0.1/customers/" + customer + "/payment-instruments"
	saved := world.Into[[]struct{ Token string }](s, 200, s.Send("GET", cards, nil))
	paid = append(paid, s.Pay(s.Create("7", fields{"customer_id": customer}),
		fields{"payment_type": "card", "token": saved[0].Token, "customer_id": customer}))
	s.Want("deactivate the card", 204, s.Send("DELETE", cards+"/"+saved[0].Token, nil))
	s.Pay(s.Create("42.25", nil), s.Card(realVisa)) // so that the acquirer is asked again
	s.ProcessCheckout(s.Create("42.24", nil), s.Card(realVisa))
	s.PassMinute()
	return paid
}

// TestRealCard_InTestMode checks that no real card used in test mode by profiles, keys, people or payers reaches a live
// acquirer.
func TestRealCard_InTestMode(t *testing.T) {
	t.Parallel()
	live, calls := newMarket(t)
	test := shop{live.WithTestKey()}
	developer := test.create("developers")
	for name, credential := range map[string]string{"a test profile": test.createToken(developer.ID),
		"a key": test.Merchant.Key.Plaintext, "a client": test.Token(), "the owner": test.TokenOf(test.Owner())} {
		by := test.as(credential)
		for _, p := range by.payAndRefund() {
			if p.Status != "SUCCESSFUL" {
				t.Errorf("%s: got %+v, want it SUCCESSFUL in the sandbox", name, p)
			}
		}
		c := by.Create("10.10", nil)
		paid := world.Into[struct{ Status string }](t, 200, by.as(by.NewKey("public")).ProcessCheckout(c, by.Card(realVisa)))
		if paid.Status != "PAID" {
			t.Errorf("%s: a payer's browser got %+v, want it PAID", name, paid)
		}
		for _, wrong := range []string{"4539578763621487", "1234", "453957876362148a"} {
			body := maps.Clone(by.Card(wrong))
			if got := by.ProcessCheckout(by.Create("10.10", nil), body); got.Status != 400 {
				t.Errorf("%s, card %s: got %d %s, want 400", name, wrong, got.Status, got.Body)
			}
		}
		if n := calls.Load(); n != 0 {
			t.Fatalf("%s: got %d calls of live mode's acquirer, want none", name, n)
		}
	}
	test.wantNoExpiry()
	live.Sell("10.10") // this payment shows that calls are counted
	if n := calls.Load(); n == 0 {
		t.Error("live mode: got no call of its acquirer, want one")
	}
}

// wantNoExpiry fails if the table has a card's expiry. The world looks for numbers and security codes in table, queues
// and logs.
func (s shop) wantNoExpiry() {
	s.Helper()
	_, table := s.App.Store.Raw()
	var items []map[string]any
	if err := table.Scan().All(s.Context(), &items); err != nil {
		s.Fatal(err)
	}
	cards := 0
	var look func(value any)
	look = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if year, is := v["expiry_year"]; is {
				if cards++; year != float64(0) {
					s.Errorf("got a card of brand %v with expiry year %v, want none", v["brand"], year)
				}
			}
			for _, of := range v {
				look(of)
			}
		case []any:
			for _, of := range v {
				look(of)
			}
		}
	}
	for _, item := range items {
		look(item)
	}
	if cards == 0 {
		s.Error("got no card in the table, want some")
	}
}

// TestTestProfile_LiveToken checks that a profile's token in live mode, which the platform never issues, is refused.
func TestTestProfile_LiveToken(t *testing.T) {
	t.Parallel()
	live, calls := newMarket(t)
	profile := live.TestProfile("developers")
	by := live.as(live.Token(func(t *identity.AccessToken) {
		t.Kind, t.Subject, t.Client, t.Tenant.Mode = identity.TestProfile, profile.ID, "app_live", identity.Live
	}))
	badToken.Check(t, by.Send("POST", "/v0.1/checkouts", by.CheckoutBody("10.10")))
	badToken.Check(t, by.Send("GET", "/v2.1/merchants/"+live.Merchant.Code+"/transactions/history", nil))
	p := live.Sell("10.10") // a payment that the profile does not see in test mode
	before, try := calls.Load(), live.as(live.createToken(profile.ID))
	noCheckout := world.Refused(404, "NOT_FOUND", "", "checkout-not-found")
	noCheckout.Check(t, try.Send("GET", "/v0.1/checkouts/"+p.Checkout, nil))
	notFound.Check(t, try.Send("POST", "/v0.1/me/refund/"+p.ID, nil))
	noCheckout.Check(t, try.ProcessCheckout(live.Create("10.10", nil), try.Card(realVisa)))
	if n := calls.Load(); n != before {
		t.Errorf("got %d calls of live mode's acquirer, want none", n-before)
	}
}
