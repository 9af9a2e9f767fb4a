package pages_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const issuerURL = "https://3ds.acquirer.example/challenge"

// inLive returns a hosted checkout of a live merchant, whose challenges are at an acquirer's host.
func inLive(t *testing.T, more map[string]any) (fixture, *world.Issuer) {
	t.Helper()
	w := world.New(t)
	issuer := w.GoLiveAt(payments.Step{URL: issuerURL}, "*.acquirer.example")
	return hostedBy(w.Shop().NewShop("DE", "EUR", map[string]any{"sandbox": false}), "10.10", more), issuer
}

var order = regexp.MustCompile(`\?order=([\w-]+)`)

// leave sends the form of the challenge, and decides the challenge at the issuer. It returns the page that the payer
// comes back to.
func (b *browser) leave(page world.Response, issuer *world.Issuer, decision string) world.Response {
	b.Helper()
	form := b.formOn(page)
	b.Secret("MD", form.Fields.Get("MD"))
	started := b.submit(form)
	found := order.FindSubmatch(started.Body)
	if found == nil {
		b.Fatalf("got %d %s, want a link to the issuer", started.Status, started.Body)
	}
	return b.get(issuer.Decide(string(found[1]), decision))
}

// TestChallenge_LiveMode checks that a live challenge leaves the page, by an address of our own. So the policy allows
// no other host.
func TestChallenge_LiveMode(t *testing.T) {
	t.Parallel()
	f, issuer := inLive(t, map[string]any{"redirect_url": shopPage})
	payer := f.browser()
	payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Challenged)))
	page := payer.load("", "challenge")
	policy := page.Header.Get("Content-Security-Policy")
	if action := payer.formOn(page).Action; action != "http://cashwrap.test/3ds/start" ||
		!strings.Contains(policy, "form-action 'self';") || strings.Contains(string(page.Body), "<iframe") {
		t.Errorf("got a form to %s, policy %q; want a form to our host without a frame", action, policy)
	}
	outcome := payer.leave(page, issuer, "approve")
	if !strings.Contains(string(outcome.Body), `href="`+shopPage+"?checkout_id="+f.id+`"`) {
		t.Errorf("got %d %s, want a link to the shop", outcome.Status, outcome.Body)
	}
	if got := f.Statuses(f.id); got != "PAID SUCCESSFUL" {
		t.Errorf("got statuses %q, want PAID SUCCESSFUL", got)
	}
}

// TestChallenge_Undecided checks that a payer who comes back undecided is not sent to the acquirer again. The page
// shows the challenge, and offers another method. A later visit leads on at once.
func TestChallenge_Undecided(t *testing.T) {
	t.Parallel()
	f, issuer := inLive(t, nil)
	payer := f.browser()
	payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Challenged)))
	const forward = " data-forward"
	first := payer.load("", "challenge")
	if !strings.Contains(string(first.Body), forward) {
		t.Errorf("got %s, want a page that leads on", first.Body)
	}
	outcome := payer.leave(first, issuer, "")
	if !strings.Contains(string(outcome.Body), `href="`+f.url()+`?from=bank"`) {
		t.Fatalf("got %d %s, want a link to the page", outcome.Status, outcome.Body)
	}
	back := payer.load("?from=bank", "challenge")
	if strings.Contains(string(back.Body), forward) || !strings.Contains(string(back.Body), "?change=1") {
		t.Errorf("got %s, want a page that stays, with a link to other methods", back.Body)
	}
	payer.leave(back, issuer, "approve")
	payer.load("?from=bank", "paid")
	if f.captured() != 1 {
		t.Errorf("got %d charges, want 1", f.captured())
	}
}

// TestChallenge_ChangedToAnotherCard checks that a payer who comes back undecided can pay by another card. The link of
// the first challenge then changes nothing.
func TestChallenge_ChangedToAnotherCard(t *testing.T) {
	t.Parallel()
	f, issuer := inLive(t, nil)
	payer := f.browser()
	payer.pay(payer.attempt(payer.load("", "form"), f.Card(world.Challenged)))
	first := payer.load("", "challenge")
	payer.leave(first, issuer, "")
	payer.pay(payer.attempt(payer.load("?change=1", "form"), f.Card(world.Frictionless)))
	over := payer.submit(payer.formOn(first))
	if !strings.Contains(string(over.Body), `data-status="PAID"`) || f.Statuses(f.id) != "PAID CANCELLED SUCCESSFUL" {
		t.Errorf("got %d %s, statuses %s; want the outcome of the second card", over.Status, over.Body, f.Statuses(f.id))
	}
}
