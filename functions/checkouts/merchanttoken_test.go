package checkouts_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestCreateCheckout_MerchantToken checks that a browser with a merchant token cannot set the fields that only the
// merchant's server may set. It also does not see the checkout's creator (contract §8.5).
func TestCreateCheckout_MerchantToken(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	app := s.WithKey(s.MerchantToken())
	customer := s.Customer()
	merchantOnly := change{"return_url", absent}
	for _, c := range []struct {
		changes []change
		want    world.Refusal
	}{
		{[]change{{"return_url", s.Receiver.URL}}, invalid("return_url")},
		{[]change{{"return_url", "nowhere"}}, invalid("return_url")},
		{[]change{merchantOnly, {"customer_id", customer}}, invalid("customer_id")},
		{[]change{merchantOnly, {"customer_id", "nobody"}}, invalid("customer_id")},
		{[]change{merchantOnly, {"purpose", "SETUP_RECURRING_PAYMENT"}}, invalid("purpose")},
		{[]change{merchantOnly, {"purpose", "SETUP_RECURRING_PAYMENT"}, {"customer_id", customer}}, invalid("purpose")},
		{[]change{merchantOnly, {"pay_to_email", "kaffee@example.com"}}, invalid("pay_to_email")},
		{[]change{merchantOnly, {"pay_to_email", "other@example.com"}}, invalid("pay_to_email")},
		{[]change{merchantOnly, {"pay_to_email", "other@example.com"}, {"merchant_code", absent}}, invalid("pay_to_email")},
		{[]change{merchantOnly, {"merchant_code", absent}}, missing("merchant_code")},
		{[]change{merchantOnly, {"merchant_code", s.OtherShop().Merchant.Code}}, denied},
		{[]change{merchantOnly, {"hosted_checkout", map[string]any{"enabled": true}}}, invalid("hosted_checkout")},
	} {
		c.want.Check(t, app.Send("POST", "/v0.1/checkouts", edited(app.CheckoutBody("10.10"), c.changes...)))
	}
	if all := listed(t, s.Send("GET", "/v0.1/checkouts", nil)); len(all) != 0 {
		t.Errorf("got checkouts %s, want none", all)
	}
	made := app.Send("POST", "/v0.1/checkouts", edited(app.CheckoutBody("10.10"), merchantOnly,
		change{"purpose", "CHECKOUT"}, change{"hosted_checkout", map[string]any{"enabled": false}},
		change{"redirect_url", "https://shop.example/done"}, change{"description", "Two coffees"},
		change{"personal_details", map[string]any{"email": "ada@example.com"}},
		change{"valid_until", s.Clock.Now().Add(time.Hour).Format(time.RFC3339)}))
	if made.Status != 201 || made.Text("user_id") != "" || s.Checkout(made.Text("id")).Text("user_id") == "" {
		t.Errorf("got %d %s, want 201 without user_id, which the merchant is shown", made.Status, made.Body)
	}
	noCheckout.Check(t, s.WithKey(s.OtherShop().MerchantToken()).Checkout(made.Text("id")))
}

// TestCreateCheckout_IdempotencyKeyOfAnotherToken checks that a browser does not get another browser's reply by using
// the same Idempotency-Key.
func TestCreateCheckout_IdempotencyKeyOfAnotherToken(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	r := world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: s.CheckoutBody("10.10"), IdempotencyKey: "order-1",
		APIKey: s.MerchantToken()}
	first := s.Do(r)
	if again := s.Do(r); first.Status != 201 || again.Text("id") != first.Text("id") {
		t.Errorf("got %d %s, then %d %s, want twice the same 201", first.Status, first.Body, again.Status, again.Body)
	}
	r.APIKey = s.MerchantToken()
	duplicate.Check(t, s.Do(r))
}

// TestCreateCheckout_LimitByMerchantToken checks that one token creates only few checkouts, since each checkout allows
// some attempts with stolen cards (contract §2.9).
func TestCreateCheckout_LimitByMerchantToken(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	app, other := s.WithKey(s.MerchantToken()), s.WithKey(s.MerchantToken())
	for range 19 {
		app.Create("10.10", nil)
	}
	duplicate.Check(t, app.Send("POST", "/v0.1/checkouts", edited(app.CheckoutBody("10.10"),
		change{"checkout_reference", other.Checkout(other.Create("10.10", nil)).Text("checkout_reference")})))
	got := app.Send("POST", "/v0.1/checkouts", app.CheckoutBody("10.10"))
	if tooMany.Check(t, got); got.Header.Get("Retry-After") != "45" {
		t.Errorf("got Retry-After %q, want 45", got.Header.Get("Retry-After"))
	}
	other.Create("10.10", nil)
	s.Create("10.10", nil)
	s.Clock.Advance(45 * time.Second)
	app.Create("10.10", nil)
}

// TestProcessCheckout_MerchantTokenOfEmployee checks an employee who may not charge saved cards. A merchant token does
// not give the employee that right (contract §8.5).
func TestProcessCheckout_MerchantTokenOfEmployee(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	ada := s.Customer()
	token := saveCardWithMandate(s, ada, world.Frictionless)
	for name, may := range map[string]bool{"clerk": false, "cashier": true} {
		m := s.Employ(name+"@example.com", member.Permissions{FullTransactionHistoryView: true, CreateMOTOPayments: may})
		app := s.WithKey(s.WithKey(s.TokenOf(m)).MerchantToken())
		got := app.ProcessCheckout(s.Create("10.10", fields{"customer_id": ada}), byToken(ada, token))
		if !may {
			denied.Check(t, got)
		} else if got.Text("status") != "PAID" {
			t.Errorf("%s: got %d %s, want it PAID", name, got.Status, got.Body)
		}
		app.MustPay(app.Create("10.10", nil), app.Card(world.Frictionless))
	}
}
