package books

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Minor returns a stored amount in minor units, or 0 if there is none.
func Minor(v any) int64 {
	members, _ := v.(map[string]any)
	text, _ := members["v"].(string)
	if text == "" {
		return 0
	}
	return money.MustParse(text, currencyOf(v)).Minor()
}

func currencyOf(v any) money.Currency {
	members, _ := v.(map[string]any)
	currency, _ := members["c"].(string)
	return money.Currency(currency)
}

// BalanceKey is a tenant with a currency.
type BalanceKey struct {
	Tenant   string
	Currency money.Currency
}

type (
	items     = map[string]calls.Item
	itemLists = map[string][]calls.Item
)

// ledger contains everything about money in the table, in minor units.
type ledger struct {
	Entries   itemLists       // journal entries, by their transaction or payout
	events    items           // by id
	Payables  items           // payables that wait for a payout, by tenant and id
	moved     itemLists       // movements at the acquirer, by charge
	cancelled map[string]bool // refunds that the acquirer will never make, by id
	Balances  map[BalanceKey]map[string]int64
}

func newLedger() *ledger {
	return &ledger{Entries: itemLists{}, events: items{}, Payables: items{}, moved: itemLists{},
		cancelled: map[string]bool{}, Balances: map[BalanceKey]map[string]int64{}}
}

// Balances other than the accounts of the journal.
const (
	journal      = "the journal"
	Payables     = "what is payable"
	Reserve      = "the reserve"
	openRefunds  = "refunds under way"
	movements    = "what the acquirer has to pay"
	fees         = "the fees"
	billedFees   = "the fees that are billed"
	bankLines    = "what the bank paid, less settlements"
	acquirerFees = "the fees of the acquirer"
	nothing      = "nothing"
)

// equations lists pairs of balances. The first balance times the sign must equal the second. Equations with atEveryStep
// hold after every step of the platform. The others hold only at rest.
var equations = []struct {
	sign        int64
	one         string
	another     string
	atEveryStep bool
}{
	{1, journal, nothing, true},
	{-1, "merchant_payable", Payables, true},
	{1, Reserve, openRefunds, true},
	{1, "acquirer_receivable", movements, false},
	{-1, "fee_income", fees, false},
	{1, "fees_receivable", billedFees, false},
	{1, "payouts_in_transit", nothing, false},
	{-1, "bank", bankLines, false},
	{1, "acquirer_fees", acquirerFees, false},
}

// enter replaces the earlier state of an item by the current state.
func (l *ledger) enter(was, now calls.Item) {
	l.post(was, -1)
	l.post(now, 1)
	id := now.Text("id")
	kind, _, _ := strings.Cut(now.Text("sk"), "#")
	charge, ofCharge := strings.CutPrefix(now.Text("pk"), "SANDBOX#CHARGE#")
	switch {
	case ofCharge && kind != "CHARGE":
		l.moved[charge] = append(l.moved[charge], now)
	case strings.HasPrefix(now.Text("pk"), "SANDBOX#REFUND#"):
		l.cancelled[id] = now.Text("decision") == "cancelled"
	case now.Kind() == store.KindJournal:
		about := now.Object("about").Text("id")
		l.Entries[about] = append(l.Entries[about], now)
	case kind == "EVENT":
		l.events[id] = now
	case now.Kind() == store.KindPayable:
		l.Payables[PayableKey(now, id)] = now
	}
}

