package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const shopPage = "https://shop.example/done"

// TestCreatePaymentPageAttempt_Card checks that the page leads the payer on to the merchant, and that other browsers
// see nothing of the payment.
func TestCreatePaymentPageAttempt_Card(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]any{"redirect_url": shopPage, "description": "Two coffees"})
	payer, other := f.browser(), f.browser()
	page := payer.load("", "form")
	for _, text := range []string{"Two coffees", f.id} {
		if !strings.Contains(string(page.Body), text) {
			t.Errorf("got page %s, want %s in it", page.Body, text)
		}
	}
	tab := other.load("", "form")
	paid := payer.pay(payer.attempt(page, f.Card(world.Frictionless)))
	if paid.Status != 200 || paid.Text("status") != "PAID" || paid.Text("return_url") != "" {
		t.Fatalf("got %d %s, want 200 and PAID, as a payer sees it", paid.Status, paid.Body)
	}
	done := shopPage + "?checkout_id=" + f.id
	if got := payer.get(f.path()); got.Status != 303 || got.Header.Get("Location") != done {
		t.Errorf("the payer: got %d to %s, want 303 to %s", got.Status, got.Header.Get("Location"), done)
	}
	payer.load("?from=form", "paid")
	for name, b := range map[string]*browser{"with a session": other, "without": f.browser()} {
		if got := b.load("", "ended"); strings.Contains(string(got.Body), "coffees") ||
			strings.Contains(string(got.Body), shopPage) || strings.Contains(string(got.Body), f.Merchant.Code) {
			t.Errorf("another browser %s: got page %s, want nothing of the checkout in it", name, got.Body)
		}
	}
	other.Want("another browser pays", 409, other.pay(other.attempt(tab, f.Card(world.Frictionless))))
	if got := f.captured(); got != 1 {
		t.Errorf("got %d charges, want 1", got)
	}
}

// TestCreatePaymentPageAttempt_WhatIsSent checks that the acquirer gets the payer's browser, and the consent that the
// page asks for.
func TestCreatePaymentPageAttempt_WhatIsSent(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	sent := s.RecordCharges()
	s = s.NewLiveShop()
	f := hostedBy(s, "10.10", map[string]any{"customer_id": s.Customer(), "purpose": "SETUP_RECURRING_PAYMENT"})
	payer := f.browser()
	payer.from = "203.0.113.7"
	payer.Want("pay", 200, payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Frictionless))))
	got := sent.Last(t)
	if b := got.Browser; b == nil || b.IP != payer.from || b.UserAgent != userAgent {
		t.Errorf("got browser %+v, want %s at %s", b, userAgent, payer.from)
	}
	if c := got.Consent; c == nil || c.IP != payer.from || c.UserAgent != userAgent {
		t.Errorf("got consent %+v, want it by %s at %s", c, userAgent, payer.from)
	}
}

// TestCreatePaymentPageAttempt_Form checks a payment without scripts. The answer is a 303 to the page, and the page
// leads to the merchant. A direct redirect would fail, because browsers apply the form's policy to redirects after the
// form.
func TestCreatePaymentPageAttempt_Form(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]any{"redirect_url": shopPage})
	payer := f.browser()
	page := payer.load("", "form")
	form := payer.form(page, "4200 0000-0000 0091")
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self';") &&
		!strings.HasSuffix(policy, "form-action 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("got policy %q, want forms to our own host alone, and no frames", policy)
	}
	got := payer.pay(form)
	if got.Status != 303 || got.Header.Get("Location") != f.url()+"?from=form" {
		t.Fatalf("got %d to %s %s, want 303 to the page", got.Status, got.Header.Get("Location"), got.Body)
	}
	if shown := payer.load("?from=form", "paid"); !strings.Contains(string(shown.Body), shopPage+"?checkout_id="+f.id) {
		t.Errorf("got page %s, want a link to the merchant", shown.Body)
	}
	if again := payer.pay(form); again.Status != 303 || f.captured() != 1 {
		t.Errorf("sent again: got %d and %d charges, want 303 and 1", again.Status, f.captured())
	}
}

