package books

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

// CheckMoney compares the platform's records with each other, and with the records of the acquirer and the bank.
func (b Snapshot) CheckMoney() {
	for _, id := range simulator.Sorted(b.Transactions) {
		t := b.Transactions[id]
		b.checkSum(t, b.ledger)
		b.checkReturned(t)
		b.checkParts(t)
		b.checkTransactionEntries(t)
	}
	for _, charge := range simulator.Sorted(b.moved) {
		if b.Transactions[charge] == nil {
			b.Find(b.Charges[charge].Text("checkout_id"), "money of charge %s moved, and there is no transaction", charge)
		}
	}
	b.checkBalances(b.ledger, false)
}

// checkSum checks that the captured amount equals the amounts refunded, charged back, in progress and left.
func (b Snapshot) checkSum(t calls.Item, l *ledger) {
	events := l.eventsOf(t.Text("id"))
	captured, rest := Minor(t["captured"]), Minor(t["refundable"])
	refunded, back := Sum(events, OfEvents("REFUND", "REFUNDED")), Sum(events, OfEvents("CHARGE_BACK", "SUCCESSFUL"))
	open := Sum(events, isOpenRefund)
	if refunded+back+open+rest != captured || rest < 0 {
		b.Find(t.Text("checkout_id"), "of %d captured, %d are refunded, %d charged back, %d under way and %d left", captured,
			refunded, back, open, rest)
	}
	if refunded != Minor(t["refunded"]) || back != Minor(t["charged_back"]) {
		b.Find(t.Text("checkout_id"), "events refund %d and charge back %d, the transaction records %v and %v", refunded,
			back, t["refunded"], t["charged_back"])
	}
}

// checkReturned checks that the acquirer returned the money of each successful refund once, and returned no money for
// other refunds. No refund may be open. The transaction must record the sums of the acquirer's movements, by kind.
func (b Snapshot) checkReturned(t calls.Item) {
	checkout, id := t.Text("checkout_id"), t.Text("id")
	moves := b.moved[id]
	for _, e := range b.eventsOf(id) {
		if e.Text("type") != "REFUND" {
			continue
		}
		moved := Sum(moves, func(m calls.Item) bool { return m.Text("kind") == "refund" && m.Text("id") == e.Text("id") })
		want := Minor(e["amount"])
		if e.Text("status") != "REFUNDED" {
			want = 0
		}
		if moved != want {
			b.Find(checkout, "refund %s of %v is %s, the acquirer moved %d", e.Text("id"), e["amount"], e.Text("status"), moved)
		}
		if isOpenRefund(e) {
			b.Find(checkout, "refund %s is left %s", e.Text("id"), e.Text("status"))
		}
		if b.cancelled[e.Text("id")] && e.Text("status") != "FAILED" {
			b.Find(checkout, "refund %s is %s, and cancelled at the acquirer", e.Text("id"), e.Text("status"))
		}
	}
	for _, kind := range simulator.Sorted(amountsMoved) {
		if moved, has := Sum(moves, Are("kind", kind)), t[amountsMoved[kind]]; moved != Minor(has) {
			b.Find(checkout, "the acquirer has %ss of %d, the transaction records %v", kind, moved, has)
		}
	}
}

// amountsMoved lists the attributes of a transaction with the amounts of its movements, by kind.
var amountsMoved = map[string]string{"capture": "captured", "refund": "refunded", "chargeback": "charged_back"}

// recordState lists the statuses of records, by the status of their part. A scheduled part is still a payable, which
// has no status.
var recordState = map[string]string{"SCHEDULED": "", "PAID_OUT": "SUCCESSFUL", "FAILED": "FAILED", "RECONCILED": "OPEN"}

