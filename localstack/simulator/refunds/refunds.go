// Package refunds simulates many refunds of transactions that were paid before the faults begin. Package linear checks
// the answers that all clients got about a transaction's refunds (books.Check). Use New with simulator.Run.
package refunds

import (
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// Amounts of captures, in the shops' currencies. The fees of two captures of largeCapture are so high that refunds of
// both would leave a live merchant below the minimum balance (contract §6.4, §6.7).
var (
	captures = []string{"100.00", "84.50", "30.00", "126.73"}

	largeCapture = "60000.00"
	largeReturns = []string{"", "", "30000.00", "30000.00", "25000.00", "42.91"}
)

type refundSales struct {
	*simulator.World
	nights bool // prove proves the records
}

// In one of withNights worlds prove proves the records. That takes longer than the rest of the simulation.
const withNights = 8

// New returns the workload.
func New(w *simulator.World) simulator.Workload {
	w.GoLiveAtSandbox()
	return &refundSales{World: w}
}

func (w *refundSales) Check() {
	books.Check(w.World)
	books.Reconcile(w.World)
	if w.nights {
		books.Nights(w.World)
		books.NightsLater(w.World)
	}
}

// Act pays one or two transactions, and then starts refunds of each.
func (w *refundSales) Act() {
	all := shops.Open(w.World)
	var sales []*shops.Scenario
	shop, many := shops.Pick(w.World, all), 1+w.RNG.IntN(4)/3
	if shop.Live() {
		many = 2
	}
	for n := range many {
		s := shops.NewScenario(w.World, shop, w.Random(n+1), fmt.Sprintf("order-%d", n))
		s.Amount, s.Returns = captures[s.RNG.IntN(len(captures))], shops.Returns
		if shop.Live() {
			s.Amount, s.Returns = largeCapture, largeReturns
		}
		sales = append(sales, s)
		w.Go(simulator.Clients, s.Sell)
		w.Steer(simulator.Clients)
	}
	if w.nights = w.RNG.IntN(withNights) == 0; w.nights {
		for range 2 { // then the nights after the refunds prove only what has changed
			books.Night(w.World)
			w.Jump(time.Hour)
		}
	}
	w.FaultProfile.StreamDies = true // the checks do not need the stream, and reading it takes a third of the time
	w.FaultsOn = true
	for _, s := range sales {
		s.RequestRefunds(s.RNG)
	}
	shops.Recover(w.World)
}
