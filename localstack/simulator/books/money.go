package books

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
)

// CheckMoney compares the platform's records with each other, and with the acquirer's and the bank's.
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

// checkSum: what was captured is refunded, charged back, under way, or left.
func (b Snapshot) checkSum(t calls.Item, l *ledger) {
	events := l.of(t.Text("id"))
	captured, rest := Minor(t["captured"]), Minor(t["refundable"])
	refunded, back := Sum(events, OfEvents("REFUND", "REFUNDED")), Sum(events, OfEvents("CHARGE_BACK", "SUCCESSFUL"))
	open := Sum(events, openEvent)
	if refunded+back+open+rest != captured || rest < 0 {
		b.Find(t.Text("checkout_id"), "of %d captured, %d are refunded, %d charged back, %d under way and %d left", captured,
			refunded, back, open, rest)
	}
	if refunded != Minor(t["refunded"]) || back != Minor(t["charged_back"]) {
		b.Find(t.Text("checkout_id"), "events refund %d and charge back %d, the transaction records %v and %v", refunded,
			back, t["refunded"], t["charged_back"])
	}
}

// checkReturned: every refund and chargeback moved money at the acquirer once, and nothing else did; none is left open.
func (b Snapshot) checkReturned(t calls.Item) {
	checkout, id := t.Text("checkout_id"), t.Text("id")
	moves := b.moved[id]
	for _, e := range b.of(id) {
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
		if openEvent(e) {
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

// amountsMoved are the attributes of a transaction that have its movements' amounts, by their kind.
var amountsMoved = map[string]string{"capture": "captured", "refund": "refunded", "chargeback": "charged_back"}

// recorded are the statuses of a record, by those of its part. The payable of a part that is not in a payout has none.
var recorded = map[string]string{"SCHEDULED": "", "PAID_OUT": "SUCCESSFUL", "FAILED": "FAILED", "RECONCILED": "OPEN"}

// checkParts: each part waits as a payable of its net amount or shows its payout. The parts sum to the captured amount.
func (b Snapshot) checkParts(t calls.Item) {
	checkout, id := t.Text("checkout_id"), t.Text("id")
	var amounts, fees, deducted int64
	for _, p := range t.List("payouts") {
		payable := PayableKey(t, id+"#"+p.Text("seq"))
		where := b.Taken[payable]
		if waits := b.Payables[payable]; waits != nil {
			where = append(where[:len(where):len(where)], waits)
		}
		status, known := recorded[p.Text("status")]
		if !known || len(where) != 1 || where[0].Text("status") != status ||
			where[0].Text("payout_id") != p.Text("payout_id") ||
			Minor(where[0]["amount"]) != net(p) || Minor(where[0]["fee"]) != Minor(p["fee"]) {
			b.Find(checkout, "part %s is %s with %d, and recorded as %v", payable, p.Text("status"), net(p), where)
		}
		if status == "FAILED" { // another part replaces it
			continue
		}
		amounts, fees, deducted = amounts+Minor(p["amount"]), fees+Minor(p["fee"]), deducted+Minor(p["deducted"])
	}
	if captured := Minor(t["captured"]); amounts != captured || captured > 0 && fees != Minor(t["fee"]) {
		b.Find(checkout, "payouts of %d with fees of %d, captured were %d at %v", amounts, fees, captured, t["fee"])
	}
	b.checkDeductions(t, deducted)
}

// checkDeductions: what went back to the payer is deducted from parts, waits as a debit, or is settled otherwise.
func (b Snapshot) checkDeductions(t calls.Item, deducted int64) {
	checkout := t.Text("checkout_id")
	for _, e := range b.of(t.Text("id")) {
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

// checkTransactionEntries: the journal has an entry for each movement of a transaction's money, and no other.
func (b Snapshot) checkTransactionEntries(t calls.Item) {
	want := map[string]int64{}
	if captured := Minor(t["captured"]); captured > 0 {
		want["payment "+t.Text("id")] = captured
	}
	for _, e := range b.of(t.Text("id")) {
		switch {
		case e.Text("status") == "REFUNDED":
			want["refund "+e.Text("id")] = -Minor(e["amount"])
		case e.Text("type") == "CHARGE_BACK":
			want["chargeback "+e.Text("id")] = -Minor(e["amount"])
		}
	}
	b.CheckEntries(t.Text("checkout_id"), b.Entries[t.Text("id")], want)
}

// movedIn are the accounts that show what an entry moves, by its kind.
var movedIn = map[string]string{"payment": "acquirer_receivable", "refund": "acquirer_receivable",
	"chargeback": "acquirer_receivable", "payout": "merchant_payable", "payout_returned": "merchant_payable",
	"payout_paid": "bank"}

// CheckEntries checks that the entries balance, and move the amounts that are wanted, by kind and id.
func (b Snapshot) CheckEntries(about string, entries []calls.Item, want map[string]int64) {
	for _, entry := range entries {
		kind := entry.Text("kind")
		name := kind + " " + entry.Text("id")
		postings := entry.List("postings")
		balance := Sum(postings, All)
		moved := Sum(postings, Are("account", movedIn[kind]))
		if balance != 0 || moved == 0 || moved != want[name] {
			b.Find(about, "entry %s of %d is off by %d, and records %d", name, moved, balance, want[name])
		}
		delete(want, name)
	}
	for _, name := range simulator.Sorted(want) {
		b.Find(about, "no entry %s of %d", name, want[name])
	}
}

// checkBalances holds the balances to the equations; between two steps of the platform, to those that are always true.
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

// checkSteps holds every state the table was in to what must always be true. The stream has a transaction's writes
// together; one that is about money begins with its checkout or its transaction.
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
		l.enter(before[key], now)
		before[key] = now
	}
	b.checkStep(l, changed)
}

// checkDecision: the acquirer does not change its decision on a refund, and cancels none that it has taken.
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
		if strings.HasPrefix(key.Tenant, "L#") && left < MinimumBalance(key.Currency) && !l.chargedBack(key) {
			b.Find("", "refunds took %v to %d", key, left)
		}
	}
}

// chargedBack reports whether there was a chargeback, which has no minimum balance.
func (l *ledger) chargedBack(key BalanceKey) bool {
	return slices.ContainsFunc(where(l.events, "type", "CHARGE_BACK"), func(e calls.Item) bool {
		return key == BalanceKey{e.Tenant(), currencyOf(e["amount"])}
	})
}

// addChargebacks: each is called back with the status its checkout has.
func (b Snapshot) addChargebacks(owed map[outcome]int) {
	for _, e := range b.events {
		checkout := b.Checkouts[b.Transactions[e.Text("transaction_id")].Text("checkout_id")]
		if e.Text("type") == "CHARGE_BACK" && checkout.Text("return_url") != "" {
			owed[outcome{checkout.Text("id"), checkout.Text("status")}]++
		}
	}
}