// post adds the amounts of an item, or subtracts them if sign is -1.
func (l *ledger) post(i calls.Item, sign int64) {
	add := func(balance string, amount any, sign int64) {
		tenant := i.Text("tenant") // for items of the acquirer and the bank; our keys contain the tenant
		if tenant == "" {
			tenant = i.Tenant()
		}
		key := BalanceKey{tenant, currencyOf(amount)}
		if l.Balances[key] == nil {
			l.Balances[key] = map[string]int64{}
		}
		l.Balances[key][balance] += sign * Minor(amount)
	}
	switch kind, _, _ := strings.Cut(i.Text("sk"), "#"); {
	case i.Kind() == store.KindJournal:
		for _, posting := range i.List("postings") {
			add(posting.Text("account"), posting["amount"], sign)
			add(journal, posting["amount"], sign)
		}
	case i.Kind() == store.KindPayable:
		add(Payables, i["amount"], sign)
	case kind == "RESERVE":
		add(Reserve, i["amount"], sign)
	case kind == "EVENT" && i["in_reserve"] == true && isOpenRefund(i):
		add(openRefunds, i["amount"], sign)
	case kind == "TRANSACTION" && Minor(i["captured"]) > 0:
		add(fees, i["fee"], sign)
		if i["gross"] == true {
			add(billedFees, i["fee"], sign)
		}
	case kind == "CAPTURE":
		add(movements, i["amount"], sign)
	case strings.HasPrefix(i.Text("pk"), "SANDBOX#CHARGE#") && kind != "CHARGE": // deductions
		add(movements, i["amount"], -sign)
	case isStatementLine(i):
		add(bankLines, i["amount"], sign)
	case isSettlement(i):
		add(bankLines, i["amount"], -sign)
		add(acquirerFees, i["fee"], sign)
		for _, part := range []string{"amount", "fee", "reserve"} {
			add(movements, i[part], -sign)
		}
	}
}

// isStatementLine returns true for a line of the bank's statement.
func isStatementLine(i calls.Item) bool {
	return i.Text("pk") == "FILEBANK#PAID" ||
		strings.HasPrefix(i.Text("pk"), "SANDBOX#TRANSFER#") && strings.HasPrefix(i.Text("sk"), "STATEMENT_LINE#")
}

func (l *ledger) keys() []BalanceKey {
	return slices.SortedFunc(maps.Keys(l.Balances), func(a, b BalanceKey) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Currency, b.Currency))
	})
}

var isOpenRefund = OfEvents("REFUND", "BEGUN", "PENDING")

// eventsOf returns the events of a transaction, in the order of their ids.
func (l *ledger) eventsOf(transaction string) []calls.Item {
	return filterItems(l.events, "transaction_id", transaction)
}

// filterItems returns the items whose attribute has a value, in the order of their keys.
func filterItems(items items, attribute, value string) (found []calls.Item) {
	for _, key := range simulator.Sorted(items) {
		if i := items[key]; i.Text(attribute) == value {
			found = append(found, i)
		}
	}
	return found
}

// Sum adds up the amounts of the items that the filter keeps.
func Sum(items []calls.Item, keep func(calls.Item) bool) (total int64) {
	for _, i := range items {
		if keep(i) {
			total += Minor(i["amount"])
		}
	}
	return total
}

// All returns true for every item. It is a filter for Sum.
func All(calls.Item) bool { return true }

// Are returns a filter for items whose attribute has one of the values.
func Are(name string, values ...string) func(calls.Item) bool {
	return func(i calls.Item) bool { return slices.Contains(values, i.Text(name)) }
}

// OfEvents returns a filter for events of a type that have one of the statuses.
func OfEvents(kind string, statuses ...string) func(calls.Item) bool {
	return func(i calls.Item) bool {
		return i.Text("type") == kind && slices.Contains(statuses, i.Text("status"))
	}
}

// PayableKey returns the key of a payable in Snapshot, for the tenant of an item.
func PayableKey(i calls.Item, id string) string { return i.Tenant() + " " + id }

// net returns the amount of a transaction's part after fees and deductions.
func net(part calls.Item) int64 {
	net := Minor(part["amount"]) - Minor(part["deducted"])
	if part["gross"] != true {
		net -= Minor(part["fee"])
	}
	return net
}

// MinimumBalance returns a live merchant's minimum balance (contract §6.4).
func MinimumBalance(currency money.Currency) int64 { return money.MustParse("-1000", currency).Minor() }
