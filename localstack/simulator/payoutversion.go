package simulator

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// replaced are the sort keys of items that are replaced whole, each version by
// the next.
var replaced = []string{"MERCHANT", "SCHEDULE", "PAYOUT", "BANKACCOUNTS"}

// Committing checks a write that has been done.
func (m *month) Committing(_ *invocation, operation string, body []byte) (committed func()) {
	return func() { m.checkCall(operation, body) }
}

func (m *month) checkCall(operation string, body []byte) {
	m.checkVerdicts(body)
	w, first := m.readWrite(operation, body)
	if !first {
		return
	}
	m.checkMinimumBalance(w)
	if !slices.ContainsFunc(w.puts, are("sk", replaced...)) {
		return
	}
	m.checkAudited(w.puts)
	for _, i := range w.puts {
		if i.text("sk") == "PAYOUT" && i.text("status") == "COLLECTING" && minor(i["total"]) < 0 {
			m.checkShortfall(i, w.puts)
		}
		if i.kind() == store.KindPayoutRecords {
			m.checkTaking(payableKey(i, i.text("id")), i.text("payout_id"), i.text("status"))
		}
		if slices.Contains(replaced, i.text("sk")) {
			m.checkVersion(i)
		}
	}
}

// checkVersion sees that an item took the place of the state before it: else it lost a change, which may be a
// setting that no sum shows. It also checks the rules of bank accounts, schedules and payouts.
func (m *month) checkVersion(i item) {
	pk, tenant := i.text("pk"), i.tenant()
	is := number(i["version"])
	if was := m.versions[pk]; is != was+1 {
		m.find("", "version %d of %s took the place of version %d", is, pk, was)
	}
	m.versions[pk] = is
	switch i.text("sk") {
	case "BANKACCOUNTS":
		m.checkBankAccounts(tenant, accountsVersion{all: i.list("accounts"), primary: i.text("primary")})
	case "SCHEDULE":
		m.accountsOf(tenant).held = i["held"] == true
	case "PAYOUT":
		m.checkPayee(tenant, i)
	}
}

// checkShortfall: a payable of the shortfall is written with the payout.
func (m *month) checkShortfall(payout item, puts []item) {
	if !slices.ContainsFunc(puts, func(p item) bool {
		return p.kind() == store.KindPayable && strings.HasPrefix(p.text("id"), "carried#") &&
			minor(p["amount"]) == minor(payout["total"])
	}) {
		m.find("", "%s has a shortfall of %v that is not carried forward", payout.text("pk"), payout["total"])
	}
}

// checkTaking: a payable is in one payout, until that fails.
func (m *month) checkTaking(payable, payout, status string) {
	if by := m.taken[payable]; by != "" && by != payout {
		m.find("", "payable %s was taken by the payouts %s and %s", payable, by, payout)
	}
	if m.taken[payable] = payout; status == "FAILED" {
		delete(m.taken, payable)
	}
}

// checkMinimumBalance sees that a refund which has just been reserved leaves a live
// merchant's balance at the minimum or above. The balance is what waits for
// payout, less the reserves of refunds, and less the shortfall of a payout under way
// and has not carried forward. (What a refund has counted on may still be paid
// out while the acquirer has it: the contract checks the balance once, and
// the rest comes off later payouts.)
func (m *month) checkMinimumBalance(w write) {
	if !slices.ContainsFunc(w.puts, ofEvents("REFUND", "BEGUN")) {
		return
	}
	for _, i := range slices.Concat(w.puts, w.updated) {
		if i.kind() != store.KindReserve {
			continue
		}
		key := balanceKey{i.tenant(), money.Currency(partition(i.text("pk")).Last)}
		if left := m.balance(key); left < minimumBalance(key.currency) {
			m.find("", "a refund leaves %s %d %s", key.tenant, left, key.currency)
		}
	}
}

// balance is what is payable to a merchant beyond its refunds under way.
func (m *month) balance(key balanceKey) int64 {
	b := readBooks(m.World)
	left := b.balances[key][payables] - b.balances[key][reserve]
	for id, p := range b.payouts {
		if p.tenant() == key.tenant && p.text("status") == "COLLECTING" {
			left += min(0, minor(p["total"])-sum(b.carried[id], all))
		}
	}
	return left
}
