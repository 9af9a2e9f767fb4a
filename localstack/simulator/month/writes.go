package month

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// replaced lists the sort keys of items whose next version replaces the whole item.
var replaced = []string{"MERCHANT", "SCHEDULE", "PAYOUT", "BANKACCOUNTS"}

func (m *month) Committing(_ *simulator.Invocation, _ string, body []byte) (committed func()) {
	return func() {
		m.checkVerdicts(body)
		w, first := m.ReadWrite(body)
		if !first {
			return
		}
		m.checkMinimumBalance(w)
		if !slices.ContainsFunc(w.Puts, books.Are("sk", replaced...)) {
			return
		}
		m.checkAuditEntries(w.Puts)
		for _, i := range w.Puts {
			if i.Text("sk") == "PAYOUT" && i.Text("status") == "COLLECTING" && books.Minor(i["total"]) < 0 {
				m.checkShortfall(i, w.Puts)
			}
			if i.Kind() == store.KindPayoutRecords {
				m.checkSinglePayout(books.PayableKey(i, i.Text("id")), i.Text("payout_id"), i.Text("status"))
			}
			if slices.Contains(replaced, i.Text("sk")) {
				m.checkVersion(i)
			}
		}
	}
}

// checkVersion checks that a write replaces the last version of the item. Otherwise a change is lost. If the change is
// to a setting, the sums of money may not show the loss. checkVersion also checks the rules of bank accounts, schedules
// and payouts.
func (m *month) checkVersion(i calls.Item) {
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
		m.ensureAccounts(tenant).held = i["held"] == true
	case "PAYOUT":
		m.checkPayee(tenant, i)
	}
}

// checkShortfall checks that a payout with a shortfall and the payable with that shortfall are written together.
func (m *month) checkShortfall(payout calls.Item, puts []calls.Item) {
	if !slices.ContainsFunc(puts, func(p calls.Item) bool {
		return p.Kind() == store.KindPayable && strings.HasPrefix(p.Text("id"), "carried#") &&
			books.Minor(p["amount"]) == books.Minor(payout["total"])
	}) {
		m.Find("", "%s has a shortfall of %v that is not carried forward", payout.Text("pk"), payout["total"])
	}
}

// checkSinglePayout checks that a payable is in only one payout. If that payout fails, another payout can take the
// payable.
func (m *month) checkSinglePayout(payable, payout, status string) {
	if by := m.taken[payable]; by != "" && by != payout {
		m.Find("", "payable %s was taken by the payouts %s and %s", payable, by, payout)
	}
	if m.taken[payable] = payout; status == "FAILED" {
		delete(m.taken, payable)
	}
}

// checkMinimumBalance checks that a refund which has just been reserved leaves a live merchant's balance at or above
// the minimum. The balance is the sum of the payables, less the reserves of refunds. A running payout's shortfall is
// also subtracted if it is not carried forward yet. (The contract checks the balance once. Until the acquirer has made
// the refund, a payout can pay out the same money. Later payouts then deduct the refund.)
func (m *month) checkMinimumBalance(w simulator.Write) {
	if !slices.ContainsFunc(w.Puts, books.OfEvents("REFUND", "BEGUN")) {
		return
	}
	for _, i := range slices.Concat(w.Puts, w.Updated) {
		if i.Kind() != store.KindReserve {
			continue
		}
		key := books.BalanceKey{Tenant: i.Tenant(), Currency: money.Currency(calls.Partition(i.Text("pk")).Last)}
		if left := m.readBalance(key); left < books.MinimumBalance(key.Currency) {
			m.Find("", "a refund leaves %s %d %s", key.Tenant, left, key.Currency)
		}
	}
}

// readBalance returns the amount that is payable to a merchant, less the reserves of refunds in progress.
func (m *month) readBalance(key books.BalanceKey) int64 {
	b := books.Read(m.World)
	left := b.Balances[key][books.Payables] - b.Balances[key][books.Reserve]
	for id, p := range b.Payouts {
		if p.Tenant() == key.Tenant && p.Text("status") == "COLLECTING" {
			left += min(0, books.Minor(p["total"])-books.Sum(b.Carried[id], books.All))
		}
	}
	return left
}

// checkAuditEntries checks that a write has one audit entry if it changes members that people may change. Any other
// write must have none.
func (m *month) checkAuditEntries(puts []calls.Item) {
	changed, entries := []string{}, 0
	for _, i := range puts {
		if i.Kind() == store.KindAudit {
			if m.checkEntry(i); i.Text("subject") == "merchant" { // other entries are about API keys
				entries++
			}
			continue
		}
		if view := auditedView(i); view != nil {
			pk := i.Text("pk")
			was, known := m.audited[pk]
			if !known && i.Text("sk") == "SCHEDULE" {
				was = calls.Item{"held": false}
			}
			if m.audited[pk] = view; !reflect.DeepEqual(was, view) {
				changed = append(changed, pk)
			}
		}
	}
	books.CheckEntryCount(m.World, changed, entries)
}

// auditedView returns the members of an item that operators or merchants change, or nil for none.
func auditedView(i calls.Item) calls.Item {
	switch sk := i.Text("sk"); {
	case sk == "MERCHANT", sk == "BANKACCOUNTS" && len(i.List("accounts")) > 0:
		view := maps.Clone(i)
		for _, name := range []string{"version", "write_id", "check_at", "due_pk", "due_sk"} {
			delete(view, name)
		}
		return view
	case sk == "SCHEDULE":
		return calls.Item{"held": i["held"] == true}
	}
	return nil
}

// checkEntry checks that an audit entry names the actor and the operation. The entry must be written only once.
func (m *month) checkEntry(i calls.Item) {
	key := i.Text("pk") + " " + i.Text("sk")
	if actor := i.Object("actor"); actor.Text("kind") == "" || i.Text("operation") == "" {
		m.Find("", "audit entry %s does not say who did what: %v", key, i)
	}
	if m.entries[key] {
		m.Find("", "audit entry %s is written twice", key)
	}
	m.entries[key] = true
}

// checkAuditComplete checks that no audit entry is lost.
func (m *month) checkAuditComplete(items []calls.Item) {
	kept := slices.DeleteFunc(slices.Clone(items), func(i calls.Item) bool { return i.Kind() != store.KindAudit })
	if len(kept) < len(m.entries) {
		m.Find("", "%d audit entries are left of %d", len(kept), len(m.entries))
	}
}
