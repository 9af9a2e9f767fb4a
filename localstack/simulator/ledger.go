package simulator

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// minor is a stored amount in minor units; none is 0.
func minor(v any) int64 {
	members, _ := v.(map[string]any)
	text, _ := members["v"].(string)
	if text == "" {
		return 0
	}
	return money.MustParse(text, currencyOf(v)).Minor()
}

// currencyOf returns the currency of a stored amount.
func currencyOf(v any) money.Currency {
	members, _ := v.(map[string]any)
	currency, _ := members["c"].(string)
	return money.Currency(currency)
}

// balanceKey is a tenant with a currency.
type balanceKey struct {
	tenant   string
	currency money.Currency
}

// ledger is everything about money in the table, in minor units.
type ledger struct {
	entries   map[string][]item // of the journal, by the transaction or payout they are about
	events    map[string]item   // by id
	payables  map[string]item   // that wait for a payout, by tenant and id
	moved     map[string][]item // movements at the acquirer, by charge
	cancelled map[string]bool   // refunds that the acquirer will never make, by id
	balances  map[balanceKey]map[string]int64
}

func newLedger() *ledger {
	return &ledger{entries: map[string][]item{}, events: map[string]item{}, payables: map[string]item{},
		moved: map[string][]item{}, cancelled: map[string]bool{}, balances: map[balanceKey]map[string]int64{}}
}

// Balances beside the accounts of the journal.
const (
	journal     = "the journal"
	payables    = "what is payable"
	reserve     = "the reserve"
	openRefunds = "refunds under way"
	movements   = "what the acquirer has to pay"
	fees        = "the fees"
	billedFees  = "the fees that are billed"
	bankLines   = "what the bank paid"
	nothing     = "nothing"
)

// equations are balances that are equal, the first of them with a sign.
var equations = []struct {
	sign        int64
	one         string
	another     string
	atEveryStep bool
}{
	{1, journal, nothing, true},
	{-1, "merchant_payable", payables, true},
	{1, reserve, openRefunds, true},
	{1, "acquirer_receivable", movements, false},
	{-1, "fee_income", fees, false},
	{1, "fees_receivable", billedFees, false},
	{1, "payouts_in_transit", nothing, false},
	{-1, "bank", bankLines, false},
}

// enter takes an item as it is now and was before.
func (l *ledger) enter(was, now item) {
	l.post(was, -1)
	l.post(now, 1)
	id := now.text("id")
	kind, _, _ := strings.Cut(now.text("sk"), "#")
	charge, ofCharge := strings.CutPrefix(now.text("pk"), "SANDBOX#CHARGE#")
	switch {
	case ofCharge && kind != "CHARGE":
		l.moved[charge] = append(l.moved[charge], now)
	case strings.HasPrefix(now.text("pk"), "SANDBOX#REFUND#"):
		l.cancelled[id] = now.text("decision") == "cancelled"
	case now.kind() == store.KindJournal:
		about := now.object("about").text("id")
		l.entries[about] = append(l.entries[about], now)
	case kind == "EVENT":
		l.events[id] = now
	case now.kind() == store.KindPayable:
		l.payables[payableKey(now, id)] = now
	}
}

// post adds what an item amounts to, or takes it away again, as the sign says.
func (l *ledger) post(i item, sign int64) {
	add := func(balance string, amount any, sign int64) {
		tenant := i.text("tenant") // of the acquirer's and the bank's items; ours have it in their key
		if tenant == "" {
			tenant = i.tenant()
		}
		key := balanceKey{tenant, currencyOf(amount)}
		if l.balances[key] == nil {
			l.balances[key] = map[string]int64{}
		}
		l.balances[key][balance] += sign * minor(amount)
	}
	switch kind, _, _ := strings.Cut(i.text("sk"), "#"); {
	case i.kind() == store.KindJournal:
		for _, posting := range i.list("postings") {
			add(posting.text("account"), posting["amount"], sign)
			add(journal, posting["amount"], sign)
		}
	case i.kind() == store.KindPayable:
		add(payables, i["amount"], sign)
	case kind == "RESERVE":
		add(reserve, i["amount"], sign)
	case kind == "EVENT" && i["in_reserve"] == true && openEvent(i):
		add(openRefunds, i["amount"], sign)
	case kind == "TRANSACTION" && minor(i["captured"]) > 0:
		add(fees, i["fee"], sign)
		if i["gross"] == true {
			add(billedFees, i["fee"], sign)
		}
	case kind == "CAPTURE":
		add(movements, i["amount"], sign)
	case strings.HasPrefix(i.text("pk"), "SANDBOX#CHARGE#") && kind != "CHARGE": // to be deducted
		add(movements, i["amount"], -sign)
	case booked(i):
		add(bankLines, i["amount"], sign)
	}
}

// booked reports whether an item is a line of the bank's statement.
func booked(i item) bool {
	return i.text("pk") == "FILEBANK#PAID" ||
		strings.HasPrefix(i.text("pk"), "SANDBOX#TRANSFER#") && strings.HasPrefix(i.text("sk"), "STATEMENT_LINE#")
}

// keys returns all that have money, in order.
func (l *ledger) keys() []balanceKey {
	return slices.SortedFunc(maps.Keys(l.balances), func(a, b balanceKey) int {
		return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.currency, b.currency))
	})
}

func openEvent(event item) bool { return ofEvents("REFUND", "BEGUN", "PENDING")(event) }

// of returns the events of a transaction, in the order of their ids.
func (l *ledger) of(transaction string) []item { return where(l.events, "transaction_id", transaction) }

// where returns the items whose attribute has a value, in the order of their keys.
func where(items map[string]item, attribute, value string) (found []item) {
	for _, key := range sorted(items) {
		if i := items[key]; i.text(attribute) == value {
			found = append(found, i)
		}
	}
	return found
}

// sum adds up the amounts of those items that the filter keeps.
func sum(items []item, keep func(item) bool) (total int64) {
	for _, i := range items {
		if keep(i) {
			total += minor(i["amount"])
		}
	}
	return total
}

// all keeps every item.
func all(item) bool { return true }

// are keeps items whose attribute has one of the values.
func are(name string, values ...string) func(item) bool {
	return func(i item) bool { return slices.Contains(values, i.text(name)) }
}

func ofEvents(kind string, statuses ...string) func(item) bool {
	return func(i item) bool { return i.text("type") == kind && slices.Contains(statuses, i.text("status")) }
}

// payableKey names a payable of the tenant that an item belongs to.
func payableKey(i item, id string) string { return i.tenant() + " " + id }

// carriedBy is the payout that carried a payable or record forward; "": none did.
func carriedBy(i item) string {
	payout, carried := strings.CutPrefix(i.text("id"), "carried#")
	if !carried {
		return ""
	}
	payout, _, _ = strings.Cut(payout, "#")
	return payout
}

// net is what a part of a transaction comes to.
func net(part item) int64 {
	net := minor(part["amount"]) - minor(part["deducted"])
	if part["gross"] != true {
		net -= minor(part["fee"])
	}
	return net
}

// liveMinimumBalance is contract §6.4's, in a currency's units.
const liveMinimumBalance = "-1000"

func minimumBalance(currency money.Currency) int64 {
	return money.MustParse(liveMinimumBalance, currency).Minor()
}
