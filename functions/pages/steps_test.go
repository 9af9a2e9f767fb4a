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

// formOn returns the form of a page.
func (b *browser) formOn(page world.Response) client.Form {
	b.Helper()
	page.Body = bytes.ReplaceAll(page.Body, []byte(` id="challenge"`), nil) // the client finds only forms without an id
	form, err := page.Form()
	if err != nil {
		b.Fatalf("got %d %s, want a form: %v", page.Status, page.Body, err)
	}
	return form
}

// decide follows a challenge from the payment page through the issuer's page, and posts the answer to completePayment.
func (b *browser) decide(page world.Response, decision string) world.Response {
	b.Helper()
	asked := b.submit(b.formOn(page))
	form := b.formOn(asked)
	form.Fields.Set("decision", decision)
	return b.submit(b.formOn(b.submit(form)))
}

// TestChallenge_EachDecision checks that the page shows the challenge at each load. After the challenge, a link leads
// back to the page or, if the checkout is paid, directly to the merchant. The link cannot always lead to the page,
// because after a challenge that left a merchant's frame, the browser does not send the frame's cookie.
func TestChallenge_EachDecision(t *testing.T) {
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
			f.browser().load("", "form") // another browser sees no challenge
			payer.load("", "challenge")
			page := payer.load("", "challenge")
			if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") ||
				strings.Contains(policy, "https:") {
				t.Errorf("got policy %q, want frames of ours, and forms to our host alone", policy)
			}
			outcome := payer.decide(page, decision)
			next := f.url() + "?from=bank"
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

// TestChallenge_Abandoned pays with another card during a challenge, in the same browser and in another one.
func TestChallenge_Abandoned(t *testing.T) {
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

// idealForm returns the values of the page's form for a payment by iDEAL, which leads to a bank's page.
func (b *browser) idealForm(page world.Response) url.Values {
	b.Helper()
	form := b.hidden(page)
	form.Set("payment_type", "ideal")
	for name, value := range map[string]string{"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com",
		"address.country": "NL"} {
		form.Set("personal_details."+name, value)
	}
	return form
}

// TestRedirectPayment_EachDecision checks that the bank's page leads back to our page, so that no redirect_url is
// needed.
func TestRedirectPayment_EachDecision(t *testing.T) {
	t.Parallel()
	for decision, state := range map[string]string{"pay": "paid", "fail": "form", "leave": "redirect"} {
		f := newFixture(t, nil)
		payer := f.browser()
		payer.pay(payer.idealForm(payer.load("", "form")))
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

// TestPaymentCode_EachMethod checks that the payer sees the code until the code is paid. Other browsers never see it.
func TestPaymentCode_EachMethod(t *testing.T) {
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

// TestEmbed_FramePolicy checks that any site may frame the page with embed=1. The page's form and redirect keep that
// parameter.
func TestEmbed_FramePolicy(t *testing.T) {
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

// TestCookie_Attributes checks that over HTTPS the cookie is sent only to our host. The cookie of a framed page is also
// Partitioned.
func TestCookie_Attributes(t *testing.T) {
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

// TestExpiry_PayerAndOthers checks that the payer's browser shows the expiry. Other browsers show only that the payment
// has ended.
func TestExpiry_PayerAndOthers(t *testing.T) {
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

// TestCreatePaymentPageAttempt_OnlinePaymentsNotAllowed checks that both the page and an attempt get the same 403 as
// processCheckout.
func TestCreatePaymentPageAttempt_OnlinePaymentsNotAllowed(t *testing.T) {
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

// TestCreatePaymentPageAttempt_FieldsNotAllowed checks that an attempt with a saved card is refused. Methods that need
// a script from another host are refused, too.
func TestCreatePaymentPageAttempt_FieldsNotAllowed(t *testing.T) {
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
