package simulator

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// tryFromBrowser has a payer's browser try the card, with the shop's public
// key. It guesses the Idempotency-Key that the till of a charge uses at the
// same time.
func (s *scenario) tryFromBrowser(which, more, customer, token string) {
	next := s.followUp(which+"-browser", "25.00", more)
	next.client("browser", 0, func(actor string, rng *rand.Rand) {
		var made struct {
			Key struct{ Plaintext string } `json:"api_key"`
		}
		next.create(actor, rng)
		if !next.operate(actor, fmt.Sprintf(`{"command":"create_api_key","merchant_code":%q,"mode":"test","name":"web",`+
			`"type":"public"}`, next.merchant), &made) {
			return
		}
		browser := *next
		browser.shop = &shop{next.tenant, next.merchant, made.Key.Plaintext, next.currency}
		browser.insist(actor, client.Request{Method: "PUT", Path: next.path(),
			IdempotencyKey: s.name + "-" + which + "-till-0 pays", Body: bySavedCard(customer, token)})
		browser.insist(actor, client.Request{Method: "GET", Path: next.path()})
	})
}

// public says whether the request came with a public key.
func (r reply) public() bool { return strings.HasPrefix(r.APIKey, "pk_") }

// checkBrowsers: a public key charges a card only of the checkout's customer,
// and never without the payer; it is shown no card, mandate or customer; and it
// uses no other client's Idempotency-Key (contract §2.1, §2.8).
func (w *World) checkBrowsers(b snapshot) {
	tried := map[string]bool{} // checkouts, that only browsers pay
	for _, r := range w.replies {
		id := r.checkout()
		if id != "" && r.view().ErrorCode == "IDEMPOTENCY_KEY_REUSED" {
			w.find(id, "another client has the key %q", r.IdempotencyKey)
		}
		if !r.public() {
			continue
		}
		tried[id] = true
		for _, hidden := range []string{"customer_id", "payment_instrument", "mandate"} {
			if strings.Contains(string(r.response.Body), `"`+hidden+`":`) {
				w.find(id, "a browser was shown %s: %s", hidden, r.response.Body)
			}
		}
	}
	for _, id := range sorted(b.transactions) {
		t := b.transactions[id]
		checkout := t.text("checkout_id")
		if tried[checkout] && (t.text("payment_type") != "ECOM" || b.checkouts[checkout].text("customer_id") == "") {
			w.find(checkout, "a browser charged a card as %s, for the customer %q", t.text("payment_type"),
				b.checkouts[checkout].text("customer_id"))
		}
	}
}
