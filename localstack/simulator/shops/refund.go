package shops

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// Returns lists amounts of refunds. "" refunds the whole rest. The sandbox declines 42.91, does not take 42.24, and
// leaves 42.25 open for 30 s (contract §12).
var Returns = []string{"", "", "10.00", "25.00", "42.25", "42.25", "42.24", "42.91", "11.00", "50.00", "0.01", "126.74"}

var disputes = []string{"", "10.00", "25.00", "30.00", "84.50"} // amounts of chargebacks

// Sell creates and pays the scenario's checkout. Faults must be off.
func (s *Scenario) Sell() {
	s.Create(s.Name+"-shop", s.RNG)
	paid := s.Insist(s.Name+"-shop", client.Request{Method: "PUT", Path: s.CheckoutPath(), Body: SetupFree})
	s.Transaction = paid.View().TransactionID
	if s.Transaction == "" {
		s.Panicf("not sold: %s", paid.Body)
	}
}

// SetupFree pays with a card that needs no 3DS.
var SetupFree = `{"payment_type":"card","card":` + CardBody(client.Frictionless) + `}`

// RequestRefunds starts clients that refund and read the transaction, and sometimes operators who report a chargeback.
func (s *Scenario) RequestRefunds(rng *rand.Rand) {
	if rng.IntN(4) == 0 && !s.Live() { // the sandbox has chargebacks in test mode only
		s.reportChargebacks(rng)
	}
	shared := s.RefundOf(rng)
	shared.IdempotencyKey = s.Name + " refund"
	s.StartClients("cashier", 2+rng.IntN(3), func(actor string, rng *rand.Rand) {
		s.Think(actor)
		if rng.IntN(4) == 0 {
			s.Refund(actor, shared)
		}
		for n := range 1 + rng.IntN(2) {
			r := s.RefundOf(rng)
			if rng.IntN(3) > 0 {
				r.IdempotencyKey = fmt.Sprintf("%s refund %d", actor, n)
				s.Impatient(actor, rng, func(twin string) { s.Refund(twin, r) })
			}
			s.Refund(actor, r)
		}
	})
	s.StartClients("auditor", rng.IntN(2), func(actor string, rng *rand.Rand) {
		for range 2 + rng.IntN(3) { // these clients read the amount left to refund
			s.Think(actor)
			s.Send(actor, s.Tenant, client.Request{Method: "GET", APIKey: s.Token,
				Path: "/v2.1/merchants/" + s.Merchant + "/transactions?id=" + s.Transaction})
		}
	})
}

// reportChargebacks starts one or two operators who report that the issuer took money back.
func (s *Scenario) reportChargebacks(rng *rand.Rand) {
	amount, id := disputes[rng.IntN(len(disputes))], s.Name+"-dispute"
	s.StartClients("operator", 1+rng.IntN(2), func(actor string, rng *rand.Rand) {
		s.Think(actor)
		s.Chargeback(actor, id, amount, rng)
	})
}

// RefundOf returns a request to refund the transaction, by one of the two routes.
func (s *Scenario) RefundOf(rng *rand.Rand) client.Request {
	r := client.Request{Method: "POST", Path: "/v0.1/me/refund/" + s.Transaction, APIKey: s.Token, Body: "{}"}
	if rng.IntN(2) == 0 {
		r.Path = "/v1.0/merchants/" + s.Merchant + "/payments/" + s.Transaction + "/refunds"
	}
	if amount := s.Returns[rng.IntN(len(s.Returns))]; amount != "" {
		r.Body = fmt.Sprintf(`{"amount":%s}`, amount)
	}
	return r
}

// Refund repeats a request until the answer is final, like a cashier who must know the outcome.
func (s *Scenario) Refund(actor string, r client.Request) {
	s.Retry(actor, s.Tenant, r, simulator.Patience/2, simulator.Response.Final)
}

// Chargeback reports, as an operator, that the issuer took money back. Sometimes it reports this twice.
func (s *Scenario) Chargeback(actor, id, amount string, rng *rand.Rand) {
	command := map[string]any{"command": "charge_back", "merchant_code": s.Merchant, "mode": "test",
		"transaction": s.Transaction, "id": id}
	if amount != "" {
		command["amount"] = json.Number(amount)
	}
	if rng.IntN(3) == 0 {
		command["lost"] = true
	}
	for range 1 + rng.IntN(2) {
		s.Command(actor, "%s", simulator.Encoded(command))
	}
}

// RepeatChargebacks reports every chargeback again.
func RepeatChargebacks(w *simulator.World) {
	var again []string
	for _, a := range w.Answers {
		if strings.Contains(a.Command, `"charge_back"`) && !slices.Contains(again, a.Command) {
			again = append(again, a.Command)
		}
	}
	for _, command := range again {
		w.Operate("operator", command, nil)
	}
}
