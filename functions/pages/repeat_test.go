package pages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// sendBy sends a body to createPaymentPageAttempt of another process.
func (b *browser) sendBy(p *world.Process, body any) world.Response {
	b.Helper()
	var cookies []string
	for name, value := range b.cookies {
		cookies = append(cookies, name+"="+value)
	}
	return p.DoUnchecked(world.Request{Method: "POST", Path: b.path() + "/attempts", Body: body, APIKey: world.NoKey,
		Header: map[string]string{"Cookie": strings.Join(cookies, "; ")}})
}

// payAndDie sends a request to pay to a process that dies after its n-th step. It returns the name of that step.
func (b *browser) payAndDie(n int, body any) (step string) {
	b.Helper()
	p := b.Process()
	defer p.Stop()
	p.Steps.Plan(n, faults.DieAfter)
	b.sendBy(p, body)
	if taken := p.Steps.Taken(); len(taken) == n {
		return taken[n-1]
	}
	return ""
}

// TestCreatePaymentPageAttempt_OtherCardUnderSameKey checks a payer who got no answer, and presses the button again
// with another card or method. The first request may have died after any step. The payer is charged once, and with the
// card that the attempt recorded.
func TestCreatePaymentPageAttempt_OtherCardUnderSameKey(t *testing.T) {
	t.Parallel()
	ideal := map[string]any{"payment_type": "ideal", "personal_details": map[string]any{"first_name": "Ada",
		"last_name": "Lovelace", "email": "ada@example.com", "address": map[string]any{"country": "NL"}}}
	claimed := false
	for step := 1; ; step++ {
		s := world.NewShop(t)
		customer := s.Customer()
		f := hostedBy(s, "10.10", map[string]any{"customer_id": customer})
		payer, other := f.browser(), f.Card("5200000000000007")
		page := payer.load("", "form")
		died := payer.payAndDie(step, payer.attempt(page, f.Card(world.Frictionless)))
		if died == "" {
			break
		}
		pressed := payer.pay(payer.attempt(page, other))
		if died == "PutItem" { // the attempt is claimed, but no card is charged yet
			claimed = true
			if byBank := payer.pay(payer.attempt(page, ideal)); pressed.Status != 409 || byBank.Status != 409 {
				t.Errorf("meanwhile: got %d with another card and %d by another method, want 409", pressed.Status, byBank.Status)
			}
		}
		f.wait(2 * time.Minute)
		f.PassMinute()
		f.RunUntilIdle()
		payer.pay(payer.attempt(page, other))
		charged, saved := f.Checkout(f.id), s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil)
		again := hostedBy(s, "10.10", map[string]any{"customer_id": customer})
		third := again.browser()
		third.pay(third.attempt(third.load("", "form"), f.Card(world.Frictionless)))
		after := s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil)
		if f.captured() != 1 || charged.Text("status") != "PAID" {
			t.Errorf("died after %s: got %d charges and %s, want 1", died, f.captured(), charged.Body)
		}
		for _, last := range []string{`"0007"`, `"0091"`} {
			if strings.Contains(string(saved.Body), last) && !strings.Contains(string(after.Body), last) {
				t.Errorf("died after %s: card %s was saved under the token of another:\n%s\n%s", died, last, saved.Body, after.Body)
			}
		}
	}
	if !claimed {
		t.Error("no request died between its claim and the acquirer")
	}
}

// TestCreatePaymentPageAttempt_AmountChanged checks that a payer pays either the amount on the page, or nothing.
func TestCreatePaymentPageAttempt_AmountChanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	payer := f.browser()
	page := payer.load("", "form")
	change := func(amount float64) {
		f.Must(200, f.Send("PATCH", "/v0.1/checkouts/"+f.id, map[string]any{"amount": amount}))
	}
	change(100)
	if got := payer.pay(payer.attempt(page, f.Card(world.Frictionless))); got.Status != 403 {
		t.Errorf("got %d %s, want 403", got.Status, got.Body)
	}
	again := payer.pay(payer.form(page, world.Frictionless))
	payer.want(again, 403, "form")
	if !strings.Contains(string(again.Body), "€100.00") {
		t.Errorf("got page %s, want it to say the other amount", again.Body)
	}
	for step := 1; f.captured() == 0; step++ { // the merchant changes the amount while the request runs
		p, shown, other := f.Process(), float64(99+step), float64(100+step)
		page = payer.load("", "form")
		changed := false
		p.Steps.Meanwhile("", step, func() {
			changed = f.Send("PATCH", "/v0.1/checkouts/"+f.id, map[string]any{"amount": other}).Status == 200
		})
		got := payer.sendBy(p, payer.attempt(page, f.Card(world.Frictionless)))
		p.Stop()
		paid := got.Status == 200 && strings.Contains(string(got.Body), fmt.Sprintf(`"amount":%.2f`, shown))
		if changed == paid || changed && got.Status != 403 && got.Status != 409 {
			t.Errorf("changed before step %d: %t, got %d %s; want it paid or refused", step, changed, got.Status, got.Body)
		}
	}
}

// TestCreatePaymentPageAttempt_OtherPayersAttempt checks that the answer to one payer shows no attempt of another
// payer.
func TestCreatePaymentPageAttempt_OtherPayersAttempt(t *testing.T) {
	t.Parallel()
	f := hostedBy(world.NewShop(t), "42.01", nil)
	first, second := f.browser(), f.browser()
	first.pay(first.attempt(first.load("", "form"), f.Card(world.Frictionless)))
	page := second.load("", "form")
	var c struct {
		Transactions []world.Payment `json:"transactions"`
	}
	if err := f.Checkout(f.id).Into(&c); err != nil || len(c.Transactions) != 1 {
		t.Fatalf("got %+v, %v; want a transaction", c, err)
	}
	got := second.pay(second.attempt(page, f.Card(world.Frictionless)))
	if text := string(got.Body); got.Text("status") != "FAILED" || strings.Contains(text, c.Transactions[0].ID) ||
		strings.Count(text, `"transaction_code"`) != 1 {
		t.Errorf("got %s, want the payer's own transaction alone", text)
	}
}

// TestCookie_MaxSessions checks that a browser keeps only the cookies of its latest sessions. So cookies of many
// checkouts stay within the gateway's limit of headers (10,240 bytes).
func TestCookie_MaxSessions(t *testing.T) {
	t.Parallel()
	for base, query := range map[string]string{"http://cashwrap.test": "", "https://pay.example": "?embed=1"} {
		w := world.NewAt(t, base)
		first := hostedBy(w.Shop(), "10.10", nil)
		b := first.browser()
		for n := range 150 {
			page := hostedBy(first.Shop, "10.10", nil)
			got := b.get(page.path() + query)
			attributes := map[string]bool{}
			for _, text := range got.Header.Values("Set-Cookie") {
				attributes[fmt.Sprint(strings.Contains(text, "Partitioned"), strings.Contains(text, "SameSite=None"))] = true
			}
			if got.Status != 200 || len(b.cookies) > 21 || len(attributes) != 1 {
				t.Fatalf("page %d: got %d, %d cookies, %v", n, got.Status, len(b.cookies), got.Header.Values("Set-Cookie"))
			}
			if latest := (&browser{fixture: page, cookies: b.cookies}); n == 149 {
				if paid := latest.pay(latest.attempt(got, w.Card(world.Frictionless))); paid.Text("status") != "PAID" {
					t.Errorf("got %d %s, want the latest page to work", paid.Status, paid.Body)
				}
			}
			w.Clock.Advance(time.Second)
		}
	}
}
