package simulator

import (
	"strings"
)

// checkMoney compares the platform's records with each other and with the acquirer's.
func (w *World) checkMoney(b snapshot) {
	l := newLedger()
	for _, i := range b.items {
		l.enter(nil, i)
	}
	for _, id := range sorted(b.transactions) {
		t := b.transactions[id]
		w.checkSum(t, l)
		w.checkReturned(t, l)
		w.checkPayouts(t, l)
		w.checkEntries(t, l)
	}
	w.checkMovements(b, l)
	w.checkAccounts(b, l)
	w.checkSteps()
	w.checkRefundReplies(b, l)
	w.noteClientViews(b, l)
}

// checkSum: what was captured is refunded, charged back, under way, or left.
func (w *World) checkSum(t item, l *ledger) {
	events := l.of(t.text("id"))
	captured, rest := minor(t["captured"]), minor(t["refundable"])
	refunded, back := sum(events, ofEvents("REFUND", "REFUNDED")), sum(events, ofEvents("CHARGE_BACK", "SUCCESSFUL"))
	open := sum(events, openEvent)
	if refunded+back+open+rest != captured || rest < 0 {
		w.find(t.text("checkout_id"), "of %d captured, %d are refunded, %d charged back, %d under way and %d left", captured,
			refunded, back, open, rest)
	}
	if refunded != minor(t["refunded"]) || back != minor(t["charged_back"]) {
		w.find(t.text("checkout_id"), "events refund %d and charge back %d, the transaction records %v and %v", refunded,
			back,
			t["refunded"], t["charged_back"])
	}
}

// checkReturned: every refund and chargeback moved money at the acquirer
// once, and nothing else did; none is left open.
func (w *World) checkReturned(t item, l *ledger) {
	checkout, id := t.text("checkout_id"), t.text("id")
	moves := l.moved[id]
	for _, e := range l.of(id) {
		if e.text("type") != "REFUND" {
			continue
		}
		moved := sum(moves, func(m item) bool { return m.text("kind") == "refund" && m.text("id") == e.text("id") })
		want := minor(e["amount"])
		if e.text("status") != "REFUNDED" {
			want = 0
		}
		if moved != want {
			w.find(checkout, "refund %s of %v is %s, the acquirer moved %d", e.text("id"), e["amount"], e.text("status"), moved)
		}
		if openEvent(e) {
			w.find(checkout, "refund %s is left %s", e.text("id"), e.text("status"))
		}
		if l.cancelled[e.text("id")] && e.text("status") != "FAILED" {
			w.find(checkout, "refund %s is %s, and cancelled at the acquirer", e.text("id"), e.text("status"))
		}
	}
	captured := sum(moves, are("kind", "capture"))
	refunded, back := sum(moves, are("kind", "refund")), sum(moves, are("kind", "chargeback"))
	if captured != minor(t["captured"]) || refunded != minor(t["refunded"]) || back != minor(t["charged_back"]) {
		w.find(checkout, "the acquirer captured %d, refunded %d and charged back %d, the transaction records %v, %v and %v",
			captured, refunded, back,
			t["captured"], t["refunded"], t["charged_back"])
	}
	if refunded+back > captured {
		w.find(checkout, "the acquirer captured %d and gave back %d", captured, refunded+back)
	}
}

// checkPayouts: each part of the payout waits as a payable of its net amount, and
// what the parts do not cover waits as debits.
func (w *World) checkPayouts(t item, l *ledger) {
	checkout, id := t.text("checkout_id"), t.text("id")
	var amounts, fees, deducted int64
	for _, p := range t.list("payouts") {
		payable := l.payables[id+"#"+p.text("n")]
		net := minor(p["amount"]) - minor(p["fee"]) - minor(p["deducted"])
		if payable == nil || minor(payable["amount"]) != net || minor(payable["fee"]) != minor(p["fee"]) {
			w.find(checkout, "payout %s of %d waits as %v", p.text("n"), net, payable["amount"])
		}
		amounts, fees, deducted = amounts+minor(p["amount"]), fees+minor(p["fee"]), deducted+minor(p["deducted"])
	}
	if captured := minor(t["captured"]); amounts != captured || captured > 0 && fees != minor(t["fee"]) {
		w.find(checkout, "payouts of %d with fees of %d, captured were %d at %v", amounts, fees, captured, t["fee"])
	}
	var debits int64
	for _, e := range l.of(id) {
		if e.text("type") != "PAYOUT_DEDUCTION" {
			continue
		}
		if payable := l.payables[e.text("id")]; payable == nil || minor(payable["amount"]) != -minor(e["amount"]) {
			w.find(checkout, "a deduction of %v waits as %v", e["amount"], payable["amount"])
		}
		debits += minor(e["amount"])
	}
	if back := minor(t["refunded"]) + minor(t["charged_back"]); deducted+debits != back {
		w.find(checkout, "%d were refunded, %d are deducted and %d are still to be deducted", back, deducted, debits)
	}
}

// checkEntries: a balanced entry for each movement, and no other.
func (w *World) checkEntries(t item, l *ledger) {
	want := map[string]int64{}
	if captured := minor(t["captured"]); captured > 0 {
		want[t.text("id")] = captured
	}
	for _, e := range l.of(t.text("id")) {
		if e.text("status") == "REFUNDED" || e.text("type") == "CHARGE_BACK" {
			want[e.text("id")] = -minor(e["amount"])
		}
	}
	for _, entry := range l.entries {
		if entry.object("about").text("id") != t.text("id") {
			continue
		}
		var receivable, balance int64
		for _, posting := range entry.list("postings") {
			balance += minor(posting["amount"])
			if posting.text("account") == "acquirer_receivable" {
				receivable += minor(posting["amount"])
			}
		}
		if balance != 0 || receivable == 0 || receivable != want[entry.text("id")] {
			w.find(t.text("checkout_id"), "%s entry %s of %d is off by %d, and records %d", entry.text("kind"), entry.text("id"),
				receivable, balance, want[entry.text("id")])
		}
		delete(want, entry.text("id"))
	}
	for _, id := range sorted(want) {
		w.find(t.text("checkout_id"), "no entry for %s of %d", id, want[id])
	}
}

