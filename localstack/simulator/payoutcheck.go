package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// checkMonth holds a world in which all merchants have been paid to what must be
// true of any.
func (m *month) checkMonth() {
	b := m.payoutSnapshot()
	for _, id := range sorted(b.payouts) {
		m.checkPayout(b, b.payouts[id])
		m.checkDay(b, b.payouts[id])
	}
	for _, id := range sorted(b.records) {
		if b.payouts[id] == nil {
			m.find("", "records of payout %s, which is not there", id)
		}
	}
	for _, id := range sorted(b.booked) {
		if b.payouts[id] == nil {
			m.find("", "the bank paid %s, which is no payout", id)
		}
	}
	for _, payable := range sorted(b.taken) {
		m.checkTaken(b, payable)
	}
	for _, payable := range sorted(b.payables) {
		if b.payables[payable].text("kind") != "BALANCE_DEDUCTION" {
			m.find("", "payable %s is left", payable)
		}
	}
	for _, id := range sorted(b.transactions) {
		t := b.transactions[id]
		m.checkSum(t, b.ledger)
		m.checkReturned(t, b.ledger)
		m.checkEntries(t, b.ledger)
		m.checkParts(b, t)
	}
	m.checkMovements(b.snapshot, b.ledger)
	m.checkBalances(b)
	m.checkCutoffs(b.items)
	m.bank.checkExecuted(b)
	for _, p := range m.payees {
		p.checkAccountReplies()
	}
	m.checkAudit(b.items)
	m.checkLog()
	m.reconcile()
}

// checkPayout: a payout has ended, so that no message about it is needed, dead
// or not; it is the sum of its records, which know its outcome; and the bank has
// paid it once, or not at all.
func (m *month) checkPayout(b *payoutSnapshot, p item) {
	id, status, total := p.text("id"), p.text("status"), minor(p["total"])
	outcome := map[string]string{"PAID": "SUCCESSFUL", "FAILED": "FAILED"}[status]
	if outcome == "" {
		m.find("", "payout %s is left %s", id, status)
	}
	records := b.records[id]
	if sum := sum(records, func(item) bool {
		return true
	}); sum != total || fmt.Sprint(len(records)) != p.text("records") {
		m.find("", "payout %s of %d in %s records has %d records of %d", id, total, p.text("records"), len(records), sum)
	}
	for _, r := range records {
		if r.text("status") != outcome || r.text("day") != p.text("day") {
			m.find("", "record %s of %s is %s, the payout of %s %s", r.text("id"), r.text("day"), r.text("status"),
				p.text("day"), status)
		}
		if !timeOf(r, "eligible_at").Before(timeOf(p, "cutoff")) {
			m.find("", "payout %s until %s took %s of %s", id, p.text("cutoff"), r.text("id"), r.text("eligible_at"))
		}
	}
	want, kinds := 0, []string{}
	if total > 0 {
		kinds = []string{"payout", "payout_paid"}
		if want = 1; status == "FAILED" {
			want, kinds = 0, []string{"payout", "payout_returned"}
		}
	}
	if booked := b.booked[id]; len(booked) != want || want == 1 && minor(booked[0]["amount"]) != total {
		m.find("", "the bank paid payout %s of %d, which is %s, %d times: %v", id, total, status, len(booked), booked)
	}
	m.checkPosted(b, p, kinds)
	m.checkCarried(b, p)
}

// checkPosted: a payout is posted as sent and as ended once, with its total.
func (m *month) checkPosted(b *payoutSnapshot, p item, kinds []string) {
	var posted []string
	for _, entry := range b.moved[p.text("id")] {
		posted = append(posted, entry.text("kind"))
		var debit, balance int64
		for _, posting := range entry.list("postings") {
			balance += minor(posting["amount"])
			debit += max(0, minor(posting["amount"]))
		}
		if balance != 0 || debit != minor(p["total"]) {
			m.find("", "%s entry of payout %s of %v moves %d and is off by %d", entry.text("kind"), p.text("id"),
				p["total"], debit, balance)
		}
	}
	slices.Sort(posted)
	if !slices.Equal(posted, kinds) {
		m.find("", "payout %s, which is %s, has the entries %v", p.text("id"), p.text("status"), posted)
	}
}

