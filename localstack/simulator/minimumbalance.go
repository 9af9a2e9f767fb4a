package simulator

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// liveMinimumBalance is contract §6.4's, in a currency's units.
const liveMinimumBalance = "-1000"

func minimumBalance(currency string) int64 {
	return money.MustParse(liveMinimumBalance, money.Currency(currency)).Minor()
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
		tenant, currency := p.Tenant.String(), p.Last
		if left := m.balance(balanceKey{tenant, currency}); left < minimumBalance(currency) {
			m.find("", "a refund leaves %s %d %s", tenant, left, currency)
		}
	}
}

// balance is what is payable to a merchant beyond its refunds under way.
func (m *month) balance(of balanceKey) (left int64) {
	shortfalls := map[string]int64{} // by payout, beyond what was carried forward
	for _, i := range m.scan() {
		p := partition(i.text("pk"))
		if p.Tenant.String() != of.tenant {
			continue
		}
		if payout := carriedBy(i); payout != "" {
			shortfalls[payout] -= minor(i["amount"])
		}
		switch {
		case p.Kind == store.KindPayable && strings.HasPrefix(p.Last+"#", of.currency+"#"): // of each shard
			left += minor(i["amount"])
		case p.Kind == store.KindReserve && p.Last == of.currency:
			left -= minor(i["amount"])
		case i.text("sk") == "PAYOUT" && i.text("status") == "COLLECTING":
			shortfalls[i.text("id")] += min(0, minor(i["total"]))
		}
	}
	for _, shortfall := range shortfalls {
		left += min(0, shortfall)
	}
	return left
}
