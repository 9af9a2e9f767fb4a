// Package month simulates a month of payments and payouts. Time jumps from one event to the next. The merchants' local
// clocks change for daylight saving time. Operators take files with the payouts of live merchants to a bank, and report
// the bank's answers. Use New with simulator.Run.
package month

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
	_ "time/tzdata" // has the merchants' time zones on any machine

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/store"
)

// month is the workload of payouts. It has some weeks of payments, refunds, chargebacks and changes of settings, and
// some days of 23 or 25 hours. The platform's clocks jump from each event to the next.
type month struct {
	*simulator.World
	rng          *rand.Rand // for the root goroutine only
	end          time.Time
	payees       []*payee
	bank         *fileBank // the bank of live mode
	agenda       []action  // future actions of clients and operators, by time
	lateMessages bool      // messages can be up to twelve hours late
	spare        int       // number of ticks and polls that can still interfere in this round
	tickAt       time.Time
	pollAt       time.Time
	demands      int // number of on-demand payouts; commands counts actions of operators
	commands     int
	today        string // the current day; ticked counts the schedule's ticks on it
	ticked       int

	versions map[string]int    // versions of the items that are replaced, by key
	taken    map[string]string // by payable: the payout that has the payable and has not failed

	accounts  map[string]*tenantAccounts
	sentTo    map[string]calls.Item // account recorded in a payout, by payout
	audited   map[string]calls.Item // audited members of items, by key
	entries   map[string]bool       // audit entries, by key
	verdicts  map[string]string     // operators' verdicts on live accounts, by key
	numbers   int                   // number of invented accounts
	addedOnce map[string]bool       // holders of accounts that must be added only once
}

type action struct {
	at time.Time
	do func()
}

// starts lists days shortly before a clock change, the end of a year, or a 29 February. In Santiago, and until 2019 in
// São Paulo, clocks change at midnight. A day then begins at 01:00, or the hour before the day comes twice.
var starts = []string{"2026-10-12", "2027-03-16", "2026-08-25", "2027-03-22", "2018-10-24", "2018-02-06",
	"2026-12-10", "2028-02-12"}

// New returns the workload. The seed picks the month.
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
	w.GoLiveAtSandbox()
	w.BetweenBank = func(b bank.Bank) bank.Bank { return payeeWitness{b, m} }
	w.FaultProfile.Rate /= 2 // a month has many more steps that can fail
	w.FaultProfile.Jumps /= 4
	return m
}

// Act simulates the month, and then lets the platform recover and pay everything.
func (m *month) Act() {
	m.Go(simulator.Clients, m.createMerchants)
	m.Steer(simulator.Clients)
	m.plan()
	m.tickAt = m.Now()
	m.FaultsOn = true
	for m.Now().Before(m.end) && len(m.Findings()) == 0 {
		m.runRound()
	}
	m.Steer(simulator.Clients, simulator.Sources, simulator.Stragglers)
	m.settleAll()
}

// findDue returns the next time when a schedule has work for payouts. open is true while a payout is in progress.
func (m *month) findDue() (next time.Time, open bool) {
	due := m.DueItems(store.KindPayoutDue)
	return simulator.FirstOf(due), slices.ContainsFunc(due, books.Are("sk", "PAYOUT"))
}

// runRound jumps to the time of the next event, and starts all events of that time together.
func (m *month) runRound() {
	next, waiting := m.tickAt, m.hasMessages()
	if waiting && m.pollAt.Before(next) {
		next = m.pollAt
	}
	if len(m.agenda) > 0 && m.agenda[0].at.Before(next) {
		next = m.agenda[0].at
	}
	m.jumpTo(next)
	for len(m.agenda) > 0 && !m.agenda[0].at.After(m.Now()) {
		m.runNextAction()
	}
	m.spare = 2
	if !m.tickAt.After(m.Now()) {
		m.InvokeScheduled("payoutplan")
		if m.rng.IntN(6) == 0 { // starts the same call twice
			m.InvokeScheduled("payoutplan")
		}
		m.compete()
	}
	if m.rng.IntN(8) == 0 {
		m.InvokeScheduled("sweep")
	}
	if waiting && !m.pollAt.After(m.Now()) {
		m.pollQueues()
		m.compete()
	}
	m.handOver()
	m.Steer(simulator.Clients, simulator.Sources)
	m.scheduleNext()
}

// compete sometimes starts an action early. Sometimes it also starts a decision about an account, or operators who run
// payouts.
func (m *month) compete() {
	if m.rng.IntN(3) == 0 && len(m.agenda) > 0 {
		m.runNextAction()
	}
	p := m.payees[m.rng.IntN(len(m.payees))]
	if m.rng.IntN(2) == 0 {
		p.startDecision()
	}
	if m.rng.IntN(3) > 0 {
		return
	}
	if p.hasPayables() {
		for range 1 + m.rng.IntN(2) {
			p.newPayoutAction()()
		}
	} else if _, open := m.findDue(); open { // the platform is about to ask the bank
		p.newCommandAction("run_payouts", fields{}, 2)()
	}
}

// handOver lets operators take the live payouts in progress to the bank, for some of the payees.
func (m *month) handOver() {
	for _, p := range m.payees {
		open := func(i calls.Item) bool { return i.Kind() == store.KindPayout && i.Tenant() == p.Tenant }
		if p.Live() && m.rng.IntN(2) == 0 && slices.ContainsFunc(m.DueItems(store.KindPayoutDue), open) {
			m.bank.newBankAction(p.Currency)()
		}
	}
}

func (m *month) runNextAction() {
	next := m.agenda[0]
	m.agenda = m.agenda[1:]
	next.do()
}

