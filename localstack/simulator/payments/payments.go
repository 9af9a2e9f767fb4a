// Package payments simulates payments by all methods.
package payments

import (
	"fmt"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// everything is the workload of payments by all methods.
type everything struct{ *simulator.World }

// New makes the workload.
func New(w *simulator.World) simulator.Workload { return everything{w} }

// Check checks all records.
func (w everything) Check() { books.Check(w.World) }

// Act starts the clients of one to three scenarios.
func (w everything) Act() {
	all := shops.Open(w.World)
	w.FaultsOn = true
	for n := range 1 + w.RNG.IntN(3) {
		s := newOrder(w.World, shops.Pick(w.World, all), w.Random(n+1), fmt.Sprintf("order-%d", n))
		s.Amount = amounts[s.RNG.IntN(len(amounts))]
		if w.Random(100+n).IntN(4) == 0 { // random numbers of its own: it came later
			s.Returns = shops.Returns
		}
		switch {
		case s.Currency == "EUR" && s.RNG.IntN(4) == 0:
			s.useSavedCard()
			continue
		case s.RNG.IntN(10) == 0:
			s.administer()
			continue
		}
		s.method = s.pickMethod()
		s.startClients()
	}
	shops.Recover(w.World)
}