// TestCreatePaymentPageAttempt_FormWithFaults checks that the form shows the entered values again, but no card data.
func TestCreatePaymentPageAttempt_FormWithFaults(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("BR", "BRL", nil)
	f := hostedBy(s, "10.10", nil)
	payer := f.browser()
	form := payer.form(payer.load("", "form"), "4200000000000092")
	form.Set("installments", "3")
	form.Set("card.cvv", "")
	got := payer.pay(form)
	payer.want(got, 400, "form")
	for _, text := range []string{"4200000000000092", "Ada Example", `"2039"`} {
		if strings.Contains(string(got.Body), text) {
			t.Errorf("got page with %s in it, want no card data", text)
		}
	}
	if n := strings.Count(string(got.Body), `aria-invalid="true"`); n != 2 ||
		!strings.Contains(string(got.Body), `<option value="3" selected`) {
		t.Errorf("got page %s, want 2 faults and 3 instalments in it", got.Body)
	}
	if got = payer.pay(payer.form(got, world.Frictionless)); got.Status != 303 || f.captured() != 1 {
		t.Errorf("repaired: got %d and %d charges, want 303 and 1", got.Status, f.captured())
	}
}

// TestCreatePaymentPageAttempt_RetryAfterDecline checks that only the payer's browser sees the decline. The payer can
// pay afterwards.
func TestCreatePaymentPageAttempt_RetryAfterDecline(t *testing.T) {
	t.Parallel()
	f := hostedBy(world.NewShop(t), "42.01", nil)
	payer := f.browser()
	page := payer.load("", "form")
	body := payer.attempt(page, f.Card(world.Frictionless))
	for range 2 { // the second request repeats the first attempt
		if got := payer.pay(body); got.Status != 200 || got.Text("status") != "FAILED" {
			t.Errorf("got %d %s, want 200 and FAILED", got.Status, got.Body)
		}
	}
	if got := f.Statuses(f.id); got != "FAILED FAILED" {
		t.Errorf("got statuses %q, want one attempt", got)
	}
	mine, others := payer.load("", "form"), f.browser().load("", "form")
	if text := "declined"; !strings.Contains(string(mine.Body), `role="alert" tabindex="-1">T`) ||
		strings.Contains(string(others.Body), `role="alert" tabindex="-1">T`) {
		t.Errorf("%s: got pages %s and %s, want an alert for the payer alone", text, mine.Body, others.Body)
	}
	f.Must(200, f.Send("PATCH", "/v0.1/checkouts/"+f.id, map[string]any{"amount": 10.10}))
	again := payer.attempt(payer.load("", "form"), f.Card(world.Frictionless))
	if got := payer.pay(again); got.Status != 200 || got.Text("status") != "PAID" {
		t.Errorf("got %d %s, want 200 and PAID", got.Status, got.Body)
	}
	if got := payer.pay(body); got.Status != 403 || f.captured() != 1 {
		t.Errorf("the first request, late: got %d %s, %d charges, want 403 and 1", got.Status, got.Body, f.captured())
	}
	payer.load("", "paid")
}

// TestCreatePaymentPageAttempt_Superseded repeats a request after another attempt has begun, and checks that the
// repeated request charges nothing.
func TestCreatePaymentPageAttempt_Superseded(t *testing.T) {
	t.Parallel()
	f := hostedBy(world.NewShop(t), "42.01", nil)
	payer := f.browser()
	page := payer.load("", "form")
	first := payer.attempt(page, f.Card(world.Frictionless))
	payer.pay(first)
	payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Frictionless)))
	got := payer.pay(first)
	if statuses := f.Statuses(f.id); got.Status != 409 || statuses != "FAILED FAILED FAILED" {
		t.Errorf("got %d %s, statuses %q, want 409 and two attempts", got.Status, got.Body, statuses)
	}
}

