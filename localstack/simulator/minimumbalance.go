package simulator

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// liveMinimumBalance is contract §6.4's, in a currency's units.
const liveMinimumBalance = "-1000"

func minimumBalance(currency money.Currency) int64 {
	return money.MustParse(liveMinimumBalance, currency).Minor()
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
	b := m.snapshot()
	left := b.balances[key][payables] - b.balances[key][reserve]
	for id, p := range b.payouts {
		if p.tenant() == key.tenant && p.text("status") == "COLLECTING" {
			left += min(0, minor(p["total"])-sum(b.carried[id], all))
		}
	}
	return left
}