// checkCarried: what a payout lacked is carried forward, exactly and once.
func (m *month) checkCarried(b *payoutSnapshot, p item) {
	carried := b.carried[p.text("id")]
	if total := minor(p["total"]); total >= 0 != (len(carried) == 0) {
		m.find("", "payout %s of %d is carried by %d payables", p.text("id"), total, len(carried))
	}
	for _, payable := range carried {
		if minor(payable["amount"]) != minor(p["total"]) || payable.text("kind") != "BALANCE_DEDUCTION" {
			m.find("", "payout %s of %v is carried as %v", p.text("id"), p["total"], payable["amount"])
		}
	}
}

// checkDay: a payout that the schedule opened is of a day that begins with its
// cut-off, where the merchant is or was, and is opened no earlier.
func (m *month) checkDay(b *payoutSnapshot, p item) {
	of := slices.IndexFunc(m.payees, func(p2 *payee) bool { return p.tenant() == p2.tenant })
	if of < 0 {
		m.find("", "payout %s belongs to no tenant", p.text("id"))
		return
	}
	payee, day, cutoff := m.payees[of], p.text("day"), timeOf(p, "cutoff")
	if p.text("id") != payout.ID(payee.tenant, money.Currency(payee.currency), day, "regular") {
		return
	}
	if timeOf(p, "created_at").Add(2 * maxSkew).Before(cutoff) {
		m.find("", "payout of %s was opened at %s, before its period ended", day, p.text("created_at"))
	}
	for _, zone := range payee.zones {
		where, err := time.LoadLocation(zone)
		if err == nil && cutoff.In(where).Format(time.DateOnly) == day &&
			cutoff.Add(-time.Second).In(where).Format(time.DateOnly) < day {
			return
		}
	}
	m.find("", "payout of %s takes what came before %s, the merchant was in %v", day, p.text("cutoff"), payee.zones)
}

// checkTaken: a payable is paid at most once, and what a failed payout gave back
// waits or was taken again.
func (m *month) checkTaken(b *payoutSnapshot, payable string) {
	records, paid := b.taken[payable], 0
	for _, r := range records {
		if r.text("status") != "FAILED" {
			paid++
		}
	}
	part := records[0].text("kind") == "PAYOUT"
	switch {
	case paid > 1:
		m.find("", "payable %s was paid %d times", payable, paid)
	case part && len(records) > 1:
		m.find("", "part %s was taken %d times", payable, len(records))
	case paid > 0 && b.waiting[payable] != nil:
		m.find("", "payable %s was paid and waits", payable)
	case !part && paid == 0 && b.waiting[payable] == nil:
		m.find("", "deduction %s was lost with a payout that failed", payable)
	}
}

// recorded are the words of a record for a part's.
var recorded = map[string]string{"PAID_OUT": "SUCCESSFUL", "FAILED": "FAILED", "RECONCILED": "OPEN"}

// checkParts: a transaction's parts show what became of their payables, and all that
// was captured is paid, deducted or kept as a fee.
func (m *month) checkParts(b *payoutSnapshot, t item) {
	checkout, id := t.text("checkout_id"), t.text("id")
	var amounts, fees, deducted, paid, kept int64
	for _, p := range t.list("payouts") {
		payable := payableKey(t, id+"#"+p.text("seq"))
		status, records := p.text("status"), b.taken[payable]
		if status == "SCHEDULED" || len(records) != 1 || records[0].text("status") != recorded[status] ||
			records[0].text("payout_id") != p.text("payout_id") || minor(records[0]["amount"]) != net(p) {
			m.find(checkout, "part %s is %s with %d, its records are %v", payable, status, net(p), records)
			continue
		}
		if status == "FAILED" {
			continue
		}
		amounts, fees, deducted = amounts+minor(p["amount"]), fees+minor(p["fee"]), deducted+minor(p["deducted"])
		paid += minor(records[0]["amount"])
		if p["gross"] != true {
			kept += minor(p["fee"])
		}
	}
	captured := minor(t["captured"])
	if captured > 0 && (amounts != captured || fees != minor(t["fee"]) || paid+deducted+kept != captured) {
		m.find(checkout, "%d captured at %v: parts of %d with fees of %d, %d paid, %d deducted, %d kept", captured, t["fee"],
			amounts, fees, paid, deducted, kept)
	}
	m.checkDeductions(b, t, deducted)
}

