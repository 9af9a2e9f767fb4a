// Package month simulates a month of payments and payouts.
package month

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
	_ "time/tzdata" // the merchants' zones, wherever this runs

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/store"
)

// month is the workload of payouts: some weeks of payments, refunds, chargebacks and changes of mind, with days of 23
// and 25 hours among them. Nothing happens in between: the clocks jump to whatever comes next.
type month struct {
	*simulator.World
	rng          *rand.Rand // the root goroutine's alone
	end          time.Time
	payees       []*payee
	bank         *fileBank // of live mode
	agenda       []action  // what clients and operators will do, by time
	lateMessages bool      // messages come up to twelve hours late
	spare        int       // ticks and polls that may yet come between
	tickAt       time.Time
	pollAt       time.Time
	demands      int // for payouts at once, so far; commands are those of operators
	commands     int
	today        string // the day it is, and how often the schedule has ticked
	ticked       int

	versions map[string]int    // of items that are replaced, by key
	taken    map[string]string // payables in payouts that have not failed, with the payouts

	accounts  map[string]*tenantAccounts
	sentTo    map[string]calls.Item // by payout
	audited   map[string]calls.Item // by key, as they are
	entries   map[string]bool       // of the audit, by key
	verdicts  map[string]string     // of operators about live accounts, by key
	numbers   int                   // of accounts that were made up
	addedOnce map[string]bool       // holders of accounts that are to be added once
}

type action struct {
	at time.Time
	do func()
}

// starts are days shortly before clocks change somewhere, a year ends, or a February has 29 days. In Santiago, and
// until 2019 in São Paulo, clocks change at midnight, so that a day begins at 01:00 or an hour comes twice before it.
var starts = []string{"2026-10-12", "2027-03-16", "2026-08-25", "2027-03-22", "2018-10-24", "2018-02-06",
	"2026-12-10", "2028-02-12"}

// New chooses the month.
func New(w *simulator.World) simulator.Workload {
	m := &month{World: w, rng: w.Random(1_000), versions: map[string]int{},
		taken:    map[string]string{},
		accounts: map[string]*tenantAccounts{}, sentTo: map[string]calls.Item{}, addedOnce: map[string]bool{},
		audited: map[string]calls.Item{}, entries: map[string]bool{}, verdicts: map[string]string{}}
	at, err := time.Parse(time.DateOnly, starts[m.rng.IntN(len(starts))])
	w.Must(err)
	at = at.Add(time.Duration(m.rng.IntN(48*60)) * time.Minute)
	w.Begins = at.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	m.end = at.AddDate(0, 0, 28+m.rng.IntN(4))
	m.lateMessages = m.rng.IntN(2) == 0
	m.bank = &fileBank{month: m, files: map[string]string{}, executed: map[string]bool{}}
	w.LiveCards = true
	w.BetweenBank = func(b bank.Bank) bank.Bank { return payeeWitness{b, m} }
	w.FaultProfile.Rate /= 2 // there are many more steps to fail at than elsewhere
	w.FaultProfile.Jumps /= 4
	return m
}

// Act simulates the month, and the time after it in which everything must come right.
func (m *month) Act() {
	m.Go(simulator.Clients, m.open)
	m.Steer(simulator.Clients)
	m.plan()
	m.tickAt = m.Now()
	m.FaultsOn = true
	for m.Now().Before(m.end) && len(m.Findings()) == 0 {
		m.round()
	}
	m.Steer(simulator.Clients, simulator.Sources, simulator.Stragglers)
	m.recover()
}

// due returns when a schedule has something to do for payouts; open: a payout is under way.
func (m *month) due() (next time.Time, open bool) {
	due := m.DueItems(store.KindPayoutDue)
	return simulator.FirstOf(due), slices.ContainsFunc(due, books.Are("sk", "PAYOUT"))
}

