package simulator

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// minor is a stored amount in minor units; none is 0.
func minor(v any) int64 {
	members, _ := v.(map[string]any)
	text, _ := members["v"].(string)
	currency, _ := members["c"].(string)
	if text == "" {
		return 0
	}
	return money.MustParse(text, money.Currency(currency)).Minor()
}

// balanceKey is a tenant with a currency.
type balanceKey struct{ tenant, currency string }

// balanceKeyOf is whose money an item is about. The acquirer's items name the
// tenant, the platform's have it in their key.
func balanceKeyOf(i item, amount any) balanceKey {
	members, _ := amount.(map[string]any)
	currency, _ := members["c"].(string)
	if tenant := i.text("tenant"); tenant != "" {
		return balanceKey{tenant, currency}
	}
	return balanceKey{i.tenant(), currency}
}

// ledger is everything about money in the table, in minor units.
type ledger struct {
	entries      []item
	events       map[string]item   // by id
	payables     map[string]item   // that wait for a payout, by id
	moved        map[string][]item // movements at the acquirer, by charge
	cancelled    map[string]bool   // refunds that the acquirer will never make, by id
	accounts     map[balanceKey]map[string]int64
	payable      map[balanceKey]int64
	reserved     map[balanceKey]int64
	openReserves map[balanceKey]int64
}

func newLedger() *ledger {
	return &ledger{events: map[string]item{}, payables: map[string]item{}, moved: map[string][]item{},
		cancelled: map[string]bool{},
		accounts:  map[balanceKey]map[string]int64{}, payable: map[balanceKey]int64{}, reserved: map[balanceKey]int64{},
		openReserves: map[balanceKey]int64{}}
}

// enter takes an item as it is now and was before; false when it is none of
// the ledger's.
func (l *ledger) enter(was, now item) bool {
	pk, sk := now.text("pk"), now.text("sk")
	kind, _, _ := strings.Cut(sk, "#")
	switch {
	case strings.HasPrefix(pk, "SANDBOX#CHARGE#"):
		if kind == "CAPTURE" || kind == "REFUND" || kind == "CHARGEBACK" {
			charge := strings.TrimPrefix(pk, "SANDBOX#CHARGE#")
			l.moved[charge] = append(l.moved[charge], now)
		}
	case strings.HasPrefix(pk, "SANDBOX#REFUND#"):
		l.cancelled[now.text("id")] = now.text("decision") == "cancelled"
	case now.kind() == store.KindJournal:
		l.post(now)
	case kind == "EVENT":
		p := balanceKeyOf(now, now["amount"])
		l.openReserves[p] += reserveOf(now) - reserveOf(was)
		l.events[now.text("id")] = now
	case kind == "DEBIT", kind == "CREDIT":
		l.payable[balanceKeyOf(now, now["amount"])] += minor(now["amount"]) - minor(was["amount"])
		l.payables[now.text("id")] = now
	case sk == "RESERVE":
		l.reserved[balanceKeyOf(now, now["amount"])] += minor(now["amount"]) - minor(was["amount"])
	default:
		return false
	}
	return true
}

func (l *ledger) post(entry item) {
	l.entries = append(l.entries, entry)
	for _, posting := range entry.list("postings") {
		p := balanceKeyOf(entry, posting["amount"])
		if l.accounts[p] == nil {
			l.accounts[p] = map[string]int64{}
		}
		l.accounts[p][posting.text("account")] += minor(posting["amount"])
	}
}

// reserveOf is what an open event takes from the merchant's balance.
func reserveOf(event item) int64 {
	if event["in_reserve"] != true || !openEvent(event) {
		return 0
	}
	return minor(event["amount"])
}

func openEvent(event item) bool {
	return event.text("type") == "REFUND" && (event.text("status") == "BEGUN" || event.text("status") == "PENDING")
}

// of are the events of a transaction, by their ids.
func (l *ledger) of(transaction string) (events []item) {
	for _, id := range sorted(l.events) {
		if e := l.events[id]; e.text("transaction_id") == transaction {
			events = append(events, e)
		}
	}
	return events
}

// givenUp are the amounts of a transaction's refunds that were cancelled at the
// acquirer: like those it declines, clients may have got the answer that they
// were made.
func (l *ledger) givenUp(transaction string) (amounts []int64) {
	for _, e := range l.of(transaction) {
		if l.cancelled[e.text("id")] {
			amounts = append(amounts, minor(e["amount"]))
		}
	}
	return amounts
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

// are keeps items whose attribute has one of the values.
func are(name string, values ...string) func(item) bool {
	return func(i item) bool { return slices.Contains(values, i.text(name)) }
}

func ofEvents(kind string, statuses ...string) func(item) bool {
	return func(i item) bool { return i.text("type") == kind && slices.Contains(statuses, i.text("status")) }
}

// balanceKeys are all that have money, in order.
func (l *ledger) balanceKeys() []balanceKey {
	names := map[string]balanceKey{}
	for p := range l.accounts {
		names[p.tenant+" "+p.currency] = p
	}
	for p := range l.payable {
		names[p.tenant+" "+p.currency] = p
	}
	for p := range l.reserved {
		names[p.tenant+" "+p.currency] = p
	}
	list := make([]balanceKey, 0, len(names))
	for _, name := range sorted(names) {
		list = append(list, names[name])
	}
	return list
}
