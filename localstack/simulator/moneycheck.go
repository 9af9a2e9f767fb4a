package simulator

import "strings"

// checkMoney compares the platform's records with each other, and with the acquirer's and the bank's.
func (b snapshot) checkMoney() {
	for _, id := range sorted(b.transactions) {
		t := b.transactions[id]
		b.checkSum(t, b.ledger)
		b.checkReturned(t)
		b.checkParts(t)
		b.checkTransactionEntries(t)
	}
	for _, charge := range sorted(b.moved) {
		if b.transactions[charge] == nil {
			b.find(b.charges[charge].text("checkout_id"), "money of charge %s moved, and there is no transaction", charge)
		}
	}
	b.checkBalances(b.ledger, false)
}

// checkSum: what was captured is refunded, charged back, under way, or left.
func (b snapshot) checkSum(t item, l *ledger) {
	events := l.of(t.text("id"))
	captured, rest := minor(t["captured"]), minor(t["refundable"])
	refunded, back := sum(events, ofEvents("REFUND", "REFUNDED")), sum(events, ofEvents("CHARGE_BACK", "SUCCESSFUL"))
	open := sum(events, openEvent)
	if refunded+back+open+rest != captured || rest < 0 {
		b.find(t.text("checkout_id"), "of %d captured, %d are refunded, %d charged back, %d under way and %d left", captured,
			refunded, back, open, rest)
	}
	if refunded != minor(t["refunded"]) || back != minor(t["charged_back"]) {
		b.find(t.text("checkout_id"), "events refund %d and charge back %d, the transaction records %v and %v", refunded,
			back, t["refunded"], t["charged_back"])
	}
}

// checkReturned: every refund and chargeback moved money at the acquirer
// once, and nothing else did; none is left open.
func (b snapshot) checkReturned(t item) {
	checkout, id := t.text("checkout_id"), t.text("id")
	moves := b.moved[id]
	for _, e := range b.of(id) {
		if e.text("type") != "REFUND" {
			continue
		}
		moved := sum(moves, func(m item) bool { return m.text("kind") == "refund" && m.text("id") == e.text("id") })
		want := minor(e["amount"])
		if e.text("status") != "REFUNDED" {
			want = 0
		}
		if moved != want {
			b.find(checkout, "refund %s of %v is %s, the acquirer moved %d", e.text("id"), e["amount"], e.text("status"), moved)
		}
		if openEvent(e) {
			b.find(checkout, "refund %s is left %s", e.text("id"), e.text("status"))
		}
		if b.cancelled[e.text("id")] && e.text("status") != "FAILED" {
			b.find(checkout, "refund %s is %s, and cancelled at the acquirer", e.text("id"), e.text("status"))
		}
	}
	for _, kind := range sorted(amountsMoved) {
		if moved, has := sum(moves, are("kind", kind)), t[amountsMoved[kind]]; moved != minor(has) {
			b.find(checkout, "the acquirer has %ss of %d, the transaction records %v", kind, moved, has)
		}
	}
}

// amountsMoved are the attributes of a transaction that have its movements' amounts, by their kind.
var amountsMoved = map[string]string{"capture": "captured", "refund": "refunded", "chargeback": "charged_back"}

// recorded are the statuses of a record, by those of its part. The payable of a part that is not in a payout has none.
var recorded = map[string]string{"SCHEDULED": "", "PAID_OUT": "SUCCESSFUL", "FAILED": "FAILED", "RECONCILED": "OPEN"}

// checkParts: each part of a transaction waits as a payable of its net amount, or shows what became of it in a payout.
// The parts are all that was captured.
func (b snapshot) checkParts(t item) {
	checkout, id := t.text("checkout_id"), t.text("id")
	var amounts, fees, deducted int64
	for _, p := range t.list("payouts") {
		payable := payableKey(t, id+"#"+p.text("seq"))
		where := b.taken[payable]
		if waits := b.payables[payable]; waits != nil {
			where = append(where[:len(where):len(where)], waits)
		}
		status, known := recorded[p.text("status")]
		if !known || len(where) != 1 || where[0].text("status") != status ||
			where[0].text("payout_id") != p.text("payout_id") ||
			minor(where[0]["amount"]) != net(p) || minor(where[0]["fee"]) != minor(p["fee"]) {
			b.find(checkout, "part %s is %s with %d, and recorded as %v", payable, p.text("status"), net(p), where)
		}
		if status == "FAILED" { // another part replaces it
			continue
		}
		amounts, fees, deducted = amounts+minor(p["amount"]), fees+minor(p["fee"]), deducted+minor(p["deducted"])
	}
	if captured := minor(t["captured"]); amounts != captured || captured > 0 && fees != minor(t["fee"]) {
		b.find(checkout, "payouts of %d with fees of %d, captured were %d at %v", amounts, fees, captured, t["fee"])
	}
	b.checkDeductions(t, deducted)
}

