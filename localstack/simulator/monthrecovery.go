package simulator

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/functions"
)

// quietRounds bounds how long the platform may take to pay all merchants: parts of
// the latest payments become payable two months later.
const quietRounds = 60

// recover ends the faults, corrects what keeps merchants from being paid, and lets
// the platform pay everything that is and becomes payable.
func (m *month) recover() {
	m.endFaults()
	if len(m.Findings()) > 0 {
		return // what is out of order may never come to rest
	}
	m.jumpTo(m.now().Add(max(m.faultProfile.indexLag, functions.Payouts.Visibility)))
	m.run(clients, func() {
		for _, p := range m.payees {
			p.repair()
		}
	})
	m.steer(clients)
	repeated := false
	for range quietRounds {
		next, _ := m.due()
		swept := m.nextDue()
		if next.IsZero() || !swept.IsZero() && swept.Before(next) {
			next = swept
		}
		if m.queued() {
			next = m.now().Add(functions.Payouts.Visibility)
		}
		m.jumpTo(later(next, m.now().Add(time.Minute)))
		m.invokeScheduled("payoutplan")
		if !swept.IsZero() {
			m.invokeScheduled("sweep")
		}
		m.steer(sources)
		for m.poll("payoutopen", 1) || m.poll("payoutrun", 2) ||
			m.poll("mails", 2) {
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
		case repeated:
			return
		default:
			repeated = true
			m.run(clients, func() { repeatChargebacks(m.World) })
			m.steer(clients)
		}
	}
	m.find("", "not settled after %d quiet rounds", quietRounds)
}

// settled says whether nothing is under way, and nothing waits but what was carried.
func (m *month) settled() bool {
	if _, open := m.due(); open || !m.nextDue().IsZero() || m.queued() {
		return false
	}
	return !m.hasWork()
}

// hasWork says whether a payout would have something to do, now or later.
func (m *month) hasWork() bool {
	return slices.ContainsFunc(m.payees, func(p *payee) bool { return p.waits() })
}
