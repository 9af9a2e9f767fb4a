package simulator

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/store"
)

// replaced are the sort keys of items that are replaced whole, each version by
// the next.
var replaced = []string{"MERCHANT", "SCHEDULE", "PAYOUT", "BANKACCOUNTS"}

// committed checks a write that has been done.
func (m *month) committed(_ *invocation, operation string, body []byte) {
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
// setting that no sum shows. What decides where a tenant is paid keeps its rules.
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
