package transactions_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/account"
)

// shop is a merchant's server in a world.
type shop struct {
	*world.World
	merchant world.Merchant
	currency string
	count    *atomic.Int64 // makes references unique in the world
}

const (
	frictionless = "4200000000000091"
	challenged   = "4200000000000042"
	cvv          = "739"
)

// open starts a world with a German shop.
func open(t *testing.T) *shop {
	t.Helper()
	w := world.New(t)
	w.Secret("CVV", cvv)
	w.Secret("card number", frictionless)
	return &shop{World: w, merchant: w.Merchant, currency: "EUR", count: &atomic.Int64{}}
}

// neighbour is the world's other merchant.
func (s *shop) neighbour() *shop {
	return &shop{World: s.World, merchant: s.Other, currency: s.currency, count: s.count}
}

// tenant is whose data the shop sees.
func (s *shop) tenant() account.Tenant {
	return account.Tenant{Mode: account.Test, Merchant: s.merchant.Code}
}

// send is a request with the shop's key.
func (s *shop) send(method, path string, body any) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: method, Path: path, Body: body, Key: s.merchant.Key.Plaintext})
}

// create makes a checkout and answers its id.
func (s *shop) create(amount string, more map[string]any) string {
	s.Helper()
	body := map[string]any{"checkout_reference": fmt.Sprintf("order-%d", s.count.Add(1)), "amount": json.Number(amount),
		"currency": s.currency, "merchant_code": s.merchant.Code, "description": "Two coffees"}
	maps.Copy(body, more)
	made := s.send("POST", "/v0.1/checkouts", body)
	if made.Status != 201 {
		s.Fatalf("create: %d %s", made.Status, made.Body)
	}
	return made.Text("id")
}

func card(number string) map[string]any {
	return map[string]any{"payment_type": "card", "card": map[string]any{"name": "Ada Lovelace", "number": number,
		"expiry_month": "12", "expiry_year": "2030", "cvv": cvv}}
}

// payment is a transaction by the identifiers that its checkout's answer tells.
type payment struct {
	ID         string `json:"id"`
	Code       string `json:"transaction_code"`
	InternalID int64  `json:"internal_id"`
	Status     string `json:"status"`
	Reference  string `json:"-"`
}

// process sends a process request and answers the latest transaction.
func (s *shop) process(checkout string, body map[string]any) payment {
	s.Helper()
	answer := s.send("PUT", "/v0.1/checkouts/"+checkout, body)
	if answer.Status == 202 { // which shows no transaction
		answer = s.send("GET", "/v0.1/checkouts/"+checkout, nil)
	}
	var c struct {
		Reference    string    `json:"checkout_reference"`
		Transactions []payment `json:"transactions"`
	}
	if err := answer.Into(&c); err != nil || answer.Status != 200 || len(c.Transactions) == 0 {
		s.Fatalf("process: %d %s", answer.Status, answer.Body)
	}
	p := c.Transactions[len(c.Transactions)-1]
	p.Reference = c.Reference
	return p
}

// pay has a new checkout paid by card.
func (s *shop) pay(amount string) payment {
	s.Helper()
	return s.process(s.create(amount, nil), card(frictionless))
}

// get is the detail of version 2.1, by a query.
func (s *shop) get(query string) world.Response {
	s.Helper()
	return s.send("GET", "/v2.1/merchants/"+s.merchant.Code+"/transactions?"+query, nil)
}

// legacy is the detail without a merchant in its path.
func (s *shop) legacy(query string) world.Response {
	s.Helper()
	return s.send("GET", "/v0.1/me/transactions?"+query, nil)
}

// refund sends the amount back; "": all of it. Time passes, so that the events
// of one refund after the other stand in this order.
func (s *shop) refund(p payment, amount string) world.Response {
	s.Helper()
	s.Clock.Advance(time.Millisecond)
	return s.send("POST", "/v0.1/me/refund/"+p.ID, refunding(amount))
}

// refundV1 is the other form.
func (s *shop) refundV1(p payment, amount string) world.Response {
	s.Helper()
	s.Clock.Advance(time.Millisecond)
	return s.send("POST", "/v1.0/merchants/"+s.merchant.Code+"/payments/"+p.ID+"/refunds", refunding(amount))
}

func refunding(amount string) any {
	if amount == "" {
		return nil
	}
	return `{"amount":` + amount + `}`
}

// seen is a transaction in short: its simple status, the events that are no
// payouts, and what is left to refund.
func (s *shop) seen(p payment) string {
	s.Helper()
	read := s.get("id=" + p.ID)
	var t struct {
		Status       string
		SimpleStatus string `json:"simple_status"`
		Events       []struct {
			Type, Status string
			Amount       json.Number
		}
		Links []struct {
			Max json.Number `json:"max_amount"`
		}
	}
	if err := read.Into(&t); err != nil || read.Status != 200 {
		s.Fatalf("read: %d %s", read.Status, read.Body)
	}
	text := t.SimpleStatus
	for _, e := range t.Events {
		if e.Type != "PAYOUT" {
			text += fmt.Sprintf(", %s %s %s", e.Type, e.Status, e.Amount)
		}
	}
	for _, l := range t.Links {
		text += ", left " + l.Max.String()
	}
	return text
}

// expect checks what is seen of a transaction.
func (s *shop) expect(p payment, want string) {
	s.Helper()
	if got := s.seen(p); got != want {
		s.Errorf("seen %q, want %q", got, want)
	}
}

// members are an object's members by name, each as it was sent.
func members(t *testing.T, body []byte) map[string]string {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	texts := map[string]string{}
	for name, value := range raw {
		texts[name] = string(value)
	}
	return texts
}

// holds checks members of an object; "" means there is none of the name.
func holds(t *testing.T, body []byte, want map[string]string) {
	t.Helper()
	got := members(t, body)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
	}
}

var (
	invalid     = world.Invalid
	noReason    = world.Invalid("")
	denied      = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound    = world.Refused(404, "NOT_FOUND", "", "not-found")
	conflict    = world.Refused(409, "CONFLICT", "", "conflict")
	unavailable = world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed")
)
