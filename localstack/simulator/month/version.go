package month

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// replaced are the sort keys of items that are replaced whole, each version by
// the next.
var replaced = []string{"MERCHANT", "SCHEDULE", "PAYOUT", "BANKACCOUNTS"}

// Committing checks a write that has been done.
func (m *month) Committing(_ *simulator.Invocation, operation string, body []byte) (committed func()) {
	return func() { m.checkCall(operation, body) }
}

func (m *month) checkCall(operation string, body []byte) {
	m.checkVerdicts(body)
	w, first := m.ReadWrite(operation, body)
	if !first {
		return
	}
	m.checkMinimumBalance(w)
	if !slices.ContainsFunc(w.Puts, books.Are("sk", replaced...)) {
		return
	}
	m.checkAudited(w.Puts)
	for _, i := range w.Puts {
		if i.Text("sk") == "PAYOUT" && i.Text("status") == "COLLECTING" && books.Minor(i["total"]) < 0 {
			m.checkShortfall(i, w.Puts)
		}
		if i.Kind() == store.KindPayoutRecords {
			m.checkTaking(books.PayableKey(i, i.Text("id")), i.Text("payout_id"), i.Text("status"))
		}
		if slices.Contains(replaced, i.Text("sk")) {
			m.checkVersion(i)
		}
	}
}

// checkVersion sees that an item took the place of the state before it: else it lost a change, which may be a
// setting that no sum shows. It also checks the rules of bank accounts, schedules and payouts.
func (m *month) checkVersion(i simulator.Item) {
	pk, tenant := i.Text("pk"), i.Tenant()
	is := i.Number("version")
	if was := m.versions[pk]; is != was+1 {
		m.Find("", "version %d of %s took the place of version %d", is, pk, was)
	}
	m.versions[pk] = is
	switch i.Text("sk") {
	case "BANKACCOUNTS":
		m.checkBankAccounts(tenant, accountsVersion{all: i.List("accounts"), primary: i.Text("primary")})
	case "SCHEDULE":
		m.accountsOf(tenant).held = i["held"] == true
	case "PAYOUT":
		m.checkPayee(tenant, i)
	}
}

// checkShortfall: a payable of the shortfall is written with the payout.
func (m *month) checkShortfall(payout simulator.Item, puts []simulator.Item) {
	if !slices.ContainsFunc(puts, func(p simulator.Item) bool {
		return p.Kind() == store.KindPayable && strings.HasPrefix(p.Text("id"), "carried#") &&
			books.Minor(p["amount"]) == books.Minor(payout["total"])
	}) {
		m.Find("", "%s has a shortfall of %v that is not carried forward", payout.Text("pk"), payout["total"])
	}
}

// checkTaking: a payable is in one payout, until that fails.
func (m *month) checkTaking(payable, payout, status string) {
	if by := m.taken[payable]; by != "" && by != payout {
		m.Find("", "payable %s was taken by the payouts %s and %s", payable, by, payout)
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
func (m *month) checkMinimumBalance(w simulator.Write) {
	if !slices.ContainsFunc(w.Puts, books.OfEvents("REFUND", "BEGUN")) {
		return
	}
	for _, i := range slices.Concat(w.Puts, w.Updated) {
		if i.Kind() != store.KindReserve {
			continue
		}
		key := books.BalanceKey{Tenant: i.Tenant(), Currency: money.Currency(simulator.Partition(i.Text("pk")).Last)}
		if left := m.balance(key); left < books.MinimumBalance(key.Currency) {
			m.Find("", "a refund leaves %s %d %s", key.Tenant, left, key.Currency)
		}
	}
}

// balance is what is payable to a merchant beyond its refunds under way.
func (m *month) balance(key books.BalanceKey) int64 {
	b := books.Read(m.World)
	left := b.Balances[key][books.Payables] - b.Balances[key][books.Reserve]
	for id, p := range b.Payouts {
		if p.Tenant() == key.Tenant && p.Text("status") == "COLLECTING" {
			left += min(0, books.Minor(p["total"])-books.Sum(b.Carried[id], books.All))
		}
	}
	return left
}
