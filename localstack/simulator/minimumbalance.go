package simulator

import (
	"strings"

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
func (m *month) checkMinimumBalance(operation string, body []byte) {
	text := string(body)
	if operation != "TransactWriteItems" || !strings.Contains(text, `"RESERVE"`) ||
		!strings.Contains(text, `"status":{"S":"BEGUN"}`) {
		return
	}
	for _, write := range valuesOf(text, "write_id") {
		if m.seen["reserved "+write] {
			return // answered as before, and nothing was written
		}
		m.seen["reserved "+write] = true
	}
	for _, pk := range valuesOf(text, "pk") {
		p := partition(pk)
		if p.Kind != store.KindReserve {
			continue
		}
		key := balanceKey{p.Tenant.String(), money.Currency(p.Last)}
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
