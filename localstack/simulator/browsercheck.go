package simulator

import "strings"

// isPublic reports whether the request came with a public key.
func isPublic(r *reply) bool { return strings.HasPrefix(r.APIKey, "pk_") }

// checkBrowsers: a public key charges a card only of the checkout's customer,
// and never without the payer; it is shown no card, mandate or customer; and it
// uses no other client's Idempotency-Key (contract §2.1, §2.8).
func (b snapshot) checkBrowsers() {
	tried := map[string]bool{} // checkouts, that only browsers pay
	for _, r := range b.replies {
		id := checkoutOf(r)
		if id != "" && r.view().ErrorCode == "IDEMPOTENCY_KEY_REUSED" {
			b.find(id, "another client has the key %q", r.IdempotencyKey)
		}
		if !isPublic(r) {
			continue
		}
		tried[id] = true
		for _, hidden := range []string{"customer_id", "payment_instrument", "mandate"} {
			if strings.Contains(string(r.response.Body), `"`+hidden+`":`) {
				b.find(id, "a browser was shown %s: %s", hidden, r.response.Body)
			}
		}
	}
	for _, id := range sorted(b.transactions) {
		t := b.transactions[id]
		checkout := t.text("checkout_id")
		if tried[checkout] && (t.text("payment_type") != "ECOM" || b.checkouts[checkout].text("customer_id") == "") {
			b.find(checkout, "a browser charged a card as %s, for the customer %q", t.text("payment_type"),
				b.checkouts[checkout].text("customer_id"))
		}
	}
}
