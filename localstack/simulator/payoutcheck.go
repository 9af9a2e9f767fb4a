package simulator

import (
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Check holds a world in which all merchants have been paid to what must be
// true of any.
func (m *month) Check() {
	b := readBooks(m.World)
	for _, id := range sorted(b.payouts) {
		m.checkPayout(b, b.payouts[id])
		m.checkDay(b.payouts[id])
	}
	for _, of := range []map[string][]item{b.records, b.booked} {
		for _, id := range sorted(of) {
			if b.payouts[id] == nil {
				m.find("", "payout %s is not there, and has %v", id, of[id])
			}
		}
	}
	for _, payable := range sorted(b.taken) {
		m.checkTaken(b, payable)
	}
	for _, payable := range sorted(b.payables) {
		if b.payables[payable].text("kind") != "BALANCE_DEDUCTION" {
			m.find("", "payable %s is left", payable)
		}
	}
	b.checkMoney()
	m.checkCutoffs(b)
	m.bank.checkExecuted(b)
	for _, p := range m.payees {
		p.checkAccountReplies()
	}
	m.checkAudit(b.items)
	checkLog(m.World)
	reconcile(m.World)
	for _, p := range m.payees {
		m.checkLater("", p.settingsHistory())
	}
}

// checkPayout: a payout has ended, so that no message about it is needed, dead
// or not; it is the sum of its records, which know its outcome; and the bank has
// paid it once, or not at all.
func (m *month) checkPayout(b snapshot, p item) {
	id, status, total := p.text("id"), p.text("status"), minor(p["total"])
	outcome := map[string]string{"PAID": "SUCCESSFUL", "FAILED": "FAILED"}[status]
	if outcome == "" {
		m.find("", "payout %s is left %s", id, status)
	}
	records := b.records[id]
	if sum := sum(records, all); sum != total || fmt.Sprint(len(records)) != p.text("records") {
		m.find("", "payout %s of %d in %s records has %d records of %d", id, total, p.text("records"), len(records), sum)
	}
	for _, r := range records {
		if r.text("status") != outcome || r.text("day") != p.text("day") {
			m.find("", "record %s of %s is %s, the payout of %s %s", r.text("id"), r.text("day"), r.text("status"),
				p.text("day"), status)
		}
		if !timeOf(r, "eligible_at").Before(timeOf(p, "cutoff")) {
			m.find("", "payout %s until %s took %s of %s", id, p.text("cutoff"), r.text("id"), r.text("eligible_at"))
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
	if booked := b.booked[id]; len(booked) != paid || paid == 1 && minor(booked[0]["amount"]) != total {
		m.find("", "the bank paid payout %s of %d, which is %s, %d times: %v", id, total, status, len(booked), booked)
	}
	b.checkEntries("", b.entries[id], entries)
	m.checkCarried(b, p)
}

// checkCarried: what a payout lacked is carried forward, exactly and once.
func (m *month) checkCarried(b snapshot, p item) {
	carried := b.carried[p.text("id")]
	if total := minor(p["total"]); total >= 0 != (len(carried) == 0) {
		m.find("", "payout %s of %d is carried by %d payables", p.text("id"), total, len(carried))
	}
	for _, payable := range carried {
		if minor(payable["amount"]) != minor(p["total"]) || payable.text("kind") != "BALANCE_DEDUCTION" {
			m.find("", "payout %s of %v is carried as %v", p.text("id"), p["total"], payable["amount"])
		}
	}
}

// checkDay: a payout that the schedule opened is of a day that begins with its
// cut-off, where the merchant is or was, and is opened no earlier.
func (m *month) checkDay(p item) {
	of := slices.IndexFunc(m.payees, func(p2 *payee) bool { return p.tenant() == p2.tenant })
	if of < 0 {
		m.find("", "payout %s belongs to no tenant", p.text("id"))
		return
	}
	payee, day, cutoff := m.payees[of], p.text("day"), timeOf(p, "cutoff")
	if p.text("id") != payout.ID(payee.tenant, money.Currency(payee.currency), day, "regular") {
		return
	}
	if timeOf(p, "created_at").Add(2 * maxSkew).Before(cutoff) {
		m.find("", "payout of %s was opened at %s, before its period ended", day, p.text("created_at"))
	}
	for _, zone := range payee.zones {
		where, err := time.LoadLocation(zone)
		if err == nil && cutoff.In(where).Format(time.DateOnly) == day &&
			cutoff.Add(-time.Second).In(where).Format(time.DateOnly) < day {
			return
		}
	}
	m.find("", "payout of %s takes what came before %s, the merchant was in %v", day, p.text("cutoff"), payee.zones)
}

// checkTaken: a payable is paid at most once, and what a failed payout gave back
// waits or was taken again.
func (m *month) checkTaken(b snapshot, payable string) {
	records, paid := b.taken[payable], 0
	for _, r := range records {
		if r.text("status") != "FAILED" {
			paid++
		}
	}
	waits := b.payables[payable] != nil
	switch part := records[0].text("kind") == "PAYOUT"; {
	case paid > 1:
		m.find("", "payable %s was paid %d times", payable, paid)
	case part && len(records) > 1:
		m.find("", "part %s was taken %d times", payable, len(records))
	case paid > 0 && waits:
		m.find("", "payable %s was paid and waits", payable)
	case !part && paid == 0 && !waits:
		m.find("", "deduction %s was lost with a payout that failed", payable)
	}
}

// checkCutoffs sees that each schedule waits for a cut-off of the settings and
// the time zone that its merchant has: they always change together.
func (m *month) checkCutoffs(b snapshot) {
	for _, i := range b.items {
		if i.kind() != store.KindPayoutSchedule {
			continue
		}
		t := partition(i.text("pk")).Tenant
		owner, next := b.merchants[t.Merchant], timeOf(i, "next_at")
		settings := owner.object("settings").object(t.Mode.Name())
		calendar := merchant.Merchant{TimeZone: owner.text("time_zone")}.Calendar(t.Mode)
		calendar.Settings = merchant.Settings{Period: merchant.PayoutPeriod(settings.text("payout_period"))}
		if want := calendar.NextCutoff(next.Add(-time.Microsecond)).At; !want.Equal(next) {
			m.find("", "%s waits until %s, which is no cut-off of %v in %s", t, next, settings, owner.text("time_zone"))
		}
	}
}
