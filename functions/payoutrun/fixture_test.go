package payoutrun_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type fields = map[string]any

// shop is a merchant of a world.
type shop struct {
	*world.World
	merchant world.Merchant
	currency string
	where    *time.Location
	orders   int
}

const (
	passing = "4200000000000091"
	cvv     = "739"
)

// open starts a world with a shop in Berlin that has an account which payouts reach.
func open(t *testing.T) *shop {
	t.Helper()
	s := openIn(t, "Europe/Berlin", fields{"name": "Eiscafé", "email": "eis@example.com",
		"country": "DE", "currency": "EUR"})
	s.set(fields{"holder": "Eiscafé GmbH", "iban": sandbox.PaidIBAN})
	return s
}

// openIn starts a world with a shop, whose payouts are checked at its end.
func openIn(t *testing.T, zone string, facts fields) *shop {
	t.Helper()
	w := world.New(t)
	t.Cleanup(w.CheckPayouts)
	where, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	facts["time_zone"] = zone
	return &shop{World: w, currency: facts["currency"].(string), where: where, merchant: w.Provision(facts)}
}

// send is a request with the shop's key.
func (s *shop) send(method, path string, body any) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: method, Path: path, Body: body, APIKey: s.merchant.Key.Plaintext})
}

func (s *shop) tenant() identity.Tenant {
	return identity.Tenant{Mode: identity.Test, Merchant: s.merchant.Code}
}

// set changes how the shop is paid out.
func (s *shop) set(changes fields) {
	s.Helper()
	command := fields{"command": "set_payout", "merchant_code": s.merchant.Code}
	maps.Copy(command, changes)
	s.Operate(command, nil)
}

func (s *shop) update(changes fields) {
	s.Helper()
	command := fields{"command": "update_merchant", "merchant_code": s.merchant.Code}
	maps.Copy(command, changes)
	s.Operate(command, nil)
}

// payment is a paid transaction.
type payment struct {
	ID   string `json:"id"`
	Code string `json:"transaction_code"`
}

// pay takes a payment by card, in one or more installments.
func (s *shop) pay(amount string, installments int) payment {
	s.Helper()
	s.orders++
	created := s.send("POST", "/v0.1/checkouts", fields{"checkout_reference": fmt.Sprint("order-", s.orders),
		"amount": json.Number(amount), "currency": s.currency, "merchant_code": s.merchant.Code})
	if created.Status != 201 {
		s.Fatalf("create: %d %s", created.Status, created.Body)
	}
	processed := s.send("PUT", "/v0.1/checkouts/"+created.Text("id"), fields{"payment_type": "card",
		"installments": installments,
		"card":         fields{"name": "Ada", "number": passing, "expiry_month": "12", "expiry_year": "2030", "cvv": cvv}})
	var paid struct{ Transactions []payment }
	if err := processed.Into(&paid); err != nil || processed.Status != 200 || len(paid.Transactions) != 1 {
		s.Fatalf("process: %d %s", processed.Status, processed.Body)
	}
	return paid.Transactions[0]
}

func (s *shop) refund(p payment, amount string) {
	s.Helper()
	if r := s.send("POST", "/v0.1/me/refund/"+p.ID, fields{"amount": json.Number(amount)}); r.Status != 204 {
		s.Fatalf("refund: %d %s", r.Status, r.Body)
	}
}

// event is a transaction's, as its detail shows it.
type event struct {
	Type        string
	Status      string
	Amount      json.Number
	Deducted    json.Number `json:"deducted_amount"`
	Installment int         `json:"installment_number"`
}

// detail is what the transaction's detail shows of its payouts.
type detail struct {
	Total    int    `json:"payouts_total"`
	Received int    `json:"payouts_received"`
	Simple   string `json:"simple_status"`
	Date     string `json:"payout_date"`
	Plan     string `json:"payout_plan"`
	Events   []event
}

func (s *shop) detail(p payment) detail {
	s.Helper()
	var d detail
	r := s.send("GET", "/v2.1/merchants/"+s.merchant.Code+"/transactions?id="+p.ID, nil)
	if err := r.Into(&d); err != nil || r.Status != 200 {
		s.Fatalf("detail: %d %s", r.Status, r.Body)
	}
	return d
}

// stands is "status amount deducted" of the transaction's PAYOUT events.
func (s *shop) stands(p payment) []string {
	s.Helper()
	var stands []string
	for _, e := range s.detail(p).Events {
		if e.Type == string(payments.PayoutEvent) {
			stands = append(stands, fmt.Sprint(e.Status, " ", e.Amount, " ", e.Deducted))
		}
	}
	return stands
}

// listed is "type amount status" of the shop's payout records of all times.
func (s *shop) listed() []string {
	s.Helper()
	r := s.send("GET", "/v1.0/merchants/"+s.merchant.Code+"/payouts?"+
		url.Values{"start_date": {"2026-01-01"}, "end_date": {"2028-01-01"}}.Encode(), nil)
	var records []struct {
		Type, Status string
		Amount       json.Number
	}
	if err := r.Into(&records); err != nil || r.Status != 200 {
		s.Fatalf("payouts: %d %s", r.Status, r.Body)
	}
	var listed []string
	for _, r := range records {
		listed = append(listed, fmt.Sprint(r.Type, " ", r.Amount, " ", r.Status))
	}
	return listed
}

// tick plans, and runs what is planned, in a process.
func (s *shop) tick(p *world.Process) {
	s.Helper()
	if err := p.TickNow(s.Context(), "payoutplan"); err != nil && !p.Steps.Gone() {
		s.Errorf("payoutplan: %v", err)
	}
	if _, err := p.DrainQueues(s.Context()); err != nil && !p.Steps.Gone() {
		s.Errorf("queues: %v", err)
	}
}

// midnight lets time pass until shortly after the shop's next midnight.
func (s *shop) midnight() {
	now := s.Clock.Now().In(s.where)
	next := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 1, 0, 0, s.where)
	s.Clock.Advance(next.Sub(now))
}

// night lets midnight pass, then what is due be planned, run and answered for by the bank.
func (s *shop) night() {
	s.Helper()
	s.midnight()
	s.tick(s.Main())
	for range 2 { // the bank is asked every quarter of an hour
		s.Clock.Advance(16 * time.Minute)
		s.tick(s.Main())
	}
}

// payouts are "status total" of the shop's payouts, by day.
func (s *shop) payouts() map[string]string {
	s.Helper()
	found := map[string]string{}
	for _, p := range s.PayoutBooks(s.merchant).Payouts {
		found[p.Day] += fmt.Sprint(p.Status, " ", p.Total)
	}
	return found
}

// waiting is "kind amount" of what waits.
func (s *shop) waiting() []string {
	s.Helper()
	var waiting []string
	for _, row := range s.PayoutBooks(s.merchant).Payables {
		waiting = append(waiting, fmt.Sprint(row.Kind, " ", row.Amount))
	}
	return waiting
}