// checkDeductions: what went back to the payer is deducted from the parts, waits as a debit, or is settled with other
// money of the merchant.
func (b snapshot) checkDeductions(t item, deducted int64) {
	checkout := t.text("checkout_id")
	for _, e := range b.of(t.text("id")) {
		if e.text("type") != "PAYOUT_DEDUCTION" {
			continue
		}
		payable := payableKey(t, e.text("id"))
		where := []item{b.payables[payable]}
		if e.text("status") == "SUCCESSFUL" {
			where = b.taken[payable]
		}
		if sum(where, are("status", "", "SUCCESSFUL")) != -minor(e["amount"]) {
			b.find(checkout, "deduction %s of %v is %s, and recorded as %v", payable, e["amount"], e.text("status"), where)
		}
		deducted += minor(e["amount"])
	}
	if back := minor(t["refunded"]) + minor(t["charged_back"]); deducted != back {
		b.find(checkout, "%d went back, %d are deducted or still to be deducted", back, deducted)
	}
}

// checkTransactionEntries: the journal has an entry for each movement of a transaction's money, and no other.
func (b snapshot) checkTransactionEntries(t item) {
	want := map[string]int64{}
	if captured := minor(t["captured"]); captured > 0 {
		want["payment "+t.text("id")] = captured
	}
	for _, e := range b.of(t.text("id")) {
		switch {
		case e.text("status") == "REFUNDED":
			want["refund "+e.text("id")] = -minor(e["amount"])
		case e.text("type") == "CHARGE_BACK":
			want["chargeback "+e.text("id")] = -minor(e["amount"])
		}
	}
	b.checkEntries(t.text("checkout_id"), b.entries[t.text("id")], want)
}

// movedIn are the accounts that show what an entry moves, by its kind.
var movedIn = map[string]string{"payment": "acquirer_receivable", "refund": "acquirer_receivable",
	"chargeback": "acquirer_receivable", "payout": "merchant_payable", "payout_returned": "merchant_payable",
	"payout_paid": "bank"}

// checkEntries: the entries balance, and move the amounts that are wanted, by kind and id.
func (b snapshot) checkEntries(about string, entries []item, want map[string]int64) {
	for _, entry := range entries {
		kind := entry.text("kind")
		name := kind + " " + entry.text("id")
		postings := entry.list("postings")
		balance := sum(postings, all)
		moved := sum(postings, are("account", movedIn[kind]))
		if balance != 0 || moved == 0 || moved != want[name] {
			b.find(about, "entry %s of %d is off by %d, and records %d", name, moved, balance, want[name])
		}
		delete(want, name)
	}
	for _, name := range sorted(want) {
		b.find(about, "no entry %s of %d", name, want[name])
	}
}

// checkBalances holds the balances to the equations; between two steps of the platform, to those that are always true.
func (b snapshot) checkBalances(l *ledger, betweenSteps bool) {
	for _, key := range l.keys() {
		balances := l.balances[key]
		for _, e := range equations {
			if one := e.sign * balances[e.one]; one != balances[e.another] && (e.atEveryStep || !betweenSteps) {
				b.find("", "%s of %v is %d, %s is %d", e.one, key, one, e.another, balances[e.another])
			}
		}
	}
}

// checkSteps holds every state the table was in to what must always be true.
// The stream has a transaction's writes together; one that is about money
// begins with its checkout or its transaction.
func (b snapshot) checkSteps() {
	l := newLedger()
	before, changed := map[string]item{}, map[string]item{}
	for _, c := range b.changes {
		now := c.image()
		if now.text("pk") == "" {
			continue
		}
		sk := now.text("sk")
		first := strings.HasPrefix(sk, "TRANSACTION#")
		if first || sk == "CHECKOUT" {
			b.checkStep(l, changed)
			clear(changed)
		}
		if first {
			changed[now.text("id")] = now
		}
		key := now.text("pk") + " " + sk
		b.checkDecision(before[key], now)
		l.enter(before[key], now)
		before[key] = now
	}
	b.checkStep(l, changed)
}

// checkDecision: the acquirer does not change its decision on a refund, and cancels none that it
// has taken.
func (b snapshot) checkDecision(was, now item) {
	if was == nil || !strings.HasPrefix(now.text("pk"), "SANDBOX#REFUND#") {
		return
	}
	before, after := was.text("decision"), now.text("decision")
	if before != after && (before != "unknown" || after == "cancelled") {
		b.find("", "refund %s was %s at the acquirer, and is %s", now.text("id"), before, after)
	}
}

func (b snapshot) checkStep(l *ledger, changed map[string]item) {
	for _, id := range sorted(changed) {
		b.checkSum(changed[id], l)
	}
	b.checkBalances(l, true)
	for _, key := range l.keys() {
		left := l.balances[key][payables] - l.balances[key][reserve]
		if strings.HasPrefix(key.tenant, "L#") && left < minimumBalance(key.currency) && !l.chargedBack(key) {
			b.find("", "refunds took %v to %d", key, left)
		}
	}
}

// chargedBack says whether there was a chargeback, which has no minimum balance.
func (l *ledger) chargedBack(key balanceKey) bool {
	for _, e := range l.events {
		if e.text("type") == "CHARGE_BACK" && key == (balanceKey{e.tenant(), currencyOf(e["amount"])}) {
			return true
		}
	}
	return false
}

// addChargebacks: each is called back with the status its checkout has.
func (b snapshot) addChargebacks(owed map[outcome]int) {
	for _, e := range b.events {
		checkout := b.checkouts[b.transactions[e.text("transaction_id")].text("checkout_id")]
		if e.text("type") == "CHARGE_BACK" && checkout.text("return_url") != "" {
			owed[outcome{checkout.text("id"), checkout.text("status")}]++
		}
	}
}
