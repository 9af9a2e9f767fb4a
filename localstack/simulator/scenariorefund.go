package simulator

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// returns are amounts that are asked back; "" is all that is left. The sandbox declines 42.91, does not take 42.24, and
// leaves 42.25 open for 30 s (contract §12).
var returns = []string{"", "", "10.00", "25.00", "42.25", "42.25", "42.24", "42.91", "11.00", "50.00", "0.01", "126.74"}

// disputes are amounts that an issuer takes back.
var disputes = []string{"", "10.00", "25.00", "30.00", "84.50"}

// sell has the scenario's checkout paid. Nothing goes wrong yet.
func (s *scenario) sell() {
	s.create(s.name+"-shop", s.rng)
	paid := s.insist(s.name+"-shop", client.Request{Method: "PUT", Path: s.path(), Body: setupFree})
	s.transaction = paid.view().TransactionID
	if s.transaction == "" {
		s.panicf("not sold: %s", paid.Body)
	}
}

// setupFree pays with a card that needs no 3DS.
var setupFree = `{"payment_type":"card","card":` + cardBody(client.Frictionless) + `}`

// requestRefunds starts clients that refund the scenario's transaction, all at once, clients
// that read it, and now and then an issuer who charges it back.
func (s *scenario) requestRefunds(rng *rand.Rand) {
	if rng.IntN(4) == 0 && !s.live() { // the sandbox has test mode's chargebacks only
		s.reportChargebacks(rng)
	}
	shared := s.refundOf(rng)
	shared.IdempotencyKey = s.name + " refund"
	for i := range 2 + rng.IntN(3) {
		s.client("cashier", i, func(actor string, rng *rand.Rand) {
			s.think(actor)
			if rng.IntN(4) == 0 {
				s.refund(actor, shared)
			}
			for n := range 1 + rng.IntN(2) {
				r := s.refundOf(rng)
				if rng.IntN(3) > 0 {
					r.IdempotencyKey = fmt.Sprintf("%s refund %d", actor, n)
					s.impatient(actor, rng, func(twin string) { s.refund(twin, r) })
				}
				s.refund(actor, r)
			}
		})
	}
	for i := range rng.IntN(2) {
		s.client("auditor", i, func(actor string, rng *rand.Rand) {
			for range 2 + rng.IntN(3) {
				s.think(actor)
				s.readRefundable(actor)
			}
		})
	}
}

// reportChargebacks brings one or two operators who report that the issuer took money
// back.
func (s *scenario) reportChargebacks(rng *rand.Rand) {
	amount, id := disputes[rng.IntN(len(disputes))], s.name+"-dispute"
	for i := range 1 + rng.IntN(2) {
		s.client("operator", i, func(actor string, rng *rand.Rand) {
			s.think(actor)
			s.chargeback(actor, id, amount, rng)
		})
	}
}

// refundOf is a request to refund the transaction, by either route.
func (s *scenario) refundOf(rng *rand.Rand) client.Request {
	r := client.Request{Method: "POST", Path: "/v0.1/me/refund/" + s.transaction, APIKey: s.token, Body: "{}"}
	if rng.IntN(2) == 0 {
		r.Path = "/v1.0/merchants/" + s.merchant + "/payments/" + s.transaction + "/refunds"
	}
	if amount := s.returns[rng.IntN(len(s.returns))]; amount != "" {
		r.Body = fmt.Sprintf(`{"amount":%s}`, amount)
	}
	return r
}

// refund asks until it is answered for good, as a cashier does who must know.
func (s *scenario) refund(actor string, r client.Request) {
	s.retry(actor, s.tenant, r, patience/2, response.final)
}

// readRefundable reads what is left to refund.
func (s *scenario) readRefundable(actor string) {
	s.send(actor, s.tenant, client.Request{Method: "GET", APIKey: s.token,
		Path: "/v2.1/merchants/" + s.merchant + "/transactions?id=" + s.transaction})
}

// chargeback has the issuer take money back, as an operator reports it, now and
// then twice.
func (s *scenario) chargeback(actor, id, amount string, rng *rand.Rand) {
	command := map[string]any{"command": "charge_back", "merchant_code": s.merchant, "mode": "test",
		"transaction": s.transaction, "id": id}
	if amount != "" {
		command["amount"] = json.Number(amount)
	}
	if rng.IntN(3) == 0 {
		command["lost"] = true
	}
	text, _ := json.Marshal(command) // of text and numbers
	for range 1 + rng.IntN(2) {
		s.command(actor, "%s", text)
	}
}

// repeatChargebacks reports every chargeback once more.
func repeatChargebacks(w *World) {
	var again []string
	for _, a := range w.answers {
		if strings.Contains(a.command, `"charge_back"`) && !slices.Contains(again, a.command) {
			again = append(again, a.command)
		}
	}
	for _, command := range again {
		w.operate("operator", command, nil)
	}
}