// round lets the clocks jump to the next event, which happens together with others of that time.
func (m *month) round() {
	next, waiting := m.tickAt, m.queued()
	if waiting && m.pollAt.Before(next) {
		next = m.pollAt
	}
	if len(m.agenda) > 0 && m.agenda[0].at.Before(next) {
		next = m.agenda[0].at
	}
	m.jumpTo(next)
	for len(m.agenda) > 0 && !m.agenda[0].at.After(m.Now()) {
		m.act()
	}
	m.spare = 2
	if !m.tickAt.After(m.Now()) {
		m.InvokeScheduled("payoutplan")
		if m.rng.IntN(6) == 0 { // twice
			m.InvokeScheduled("payoutplan")
		}
		m.compete()
	}
	if m.rng.IntN(8) == 0 {
		m.InvokeScheduled("sweep")
	}
	if waiting && !m.pollAt.After(m.Now()) {
		m.collect()
		m.compete()
	}
	m.handOver()
	m.Steer(simulator.Clients, simulator.Sources)
	m.sleep()
}

// compete has an action come early, an operator run a payout or start another, or an account verified meanwhile.
func (m *month) compete() {
	if m.rng.IntN(3) == 0 && len(m.agenda) > 0 {
		m.act()
	}
	p := m.payees[m.rng.IntN(len(m.payees))]
	if m.rng.IntN(2) == 0 {
		p.settleAccount()
	}
	if m.rng.IntN(3) > 0 {
		return
	}
	if p.waits() {
		for range 1 + m.rng.IntN(2) {
			p.payNow()()
		}
	} else if _, open := m.due(); open { // the bank is about to be asked
		p.commands("run_payouts", fields{}, 2)()
	}
}

// handOver has live payouts that are under way brought to the bank.
func (m *month) handOver() {
	for _, p := range m.payees {
		open := func(i calls.Item) bool { return i.Kind() == store.KindPayout && i.Tenant() == p.Tenant }
		if p.Live() && m.rng.IntN(2) == 0 && slices.ContainsFunc(m.DueItems(store.KindPayoutDue), open) {
			m.bank.work(p.Currency)()
		}
	}
}

func (m *month) act() {
	next := m.agenda[0]
	m.agenda = m.agenda[1:]
	next.do()
}

// pauses are the times without a tick, at the least.
var pauses = []time.Duration{15 * time.Minute, 15 * time.Minute, 15 * time.Minute, 15 * time.Minute, 40 * time.Minute,
	4 * time.Hour, 11 * time.Hour}

// delays bound the delay of messages.
var delays = []time.Duration{time.Second, time.Minute, time.Minute, 31 * time.Minute, 12 * time.Hour, 12 * time.Hour}

// sleep settles when the schedule ticks next, and when messages come.
func (m *month) sleep() {
	now := m.Now()
	if !m.pollAt.After(now) {
		most := delays[m.rng.IntN(4)]
		if m.lateMessages {
			most = delays[m.rng.IntN(len(delays))]
		}
		m.pollAt = now.Add(time.Duration(m.rng.Int64N(int64(most))))
	}
	m.tickAt = now.Add(m.pause())
	next, open := m.due()
	if !open && len(m.agenda) > 0 && !m.hasWork() && m.rng.IntN(6) > 0 { // nights without events test nothing
		next = later(next, m.agenda[0].at)
	}
	if next.After(m.tickAt) {
		m.tickAt = next.Add(time.Duration(m.rng.IntN(900)) * time.Second)
	}
	if m.queued() { // many ticks for one late message test nothing new
		m.tickAt = later(m.tickAt, now.Add(m.pollAt.Sub(now)/2))
	}
}

// pause returns a time without a tick: a day has only a few, or what waits for days would be looked at every hour.
func (m *month) pause() time.Duration {
	if day := m.Now().Format(time.DateOnly); day != m.today {
		m.today, m.ticked = day, 0
	}
	if m.ticked++; m.ticked > maxTicked {
		return pauses[len(pauses)-1]
	}
	return pauses[m.rng.IntN(len(pauses))]
}

const maxTicked = 3 // bounds the ticks of a day

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// queued reports whether messages wait, of shards or of payouts.
func (m *month) queued() bool {
	return !m.Empty(functions.PayoutShards) || !m.Empty(functions.Payouts)
}

