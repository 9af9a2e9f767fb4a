// Package books checks the records of a simulated world at rest. It compares the platform's records with each other,
// with the records of the acquirer and the bank, and with the answers to clients. Workloads call Check.
package books

import (
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Snapshot contains all records of a world, by their ids.
type Snapshot struct {
	*simulator.World
	*ledger
	Items                              []calls.Item // all items
	Checkouts, Transactions, callbacks items
	Charges                            items          // the acquirer's
	captures                           map[string]int // by charge
	instruments                        []calls.Item
	customers                          items           // by tenant and id
	cards                              map[string]bool // tokens that the acquirer knows
	Merchants                          items           // by code
	Payouts                            items
	Records                            itemLists // by payout
	Taken                              itemLists // payout records by tenant and id of the payable that each replaced
	Booked                             itemLists // lines of the bank's statement, by payout
	Carried                            itemLists // payables and records of shortfalls, by payout
}

// Read reads all records.
func Read(w *simulator.World) Snapshot {
	b := Snapshot{World: w, ledger: newLedger(), Items: w.Scan(), Checkouts: items{}, Transactions: items{},
		callbacks: items{}, Charges: items{}, captures: map[string]int{}, customers: items{},
		cards: map[string]bool{}, Merchants: items{}, Payouts: items{}, Records: itemLists{},
		Taken: itemLists{}, Booked: itemLists{}, Carried: itemLists{}}
	for _, i := range slices.Concat(b.Items, atStripe(w, b.Items)) {
		b.enter(nil, i)
		b.addItem(i)
	}
	return b
}

func (b *Snapshot) addItem(i calls.Item) {
	id, pk, sk := i.Text("id"), i.Text("pk"), i.Text("sk")
	if payout, carried := strings.CutPrefix(id, "carried#"); carried { // the payout's shortfall
		payout, _, _ = strings.Cut(payout, "#")
		b.Carried[payout] = append(b.Carried[payout], i)
	}
	switch {
	case strings.HasPrefix(pk, "SANDBOX#CHARGE#") && sk == "CHARGE":
		b.Charges[id] = i
	case strings.HasPrefix(sk, "CAPTURE#"):
		b.captures[strings.TrimPrefix(pk, "SANDBOX#CHARGE#")]++
	case sk == "CHECKOUT":
		b.Checkouts[id] = i
	case strings.HasPrefix(sk, "TRANSACTION#"):
		b.Transactions[id] = i
	case sk == "CALLBACK":
		b.callbacks[id] = i
	case sk == "CUSTOMER":
		b.customers[i.Tenant()+" "+calls.Partition(pk).Last] = i
	case sk == "CARD":
		b.cards[strings.TrimPrefix(pk, "SANDBOX#CARD#")] = true
	case strings.HasPrefix(sk, "CARD#"):
		b.instruments = append(b.instruments, i)
	case sk == "MERCHANT":
		b.Merchants[i.Text("code")] = i
	case sk == "PAYOUT":
		b.Payouts[id] = i
	case i.Kind() == store.KindPayoutRecords:
		payout, payable := i.Text("payout_id"), PayableKey(i, id)
		b.Records[payout], b.Taken[payable] = append(b.Records[payout], i), append(b.Taken[payable], i)
	case isStatementLine(i):
		b.Booked[id] = append(b.Booked[id], i)
	}
}

// givenUpAfter is the time from a mail's first failed try to its last (contract §11.3). Faults can last longer.
const givenUpAfter = 72 * time.Hour

// checkMails checks that each mail was sent at most once per try, and that each delivered mail was sent at least once.
// The second rule does not apply to mails to all, because they are split.
func (b Snapshot) checkMails() {
	sent := map[string]ses.Mail{}
	for _, m := range b.Mails.Sent() {
		sent[m.ID] = m
	}
	for _, i := range b.Items {
		if i.Text("sk") != "MAIL" {
			continue
		}
		id := i.Text("id")
		if tries := i.Number("tries"); sent[id].Times > tries {
			b.Find("", "mail %s was sent %d times by %d tries", id, sent[id].Times, tries)
		}
		if i["member"] == nil {
			continue
		}
		if i.Text("state") == "delivered" && sent[id].Times == 0 {
			b.Find("", "mail %s is delivered, but was not sent", id)
		}
		tried := i.Time("updated_at").Sub(i.Time("first_failed_at"))
		over := i.Text("state") == "dropped" && i.Text("kind") == "invitation" || // the invitation was withdrawn or accepted
			i.Text("state") == "dead" && tried >= givenUpAfter
		if state := i.Text("state"); state != "delivered" && state != "owed" && state != "sending" && !over {
			b.Find("", "mail %s is %s: %s", id, state, i.Text("last_error"))
		}
	}
}

// checkBrowsers checks that a public key charges only cards of the checkout's customer, and never without the payer.
// The platform must show no card, mandate or customer to a public key. A public key must not use another client's
// Idempotency-Key (contract §2.1, §2.8).
func (b Snapshot) checkBrowsers() {
	tried := map[string]bool{} // checkouts that only browsers pay
	for _, r := range b.Replies {
		id := checkoutOf(r)
		if id != "" && r.View().ErrorCode == "IDEMPOTENCY_KEY_REUSED" {
			b.Find(id, "another client has the key %q", r.IdempotencyKey)
		}
		if !strings.HasPrefix(r.APIKey, "pk_") {
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
