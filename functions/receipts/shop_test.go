package receipts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
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
	cvv          = "739"
)

type fields = map[string]any

// open starts a world with a German shop.
func open(t *testing.T) *shop {
	t.Helper()
	w := world.New(t)
	w.Secret("CVV", cvv)
	w.Secret("card number", frictionless)
	return &shop{World: w, merchant: w.Merchant, currency: "EUR", count: &atomic.Int64{}}
}

// neighbour is the world's other German shop.
func (s *shop) neighbour() *shop {
	return &shop{World: s.World, merchant: s.Other, currency: s.currency, count: s.count}
}

// abroad is a new shop with facts of its own.
func (s *shop) abroad(country, currency string, more fields) *shop {
	s.Helper()
	facts := fields{"name": "Filiale " + country, "email": "filiale@example.com", "country": country, "currency": currency}
	maps.Copy(facts, more)
	return &shop{World: s.World, merchant: s.Provision(facts), currency: currency, count: s.count}
}

// send is a request with the shop's key.
func (s *shop) send(method, path string, body any) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: method, Path: path, Body: body, Key: s.merchant.Key.Plaintext})
}

// payment is a transaction as its checkout shows it.
type payment struct {
	ID   string `json:"id"`
	Code string `json:"transaction_code"`
}

// pay tries to have a new checkout paid by card, and answers its transaction.
func (s *shop) pay(amount string, more fields) payment {
	s.Helper()
	order := fields{"checkout_reference": fmt.Sprintf("order-%d", s.count.Add(1)), "amount": json.Number(amount),
		"currency": s.currency, "merchant_code": s.merchant.Code, "description": "Two coffees"}
	maps.Copy(order, more)
	made := s.send("POST", "/v0.1/checkouts", order)
	if made.Status != 201 {
		s.Fatalf("create: %d %s", made.Status, made.Body)
	}
	answer := s.send("PUT", "/v0.1/checkouts/"+made.Text("id"), fields{"payment_type": "card", "card": fields{
		"name": "Ada Lovelace", "number": frictionless, "expiry_month": "12", "expiry_year": "2030", "cvv": cvv}})
	var c struct{ Transactions []payment }
	if err := answer.Into(&c); err != nil || len(c.Transactions) != 1 {
		s.Fatalf("process: %d %s", answer.Status, answer.Body)
	}
	return c.Transactions[0]
}

// refund asks for a refund and answers its event's id, as the detail tells it.
func (s *shop) refund(p payment, amount string) int64 {
	s.Helper()
	s.Clock.Advance(time.Second)
	_ = s.send("POST", "/v0.1/me/refund/"+p.ID, fields{"amount": json.Number(amount)})
	return s.lastEvent(p, "REFUND")
}

// lastEvent is the id of the transaction's latest event of the type.
func (s *shop) lastEvent(p payment, kind string) int64 {
	s.Helper()
	detail := s.send("GET", "/v2.1/merchants/"+s.merchant.Code+"/transactions?id="+p.ID, nil)
	var shown struct {
		Events []struct {
			ID   int64
			Type string
		}
	}
	if err := detail.Into(&shown); err != nil || detail.Status != 200 {
		s.Fatalf("detail: %d %s", detail.Status, detail.Body)
	}
	id := int64(0)
	for _, e := range shown.Events {
		if e.Type == kind {
			id = e.ID
		}
	}
	if id == 0 {
		s.Fatalf("no %s among the events: %s", kind, detail.Body)
	}
	return id
}

// path leads to a receipt; event 0: of the transaction itself.
func (s *shop) path(id string, event int64) string {
	path := "/v1.1/receipts/" + id + "?mid=" + s.merchant.Code
	if event != 0 {
		path += fmt.Sprint("&tx_event_id=", event)
	}
	return path
}

// read reads a receipt, which must be there.
func (s *shop) read(id string, event int64) world.Response {
	s.Helper()
	got := s.send("GET", s.path(id, event), nil)
	if got.Status != 200 {
		s.Fatalf("receipt: %d %s", got.Status, got.Body)
	}
	return got
}

// number is the number of a receipt; "": none.
func (s *shop) number(id string, event int64) string {
	s.Helper()
	return s.read(id, event).Text("transaction_data.receipt_no")
}
