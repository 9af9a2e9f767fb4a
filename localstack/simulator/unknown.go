package simulator

import (
	"fmt"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

const (
	// unknownOutcomes is how many payments of a world have an outcome that is unknown
	// for 30 seconds, and how many refunds.
	unknownOutcomes = 10
	// unknownAmount has them so (contract §12).
	unknownAmount = "42.25"
	// maxSettleTime is how long it may take until they are settled.
	maxSettleTime = 45 * time.Second
	// lastBegins is when the last of them begins.
	lastBegins = 90 * time.Second
	// watchTime is long enough for the sweep to settle them alone.
	watchTime = lastBegins + 5*time.Minute
)

// unknownWorld is a world in which nothing fails, and event sources deliver with
// their usual delays.
type unknownWorld struct {
	*World
	shop  *shop
	begun map[string]time.Time // by the checkout that is paid, or the transaction that is refunded
	plan  []errand

	relayAt, queueAt, tickAt time.Time
}

func newUnknown(w *World) workload {
	w.faultProfile, w.rng = faultProfile{}, w.random(0)
	return &unknownWorld{World: w, begun: map[string]time.Time{}}
}

// Check checks all records.
func (f *unknownWorld) Check() { checkBooks(f.World) }

// Act makes payments and refunds of unknown outcome, at any time of a
// minute, and checks when they are settled.
func (f *unknownWorld) Act() {
	f.shop = openShops(f.World)[0]
	start := f.now()
	for n := range unknownOutcomes {
		paid, sold := f.scenario("paid", n, unknownAmount), f.scenario("sold", n, "100.00")
		f.run(clients, func() { paid.create(paid.name+"-shop", paid.rng) })
		f.run(clients, sold.sell)
		f.plan = append(f.plan, f.sometime(start, func() { f.pay(paid) }), f.sometime(start, func() { f.refund(sold) }))
	}
	f.steer(clients)
	f.tickAt = start.Add(time.Duration(f.rng.Int64N(int64(time.Minute))))
	for f.now().Before(start.Add(watchTime)) {
		f.pass(time.Duration(1+f.rng.IntN(200)) * time.Millisecond)
		f.step()
		f.steer(clients, sources)
	}
	f.checkSettled()
	recoverShops(f.World)
}

func (f *unknownWorld) scenario(what string, n int, amount string) *scenario {
	s := newScenario(f.World, f.shop, f.random(n+1), fmt.Sprintf(what+"-%d", n))
	s.amount = amount
	return s
}

// errand is what is done at a time.
type errand struct {
	at time.Time
	do func()
}

// sometime plans do for a random time shortly after start.
func (f *unknownWorld) sometime(start time.Time, do func()) errand {
	return errand{start.Add(time.Duration(f.rng.Int64N(int64(lastBegins)))), do}
}

// step does what is due by now.
func (f *unknownWorld) step() {
	now := f.now()
	for i, d := range f.plan {
		if d.do != nil && !now.Before(d.at) {
			f.plan[i].do = nil
			f.run(clients, d.do)
		}
	}
	if !now.Before(f.relayAt) {
		f.relayAt = now.Add(f.delay())
		f.relay()
	}
	if !now.Before(f.queueAt) {
		f.queueAt = now.Add(f.delay())
		f.consume()
	}
	if !now.Before(f.tickAt) {
		f.tickAt = f.tickAt.Add(time.Minute)
		f.tick()
	}
}

// delay is that of an event source: mostly below a second, and now and then, as
// on a function's cold start, several.
func (f *unknownWorld) delay() time.Duration {
	most := time.Second
	if f.rng.IntN(20) == 0 {
		most = 5 * time.Second
	}
	return time.Duration(f.rng.Int64N(int64(most)))
}

func (f *unknownWorld) pay(s *scenario) {
	f.begin(s.id)
	s.insist(s.name+"-till", client.Request{Method: "PUT", Path: s.path(), Body: setupFree})
}

func (f *unknownWorld) refund(s *scenario) {
	f.begin(s.transaction)
	s.refund(s.name+"-cashier", client.Request{Method: "POST", Path: "/v0.1/me/refund/" + s.transaction, APIKey: s.token,
		Body: fmt.Sprintf(`{"amount":%s}`, unknownAmount)})
}

func (f *unknownWorld) begin(id string) {
	now := f.now()
	f.record(func() { f.begun[id] = now })
}

// checkSettled records how long each took, and finds those that took too long.
func (f *unknownWorld) checkSettled() {
	settled := map[string]string{}
	for _, i := range f.scan() {
		switch {
		case strings.HasPrefix(i.text("sk"), "TRANSACTION#") && i.text("status") == "SUCCESSFUL":
			settled[i.text("checkout_id")] = i.text("updated_at")
		case strings.HasPrefix(i.text("sk"), "EVENT#") && i.text("status") == "REFUNDED":
			settled[i.text("transaction_id")] = i.text("updated_at")
		}
	}
	for _, id := range sorted(f.begun) {
		at, err := time.Parse(time.RFC3339Nano, settled[id])
		if err != nil {
			f.find(id, "not settled after %v", f.now().Sub(f.begun[id]))
			continue
		}
		took := at.Sub(f.begun[id])
		f.Settled = append(f.Settled, took)
		if took > maxSettleTime {
			f.find(id, "settled after %v, want %v", took, maxSettleTime)
		}
	}
}
