package simulator

import "fmt"

// everything is the workload of payments by all methods.
type everything struct{ *World }

// newEverything makes the workload.
func newEverything(w *World) workload { return everything{w} }

// Check checks all records.
func (w everything) Check() { checkBooks(w.World) }

// Act starts the clients of one to three scenarios.
func (w everything) Act() {
	shops := openShops(w.World)
	w.faultsOn = true
	for n := range 1 + w.rng.IntN(3) {
		s := newOrder(w.World, pickShop(w.World, shops), w.random(n+1), fmt.Sprintf("order-%d", n))
		s.amount = amounts[s.rng.IntN(len(amounts))]
		if w.random(100+n).IntN(4) == 0 { // random numbers of its own: it came later
			s.returns = returns
		}
		switch {
		case s.currency == "EUR" && s.rng.IntN(4) == 0:
			s.useSavedCard()
			continue
		case s.rng.IntN(10) == 0:
			s.administer()
			continue
		}
		s.method = s.pickMethod()
		s.startClients()
	}
	recoverShops(w.World)
}
