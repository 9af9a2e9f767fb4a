package books

import (
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// isPublic reports whether the request came with a public key.
func isPublic(r *simulator.Reply) bool { return strings.HasPrefix(r.APIKey, "pk_") }

// checkBrowsers: a public key charges a card only of the checkout's customer,
// and never without the payer; it is shown no card, mandate or customer; and it
// uses no other client's Idempotency-Key (contract §2.1, §2.8).
func (b Snapshot) checkBrowsers() {
	tried := map[string]bool{} // checkouts, that only browsers pay
	for _, r := range b.Replies {
		id := checkoutOf(r)
		if id != "" && r.View().ErrorCode == "IDEMPOTENCY_KEY_REUSED" {
			b.Find(id, "another client has the key %q", r.IdempotencyKey)
		}
		if !isPublic(r) {
			continue
		}
		tried[id] = true
		for _, hidden := range []string{"customer_id", "payment_instrument", "mandate"} {
			if strings.Contains(string(r.Response.Body), `"`+hidden+`":`) {
				b.Find(id, "a browser was shown %s: %s", hidden, r.Response.Body)
			}
		}
	}
	for _, id := range simulator.Sorted(b.Transactions) {
		t := b.Transactions[id]
		checkout := t.Text("checkout_id")
		if tried[checkout] && (t.Text("payment_type") != "ECOM" || b.Checkouts[checkout].Text("customer_id") == "") {
			b.Find(checkout, "a browser charged a card as %s, for the customer %q", t.Text("payment_type"),
				b.Checkouts[checkout].Text("customer_id"))
		}
	}
}
