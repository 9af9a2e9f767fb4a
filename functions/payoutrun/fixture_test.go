package payoutrun_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type fields = map[string]any

// open starts a world with a German shop whose bank account accepts payouts.
func open(t *testing.T) world.Shop {
	t.Helper()
	s := openIn(t, "DE", "EUR", nil)
	s.SetPayout(fields{"holder": "Eiscafé GmbH", "iban": sandbox.PaidIBAN})
	return s
}

// openIn starts a world with a shop, and checks its payouts at the end.
func openIn(t *testing.T, country, currency string, terms fields) world.Shop {
	t.Helper()
	s := world.NewShop(t).NewShop(country, currency, terms)
	t.Cleanup(s.CheckPayouts)
	return s
}

// sellInInstallments creates a checkout and pays it by card in the number of instalments.
func sellInInstallments(s world.Shop, amount string, installments int) world.Payment {
	s.Helper()
	body := s.Card(world.Frictionless)
	body["installments"] = installments
	return s.Pay(s.Create(amount, nil), body)
}

// payoutStatus holds the fields about payouts in a transaction's detail.
type payoutStatus struct {
	Total    int    `json:"payouts_total"`
	Received int    `json:"payouts_received"`
	Simple   string `json:"simple_status"`
	Date     string `json:"payout_date"`
	Plan     string `json:"payout_plan"`
}

// event is an event in a transaction's detail.
type event struct {
	Type        string
	Status      string
	Amount      json.Number
	Deducted    json.Number `json:"deducted_amount"`
	Installment int         `json:"installment_number"`
}

func statusOf(s world.Shop, p world.Payment) payoutStatus {
	s.Helper()
	return readDetail[payoutStatus](s, p)
}

func eventsOf(s world.Shop, p world.Payment, kind payments.EventType) []event {
	s.Helper()
	all := readDetail[struct{ Events []event }](s, p).Events
	return slices.DeleteFunc(all, func(e event) bool { return e.Type != string(kind) })
}

func readDetail[T any](s world.Shop, p world.Payment) T {
	s.Helper()
	var detail T
	r := s.Transaction("id=" + p.ID)
	if err := r.Into(&detail); err != nil || r.Status != http.StatusOK {
		s.Fatalf("detail: got %d %s, error %v; want 200 and JSON", r.Status, r.Body, err)
	}
	return detail
}

// payoutEvents returns the transaction's PAYOUT events, each as "status amount deducted".
func payoutEvents(s world.Shop, p world.Payment) []string {
	s.Helper()
	var texts []string
	for _, e := range eventsOf(s, p, payments.PayoutEvent) {
		texts = append(texts, fmt.Sprint(e.Status, " ", e.Amount, " ", e.Deducted))
	}
	return texts
}

// payoutRecords returns all payout records of the shop, each as "type amount status".
func payoutRecords(s world.Shop) []string {
	s.Helper()
	r := s.Send("GET", "/v1.0/merchants/"+s.Merchant.Code+"/payouts?"+
		url.Values{"start_date": {"2026-01-01"}, "end_date": {"2028-01-01"}}.Encode(), nil)
	var records []struct {
		Type, Status string
		Amount       json.Number
	}
	if err := r.Into(&records); err != nil || r.Status != 200 {
		s.Fatalf("payouts: got %d %s, error %v; want 200 and JSON", r.Status, r.Body, err)
	}
	var listed []string
	for _, r := range records {
		listed = append(listed, fmt.Sprint(r.Type, " ", r.Amount, " ", r.Status))
	}
	return listed
}

// advanceToMidnight lets time pass until shortly after the shop's next midnight.
func advanceToMidnight(s world.Shop) {
	s.Helper()
	m, err := s.App.Store.Merchant(s.Context(), s.Merchant.Code)
	if err != nil {
		s.Fatal(err)
	}
	now := s.Clock.Now().In(m.Location())
	next := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 1, 0, 0, m.Location())
	s.Clock.Advance(next.Sub(now))
}

// openPayout opens the payout that is due. Its message waits in the queue.
func openPayout(s world.Shop) {
	s.Helper()
	planned, due, err := banking.Open(s.App).Plan(s.Context(), s.Tenant())
	if err == nil && due {
		err = queue.OpenPayouts(s.App).Send(s.Context(), app.PayoutMessage{Tenant: s.Tenant().String(), ID: planned.ID})
	}
	if err != nil || !due {
		s.Fatalf("open: got due %t, error %v; want it due", due, err)
	}
}

// runNight lets time pass until after midnight. The payouts that are due are planned and run, and the bank answers.
func runNight(s world.Shop) {
	s.Helper()
	advanceToMidnight(s)
	s.RunPayouts()
	for range 2 { // the bank is polled every quarter of an hour
		s.Clock.Advance(16 * time.Minute)
		s.RunPayouts()
	}
}

// payoutsByDay returns the shop's payouts by day, each as "status total".
func payoutsByDay(s world.Shop) map[string]string {
	s.Helper()
	found := map[string]string{}
	for _, p := range s.PayoutState(s.Merchant).Payouts {
		found[p.Day] += fmt.Sprint(p.Status, " ", p.Total)
	}
	return found
}

// payables returns the payables without a payout, each as "kind amount".
func payables(s world.Shop) []string {
	s.Helper()
	var texts []string
	for _, payable := range s.PayoutState(s.Merchant).Payables {
		texts = append(texts, fmt.Sprint(payable.Kind, " ", payable.Amount))
	}
	return texts
}

// balance returns the shop's balance on an account of the ledger.
func balance(s world.Shop, account ledger.Account) string {
	s.Helper()
	return s.Balance(s.Merchant, account, money.Currency(s.Currency)).String()
}
