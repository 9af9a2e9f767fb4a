package simulator

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/functions"
)

// calmRounds bounds how long the platform may take to pay everybody: parts of
// the latest payments become payable two months later.
const calmRounds = 60

// calmDown ends the storm, mends what keeps merchants from being paid, and lets
// the platform pay everything that is and becomes payable.
func (m *month) calmDown() {
	m.stormy = false
	m.notef("storm", "is over")
	m.steer(clients, sources, stragglers)
	if len(m.Findings()) > 0 {
		return // what is out of order may never come to rest
	}
	m.table.SetIndexLag(0)
	m.leap(m.now().Add(max(m.weather.indexLag, functions.Payouts.Visibility)))
	m.run(clients, func() {
		for _, p := range m.payees {
			p.mend()
		}
	})
	m.steer(clients)
	for range calmRounds {
		next, _ := m.due()
		swept := m.nextDue()
		if next.IsZero() || !swept.IsZero() && swept.Before(next) {
			next = swept
		}
		if !m.empty(m.config.PayoutQueue) {
			next = m.now().Add(functions.Payouts.Visibility)
		}
		m.leap(later(next, m.now().Add(time.Minute)))
		m.wake("payoutplan")
		if !swept.IsZero() {
			m.wake("sweep")
		}
		m.steer(sources)
		for m.poll("payoutrun", m.config.PayoutQueue, 2) {
			m.steer(sources)
		}
		for _, p := range m.payees {
			if p.live() {
				m.bank.work(p.currency)()
				m.steer(clients)
			}
		}
		switch {
		case len(m.Findings()) > 0:
			return
		case !m.settled():
		case m.disputed:
			return
		default:
			m.disputed = true
			m.run(clients, m.disputeAgain)
			m.steer(clients)
		}
	}
	m.find("", "not settled after %d quiet rounds", calmRounds)
}

// settled says nothing is under way, and nothing waits but what was carried.
func (m *month) settled() bool {
	if _, open := m.due(); open || !m.nextDue().IsZero() || !m.empty(m.config.PayoutQueue) {
		return false
	}
	return !m.owing()
}

// owing says a payout would have something to do, now or later.
func (m *month) owing() bool {
	return slices.ContainsFunc(m.payees, func(p *payee) bool { return p.waits() })
}