// pauses lists minimum times between two ticks.
var pauses = []time.Duration{15 * time.Minute, 15 * time.Minute, 15 * time.Minute, 15 * time.Minute, 40 * time.Minute,
	4 * time.Hour, 11 * time.Hour}

// delays lists limits for the delay of messages.
var delays = []time.Duration{time.Second, time.Minute, time.Minute, 31 * time.Minute, 12 * time.Hour, 12 * time.Hour}

// scheduleNext decides when the schedule ticks next, and when queues are polled next.
func (m *month) scheduleNext() {
	now := m.Now()
	if !m.pollAt.After(now) {
		most := delays[m.rng.IntN(4)]
		if m.lateMessages {
			most = delays[m.rng.IntN(len(delays))]
		}
		m.pollAt = now.Add(time.Duration(m.rng.Int64N(int64(most))))
	}
	m.tickAt = now.Add(m.pickPause())
	next, open := m.findDue()
	if !open && len(m.agenda) > 0 && !m.hasWork() && m.rng.IntN(6) > 0 { // nights without events test nothing
		next = later(next, m.agenda[0].at)
	}
	if next.After(m.tickAt) {
		m.tickAt = next.Add(time.Duration(m.rng.IntN(900)) * time.Second)
	}
	if m.hasMessages() { // many ticks for one late message test nothing new
		m.tickAt = later(m.tickAt, now.Add(m.pollAt.Sub(now)/2))
	}
}

// pickPause returns the time until the next tick. Each day has only a few short pauses. Otherwise payouts that wait for
// days would be checked every hour.
func (m *month) pickPause() time.Duration {
	if day := m.Now().Format(time.DateOnly); day != m.today {
		m.today, m.ticked = day, 0
	}
	if m.ticked++; m.ticked > maxTicked {
		return pauses[len(pauses)-1]
	}
	return pauses[m.rng.IntN(len(pauses))]
}

const maxTicked = 3 // limits the number of short pauses in a day

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// hasMessages returns true if a queue has messages about shards or payouts.
func (m *month) hasMessages() bool {
	return !m.Empty(functions.PayoutShards) || !m.Empty(functions.Payouts)
}

// pollQueues gives functions some messages about shards, some batches of the payout queue, and mails, all at the same
// time.
func (m *month) pollQueues() {
	for range m.rng.IntN(2 * m.Config.DueShards) {
		m.Poll("payoutopen", m.Function("payoutopen").Queue.Batch)
	}
	for range 1 + m.rng.IntN(3) {
		m.Poll("payoutrun", m.Function("payoutrun").Queue.Batch)
	}
	m.Poll("mails", m.Function("mails").Queue.Batch)
	for range m.rng.IntN(8) {
		m.Poll("prove", m.Function("prove").Queue.Batch)
	}
}

// Interfere sometimes runs event sources or moves the clocks while other calls are in progress.
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
			m.runNextAction()
		}
	default:
		m.pollQueues()
	}
}

// jumpTo moves every clock to a later time. It does not read the stream first, because nothing in a month waits for the
// stream.
func (m *month) jumpTo(to time.Time) {
	d := to.Sub(m.Now())
	if d <= 0 {
		return
	}
	m.Advance(d)
	m.Notef("clocks", "jump to %s", to.Format(time.RFC3339))
}

// planAction plans an action for any time of the month. Often that time is soon after a merchant's midnight, when
// payouts are made.
func (m *month) planAction(p *payee, do func()) time.Time {
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
		if !p.payable { // two operators set the payee's account
			m.planAction(p, p.newCommandAction("set_payout", fields{"holder": "Nr. 1", "iban": sandbox.PaidIBAN}, 2))
		}
		for n := range 2 + m.rng.IntN(4) {
			m.planSale(p, fmt.Sprintf("order-%d-%d", i, n))
		}
		if m.rng.IntN(5) == 0 {
			m.planRecall(p, fmt.Sprintf("recalled-%d", i))
		}
		for range 1 + m.rng.IntN(4) {
			m.planAction(p, p.newChangeAction())
		}
		if p.full {
			m.planAction(p, p.newAccountAction())
			m.planAction(p, p.newAccountAction())
		}
		if p.Live() {
			m.planAction(p, m.bank.newBankAction(p.Currency))
		}
	}
	for day := range nights {
		at := m.Now().Add(time.Duration(day+1) * m.end.Sub(m.Now()) / (nights + 1))
		m.agenda = append(m.agenda, action{at, func() { m.InvokeScheduled("reconcile") }})
	}
	slices.SortStableFunc(m.agenda, func(a, b action) int { return a.at.Compare(b.at) })
}

// nights is the number of nights in which reconcile runs. The first run proves the whole table.
const nights = 5

// planSale plans a payment and its refunds or chargebacks.
func (m *month) planSale(p *payee, name string) {
	s := p.newSale(name)
	paid := m.planAction(p, s.sell)
	often := []int{0, 0, 0, 1, 1, 2}
	if p.Live() {
		often = []int{0, 1, 1, 2, 2, 3}
	}
	for range often[m.rng.IntN(len(often))] {
		at := paid.Add(time.Duration(m.rng.Int64N(int64(12 * 24 * time.Hour))))
		m.agenda = append(m.agenda, action{at, s.newRefundAction(m.rng.IntN(4) == 0 && !p.Live())})
	}
}

// planRecall plans a payment, and many small refunds days later. There are so many refunds that a payout takes them in
// several steps.
func (m *month) planRecall(p *payee, name string) {
	s := p.newSale(name)
	paid := m.planAction(p, s.sell)
	m.agenda = append(m.agenda, action{paid.Add(time.Duration(24+m.rng.IntN(10*24)) * time.Hour),
		s.newRecallAction(33 + m.rng.IntN(40))})
}