// collect gives the functions some messages of shards, a batch of mails, and some of the payout queue, all at once.
func (m *month) collect() {
	for range m.rng.IntN(2 * m.Config.DueShards) {
		m.Poll("payoutopen", m.Function("payoutopen").Queue.Batch)
	}
	for range 1 + m.rng.IntN(3) {
		m.Poll("payoutrun", m.Function("payoutrun").Queue.Batch)
	}
	m.Poll("mails", m.Function("mails").Queue.Batch)
}

// Interfere runs event sources and lets clocks jump in the middle of something else.
func (m *month) Interfere() {
	if m.rng.Float64() < m.FaultProfile.Jumps {
		m.jumpTo(m.Now().Add(simulator.Jumps[m.rng.IntN(len(simulator.Jumps))]))
	}
	if m.spare == 0 || m.rng.Float64() >= m.FaultProfile.Sources/4 {
		return
	}
	m.spare--
	switch m.rng.IntN(4) {
	case 0:
		m.InvokeScheduled("payoutplan")
	case 1:
		if len(m.agenda) > 0 && m.agenda[0].at.Before(m.Now().Add(24*time.Hour)) {
			m.act()
		}
	default:
		m.collect()
	}
}

// jumpTo moves every clock to a later time. What reads the stream stays behind: nothing here waits for it.
func (m *month) jumpTo(to time.Time) {
	d := to.Sub(m.Now())
	if d <= 0 {
		return
	}
	m.Advance(d)
	m.Notef("clocks", "jump to %s", to.Format(time.RFC3339))
}

// at plans an action for some time of the month: any, or shortly after a merchant's midnight, when payouts are made.
func (m *month) at(p *payee, do func()) time.Time {
	at := m.Now().Add(time.Duration(m.rng.Int64N(int64(m.end.Sub(m.Now())))))
	if m.rng.IntN(5) < 2 {
		year, month, day := at.In(p.where).Date()
		at = time.Date(year, month, day, 0, m.rng.IntN(20), m.rng.IntN(60), 0, p.where)
	}
	m.agenda = append(m.agenda, action{at, do})
	return at
}

func (m *month) plan() {
	for i, p := range m.payees {
		if !p.payable { // two of them give it an account
			m.at(p, p.commands("set_payout", fields{"holder": "Nr. 1", "iban": sandbox.PaidIBAN}, 2))
		}
		for n := range 2 + m.rng.IntN(4) {
			m.planSale(p, fmt.Sprintf("order-%d-%d", i, n))
		}
		if m.rng.IntN(5) == 0 {
			m.planRecall(p, fmt.Sprintf("recalled-%d", i))
		}
		for range 1 + m.rng.IntN(4) {
			m.at(p, p.change())
		}
		if p.full {
			m.at(p, p.addsAccount())
			m.at(p, p.addsAccount())
		}
		if p.Live() {
			m.at(p, m.bank.work(p.Currency))
		}
	}
	slices.SortStableFunc(m.agenda, func(a, b action) int { return a.at.Compare(b.at) })
}

// planSale plans a payment, and what its payer wants back of it.
func (m *month) planSale(p *payee, name string) {
	s := p.sale(name)
	paid := m.at(p, s.sell)
	often := []int{0, 0, 0, 1, 1, 2}
	if p.Live() {
		often = []int{0, 1, 1, 2, 2, 3}
	}
	for range often[m.rng.IntN(len(often))] {
		at := paid.Add(time.Duration(m.rng.Int64N(int64(12 * 24 * time.Hour))))
		m.agenda = append(m.agenda, action{at, s.returned(m.rng.IntN(4) == 0 && !p.Live())})
	}
}

// planRecall plans a payment, and days later so many small refunds that a payout takes them in several steps.
func (m *month) planRecall(p *payee, name string) {
	s := p.sale(name)
	paid := m.at(p, s.sell)
	m.agenda = append(m.agenda, action{paid.Add(time.Duration(24+m.rng.IntN(10*24)) * time.Hour),
		s.recalled(33 + m.rng.IntN(40))})
}
