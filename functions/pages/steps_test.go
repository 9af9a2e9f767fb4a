package pages_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// submit posts a form as the browser does.
func (b *browser) submit(form client.Form) world.Response {
	b.Helper()
	return b.send(form.Request())
}

// formOn is the form of a page.
func (b *browser) formOn(page world.Response) client.Form {
	b.Helper()
	page.Body = bytes.ReplaceAll(page.Body, []byte(` id="challenge"`), nil) // as the client knows forms
	form, err := page.Form()
	if err != nil {
		b.Fatalf("got %d %s, want a form: %v", page.Status, page.Body, err)
	}
	return form
}

// decide goes from the payment page through the issuer's page to completePayment.
func (b *browser) decide(page world.Response, decision string) world.Response {
	b.Helper()
	asked := b.submit(b.formOn(page))
	form := b.formOn(asked)
	form.Fields.Set("decision", decision)
	return b.submit(b.formOn(b.submit(form)))
}

// TestChallenge: the page draws the challenge whenever it is loaded, and its end leads back to the page, or to the
// merchant when it is paid: a challenge that has left a merchant's frame comes back without the frame's cookie.
func TestChallenge(t *testing.T) {
	t.Parallel()
	for decision, want := range map[string]string{"approve": "PAID SUCCESSFUL", "reject": "FAILED FAILED",
		"error": "FAILED FAILED"} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, map[string]any{"redirect_url": shopPage})
			payer := f.browser()
			got := payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Challenged)))
			if got.Status != 202 {
				t.Fatalf("got %d %s, want 202", got.Status, got.Body)
			}
			f.browser().load("", "form") // nothing of the challenge
			payer.load("", "challenge")
			page := payer.load("", "challenge")
			if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") ||
				strings.Contains(policy, "https:") {
				t.Errorf("got policy %q, want frames of ours, and forms to our host alone", policy)
			}
			outcome := payer.decide(page, decision)
			next := f.url()
			if decision == "approve" {
				next = shopPage + "?checkout_id=" + f.id
			}
			if outcome.Status != 200 || !strings.Contains(string(outcome.Body), `href="`+next+`"`) {
				t.Errorf("got %d %s, want 200 with a link to %s", outcome.Status, outcome.Body, next)
			}
			if got := f.Statuses(f.id); got != want {
				t.Errorf("got statuses %q, want %q", got, want)
			}
			if decision != "approve" {
				payer.load("", "form")
			} else if got := payer.get(f.path()); got.Header.Get("Location") != shopPage+"?checkout_id="+f.id {
				t.Errorf("got %d to %s, want to the merchant", got.Status, got.Header.Get("Location"))
			}
		})
	}
}

// TestAChallengeIsGivenUp for another card, by the same browser or another.
func TestAChallengeIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]bool{"the same browser": true, "another": false} {
		f := newFixture(t, nil)
		payer := f.browser()
		payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Challenged)))
		page := payer.load("", "challenge")
		next, query := payer, "?change=1"
		if !same {
			next, query = f.browser(), ""
		}
		got := next.pay(next.attempt(next.load(query, "form"), f.Card(world.Frictionless)))
		if statuses := f.Statuses(f.id); got.Text("status") != "PAID" || statuses != "PAID CANCELLED SUCCESSFUL" {
			t.Errorf("%s: got %d %s, statuses %q; want it paid", name, got.Status, got.Body, statuses)
		}
		if asked := payer.submit(payer.formOn(page)); asked.Status == 500 {
			t.Errorf("%s: got %d %s at the former challenge", name, asked.Status, asked.Body)
		}
		if f.captured() != 1 {
			t.Errorf("%s: got %d charges, want 1", name, f.captured())
		}
	}
}

// TestALiveChallengeLeavesThePage: its form may lead to issuers, no frame.
func TestALiveChallengeLeavesThePage(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.GoLive()
	f := hostedBy(w.Shop().NewShop("DE", "EUR", map[string]any{"sandbox": false}), "10.10", nil)
	payer := f.browser()
	payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Challenged)))
	page := payer.load("", "challenge")
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' http") ||
		strings.Contains(string(page.Body), "<iframe") {
		t.Errorf("got policy %q and page %s, want a form to the issuer without a frame", policy, page.Body)
	}
}

// ideal is a form to pay by a method of a bank.
func (b *browser) ideal(page world.Response) url.Values {
	b.Helper()
	form := b.hidden(page)
	form.Set("payment_type", "ideal")
	for name, value := range map[string]string{"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com",
		"address.country": "NL"} {
		form.Set("personal_details."+name, value)
	}
	return form
}

// TestRedirectMethod: the bank leads back to the page, so that no redirect_url is needed.
func TestRedirectMethod(t *testing.T) {
	t.Parallel()
	for decision, state := range map[string]string{"pay": "paid", "fail": "form", "leave": "redirect"} {
		f := newFixture(t, nil)
		payer := f.browser()
		payer.pay(payer.ideal(payer.load("", "form")))
		page := payer.load("?from=form", "redirect")
		_, rest, _ := strings.Cut(string(page.Body), `href="http://cashwrap.test/apm/`)
		token, _, _ := strings.Cut(rest, "?")
		got := payer.send(world.Request{Method: "POST", Path: "/apm/" + token, Body: url.Values{"decision": {decision}}})
		back := f.url() + "?from=bank&checkout_id=" + f.id
		if got.Status != 303 || got.Header.Get("Location") != back {
			t.Errorf("%s: got %d to %s, want 303 to %s", decision, got.Status, got.Header.Get("Location"), back)
		}
		payer.load("?from=bank", state)
	}
}

