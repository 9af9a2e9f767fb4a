// Package hanging simulates receivers that take callbacks and do not answer.
package hanging

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// hanging is the workload in which one merchant's receivers never answer, while another's callbacks are to be in time.
// The event sources are prompt, only the queue has faults, and the consumers do not suffice for all that hangs.
type hanging struct {
	*simulator.World
	rng    *rand.Rand           // the workload's own, apart from the scheduler's
	hosts  int                  // that hang; one, or many
	prompt map[string]time.Time // since when callbacks of the other merchant are due, by checkout
	tried  int                  // at receivers that hang
}

const (
	hangingCalls = 4                // calls of the callbacks' consumer at a time, which hold half of what hangs, or less
	promptly     = 12 * time.Second // a try that hangs, which a call sits out, and some time for stream, queue and table
	hangingTime  = 2 * time.Minute  // how long the receivers hang
	// mostHanging bounds the tries at one host in this time: of each call as many
	// as one merchant has slots, for the first ten seconds, and then the probes.
	mostHanging = hangingCalls*webhook.PerTenant + 6
	hangingHost = "hanging-" // begins the names of those that hang
)

// New switches all faults off but those of the queue.
func New(w *simulator.World) simulator.Workload {
	w.FaultProfile = simulator.FaultProfile{Sticky: w.FaultProfile.Sticky, Duplicates: w.FaultProfile.Duplicates}
	w.IdleDoublings = 7 // what is late is measured
	h := &hanging{World: w, rng: w.Random(2_000), hosts: 1, prompt: map[string]time.Time{}}
	if w.Seed%2 == 0 {
		h.hosts = 1000 // a host of its own for each
	}
	w.Hangs = h.hangs
	return h
}

func (h *hanging) Check() { books.Check(h.World) }

// hangs reports whether a receiver hangs, and counts the tries at those.
func (h *hanging) hangs(host string) bool {
	if !h.FaultsOn || !strings.HasPrefix(host, hangingHost) {
		return false
	}
	h.Record(func() { h.tried++ })
	return true
}

// Act has 80 to 120 callbacks hang, and a few others due meanwhile.
func (h *hanging) Act() {
	all := shops.Open(h.World)
	h.FaultsOn = true
	attacker, victim := all[0], all[1]
	if h.rng.IntN(2) == 0 {
		attacker, victim = victim, attacker
	}
	for n := range 80 + h.rng.IntN(40) {
		host := fmt.Sprintf("%s%d.example.com", hangingHost, n%h.hosts)
		h.Go(simulator.Clients, func() { h.makeCallback(attacker, fmt.Sprintf("attack-%d", n), host) })
	}
	for n := range 4 + h.rng.IntN(4) {
		pause := time.Duration(h.rng.IntN(60_000)) * time.Millisecond
		h.Go(simulator.Clients, func() {
			h.Pass(pause)
			actor := fmt.Sprintf("order-%d", n)
			id := h.makeCallback(victim, actor, "shop.example.com")
			since := h.Now()
			h.Record(func() { h.prompt[id] = since })
		})
	}
	h.Go(simulator.Clients, func() { h.Pass(hangingTime) })
	h.Steer(simulator.Clients)
	h.checkHanging()
	shops.Recover(h.World)
}

// makeCallback makes a callback of a shop to a host due.
func (h *hanging) makeCallback(s *shops.Shop, actor, host string) (checkout string) {
	made := h.Send(actor, s.Tenant, client.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: s.Token,
		Body: fmt.Sprintf(`{"checkout_reference":%q,"amount":10.10,"currency":%q,"merchant_code":%q,`+
			`"return_url":"https://%s/hook"}`, actor, s.Currency, s.Merchant, host)}).View().ID
	h.Send(actor, s.Tenant, client.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + made, APIKey: s.Token})
	return made
}

// Interfere has the event sources call as soon as there is something to do.
func (h *hanging) Interfere() {
	h.Relay()
	if h.Now().Sub(h.LastTick) >= time.Minute {
		h.Tick()
	}
	if h.Consuming.Load() < hangingCalls {
		h.Poll("callbacks", 10)
	}
}

// checkHanging: callbacks to receivers that answer are prompt; tries at a host that hangs are bounded.
func (h *hanging) checkHanging() {
	arrived := map[string]time.Time{}
	for _, d := range h.Received {
		if first, ok := arrived[d.Checkout]; !ok || d.At.Before(first) {
			arrived[d.Checkout] = d.At
		}
	}
	for _, id := range simulator.Sorted(h.prompt) {
		since := h.prompt[id]
		switch at, ok := arrived[id]; {
		case !ok:
			h.Find(id, "callback due since %v never came", since)
		case at.Sub(since) > promptly:
			h.Find(id, "callback due since %v came %v later", since, at.Sub(since))
		}
	}
	if h.hosts == 1 && h.tried > mostHanging {
		h.Find("", "a host that hangs was tried %d times", h.tried)
	}
}
