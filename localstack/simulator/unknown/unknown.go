// Package unknown simulates payments and refunds of unknown outcome, without other faults. Use New with simulator.Run.
package unknown

import (
	"fmt"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

const (
	unknownOutcomes = 10                         // number of payments, and of refunds
	unknownAmount   = "42.25"                    // its outcome is unknown for 30 seconds (contract §12)
	maxSettleTime   = 45 * time.Second           // limit for the settlement of a payment or refund
	lastBegins      = 90 * time.Second           // the last payment or refund begins by then
	watchTime       = lastBegins + 5*time.Minute // long enough for the sweep alone to settle everything
)

// unknownWorld is a world without faults. Event sources deliver with their usual delays.
type unknownWorld struct {
	*simulator.World
	shop  *shops.Shop
	begun map[string]time.Time // by the checkout to pay, or the transaction to refund
	plan  []errand

	relayAt, queueAt, tickAt time.Time
}

// New returns the workload.
func New(w *simulator.World) simulator.Workload {
	w.FaultProfile, w.RNG = simulator.FaultProfile{}, w.Random(0)
	return &unknownWorld{World: w, begun: map[string]time.Time{}}
}

func (f *unknownWorld) Check() { books.Check(f.World) }

// Act starts payments and refunds of unknown outcome at random times in 90 seconds, and checks when they are settled.
func (f *unknownWorld) Act() {
	f.shop = shops.Open(f.World)[0]
	start := f.Now()
	for n := range unknownOutcomes {
		paid, sold := f.newScenario("paid", n, unknownAmount), f.newScenario("sold", n, "100.00")
		f.Go(simulator.Clients, func() { paid.Create(paid.Name+"-shop", paid.RNG) })
		f.Go(simulator.Clients, sold.Sell)
		f.plan = append(f.plan, f.newErrand(start, func() { f.pay(paid) }), f.newErrand(start, func() { f.refund(sold) }))
	}
	f.Steer(simulator.Clients)
	f.tickAt = start.Add(time.Duration(f.RNG.Int64N(int64(time.Minute))))
	for f.Now().Before(start.Add(watchTime)) {
		f.Pass(time.Duration(1+f.RNG.IntN(200)) * time.Millisecond)
		f.runDue()
		f.Steer(simulator.Clients, simulator.Sources)
	}
	f.checkSettled()
	shops.Recover(f.World)
}

func (f *unknownWorld) newScenario(what string, n int, amount string) *shops.Scenario {
	s := shops.NewScenario(f.World, f.shop, f.Random(n+1), fmt.Sprintf(what+"-%d", n))
	s.Amount = amount
	return s
}

type errand struct {
	at time.Time
	do func()
}

func (f *unknownWorld) newErrand(start time.Time, do func()) errand {
	return errand{start.Add(time.Duration(f.RNG.Int64N(int64(lastBegins)))), do}
}

func (f *unknownWorld) runDue() {
	now := f.Now()
	for i, d := range f.plan {
		if d.do != nil && !now.Before(d.at) {
			f.plan[i].do = nil
			f.Go(simulator.Clients, d.do)
		}
	}
	if !now.Before(f.relayAt) {
		f.relayAt = now.Add(f.pickDelay())
		f.Relay()
	}
	if !now.Before(f.queueAt) {
		f.queueAt = now.Add(f.pickDelay())
		f.Consume()
	}
	if !now.Before(f.tickAt) {
		f.tickAt = f.tickAt.Add(time.Minute)
		f.Tick()
	}
}

// pickDelay picks the delay of an event source: mostly below a second, and sometimes several, as on a cold start.
func (f *unknownWorld) pickDelay() time.Duration {
	most := time.Second
	if f.RNG.IntN(20) == 0 {
		most = 5 * time.Second
	}
	return time.Duration(f.RNG.Int64N(int64(most)))
}

func (f *unknownWorld) pay(s *shops.Scenario) {
	f.recordStart(s.ID)
	s.Insist(s.Name+"-till", client.Request{Method: "PUT", Path: s.CheckoutPath(), Body: shops.SetupFree})
}

func (f *unknownWorld) refund(s *shops.Scenario) {
	f.recordStart(s.Transaction)
	s.Refund(s.Name+"-cashier", client.Request{Method: "POST", Path: "/v0.1/me/refund/" + s.Transaction, APIKey: s.Token,
		Body: fmt.Sprintf(`{"amount":%s}`, unknownAmount)})
}

func (f *unknownWorld) recordStart(id string) {
	now := f.Now()
	f.Record(func() { f.begun[id] = now })
}

// checkSettled records the time that each payment and refund took to settle, and reports slow settlements.
func (f *unknownWorld) checkSettled() {
	settled := map[string]string{}
	for _, i := range f.Scan() {
		switch {
		case strings.HasPrefix(i.Text("sk"), "TRANSACTION#") && i.Text("status") == "SUCCESSFUL":
			settled[i.Text("checkout_id")] = i.Text("updated_at")
		case strings.HasPrefix(i.Text("sk"), "EVENT#") && i.Text("status") == "REFUNDED":
			settled[i.Text("transaction_id")] = i.Text("updated_at")
		}
	}
	for _, id := range simulator.Sorted(f.begun) {
		at, err := time.Parse(time.RFC3339Nano, settled[id])
		if err != nil {
			f.Find(id, "not settled after %v", f.Now().Sub(f.begun[id]))
			continue
		}
		took := at.Sub(f.begun[id])
		f.Settled = append(f.Settled, took)
		if took > maxSettleTime {
			f.Find(id, "settled after %v, want %v", took, maxSettleTime)
		}
	}
}