func TestSession_Expired(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	page := payer.load("", "form")
	body := payer.attempt(page, f.Card(world.Frictionless))
	f.wait(30 * time.Minute)
	if got := payer.pay(body); got.Status != 403 || got.Text("error_code") != "PAYMENT_PAGE_EXPIRED" {
		t.Errorf("JSON after the session: got %d %s, want 403 PAYMENT_PAGE_EXPIRED", got.Status, got.Body)
	}
	payer.want(payer.pay(payer.form(page, world.Frictionless)), 403, "session_expired")
	expired := payer.load("", "session_expired")
	if !strings.Contains(string(expired.Body), f.path()+"?restart=1") {
		t.Errorf("got page %s, want a link to start again", expired.Body)
	}
	if got := payer.get(f.path() + "?restart=1"); got.Status != 303 || got.Header.Get("Location") != f.url() {
		t.Errorf("restart: got %d %s, want 303 to the page", got.Status, got.Body)
	}
	if got := payer.pay(body); got.Status != 403 || got.Text("error_message") != "request_not_allowed" {
		t.Errorf("the former page's token: got %d %s, want 403", got.Status, got.Body)
	}
	before := payer.cookies
	if payer.get(f.path() + "?restart=1"); len(before) != 1 {
		t.Errorf("got cookies %v, want one", before)
	}
	if got := payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Frictionless))); got.Text("status") != "PAID" {
		t.Errorf("got %d %s, want PAID", got.Status, got.Body)
	}
	f.wait(time.Hour)
	payer.load("?from=form", "paid")
}

func TestCreatePaymentPageAttempt_ForeignRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	page := payer.load("", "form")
	body := payer.attempt(page, f.Card(world.Frictionless))
	other := fixture{f.Shop, f.Create("10.10", map[string]any{"hosted_checkout": map[string]any{"enabled": true}})}
	foreign := other.browser()
	foreign.load("", "form")
	stolen := f.browser()
	steal := func() { // copies the other checkout's cookie under the name of this checkout's cookie
		for _, value := range foreign.cookies {
			for name := range payer.cookies {
				stolen.cookies[name] = value
			}
		}
	}
	steal()
	taken := stolen.attempt(stolen.load("", "form"), f.Card(world.Frictionless)) // the token of another page
	steal()
	wrong := payer.attempt(page, f.Card(world.Frictionless))
	wrong["csrf_token"] = "guess"
	for name, got := range map[string]world.Response{
		"without a cookie": f.browser().pay(body), "another checkout's cookie": stolen.pay(taken),
		"a wrong token": payer.pay(wrong),
	} {
		if got.Status != 403 || got.Text("error_message") != "request_not_allowed" ||
			!strings.Contains(got.Text("detail"), "load the page again") {
			t.Errorf("%s: got %d %s, want 403", name, got.Status, got.Body)
		}
	}
	form := payer.form(page, world.Frictionless)
	form.Set("csrf_token", "guess")
	payer.want(payer.pay(form), 403, "form")
	got := f.browser().pay(form)
	payer.want(got, 403, "session_expired")
	if got.Header.Get("Set-Cookie") != "" {
		t.Error("got a cookie for a form of another site, want none: it would end the payer's session")
	}
	if f.captured() != 0 {
		t.Errorf("got %d charges, want none", f.captured())
	}
}

func TestShowPaymentPage_NotFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	plain := f.Create("10.10", nil)
	off := f.Create("10.10", map[string]any{"hosted_checkout": map[string]any{"enabled": false}})
	for _, id := range []string{plain, off, "4e425463-3e1b-431d-83fa-1e51c2925e99", "x"} {
		f.Want(id, http.StatusNotFound, f.browser().get("/pay/c-"+id))
		f.Want(id, http.StatusNotFound, (fixture{f.Shop, id}).browser().pay(f.Card(world.Frictionless)))
	}
}

// TestTaxEnabled_Snapshot enables tax between the checkout's creation and its payment (contract §6.1).
func TestTaxEnabled_Snapshot(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	page := payer.load("", "form")
	f.Command("update_settings", map[string]any{"tax_enabled": true})
	if paid := payer.pay(payer.attempt(page, f.Card(world.Frictionless))); paid.Text("status") != "PAID" {
		t.Fatalf("got %d %s, want PAID", paid.Status, paid.Body)
	}
	var c struct {
		Transactions []world.Payment `json:"transactions"`
	}
	if err := f.Checkout(f.id).Into(&c); err != nil {
		t.Fatal(err)
	}
	world.Holds(t, f.Transaction("id="+c.Transactions[0].ID).Body, map[string]string{"tax_enabled": "true"})
}
