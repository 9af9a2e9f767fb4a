package payout_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// payoutMachine runs payments, chargebacks and payouts of one merchant in any order. It keeps the same records as the
// store would.
type payoutMachine struct {
	now      time.Time
	paid     map[string]payments.Transaction
	events   map[string]payments.Event
	payables map[string]payments.Payable
	payouts  map[string]payout.Payout
	records  map[string][]payout.Record // by payout, in the order in which the outcome is applied
	entries  map[string]ledger.Entry
}

// TestPayout_AnyOrder checks that payments, chargebacks and payouts may come in any order. The journal's balance of
// merchant_payable always equals the open payables plus the payouts that have collected payables. No part, payable or
// cent is paid twice.
func TestPayout_AnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &payoutMachine{now: start, paid: map[string]payments.Transaction{}, events: map[string]payments.Event{},
			payables: map[string]payments.Payable{}, payouts: map[string]payout.Payout{},
			records: map[string][]payout.Record{}, entries: map[string]ledger.Entry{}}
		t.Repeat(map[string]func(*rapid.T){
			"": m.check,
			"time passes": func(t *rapid.T) {
				m.now = m.now.Add(time.Duration(rapid.IntRange(1, 40*24).Draw(t, "hours")) * time.Hour)
			},
			"pay":         m.pay,
			"charge back": m.chargeback,
			"open":        m.open,
			"collect":     m.collect,
			"go on":       m.advance,
			"outcome":     m.applyOutcome,
		})
	})
}

func (m *payoutMachine) pay(t *rapid.T) {
	amount := money.MustParse(fmt.Sprint(rapid.IntRange(1, 60).Draw(t, "amount")), "EUR")
	c := newCheckout(amount, rapid.SampledFrom([]string{"", "0.0195", "0.5"}).Draw(t, "fee"))
	c.Payee.Gross = rapid.Bool().Draw(t, "gross")
	id := fmt.Sprint("attempt-", len(m.paid))
	change := approve(t, c, id, rapid.IntRange(1, 3).Draw(t, "installments"), m.now)
	m.paid[id] = *change.Transaction
	m.book(t, change.Entry)
	m.addPayables(t, change.Payables...)
}

func (m *payoutMachine) chargeback(t *rapid.T) {
	tx, ok := pick(t, m.paid)
	if !ok {
		return
	}
	amount := money.MustParse(fmt.Sprint(rapid.IntRange(1, 30).Draw(t, "amount")), "EUR")
	change, err := tx.Chargeback(payments.Checkout{}, fmt.Sprint("cb ", len(m.events)), &amount, false, "msg", m.now)
	if err != nil {
		return
	}
	m.paid[tx.ID] = change.Transaction
	for _, e := range change.Events {
		m.events[e.ID] = e
	}
	m.book(t, change.Entry)
	for _, payable := range change.Payables {
		// The store has the same condition: a changed credit must still be waiting, and a debit must be new.
		if _, waits := m.payables[payable.ID]; waits != (payable.Kind == payments.PayablePart) {
			t.Fatalf("%+v: got known %t, want %t", payable, waits, payable.Kind == payments.PayablePart)
		}
		m.payables[payable.ID] = payable
	}
}

func (m *payoutMachine) open(t *rapid.T) {
	day := m.now.Format(time.DateOnly)
	p := payout.New(payout.ID(tenantOf, "EUR", day, fmt.Sprint(len(m.payouts))), "EUR", day, m.now, m.now)
	m.payouts[p.ID] = p
}