// checkDeductions: what went back to the payer is deducted from the parts, or
// settled with other money of the merchant.
func (m *month) checkDeductions(b *payoutSnapshot, t item, deducted int64) {
	checkout := t.text("checkout_id")
	for _, e := range b.of(t.text("id")) {
		if e.text("type") != "PAYOUT_DEDUCTION" {
			continue
		}
		payable := payableKey(t, e.text("id"))
		settled := slices.IndexFunc(b.taken[payable], are("status", "SUCCESSFUL"))
		switch {
		case e.text("status") != "SUCCESSFUL" || settled < 0:
			m.find(checkout, "deduction %s is %s, its records are %v", payable, e.text("status"), b.taken[payable])
		case minor(b.taken[payable][settled]["amount"]) != -minor(e["amount"]):
			m.find(checkout, "deduction %s of %v was settled with %v", payable, e["amount"], b.taken[payable][settled]["amount"])
		}
		deducted += minor(e["amount"])
	}
	if back := minor(t["refunded"]) + minor(t["charged_back"]); deducted != back {
		m.find(checkout, "%d went back, %d are deducted", back, deducted)
	}
}

// checkBalances: the balances of each merchant amount to what the acquirer took, the
// bank paid, we earned and the merchant still has to make up for.
func (m *month) checkBalances(b *payoutSnapshot) {
	want := map[balanceKey]map[string]int64{}
	add := func(p balanceKey, account string, amount int64) {
		if want[p] == nil {
			want[p] = map[string]int64{}
		}
		want[p][account] += amount
	}
	for _, t := range b.transactions {
		p, captured := balanceKeyOf(t, t["captured"]), minor(t["captured"])
		if captured == 0 {
			continue
		}
		add(p, "acquirer_receivable", captured-minor(t["refunded"])-minor(t["charged_back"]))
		add(p, "fee_income", -minor(t["fee"]))
		if t["gross"] == true {
			add(p, "fees_receivable", minor(t["fee"]))
		}
	}
	for _, payable := range b.waiting {
		add(balanceKeyOf(payable, payable["amount"]), "merchant_payable", -minor(payable["amount"]))
	}
	for _, bookings := range b.booked {
		for _, left := range bookings {
			add(balanceKeyOf(left, left["amount"]), "bank", -minor(left["amount"]))
		}
	}
	for _, p := range b.balanceKeys() {
		for _, account := range []string{"acquirer_receivable", "merchant_payable", "fee_income", "fees_receivable",
			"payouts_in_transit", "bank"} {
			if has := b.accounts[p][account]; has != want[p][account] {
				m.find("", "%s of %v is %d in the ledger, want %d", account, p, has, want[p][account])
			}
		}
	}
}

// reconcile runs the platform's own reconciliation.
func (m *month) reconcile() {
	m.run(clients, func() {
		answer, _, err := invoke[any](m.World, "auditor", "reconcile", "", 0, json.RawMessage("{}"))
		if err != nil {
			m.find("", "reconcile fails: %v", err)
			return
		}
		var report struct {
			Found  int
			Breaks []struct{ Kind, ID, Text string }
		}
		text, err := json.Marshal(answer)
		if err == nil {
			err = json.Unmarshal(text, &report)
		}
		if err != nil || report.Found > 0 {
			m.find("", "reconciliation found breaks: %v %v", report.Breaks, err)
		}
	})
	m.steer(clients)
}
