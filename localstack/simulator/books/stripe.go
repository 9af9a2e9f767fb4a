package books

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/money"
)

// atStripe returns the charges, refunds, movements and cards of Stripe in the form of the sandbox's items, so that the
// same rules hold for both. The decisions are from our records about Stripe, and the movements from Stripe's books. A
// card counts only if our records know its customer. Without Stripe, atStripe returns nil.
func atStripe(w *simulator.World, table []calls.Item) (all []calls.Item) {
	if w.Stripe == nil {
		return nil
	}
	customers := map[any]bool{}
	for _, i := range table {
		if strings.HasPrefix(i.Text("pk"), "STRIPE#CUSTOMER#") {
			customers[i["stripe_id"]] = true
		}
		if id, ok := strings.CutPrefix(i.Text("pk"), "STRIPE#CHARGE#"); ok {
			all = append(all, chargeOf(w.Stripe, id, i))
		}
		if id, ok := strings.CutPrefix(i.Text("pk"), "STRIPE#REFUND#"); ok {
			all = append(all, refundOf(id, i))
		}
	}
	for _, line := range w.Stripe.Lines {
		all = append(all, movementOf(w.Stripe, line))
	}
	for _, id := range simulator.Sorted(w.Stripe.Objects) {
		if o := w.Stripe.Objects[id]; o["object"] == "payment_method" && customers[o["customer"]] {
			all = append(all, calls.Item{"pk": "SANDBOX#CARD#" + id, "sk": "CARD"})
		}
	}
	return all
}

// chargeOf returns the charge with our id, from our record.
func chargeOf(s *stripetest.StandIn, id string, record calls.Item) calls.Item {
	outcome := record.Object("outcome")
	method, _ := s.Objects[record.Text("intent")]["payment_method"].(string)
	return calls.Item{"pk": "SANDBOX#CHARGE#" + id, "sk": "CHARGE", "id": id, "decision": outcome.Text("decision"),
		"tenant": record["tenant"], "checkout_id": record["checkout_id"], "amount": record["amount"],
		"verification": record["verification"], "return_code": outcome["return_code"],
		"card": map[string]any{"acquirer_token": method}}
}

// refundOf returns the refund with our id, from our record.
func refundOf(id string, record calls.Item) calls.Item {
	decision := record.Object("outcome").Text("decision")
	if decision == "declined" { // Stripe may learn this long after the platform has answered the client
		decision = "cancelled"
	}
	return calls.Item{"pk": "SANDBOX#REFUND#" + id, "sk": "REFUND", "id": id, "decision": decision}
}

// movementOf returns the movement of a charge or refund that the line books.
func movementOf(s *stripetest.StandIn, line stripetest.Object) calls.Item {
	source := s.Objects[line["source"].(string)]
	ours := source["metadata"].(stripetest.Object)
	kind, id := "capture", ours["attempt"]
	if line["type"] == "refund" {
		kind, id = "refund", ours["refund"]
	}
	currency := money.Currency(strings.ToUpper(source["currency"].(string)))
	amount := money.FromMinor(source["amount"].(int64), currency)
	return calls.Item{"pk": fmt.Sprint("SANDBOX#CHARGE#", ours["attempt"]), "kind": kind, "id": id,
		"sk": strings.ToUpper(kind) + "#" + line["id"].(string), "tenant": ours["tenant"],
		"amount": map[string]any{"v": amount.String(), "c": string(currency)}}
}

// restingStatuses lists the statuses of Stripe's objects at rest. An intent that was never pinned stays unconfirmed.
var restingStatuses = map[string][]string{
	"payment_intent": {"succeeded", "canceled", "requires_confirmation"},
	"setup_intent":   {"succeeded", "canceled", "requires_confirmation"},
	"refund":         {"succeeded", "failed"},
}

// checkStripe checks that nothing at Stripe can still move money: each intent and refund is final, or was never
// confirmed. checkCharge checks that no charge could still confirm an intent.
func (b Snapshot) checkStripe() {
	if b.Stripe == nil {
		return
	}
	for _, id := range simulator.Sorted(b.Stripe.Objects) {
		o := b.Stripe.Objects[id]
		kind, status := o["object"].(string), fmt.Sprint(o["status"])
		if resting := restingStatuses[kind]; resting != nil && !slices.Contains(resting, status) {
			b.Find(fmt.Sprint(o["metadata"].(stripetest.Object)["checkout"]), "%s is left %s", id, status)
		}
	}
}

// keptAtStripe lists the attributes of our records about Stripe that never change, by sort key.
var keptAtStripe = map[string][]string{"CHARGE": {"intent", "outcome"}, "REFUND": {"intent", "outcome"},
	"CUSTOMER": {"stripe_id"}}

// checkKept checks that a record about Stripe keeps its intent, its outcome and its customer. A lost intent could still
// be charged, and cards of a lost customer could not be charged any more.
func (b Snapshot) checkKept(was, now calls.Item) {
	if !strings.HasPrefix(was.Text("pk"), "STRIPE#") {
		return
	}
	for _, name := range keptAtStripe[was.Text("sk")] {
		if was[name] != nil && simulator.Encoded(was[name]) != simulator.Encoded(now[name]) {
			b.Find(was.Text("checkout_id"), "%s had the %s %v, and now %v", was.Text("pk"), name, was[name], now[name])
		}
	}
}
