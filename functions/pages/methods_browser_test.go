package pages_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestChallenge_ApprovedWithABrowser approves a challenge: with scripts in a frame, and without scripts in the whole
// window.
func TestChallenge_ApprovedWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		tab := s.Visit(page)
		o.enterCard(tab, world.Challenged)
		tab.Button(payNow).Click()
		frame := tab.Frame("iframe[name=issuer]")
		if !o.scripts {
			tab.Button("Continue to your bank").Click()
		}
		frame.Button("Approve").Wait()
		tab.Look("flow-challenge", "Confirm your payment")
		frame.Button("Approve").Click()
		if !o.scripts {
			frame.Button("Continue").Click()
			frame.Link("Continue").Click()
		}
		tab.WaitURL(arrived + id)
		o.wantPaid(id)
	})
}

// TestChallenge_FailedWithABrowser checks that a payer sees the form again after a rejected challenge. If the payer
// left the challenge, the page shows the challenge again, with a link to the form.
func TestChallenge_FailedWithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	id, page := o.hosted("10.10", nil)
	s := chromium.Open(t, o.web(), chromium.Options{})
	tab := s.Visit(page)
	o.enterCard(tab, world.Challenged)
	tab.Button(payNow).Click()
	frame := tab.Frame("iframe[name=issuer]")
	frame.Button("Reject").Click()
	tab.Text(declined).Wait()
	tab.Look("flow-rejected", question)
	o.enterCard(tab, world.Challenged)
	tab.Button(payNow).Click()
	frame.Button("Approve").Wait()
	tab.Reload()
	frame.Button("Approve").Wait()
	tab.Goto("https://shop.test/")
	tab.Goto(page)
	frame.Button("Approve").Wait()
	tab.Link("Pay another way").Click()
	o.enterCard(tab, world.Frictionless)
	tab.Button(payNow).Click()
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// fillPayer fills in the payer's details in the open form.
func fillPayer(tab chromium.Tab, method string) {
	for name, value := range map[string]string{"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.com"} {
		tab.CSS(`[data-method="` + method + `"] [name="personal_details.` + name + `"]`).Fill(value)
	}
}

// TestRedirectPayment_WithABrowser checks a payment at the bank's page. After a failure there, the payer tries again.
func TestRedirectPayment_WithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(_ *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		tab := s.Visit(page)
		ideal := func() {
			tab.CSS(`[data-method="ideal"] summary`).Click()
			fillPayer(tab, "ideal")
			tab.CSS(`[data-method="ideal"] select`).Choose("NL")
			tab.CSS(`[data-method="ideal"] button`).Click()
		}
		ideal()
		followToBank(tab)
		tab.Button("Fail").Click()
		tab.Text(declined).Wait()
		tab.Look("flow-bank-failed", question)
		if tab.CSS(`[data-method="ideal"][open]`).Count() == 0 {
			tab.CSS(`[data-method="ideal"] summary`).Click()
		}
		fillPayer(tab, "ideal")
		tab.CSS(`[data-method="ideal"] select`).Choose("NL")
		tab.CSS(`[data-method="ideal"] button`).Click()
		followToBank(tab)
		tab.Button("Pay").Click()
		o.awaitReturn(tab, id)
	})
}

// followToBank goes from the payment page to the bank's page. A script goes there at once; without scripts there is a
// link.
func followToBank(tab chromium.Tab) {
	tab.CSS(`#onwards, button[value="pay"]`).Wait()
	if tab.CSS("#onwards").Count() > 0 {
		tab.CSS("#onwards").Click()
	}
	tab.Heading("Pay with iDEAL").Wait()
}

// TestPaymentCode_WithABrowser checks that the image encodes the code's text, and that the page notices the payment.
func TestPaymentCode_WithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	o.Shop = o.NewShop("BR", "BRL", nil)
	id, page := o.hosted("10.10", nil)
	s := chromium.Open(t, o.web(), chromium.Options{Width: 360, Language: "pt-BR", Dark: true})
	tab := s.Visit(page)
	tab.CSS(`[data-method="pix"] summary`).Click()
	if tab.CSS(`[data-method="pix"] [name="personal_details.first_name"]`).Count() > 0 {
		fillPayer(tab, "pix")
	}
	tab.CSS(`[data-method="pix"] button`).Click()
	tab.CSS(`[data-state="code"]`).Wait()
	tab.Look("flow-pix", tab.CSS("h1").Text())
	if text, read := tab.CSS(".line dd").Text(), tab.CSS(".qr img").QRCode(); text == "" || read != text {
		t.Errorf("scanned %q, want %q", read, text)
	}
	o.Operate(map[string]any{"command": "pay_voucher", "merchant_code": o.Merchant.Code, "checkout_id": id}, nil)
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// TestEmbed_WithABrowser checks that any site may frame the page if the page has embed=1, and that no site may frame it
// otherwise.
func TestEmbed_WithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	id, page := o.hosted("10.10", nil)
	s := chromium.Open(t, o.web(), chromium.Options{})
	tab := s.Tab()
	s.Expect("net::ERR_BLOCKED_BY_RESPONSE GET", "error: Framing 'https://cashwrap.test/' violates the following Content "+
		"Security Policy directive: \"frame-ancestors 'none'\". The request has been blocked.")
	o.framed.Store(&page)
	tab.Goto("https://shop.test/")
	embedded := page + "?embed=1"
	o.framed.Store(&embedded)
	tab.Goto("https://shop.test/")
	frame := tab.Frame("iframe")
	frame.Heading(question).Wait()
	o.enterCard(frame, world.Challenged)
	frame.Button(payNow).Click()
	issuer := frame.Frame("iframe[name=issuer]")
	issuer.Button("Approve").Wait()
	tab.Look("flow-embedded", "Shop")
	issuer.Button("Approve").Click()
	frame.CSS(`[data-state="paid"], h1:text-is("Shop")`).Wait()
	o.wantPaid(id)
}