// checkMovements: money moves for charges that the platform knows.
func (w *World) checkMovements(b snapshot, l *ledger) {
	for _, charge := range sorted(l.moved) {
		if b.transactions[charge] == nil {
			w.find(b.charges[charge].text("checkout_id"), "money of charge %s moved, and there is no transaction", charge)
		}
	}
}

// checkAccounts: the journal's balances are what the acquirer has to pay, what is
// payable to the merchants and the fees; nothing is reserved any more.
func (w *World) checkAccounts(b snapshot, l *ledger) {
	receivable, fees := map[balanceKey]int64{}, map[balanceKey]int64{}
	for _, charge := range sorted(l.moved) {
		for _, m := range l.moved[charge] {
			p := balanceKeyOf(m, m["amount"])
			if m.text("kind") == "capture" {
				receivable[p] += minor(m["amount"])
			} else {
				receivable[p] -= minor(m["amount"])
			}
		}
	}
	for _, t := range b.transactions {
		if minor(t["captured"]) > 0 {
			fees[balanceKeyOf(t, t["fee"])] += minor(t["fee"])
		}
	}
	for _, p := range l.balanceKeys() {
		balances := l.accounts[p]
		if balances["acquirer_receivable"] != receivable[p] || -balances["merchant_payable"] != l.payable[p] ||
			-balances["fee_income"] != fees[p] {
			w.find("", "the ledger of %v has %v; the acquirer owes %d, %d are payable, fees are %d", p, balances, receivable[p],
				l.payable[p], fees[p])
		}
		if l.reserved[p] != l.openReserves[p] {
			w.find("", "%d of %v are reserved for refunds of %d", l.reserved[p], p, l.openReserves[p])
		}
	}
}

// checkSteps holds every state the table was in to what must always be true.
// The stream has a transaction's writes together; one that is about money
// begins with its checkout or its transaction.
func (w *World) checkSteps() {
	l := newLedger()
	before, changed := map[string]item{}, map[string]item{}
	for _, c := range w.changes {
		now := c.image()
		if now == nil || now.text("pk") == "" {
			continue
		}
		sk := now.text("sk")
		first := strings.HasPrefix(sk, "TRANSACTION#")
		if first || sk == "CHECKOUT" {
			w.checkStep(l, changed)
			clear(changed)
		}
		if first {
			changed[now.text("id")] = now
		}
		key := now.text("pk") + " " + sk
		w.checkDecision(before[key], now)
		l.enter(before[key], now)
		before[key] = now
	}
	w.checkStep(l, changed)
}

// checkDecision: the acquirer does not change its decision on a refund, and cancels none that it
// has taken.
func (w *World) checkDecision(was, now item) {
	if was == nil || !strings.HasPrefix(now.text("pk"), "SANDBOX#REFUND#") {
		return
	}
	before, after := was.text("decision"), now.text("decision")
	if before != after && (before != "unknown" || after == "cancelled") {
		w.find("", "refund %s was %s at the acquirer, and is %s", now.text("id"), before, after)
	}
}

func (w *World) checkStep(l *ledger, changed map[string]item) {
	for _, id := range sorted(changed) {
		w.checkSum(changed[id], l)
	}
	for _, p := range l.balanceKeys() {
		var total int64
		for _, balance := range l.accounts[p] {
			total += balance
		}
		if total != 0 {
			w.find("", "the journal of %v is off by %d", p, total)
		}
		if balance := -l.accounts[p]["merchant_payable"]; balance != l.payable[p] {
			w.find("", "merchant_payable is %d of %v, the payables are %d", balance, p, l.payable[p])
		}
		if l.reserved[p] != l.openReserves[p] {
			w.find("", "%d of %v are reserved for refunds of %d", l.reserved[p], p, l.openReserves[p])
		}
		if live := strings.HasPrefix(p.tenant, "L#"); live && l.payable[p]-l.reserved[p] < minimumBalance(p.currency) &&
			!l.chargedBack(p) {
			w.find("", "refunds took %v to %d, of which %d are reserved", p, l.payable[p], l.reserved[p])
		}
	}
}

// chargedBack says whether there was a chargeback, which has no minimum balance.
func (l *ledger) chargedBack(p balanceKey) bool {
	for _, e := range l.events {
		if e.text("type") == "CHARGE_BACK" && balanceKeyOf(e, e["amount"]) == p {
			return true
		}
	}
	return false
}

// addChargebacks: each is called back with the status its checkout has.
func (w *World) addChargebacks(b snapshot, owed map[outcome]int) {
	seen := map[string]bool{}
	for _, c := range w.changes {
		i := c.image()
		if id := i.text("id"); strings.HasPrefix(i.text("sk"), "EVENT#") && i.text("type") == "CHARGE_BACK" && !seen[id] {
			seen[id] = true
			checkout := b.checkouts[b.transactions[i.text("transaction_id")].text("checkout_id")]
			if checkout.text("return_url") != "" {
				owed[outcome{checkout.text("id"), checkout.text("status")}]++
			}
		}
	}
}