// collect moves some of the due payables into a payout. If there are none, it seals the payout.
func (m *payoutMachine) collect(t *rapid.T) {
	p, ok := pick(t, m.withStatus(payout.Collecting))
	if !ok {
		return
	}
	due := maps.Clone(m.payables)
	maps.DeleteFunc(due, func(_ string, payable payments.Payable) bool { return !payable.EligibleAt.Before(p.Cutoff) })
	carried := p.CarriedForward()
	if carried != nil && m.payables[carried.ID] != *carried { // another payout has taken the carried payable
		clear(due)
	}
	if len(due) == 0 {
		m.applyStep(t, p.Seal(m.now))
		return
	}
	var taken []payments.Payable
	for range rapid.IntRange(1, 3).Draw(t, "payables") {
		if payable, ok := pick(t, due); ok {
			taken = append(taken, payable)
			delete(due, payable.ID)
		}
	}
	c, err := p.Collect(taken, m.paid, m.now)
	if err != nil {
		t.Fatal(err)
	}
	for _, tx := range c.Transactions {
		m.paid[tx.ID] = tx
	}
	for _, payable := range c.Payables {
		delete(m.payables, payable.ID)
	}
	m.applyStep(t, payout.Step{Payout: c.Payout})
	if c.CarriedForward != nil {
		m.addPayables(t, *c.CarriedForward)
	}
	m.records[p.ID] = append(m.records[p.ID], c.Records...)
	slices.SortFunc(m.records[p.ID], func(a, b payout.Record) int { return strings.Compare(a.ID, b.ID) })
}

// advance sends a payout, or records the bank's answer.
func (m *payoutMachine) advance(t *rapid.T) {
	if p, ok := pick(t, m.withStatus(payout.Sealed)); ok {
		m.applyStep(t, p.Send(account, m.now))
	} else if p, ok := pick(t, m.withStatus(payout.Sent)); ok {
		step := p.Paid(m.now)
		if rapid.Bool().Draw(t, "rejected") {
			step = p.Rejected("AC04", m.now)
		}
		m.applyStep(t, step)
	}
}

func (m *payoutMachine) applyOutcome(t *rapid.T) {
	open := m.withStatus(payout.Paying)
	maps.Copy(open, m.withStatus(payout.Returning))
	p, ok := pick(t, open)
	if !ok {
		return
	}
	var next []payout.Record
	for _, r := range m.records[p.ID] {
		if r.ID > p.OutcomeAppliedTo && len(next) < 2 {
			next = append(next, r)
		}
	}
	step, err := p.ApplyOutcome(next, m.paid, m.events, m.now)
	if err != nil {
		t.Fatal(err)
	}
	for _, tx := range step.Transactions {
		m.paid[tx.ID] = tx
	}
	for _, e := range step.Events {
		m.events[e.ID] = e
	}
	m.addPayables(t, step.Payables...)
	for _, r := range step.Records {
		i := slices.IndexFunc(m.records[p.ID], func(known payout.Record) bool { return known.ID == r.ID })
		if got := m.records[p.ID][i]; got.Status != payout.RecordOpen {
			t.Fatalf("record before its outcome: got %+v, want it %s", got, payout.RecordOpen)
		}
		m.records[p.ID][i] = r
	}
	m.payouts[p.ID] = step.Payout
}

func (m *payoutMachine) applyStep(t *rapid.T, step payout.Step) {
	m.payouts[step.Payout.ID] = step.Payout
	m.book(t, step.Entry)
}

// addPayables and book refuse known ids, as the store's conditions do.
func (m *payoutMachine) addPayables(t *rapid.T, payables ...payments.Payable) {
	for _, payable := range payables {
		if got, there := m.payables[payable.ID]; there {
			t.Fatalf("before %+v is written: got %+v, want none of its id", payable, got)
		}
		m.payables[payable.ID] = payable
	}
}

func (m *payoutMachine) book(t *rapid.T, e *ledger.Entry) {
	if e == nil {
		return
	}
	key := string(e.Kind) + e.ID
	if got, there := m.entries[key]; there {
		t.Fatalf("before %s is booked: got %+v, want no entry", key, got)
	}
	m.entries[key] = *e
}

func (m *payoutMachine) withStatus(status payout.Status) map[string]payout.Payout {
	found := maps.Clone(m.payouts)
	maps.DeleteFunc(found, func(_ string, p payout.Payout) bool { return p.Status != status })
	return found
}

// pick draws a value, or returns false if there is none.
func pick[V any](t *rapid.T, from map[string]V) (V, bool) {
	if len(from) == 0 {
		var none V
		return none, false
	}
	return from[rapid.SampledFrom(slices.Sorted(maps.Keys(from))).Draw(t, "which")], true
}
