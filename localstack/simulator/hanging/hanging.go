// Package hanging simulates receivers that accept callbacks and do not answer. Use New with simulator.Run.
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

// hanging is the workload of receivers that never answer. Meanwhile, another merchant's callbacks must arrive in time.
// Event sources run as soon as they have work, and only the queue has faults. If all hanging callbacks were tried at
// once, there would be too few consumers.
type hanging struct {
	*simulator.World
	rng    *rand.Rand           // separate from the scheduler's
	hosts  int                  // number of hosts that hang: one, or many
	prompt map[string]time.Time // when callbacks of the other merchant became due, by checkout
	tried  int                  // calls of hosts that hang
}

const (
	hangingCalls = 4                // parallel calls of the consumer; they hold at most half of the hanging callbacks
	promptly     = 12 * time.Second // time limit of one try, and some time for stream, queue and table
	hangingTime  = 2 * time.Minute  // duration of the hanging
	// mostHanging limits the tries at one host in hangingTime. The first tries time out after ten seconds. Until then,
	// each of the consumer's calls may take all slots that the host has for one merchant. Afterwards the breaker is open
	// and admits only a few probes.
	mostHanging = hangingCalls*webhook.PerTenant + 6
	hangingHost = "hanging-" // prefix of the names of hosts that hang
)

// New returns the workload. It switches off all faults except those of the queue.
func New(w *simulator.World) simulator.Workload {
	w.FaultProfile = simulator.FaultProfile{Sticky: w.FaultProfile.Sticky, Duplicates: w.FaultProfile.Duplicates}
	w.IdleDoublings = 7 // keeps idle waits short, because lateness is measured
	h := &hanging{World: w, rng: w.Random(2_000), hosts: 1, prompt: map[string]time.Time{}}
	if w.Seed%2 == 0 {
		h.hosts = 1000 // one host for each callback
	}
	w.Hangs = h.hangs
	return h
}

func (h *hanging) Check() { books.Check(h.World) }

// hangs returns true if a receiver hangs, and counts such tries.
func (h *hanging) hangs(host string) bool {
	if !h.FaultsOn || !strings.HasPrefix(host, hangingHost) {
		return false
	}
	h.Record(func() { h.tried++ })
	return true
}

// Act creates 80 to 119 callbacks that hang, and a few others that are due meanwhile.
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

// makeCallback creates a checkout with callbacks to a host, and deactivates the checkout, so that a callback is due.
func (h *hanging) makeCallback(s *shops.Shop, actor, host string) (checkout string) {
	made := h.Send(actor, s.Tenant, client.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: s.Token,
		Body: fmt.Sprintf(`{"checkout_reference":%q,"amount":10.10,"currency":%q,"merchant_code":%q,`+
			`"return_url":"https://%s/hook"}`, actor, s.Currency, s.Merchant, host)}).View().ID
	h.Send(actor, s.Tenant, client.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + made, APIKey: s.Token})
	return made
}

// Interfere runs each event source as soon as the source has work.
func (h *hanging) Interfere() {
	h.Relay()
	if h.Now().Sub(h.LastTick) >= time.Minute {
		h.Tick()
	}
	if h.Consuming.Load() < hangingCalls {
		h.Poll("callbacks", 10)
	}
}

// checkHanging checks that callbacks to other receivers are prompt, and that tries at a host that hangs are limited.
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
