package pages_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const declinedCard = "4012001037461114"

var alerted = regexp.MustCompile(`role="alert" tabindex="-1">([^<]+)`)

// alertOf returns the text of the page's alert, or "".
func alertOf(r world.Response) string {
	if found := alerted.FindSubmatch(r.Body); found != nil {
		return string(found[1])
	}
	return ""
}

// TestCreatePaymentPageAttempt_LimitBySource checks that a payer with ten declined cards blocks neither other payers
// nor the merchant (contract §2.9). A new cookie alone, or a new address alone, gives the payer no more attempts. The
// page shows the alert before the payer enters a card.
func TestCreatePaymentPageAttempt_LimitBySource(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	attacker := f.browser()
	attacker.from = "198.51.100.1"
	for range 10 {
		got := attacker.pay(attacker.attempt(attacker.load("", "form"), f.Card(declinedCard)))
		if got.Status != 200 || got.Text("status") != "FAILED" {
			t.Fatalf("got %d %s, want 200 and FAILED", got.Status, got.Body)
		}
	}
	tooMany := world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests")
	tooMany.Check(t, attacker.pay(attacker.attempt(attacker.load("", "form"), f.Card(declinedCard))))
	fresh := f.browser()
	fresh.from = attacker.from
	page := fresh.load("", "form")
	if got := alertOf(page); got == "" {
		t.Errorf("another cookie: got page %s, want an alert", page.Body)
	}
	tooMany.Check(t, fresh.pay(fresh.attempt(page, f.Card(declinedCard))))
	attacker.from = "198.51.100.2"
	tooMany.Check(t, attacker.pay(attacker.attempt(attacker.load("", "form"), f.Card(declinedCard))))

	payer := f.browser()
	page = payer.load("", "form")
	if got := alertOf(page); got != "" {
		t.Errorf("another payer: got alert %q, want none", got)
	}
	payer.Want("another payer", 200, payer.pay(payer.attempt(page, f.Card(declinedCard))))
	if got := f.ProcessCheckout(f.id, f.Card(world.Frictionless)); got.Status != 200 || got.Text("status") != "PAID" {
		t.Errorf("the merchant: got %d %s, want 200 and PAID", got.Status, got.Body)
	}
}

// TestCreatePaymentPageAttempt_LimitOfAllPayers checks that 60 addresses together begin at most 50 attempts.
func TestCreatePaymentPageAttempt_LimitOfAllPayers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	began := 0
	for i := range 60 {
		b := f.browser()
		b.from = fmt.Sprint("198.51.100.", i)
		if got := b.pay(b.attempt(b.load("", "form"), f.Card(declinedCard))); got.Status == 200 {
			began++
		}
	}
	if began != 50 {
		t.Errorf("got %d attempts from 60 addresses, want 50", began)
	}
	if got := f.ProcessCheckout(f.id, f.Card(world.Frictionless)); got.Status != 200 || got.Text("status") != "PAID" {
		t.Errorf("the merchant: got %d %s, want 200 and PAID", got.Status, got.Body)
	}
}
