package month

import (
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Check checks the rules for a world at rest in which all merchants have been paid.
func (m *month) Check() {
	b := books.Read(m.World)
	for _, id := range simulator.Sorted(b.Payouts) {
		m.checkPayout(b, b.Payouts[id])
		m.checkDay(b.Payouts[id])
	}
	for _, of := range []map[string][]calls.Item{b.Records, b.Booked} {
		for _, id := range simulator.Sorted(of) {
			if b.Payouts[id] == nil {
				m.Find("", "payout %s is not there, and has %v", id, of[id])
			}
		}
	}
	for _, payable := range simulator.Sorted(b.Taken) {
		m.checkTaken(b, payable)
	}
	for _, payable := range simulator.Sorted(b.Payables) {
		if b.Payables[payable].Text("kind") != "BALANCE_DEDUCTION" {
			m.Find("", "payable %s is left", payable)
		}
	}
	b.CheckMoney()
	m.checkCutoffs(b)
	m.bank.checkExecuted(b)
	for _, p := range m.payees {
		p.checkAccountReplies()
		p.checkChanges(b)
	}
	m.checkAuditComplete(b.Items)
	books.CheckLog(m.World)
	books.Nights(m.World)
	for _, p := range m.payees {
		m.CheckLater("", p.settingsHistory())
	}
}

// checkChanges checks that the index of changes finds all changes of the payee. The sweep has recorded its birth in the
// middle of the month.
func (p *payee) checkChanges(b books.Snapshot) {
	t, ok := identity.ParseTenant(p.Tenant)
	if !ok {
		p.month.Find("", "%s is no tenant", p.Tenant)
		return
	}
	b.CheckChanges(t)
}

// checkPayout checks that a payout has ended. An ended payout needs no message any more, not even a message in a
// dead-letter queue. The payout must be the sum of its records, and the records must contain its outcome. If the payout
// is PAID, the bank must have paid it once, and otherwise never.
func (m *month) checkPayout(b books.Snapshot, p calls.Item) {
	id, status, total := p.Text("id"), p.Text("status"), books.Minor(p["total"])
	outcome := map[string]string{"PAID": "SUCCESSFUL", "FAILED": "FAILED"}[status]
	if outcome == "" {
		m.Find("", "payout %s is left %s", id, status)
	}
	records := b.Records[id]
	if sum := books.Sum(records, books.All); sum != total || fmt.Sprint(len(records)) != p.Text("records") {
		m.Find("", "payout %s of %d in %s records has %d records of %d", id, total, p.Text("records"), len(records), sum)
	}
	for _, r := range records {
		if r.Text("status") != outcome || r.Text("day") != p.Text("day") {
			m.Find("", "record %s of %s is %s, the payout of %s %s", r.Text("id"), r.Text("day"), r.Text("status"),
				p.Text("day"), status)
		}
		if !r.Time("eligible_at").Before(p.Time("cutoff")) {
			m.Find("", "payout %s until %s took %s of %s", id, p.Text("cutoff"), r.Text("id"), r.Text("eligible_at"))
		}
	}
	paid, entries := 0, map[string]int64{}
	if total > 0 {
		entries["payout "+id] = total
		if status == "PAID" {
			paid, entries["payout_paid "+id] = 1, -total
		} else {
			entries["payout_returned "+id] = -total
		}
	}
	if booked := b.Booked[id]; len(booked) != paid || paid == 1 && books.Minor(booked[0]["amount"]) != total {
		m.Find("", "the bank paid payout %s of %d, which is %s, %d times: %v", id, total, status, len(booked), booked)
	}
	b.CheckEntries("", b.Entries[id], entries)
	m.checkCarried(b, p)
}

// checkCarried checks that the exact shortfall of a payout is carried forward once.
func (m *month) checkCarried(b books.Snapshot, p calls.Item) {
	carried := b.Carried[p.Text("id")]
	if total := books.Minor(p["total"]); total >= 0 != (len(carried) == 0) {
		m.Find("", "payout %s of %d is carried by %d payables", p.Text("id"), total, len(carried))
	}
	for _, payable := range carried {
		if books.Minor(payable["amount"]) != books.Minor(p["total"]) || payable.Text("kind") != "BALANCE_DEDUCTION" {
			m.Find("", "payout %s of %v is carried as %v", p.Text("id"), p["total"], payable["amount"])
		}
	}
}

// checkDay checks that a payout opens after its cut-off. The cut-off must be the start of the payout's day in a time
// zone that the merchant has had.
func (m *month) checkDay(p calls.Item) {
	of := slices.IndexFunc(m.payees, func(p2 *payee) bool { return p.Tenant() == p2.Tenant })
	if of < 0 {
		m.Find("", "payout %s belongs to no tenant", p.Text("id"))
		return
	}
	payee, day, cutoff := m.payees[of], p.Text("day"), p.Time("cutoff")
	if p.Text("id") != payout.ID(payee.Tenant, money.Currency(payee.Currency), day, "regular") {
		return
	}
	if p.Time("created_at").Add(2 * simulator.MaxSkew).Before(cutoff) {
		m.Find("", "payout of %s was opened at %s, before its period ended", day, p.Text("created_at"))
	}
	for _, zone := range payee.zones {
		where, err := time.LoadLocation(zone)
		if err == nil && cutoff.In(where).Format(time.DateOnly) == day &&
			cutoff.Add(-time.Second).In(where).Format(time.DateOnly) < day {
			return
		}
	}
	m.Find("", "payout of %s takes what came before %s, the merchant was in %v", day, p.Text("cutoff"), payee.zones)
}

// checkTaken checks that a payable is paid at most once. If a payout failed, its payable must wait, or must have been
// taken again.
func (m *month) checkTaken(b books.Snapshot, payable string) {
	records, paid := b.Taken[payable], 0
	for _, r := range records {
		if r.Text("status") != "FAILED" {
			paid++
		}
	}
	waits := b.Payables[payable] != nil
	switch part := records[0].Text("kind") == "PAYOUT"; {
	case paid > 1:
		m.Find("", "payable %s was paid %d times", payable, paid)
	case part && len(records) > 1:
		m.Find("", "part %s was taken %d times", payable, len(records))
	case paid > 0 && waits:
		m.Find("", "payable %s was paid and waits", payable)
	case !part && paid == 0 && !waits:
		m.Find("", "deduction %s was lost with a payout that failed", payable)
	}
}

// checkCutoffs checks that each schedule waits for a cut-off that follows from the merchant's settings and time zone.
// Settings, time zone and schedule change together.
func (m *month) checkCutoffs(b books.Snapshot) {
	for _, i := range b.Items {
		if i.Kind() != store.KindPayoutSchedule {
			continue
		}
		t := calls.Partition(i.Text("pk")).Tenant
		owner, next := b.Merchants[t.Merchant], i.Time("next_at")
		settings := owner.Object("settings").Object(t.Mode.Name())
		calendar := merchant.Merchant{TimeZone: owner.Text("time_zone")}.Calendar(t.Mode)
		calendar.Settings = merchant.Settings{Period: merchant.PayoutPeriod(settings.Text("payout_period"))}
		if want := calendar.NextCutoff(next.Add(-time.Microsecond)).At; !want.Equal(next) {
			m.Find("", "%s waits until %s, which is no cut-off of %v in %s", t, next, settings, owner.Text("time_zone"))
		}
	}
}
