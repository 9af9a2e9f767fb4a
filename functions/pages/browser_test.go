package pages_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const (
	platform = "https://cashwrap.test"
	arrived  = `^https://shop\.test/done\?checkout_id=`
	declined = "The payment was declined. Nothing was charged. Try again or pay another way."
	question = "How would you like to pay?"
)

// online is a shop over https whose payers use browsers. A test can put a handler before the platform. The fixture
// checks the platform's requests and responses against the contract.
type online struct {
	world.Shop
	scripts bool // payers' browsers run scripts
	before  atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
	framed  atomic.Pointer[string] // content of the frame on the shop's page
}

func newOnline(t *testing.T) *online {
	t.Helper()
	return &online{Shop: world.NewAt(t, platform).Shop(), scripts: true}
}

// intercept puts a handler before the platform; nil removes it.
func (o *online) intercept(before func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	if before == nil {
		o.before.Store(nil)
		return
	}
	o.before.Store(&before)
}

func (o *online) web() chromium.Web {
	next := o.Main().Checked()
	return chromium.Web{
		"cashwrap.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if before := o.before.Load(); before != nil {
				(*before)(w, r, next)
				return
			}
			next.ServeHTTP(w, r)
		}),
		"shop.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			frame := ""
			if url := o.framed.Load(); url != nil && r.URL.Path != "/done" {
				frame = `<iframe title="Payment" width="340" height="900" src="` + *url + `"></iframe>`
			}
			fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
				<meta name="viewport" content="width=device-width"><main><h1>Shop</h1>%s</main>`, frame)
		}),
	}
}

// hosted creates a checkout with a payment page, and returns its id and the page's address.
func (o *online) hosted(amount string, more map[string]any) (id, page string) {
	o.Helper()
	body := o.CheckoutBody(amount)
	body["hosted_checkout"] = map[string]any{"enabled": true}
	body["redirect_url"] = "https://shop.test/done"
	body["description"] = "Two espressi"
	for name, value := range more {
		body[name] = value
		if value == nil {
			delete(body, name)
		}
	}
	made := o.Must(http.StatusCreated, o.Send("POST", "/v0.1/checkouts", body))
	return made.Text("id"), made.Text("hosted_checkout_url")
}

// enterCard fills in the fields of a card on the English page.
func (o *online) enterCard(tab chromium.Tab, number string) {
	o.Helper()
	o.Secret("card number", number)
	tab.Field("Card number").Fill(number)
	tab.Field("Expiry month").Fill("12")
	tab.Field("Expiry year").Fill("30")
	tab.Field("CVV").Fill(world.CVV)
	tab.Field("Name on card").Fill("Ada Payer")
}

// wantPaid checks that the checkout is paid exactly once.
func (o *online) wantPaid(id string) {
	o.Helper()
	if got := o.CheckoutRecords(id).Captured; got != 1 {
		o.Errorf("got %d charges, want 1: %s", got, o.Statuses(id))
	}
}

// awaitReturn waits until the payer is back at the shop. Without scripts, the page after a form shows a link, which
// awaitReturn follows.
func (o *online) awaitReturn(tab chromium.Tab, id string) {
	o.Helper()
	if !o.scripts {
		tab.Link("Return to Kaffeehaus").Click()
	}
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// each runs a test twice: in dark mode with scripts, and on a phone without scripts.
func each(t *testing.T, test func(t *testing.T, o *online, s *chromium.Session)) {
	t.Helper()
	for name, options := range map[string]chromium.Options{
		"dark": {Dark: true}, "phone without script": {Width: 360, NoScript: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOnline(t)
			o.scripts = !options.NoScript
			test(t, o, chromium.Open(t, o.web(), options))
		})
	}
}

const payNow = "Pay €10.10"

func TestCreatePaymentPageAttempt_CardWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(_ *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		tab := s.Visit("https://shop.test/")
		tab.Goto(page)
		tab.Look("flow-form", question)
		o.enterCard(tab, world.Frictionless)
		tab.Button(payNow).Click()
		o.awaitReturn(tab, id)
		tab.Back()
		tab.CSS(`[data-state="paid"], h1:text-is("Shop")`).Wait() // the form is gone
		o.wantPaid(id)
	})
}

// TestCreatePaymentPageAttempt_DeclinedCardWithABrowser checks that the page shows the decline, and that the payer can
// then pay with another card.
func TestCreatePaymentPageAttempt_DeclinedCardWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		tab := s.Visit(page)
		o.enterCard(tab, "4532497088771651") // FAILED, since the issuer does not support 3DS
		tab.Button(payNow).Click()
		tab.Text(declined).Wait()
		tab.Look("flow-declined", question)
		if got := tab.Field("CVV").Value(); got != "" {
			t.Errorf("got CVV %q, want none", got)
		}
		o.Clock.Advance(time.Minute) // time between the attempts
		o.enterCard(tab, world.Frictionless)
		tab.Button(payNow).Click()
		o.awaitReturn(tab, id)
	})
}

// TestCreatePaymentPageAttempt_InvalidFieldsWithABrowser checks that the page marks invalid fields. Fields keep the
// values that the payer entered, except the card's fields.
func TestCreatePaymentPageAttempt_InvalidFieldsWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *online, s *chromium.Session) {
		_, page := o.hosted("10.10", nil)
		tab := s.Visit(page)
		o.enterCard(tab, world.Frictionless)
		tab.Field("Expiry year").Fill("20")
		s.Expect("400 POST")
		tab.Button(payNow).Click()
		tab.Text("Invalid or expired.").Wait()
		tab.Look("flow-refused", question)
		if got := tab.Field("Expiry year").Attribute("aria-invalid"); got != "true" {
			t.Errorf("got aria-invalid %q, want true", got)
		}
	})
}

// TestSession_ExpiredWithABrowser checks that the page tells the payer that the session has expired, and that the payer
// can start again.
func TestSession_ExpiredWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(_ *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		tab := s.Visit(page)
		o.enterCard(tab, world.Frictionless)
		o.Clock.Advance(31 * time.Minute)
		s.Expect("403 POST")
		tab.Button(payNow).Click()
		tab.Look("flow-session-expired", "Your session has expired")
		tab.Link("Start again").Click()
		o.enterCard(tab, world.Frictionless)
		tab.Button(payNow).Click()
		o.awaitReturn(tab, id)
	})
}

// TestExpiry_WhileFillingFormWithABrowser checks a checkout that expires while the payer fills in the form.
func TestExpiry_WhileFillingFormWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *online, s *chromium.Session) {
		_, page := o.hosted("10.10", map[string]any{"valid_until": o.Clock.Now().Add(10 * time.Minute).Format(time.RFC3339)})
		tab := s.Visit(page)
		o.enterCard(tab, world.Frictionless)
		o.Clock.Advance(11 * time.Minute)
		if o.scripts {
			s.Expect("409 POST")
		}
		tab.Button(payNow).Click()
		tab.CSS(`[data-state="ended"], [data-state="expired"]`).Wait()
		tab.Look("flow-expired", tab.CSS("h1").Text())
	})
}

// TestCreatePaymentPageAttempt_DoubleClickWithABrowser checks that a double click pays only once.
func TestCreatePaymentPageAttempt_DoubleClickWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(_ *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		tab := s.Visit(page)
		o.enterCard(tab, world.Frictionless)
		tab.Button(payNow).DoubleClick()
		o.awaitReturn(tab, id)
	})
}

// TestCreatePaymentPageAttempt_TwoTabsWithABrowser checks that a second tab of the browser shows the payment made in
// the first, and does not charge again.
func TestCreatePaymentPageAttempt_TwoTabsWithABrowser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *online, s *chromium.Session) {
		id, page := o.hosted("10.10", nil)
		one, two := s.Visit(page), s.Visit(page)
		o.enterCard(one, world.Frictionless)
		o.enterCard(two, world.Frictionless)
		one.Button(payNow).Click()
		o.awaitReturn(one, id)
		if o.scripts {
			s.Expect("409 POST")
		}
		two.Button(payNow).Click()
		o.awaitReturn(two, id)
	})
}
