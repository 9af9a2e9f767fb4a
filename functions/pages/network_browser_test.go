package pages_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestCreatePaymentPageAttempt_SlowNetworkWithABrowser checks the message that the page shows while a payment runs. If
// the payer presses the button again meanwhile, nothing happens.
func TestCreatePaymentPageAttempt_SlowNetworkWithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	id, page := o.hosted("10.10", nil)
	s := chromium.Open(t, o.web(), chromium.Options{})
	tab := s.Visit(page)
	o.enterCard(tab, world.Frictionless)
	arriving, proceed := make(chan struct{}), make(chan struct{})
	o.intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost {
			arriving <- struct{}{}
			<-proceed
		}
		next.ServeHTTP(w, r)
	})
	tab.Button(payNow).Click()
	<-arriving
	tab.Button("Paying…").Wait()
	tab.Look("flow-paying", question)
	if got := tab.CSS("#status").Text(); got != "Paying…" {
		t.Errorf("got status %q, want Paying…", got)
	}
	tab.Field("Name on card").Focus()
	tab.Press("Enter")
	close(proceed)
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// TestCreatePaymentPageAttempt_LostAnswerWithABrowser checks a payer who presses the button again because the answer
// was lost. The payer is not charged again.
func TestCreatePaymentPageAttempt_LostAnswerWithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	id, page := o.hosted("10.10", nil)
	s := chromium.Open(t, o.web(), chromium.Options{})
	tab := s.Visit(page)
	o.enterCard(tab, world.Frictionless)
	o.intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPost {
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	s.Expect("net::ERR_EMPTY_RESPONSE POST", "error: Failed to load resource: net::ERR_EMPTY_RESPONSE")
	tab.Button(payNow).Click()
	tab.Text("The connection failed, or no answer arrived.").Wait()
	tab.Look("flow-offline", question)
	o.intercept(nil)
	tab.Button(payNow).Click()
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// TestShowPaymentPage_ByKeyboardWithABrowser checks that a payer can take every step with the keyboard alone.
func TestShowPaymentPage_ByKeyboardWithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	id, page := o.hosted("10.10", nil)
	tab := chromium.Open(t, o.web(), chromium.Options{}).Visit(page)
	o.Secret("card number", world.Frictionless)
	tab.Press("Tab")
	if got := tab.Focus(); got != "Card" {
		t.Fatalf("got focus on %q, want the first method", got)
	}
	for _, entered := range []string{world.Frictionless, "12", "30", world.CVV, "Ada Payer"} {
		tab.Press("Tab")
		tab.Type(entered)
	}
	if got := tab.Field("Card number").Value(); got != "4200 0000 0000 0091" {
		t.Errorf("got card number %q, want its digits in groups", got)
	}
	if got := tab.CSS(`[id="card-card.number-note"]`).Text(); got != "Visa" {
		t.Errorf("got brand %q, want Visa", got)
	}
	tab.Press("Tab")
	if got := tab.Focus(); got != payNow {
		t.Errorf("got focus on %q, want the button", got)
	}
	tab.Press("Enter")
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// TestShowPaymentPage_ReloadWithABrowser checks that the entered values survive a reload, except the card's.
func TestShowPaymentPage_ReloadWithABrowser(t *testing.T) {
	t.Parallel()
	o := newOnline(t)
	_, page := o.hosted("10.10", nil)
	tab := chromium.Open(t, o.web(), chromium.Options{}).Visit(page)
	o.enterCard(tab, world.Frictionless)
	tab.CSS(`[data-method="ideal"] summary`).Click()
	tab.CSS(`[data-method="ideal"] [name="personal_details.first_name"]`).Fill("Ada")
	tab.Reload()
	if got := tab.CSS(`[data-method="ideal"] [name="personal_details.first_name"]`).Value(); got != "Ada" {
		t.Errorf("got first name %q, want Ada", got)
	}
	var stored string
	tab.Evaluate(`JSON.stringify([...Object.values(sessionStorage), ...Object.values(localStorage)]) +
		document.querySelector('[name="card.number"]').value`, &stored)
	for _, s := range []string{"4200", world.CVV, "Payer"} {
		if strings.Contains(stored, s) {
			t.Errorf("got %s kept, want nothing of the card", stored)
		}
	}
}
