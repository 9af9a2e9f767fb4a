package month

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// quietRounds bounds how long all may take to be paid: parts of the latest payments become payable two months later.
const quietRounds = 60

// recover ends the faults, corrects what keeps merchants from being paid, and lets the platform pay everything.
func (m *month) recover() {
	m.EndFaults()
	if len(m.Findings()) > 0 {
		return // what is out of order may never come to rest
	}
	m.jumpTo(m.Now().Add(max(m.FaultProfile.IndexLag, functions.Payouts.Visibility)))
	m.Go(simulator.Clients, func() {
		for _, p := range m.payees {
			p.repair()
		}
	})
	m.Steer(simulator.Clients)
	repeated := false
	for range quietRounds {
		next, _ := m.due()
		swept := m.NextDue()
		if next.IsZero() || !swept.IsZero() && swept.Before(next) {
			next = swept
		}
		if m.queued() {
			next = m.Now().Add(functions.Payouts.Visibility)
		}
		m.jumpTo(later(next, m.Now().Add(time.Minute)))
		m.InvokeScheduled("payoutplan")
		if !swept.IsZero() {
			m.InvokeScheduled("sweep")
		}
		m.Steer(simulator.Sources)
		for m.Poll("payoutopen", 1) || m.Poll("payoutrun", 2) || m.Poll("mails", 2) {
			m.Steer(simulator.Sources)
		}
		for _, p := range m.payees {
			if p.Live() {
				m.bank.work(p.Currency)()
				m.Steer(simulator.Clients)
			}
		}
		_, open := m.due()
		switch {
		case len(m.Findings()) > 0:
			return
		case open || !m.NextDue().IsZero() || m.queued() || m.hasWork(): // what was carried may wait
		case repeated:
			return
		default:
			repeated = true
			m.Go(simulator.Clients, func() { shops.RepeatChargebacks(m.World) })
			m.Steer(simulator.Clients)
		}
	}
	m.Find("", "not settled after %d quiet rounds", quietRounds)
}

// hasWork reports whether a payout would have something to do, now or later.
func (m *month) hasWork() bool {
	return slices.ContainsFunc(m.payees, func(p *payee) bool { return p.waits() })
}
