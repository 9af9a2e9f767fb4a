package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	// unknowns is how many payments of a world have an outcome that nobody knows
	// for 30 seconds, and how many refunds.
	unknowns = 10
	// unknownAmount has them so (contract §12).
	unknownAmount = "42.25"
	// promised is how long it may take until they are settled.
	promised = 45 * time.Second
	// within is when the last of them begins.
	within = 90 * time.Second
	// watched is long enough for the sweep to settle them alone.
	watched = within + 5*time.Minute
)

// fair is the life of a world in fair weather: nothing fails, and what the event
// sources bring takes as long as on any day.
type fair struct {
	*World
	begun map[string]time.Time // by the checkout that is paid, or the transaction that is refunded
	deeds []deed

	relayAt, queueAt, tickAt time.Time
}

// playUnknown has payments and refunds of unknown outcome made, at any time of
// a minute, and looks when they are settled.
func (w *World) playUnknown() {
	f := &fair{World: w, begun: map[string]time.Time{}}
	start := w.now()
	for n := range unknowns {
		paid, sold := f.story("paid", n, unknownAmount), f.story("sold", n, "100.00")
		w.run(clients, func() { paid.create(paid.name+"-shop", paid.dice) })
		w.run(clients, sold.sell)
		f.deeds = append(f.deeds, f.some(start, func() { f.pay(paid) }), f.some(start, func() { f.giveBack(sold) }))
	}
	w.steer(clients)
	f.tickAt = start.Add(time.Duration(w.dice.Int64N(int64(time.Minute))))
	for w.now().Before(start.Add(watched)) {
		w.pass(time.Duration(1+w.dice.IntN(200)) * time.Millisecond)
		f.stir()
		w.steer(clients, sources)
	}
	f.judge()
}

func (f *fair) story(what string, n int, amount string) *story {
	return &story{World: f.World, name: fmt.Sprintf("%s-%d", what, n), shop: f.shops[0], amount: amount, method: "card",
		dice: rand.New(rand.NewPCG(f.seed, uint64(n+1))), created: make(chan struct{})}
}

// some is a deed of some time.
func (f *fair) some(start time.Time, do func()) deed {
	return deed{start.Add(time.Duration(f.dice.Int64N(int64(within)))), do}
}

// stir has done whatever it is time for.
func (f *fair) stir() {
	now := f.now()
	for i, d := range f.deeds {
		if d.do != nil && !now.Before(d.at) {
			f.deeds[i].do = nil
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
func (f *fair) delay() time.Duration {
	most := time.Second
	if f.dice.IntN(20) == 0 {
		most = 5 * time.Second
	}
	return time.Duration(f.dice.Int64N(int64(most)))
}

func (f *fair) pay(s *story) {
	f.begin(s.id)
	s.insist(s.name+"-till", request{Method: "PUT", Path: s.path(), Body: setupFree})
}

func (f *fair) giveBack(s *story) {
	f.begin(s.transaction)
	s.refund(s.name+"-cashier", request{Method: "POST", Path: "/v0.1/me/refund/" + s.transaction, Token: s.token,
		Body: fmt.Sprintf(`{"amount":%s}`, unknownAmount)})
}

func (f *fair) begin(id string) {
	now := f.now()
	f.record(func() { f.begun[id] = now })
}

// judge notes how long each took, and finds what took too long.
func (f *fair) judge() {
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
		if took > promised {
			f.find(id, "settled after %v; promised is %v", took, promised)
		}
	}
}