// checkParts checks that each part of a transaction is recorded once with its net amount: as a payable that waits, or
// in a payout. The parts must add up to the captured amount, and their fees to the transaction's fee.
func (b Snapshot) checkParts(t calls.Item) {
	checkout, id := t.Text("checkout_id"), t.Text("id")
	var amounts, fees, deducted int64
	for _, p := range t.List("payouts") {
		payable := PayableKey(t, id+"#"+p.Text("seq"))
		where := b.Taken[payable]
		if waits := b.Payables[payable]; waits != nil {
			where = append(where[:len(where):len(where)], waits)
		}
		status, known := recordState[p.Text("status")]
		if !known || len(where) != 1 || where[0].Text("status") != status ||
			where[0].Text("payout_id") != p.Text("payout_id") ||
			Minor(where[0]["amount"]) != net(p) || Minor(where[0]["fee"]) != Minor(p["fee"]) {
			b.Find(checkout, "part %s is %s with %d, and recorded as %v", payable, p.Text("status"), net(p), where)
		}
		if status == "FAILED" { // another part has replaced this part
			continue
		}
		amounts, fees, deducted = amounts+Minor(p["amount"]), fees+Minor(p["fee"]), deducted+Minor(p["deducted"])
	}
	if captured := Minor(t["captured"]); amounts != captured || captured > 0 && fees != Minor(t["fee"]) {
		b.Find(checkout, "payouts of %d with fees of %d, captured were %d at %v", amounts, fees, captured, t["fee"])
	}
	b.checkDeductions(t, deducted)
}

// checkDeductions checks that all money that went back to payers is deducted: from parts, or by a debit. The debit
// waits as a payable, or is recorded in a payout.
func (b Snapshot) checkDeductions(t calls.Item, deducted int64) {
	checkout := t.Text("checkout_id")
	for _, e := range b.eventsOf(t.Text("id")) {
		if e.Text("type") != "PAYOUT_DEDUCTION" {
			continue
		}
		payable := PayableKey(t, e.Text("id"))
		where := []calls.Item{b.Payables[payable]}
		if e.Text("status") == "SUCCESSFUL" {
			where = b.Taken[payable]
		}
		if Sum(where, Are("status", "", "SUCCESSFUL")) != -Minor(e["amount"]) {
			b.Find(checkout, "deduction %s of %v is %s, and recorded as %v", payable, e["amount"], e.Text("status"), where)
		}
		deducted += Minor(e["amount"])
	}
	if back := Minor(t["refunded"]) + Minor(t["charged_back"]); deducted != back {
		b.Find(checkout, "%d went back, %d are deducted or still to be deducted", back, deducted)
	}
}

// checkTransactionEntries checks that the journal has exactly one entry for each movement of a transaction's money.
func (b Snapshot) checkTransactionEntries(t calls.Item) {
	want := map[string]int64{}
	if captured := Minor(t["captured"]); captured > 0 {
		want["payment "+t.Text("id")] = captured
	}
	for _, e := range b.eventsOf(t.Text("id")) {
		switch {
		case e.Text("status") == "REFUNDED":
			want["refund "+e.Text("id")] = -Minor(e["amount"])
		case e.Text("type") == "CHARGE_BACK":
			want["chargeback "+e.Text("id")] = -Minor(e["amount"])
		}
	}
	b.CheckEntries(t.Text("checkout_id"), b.Entries[t.Text("id")], want)
}

// movedAccounts lists the account that shows the amount of an entry, by the entry's kind.
var movedAccounts = map[string]string{"payment": "acquirer_receivable", "refund": "acquirer_receivable",
	"chargeback": "acquirer_receivable", "payout": "merchant_payable", "payout_returned": "merchant_payable",
	"payout_paid": "bank"}

