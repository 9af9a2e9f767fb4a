package month

import (
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// quietRounds limits the rounds until everything is paid. Parts of the latest payments become payable two months later.
const quietRounds = 60

// settleAll ends the faults, and repairs payees that cannot be paid. Then it lets the platform pay everything.
func (m *month) settleAll() {
	m.EndFaults()
	if len(m.Findings()) > 0 {
		return // after a violation a world might never come to rest
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
		next, _ := m.findDue()
		swept := m.NextDue()
		if next.IsZero() || !swept.IsZero() && swept.Before(next) {
			next = swept
		}
		if m.hasMessages() {
			next = m.Now().Add(functions.Payouts.Visibility)
		}
		m.jumpTo(later(next, m.Now().Add(time.Minute)))
		m.InvokeScheduled("payoutplan")
		if !swept.IsZero() {
			m.InvokeScheduled("sweep")
		}
		m.Steer(simulator.Sources)
		for m.Poll("payoutopen", 1) || m.Poll("payoutrun", 2) || m.Poll("mails", 2) || m.Poll("prove", 1) {
			m.Steer(simulator.Sources)
		}
		for _, p := range m.payees {
			if p.Live() {
				m.bank.newBankAction(p.Currency)()
				m.Steer(simulator.Clients)
			}
		}
		_, open := m.findDue()
		switch {
		case len(m.Findings()) > 0:
			return
		case open || !m.NextDue().IsZero() || m.hasMessages() || m.hasWork(): // only carried payables can still wait at rest
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

// hasWork returns true if a payout would have something to do, now or later.
func (m *month) hasWork() bool {
	return slices.ContainsFunc(m.payees, func(p *payee) bool { return p.hasPayables() })
}
