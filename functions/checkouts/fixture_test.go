package checkouts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// shop is a merchant's server in a world.
type shop struct {
	*world.World
	merchant world.Merchant
	currency string
	receiver *world.Receiver // of its callbacks
	count    *atomic.Int64   // makes references and customers unique in the world
}

const (
	cvv          = "739"
	redirectURL  = "https://shop.example/done?a=b"
	frictionless = "4200000000000091"
	challenged   = "4200000000000042"
)

// open starts a world with a German shop.
func open(t *testing.T) *shop {
	t.Helper()
	w := world.New(t)
	w.Secret("CVV", cvv)
	return &shop{World: w, merchant: w.Merchant, currency: "EUR", receiver: w.Receive(), count: &atomic.Int64{}}
}

// abroad is another merchant of the same world, settling in its own currency.
func (s *shop) abroad(country, currency string) *shop {
	s.Helper()
	facts := map[string]any{"name": "Filiale " + country, "email": "filiale@example.com", "country": country, "currency": currency}
	return &shop{World: s.World, merchant: s.Provision(facts), currency: currency, receiver: s.receiver, count: s.count}
}

// neighbour is the world's other German merchant.
func (s *shop) neighbour() *shop {
	return &shop{World: s.World, merchant: s.Other, currency: s.currency, receiver: s.receiver, count: s.count}
}

// send is a request with the shop's key.
func (s *shop) send(method, path string, body any) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: method, Path: path, Body: body, Key: s.merchant.Key.Plaintext})
}

func (s *shop) get(id string) world.Response { return s.send("GET", "/v0.1/checkouts/"+id, nil) }

func (s *shop) put(id string, body any) world.Response {
	return s.send("PUT", "/v0.1/checkouts/"+id, body)
}

func (s *shop) next() int64 { return s.count.Add(1) }

// order is a good body to create a checkout with.
func (s *shop) order() map[string]any {
	return map[string]any{"checkout_reference": fmt.Sprintf("order-%d", s.next()), "amount": 10.10,
		"currency": s.currency, "merchant_code": s.merchant.Code, "return_url": s.receiver.URL, "redirect_url": redirectURL}
}

// create makes a checkout of an order with changes and answers its id.
func (s *shop) create(t *testing.T, changes ...change) string {
	t.Helper()
	made := s.send("POST", "/v0.1/checkouts", edited(s.order(), changes...))
	if made.Status != 201 {
		t.Fatalf("create: %d %s", made.Status, made.Body)
	}
	return made.Text("id")
}

// customer makes a customer and answers its id.
func (s *shop) customer(t *testing.T) string {
	t.Helper()
	id := fmt.Sprintf("customer-%d", s.next())
	if made := s.send("POST", "/v0.1/customers", map[string]any{"customer_id": id}); made.Status != 201 {
		t.Fatalf("customer: %d %s", made.Status, made.Body)
	}
	return id
}

// card is a body to pay with a card.
func (s *shop) card(number string, changes ...change) map[string]any {
	s.Secret("card number", number)
	return edited(map[string]any{"payment_type": "card", "card": map[string]any{"name": "Ada Lovelace", "number": number,
		"expiry_month": "12", "expiry_year": "2030", "cvv": cvv}}, changes...)
}

// pay has a checkout paid at once and answers it.
func (s *shop) pay(t *testing.T, id string, body map[string]any) world.Response {
	t.Helper()
	paid := s.put(id, body)
	if paid.Status != 200 || paid.Text("status") != "PAID" {
		t.Fatalf("pay: %d %s", paid.Status, paid.Body)
	}
	return paid
}

// told is how many different callbacks on a checkout have arrived by now.
func (s *shop) told(id string) int {
	s.Settle()
	return len(s.receiver.Messages(id))
}

// seen is what became of a checkout, in short: its status, and those of its
// transactions from the oldest on.
func (s *shop) seen(id string) string {
	s.Helper()
	var c struct {
		Status       string
		Transactions []struct{ Status string }
	}
	if read := s.get(id); read.Status != 200 || read.Into(&c) != nil {
		s.Fatalf("read: %d %s", read.Status, read.Body)
	}
	words := []string{c.Status}
	for _, transaction := range c.Transactions {
		words = append(words, transaction.Status)
	}
	return strings.Join(words, " ")
}

// change sets the member at a dot path of a body; the value absent removes it.
type change struct {
	path  string
	value any
}

type removed struct{}

var absent = removed{}

// edited is the body with changes; the body itself stays as it is.
func edited(body map[string]any, changes ...change) map[string]any {
	for _, c := range changes {
		body = set(body, c.path, c.value)
	}
	return body
}

func set(body map[string]any, path string, value any) map[string]any {
	clone := map[string]any{}
	maps.Copy(clone, body)
	name, rest, nested := strings.Cut(path, ".")
	switch {
	case nested:
		inner, _ := clone[name].(map[string]any)
		clone[name] = set(inner, rest, value)
	case value == absent:
		delete(clone, name)
	default:
		clone[name] = value
	}
	return clone
}

var missing, invalid = world.Missing, world.Invalid

var (
	malformed  = world.Refused(400, "INVALID_REQUEST", "", "bad-request")
	denied     = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	noCheckout = world.Refused(404, "NOT_FOUND", "", "checkout-not-found")
	unusable   = world.Refused(402, "INSTRUMENT_NOT_CHARGEABLE", "", "instrument-not-chargeable")
	duplicate  = world.Refused(409, "DUPLICATED_CHECKOUT", "", "conflict")
	busy       = world.Refused(409, "CONFLICT", "", "conflict")
	processed  = world.Refused(409, "CHECKOUT_PROCESSED", "", "session-already-processed")
	closed     = world.Refused(409, "CHECKOUT_PROCESSED", "", "session-cant-be-deactivated")
	expired    = world.Refused(409, "CHECKOUT_SESSION_IS_EXPIRED", "", "session-expired")
	upstream   = world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed")
	tooMany    = world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests")
)

// members is an object's members by name, each as it was sent.
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

// transactions are those of a checkout, each as it was sent.
func transactions(t *testing.T, checkout world.Response) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(members(t, checkout.Body)["transactions"]), &all); err != nil || len(all) == 0 {
		t.Fatalf("no transactions in %s: %v", checkout.Body, err)
	}
	return all
}