// CheckEntries checks that each entry balances, and that the entries move exactly the wanted amounts. The keys of want
// are an entry's kind and id.
func (b Snapshot) CheckEntries(about string, entries []calls.Item, want map[string]int64) {
	for _, entry := range entries {
		kind := entry.Text("kind")
		name := kind + " " + entry.Text("id")
		postings := entry.List("postings")
		balance := Sum(postings, All)
		moved := Sum(postings, Are("account", movedAccounts[kind]))
		if balance != 0 || moved == 0 || moved != want[name] {
			b.Find(about, "entry %s of %d is off by %d, and records %d", name, moved, balance, want[name])
		}
		delete(want, name)
	}
	for _, name := range simulator.Sorted(want) {
		b.Find(about, "no entry %s of %d", name, want[name])
	}
}

// checkBalances checks the equations. Between two steps of the platform it skips equations that hold only at rest.
func (b Snapshot) checkBalances(l *ledger, betweenSteps bool) {
	for _, key := range l.keys() {
		balances := l.Balances[key]
		for _, e := range equations {
			if one := e.sign * balances[e.one]; one != balances[e.another] && (e.atEveryStep || !betweenSteps) {
				b.Find("", "%s of %v is %d, %s is %d", e.one, key, one, e.another, balances[e.another])
			}
		}
	}
}

// checkSteps replays the stream, and checks the rules after each step of the platform. A step is one transaction of
// DynamoDB. The writes of a step follow each other in the stream. A step about money begins with the write of a
// checkout or of a payment transaction. So each such write begins a new step.
func (b Snapshot) checkSteps() {
	l := newLedger()
	before, changed := items{}, items{}
	for _, c := range b.Changes {
		now := c.Image()
		if now.Text("pk") == "" {
			continue
		}
		sk := now.Text("sk")
		first := strings.HasPrefix(sk, "TRANSACTION#")
		if first || sk == "CHECKOUT" {
			b.checkStep(l, changed)
			clear(changed)
		}
		if first {
			changed[now.Text("id")] = now
		}
		key := now.Text("pk") + " " + sk
		b.checkDecision(before[key], now)
		b.checkKept(before[key], now)
		l.enter(before[key], now)
		before[key] = now
	}
	b.checkStep(l, changed)
}

// checkDecision checks that the acquirer's decision on a refund changes only if it was unknown, and never to cancelled.
func (b Snapshot) checkDecision(was, now calls.Item) {
	if was == nil || !strings.HasPrefix(now.Text("pk"), "SANDBOX#REFUND#") {
		return
	}
	before, after := was.Text("decision"), now.Text("decision")
	if before != after && (before != "unknown" || after == "cancelled") {
		b.Find("", "refund %s was %s at the acquirer, and is %s", now.Text("id"), before, after)
	}
}

func (b Snapshot) checkStep(l *ledger, changed map[string]calls.Item) {
	for _, id := range simulator.Sorted(changed) {
		b.checkSum(changed[id], l)
	}
	b.checkBalances(l, true)
	for _, key := range l.keys() {
		left := l.Balances[key][Payables] - l.Balances[key][Reserve]
		if strings.HasPrefix(key.Tenant, "L#") && left < MinimumBalance(key.Currency) && !l.hasChargeback(key) {
			b.Find("", "refunds took %v to %d", key, left)
		}
	}
}

// hasChargeback returns true if the tenant had a chargeback in the currency. A chargeback may take the balance below
// the minimum.
func (l *ledger) hasChargeback(key BalanceKey) bool {
	return slices.ContainsFunc(filterItems(l.events, "type", "CHARGE_BACK"), func(e calls.Item) bool {
		return key == BalanceKey{e.Tenant(), currencyOf(e["amount"])}
	})
}

// addChargebacks adds the callback that the platform owes for each chargeback, with the status of the checkout.
func (b Snapshot) addChargebacks(owed map[outcome]int) {
	for _, e := range b.events {
		checkout := b.Checkouts[b.Transactions[e.Text("transaction_id")].Text("checkout_id")]
		if e.Text("type") == "CHARGE_BACK" && checkout.Text("return_url") != "" {
			owed[outcome{checkout.Text("id"), checkout.Text("status")}]++
		}
	}
}