// TestCodes: the payer sees the code until it is paid, others never.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"pix", "qr_code_pix", "boleto"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			f := hostedBy(world.NewShop(t).NewShop("BR", "BRL", nil), "10.10", map[string]any{"redirect_url": shopPage,
				"personal_details": map[string]any{"first_name": "Ana", "last_name": "Exemplo", "email": "ana@shop.example"}})
			payer := f.browser()
			page := payer.load("", "form")
			if strings.Contains(string(page.Body), "ana@shop.example") ||
				strings.Contains(string(page.Body), `name="personal_details.email"`) {
				t.Errorf("got page %s, want nothing in it that is known of the payer", page.Body)
			}
			form := payer.hidden(page)
			form.Set("payment_type", method)
			if method == "boleto" {
				payer.want(payer.pay(form), 400, "form")
				for name, value := range map[string]string{"tax_id": "52998224725", "address.country": "BR",
					"address.line_1": "Rua 1", "address.city": "São Paulo", "address.postal_code": "01001-000",
					"address.state": "SP"} {
					form.Set("personal_details."+name, value)
				}
			}
			if got := payer.pay(form); got.Status != 303 {
				t.Fatalf("got %d %s, want 303", got.Status, got.Body)
			}
			code := payer.load("?from=form", "code")
			if !strings.Contains(string(code.Body), `/v0.1/artefacts/`) {
				t.Errorf("got page %s, want an image", code.Body)
			}
			if other := f.browser().load("", "form"); strings.Contains(string(other.Body), "artefacts") {
				t.Errorf("another browser: got page %s, want no code", other.Body)
			}
			f.Operate(map[string]any{"command": "pay_voucher", "merchant_code": f.Merchant.Code, "checkout_id": f.id}, nil)
			if got := payer.get(f.path()); got.Status != 303 {
				t.Errorf("paid: got %d %s, want 303 to the merchant", got.Status, got.Body)
			}
		})
	}
}

// TestEmbedded: only then a site may frame the page, and its links keep that.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	page := payer.load("?embed=1", "form")
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors *") {
		t.Errorf("got policy %q, want any site's frame", policy)
	}
	if form := payer.formOn(page); form.Action != f.path()+"/attempts?embed=1" {
		t.Errorf("got a form to %s, want it embedded", form.Action)
	}
	got := payer.send(world.Request{Method: "POST", Path: f.path() + "/attempts?embed=1",
		Body: payer.form(page, world.Frictionless)})
	if got.Header.Get("Location") != f.url()+"?embed=1&from=form" {
		t.Errorf("got %d to %s, want 303 to the embedded page", got.Status, got.Header.Get("Location"))
	}
}

// TestCookies: over HTTPS the cookie is of our host alone, and in a frame it is one for frames.
func TestCookies(t *testing.T) {
	t.Parallel()
	w := world.NewAt(t, "https://pay.example")
	f := hostedBy(w.Shop(), "10.10", nil)
	name := "__Host-pay-" + strings.ReplaceAll(f.id, "-", "") + "="
	for query, want := range map[string]string{
		"":         "; Path=/; Max-Age=86400; HttpOnly; Secure; SameSite=Lax",
		"?embed=1": "; Path=/; Max-Age=86400; HttpOnly; Secure; SameSite=None; Partitioned",
	} {
		got := f.browser().get(f.path() + query).Header.Get("Set-Cookie")
		if !strings.HasPrefix(got, name) || !strings.HasSuffix(got, want) {
			t.Errorf("%q: got cookie %s, want %s…%s", query, got, name, want)
		}
	}
}

// TestACheckoutThatExpired: the payer's browser is shown that, others only that there is nothing to pay.
func TestACheckoutThatExpired(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	f := hostedBy(w.Shop(), "42.01", map[string]any{"valid_until": w.Clock.Now().Add(10 * time.Minute)})
	payer, idle := f.browser(), f.browser()
	idle.load("", "form")
	payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Frictionless)))
	f.wait(10 * time.Minute)
	payer.load("", "expired")
	idle.load("", "ended")
	f.browser().load("", "ended")
}

// TestAMerchantWithoutOnlinePayments: 403, as processCheckout.
func TestAMerchantWithoutOnlinePayments(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	body := payer.attempt(payer.load("", "form"), f.Card(world.Frictionless))
	f.Command("update_merchant", map[string]any{"online_payments": false})
	if got := payer.pay(body); got.Status != 403 || got.Text("error_message") != "checkout_payments_not_allowed" {
		t.Errorf("got %d %s, want 403", got.Status, got.Body)
	}
	if got := payer.get(f.path()); got.Status != 403 {
		t.Errorf("got %d %s, want 403", got.Status, got.Body)
	}
}

// TestAPayersBrowserNamesNoCard: no saved card and no customer, no method whose script another host serves.
func TestAPayersBrowserNamesNoCard(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	page := payer.load("", "form")
	if strings.Contains(string(page.Body), "google_pay") {
		t.Errorf("got page %s, want no google_pay", page.Body)
	}
	for name, change := range map[string]map[string]any{
		"token":        {"payment_type": "card", "token": "8c9d6b0e-52c4-4f0a-9d8e-3f5f8a2f6f01", "customer_id": "c"},
		"payment_type": {"payment_type": "google_pay", "google_pay": map[string]any{}},
	} {
		got := payer.pay(payer.attempt(page, change))
		if got.Status != 400 || !strings.Contains(string(got.Body), `"param":"`+name+`"`) {
			t.Errorf("%s: got %d %s, want 400", name, got.Status, got.Body)
		}
	}
}
