package simulator

import (
	"fmt"
)

// Amounts that are captured, in the shops' currencies. Two of the
// largest cost so much of a fee that their refunds would leave a live merchant
// below the minimum balance (contract §6.4, §6.7).
var (
	captures = []string{"100.00", "84.50", "30.00", "126.73"}

	largeCapture = "60000.00"
	largeReturns = []string{"", "", "30000.00", "30000.00", "25000.00", "42.91"}
)

// refundSales is the workload of refunds.
type refundSales struct{ *World }

func newRefundSales(w *World) workload {
	w.liveCards = true
	return refundSales{w}
}

// Check checks all records.
func (w refundSales) Check() { checkBooks(w.World) }

// Act has one or two transactions paid, and then all of them refunded.
func (w refundSales) Act() {
	shops := openShops(w.World)
	var sales []*scenario
	shop, many := pickShop(w.World, shops), 1+w.rng.IntN(4)/3
	if shop.live() {
		many = 2
	}
	for n := range many {
		s := newScenario(w.World, shop, w.random(n+1), fmt.Sprintf("order-%d", n))
		s.amount, s.returns = captures[s.rng.IntN(len(captures))], returns
		if shop.live() {
			s.amount, s.returns = largeCapture, largeReturns
		}
		sales = append(sales, s)
		w.run(clients, s.sell)
		w.steer(clients)
	}
	w.faultProfile.streamDies = true // nothing here waits for it, and it costs a third of the time
	w.faultsOn = true
	for _, s := range sales {
		s.requestRefunds(s.rng)
	}
	recoverShops(w.World)
}
