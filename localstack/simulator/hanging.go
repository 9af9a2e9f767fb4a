package simulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// hanging is the workload in which one merchant's receivers take every
// callback and never answer, while another's are to have theirs in time. The
// event sources are prompt, and the only faults are those of the queue; but the
// consumers are few, so that they do not suffice for all that hangs.
type hanging struct {
	*World
	rng    *rand.Rand           // the workload's own, apart from the scheduler's
	hosts  int                  // that hang; one, or many
	prompt map[string]time.Time // since when callbacks of the other merchant are due, by checkout
	tried  int                  // at receivers that hang
}

const (
	// hangingCalls is how many calls of the callbacks' consumer are made at a
	// time. They hold half of what hangs, or less.
	hangingCalls = 4
	// promptly is as long as a try that hangs, which a call has to sit out, and
	// some time for stream, queue and table.
	promptly = 12 * time.Second
	// hangingTime is how long the receivers hang.
	hangingTime = 2 * time.Minute
	// mostHanging bounds the tries at one host in this time: of each call as many
	// as one merchant has slots, for the first ten seconds, and then the probes.
	mostHanging = hangingCalls*webhook.PerTenant + 6
	// hangingHost begins the names of those that hang.
	hangingHost = "hanging-"
)

// newHanging switches all faults off but those of the queue.
func newHanging(w *World) workload {
	w.faultProfile = faultProfile{sticky: w.faultProfile.sticky, duplicates: w.faultProfile.duplicates}
	w.idleDoublings = 7 // what is late is measured
	h := &hanging{World: w, rng: w.random(2_000), hosts: 1, prompt: map[string]time.Time{}}
	if w.seed%2 == 0 {
		h.hosts = 1000 // a host of its own for each
	}
	w.hangs = h.hangs
	return h
}

// Check checks all records.
func (h *hanging) Check() { checkBooks(h.World) }

// hangs reports whether a receiver hangs, and counts the tries at those.
func (h *hanging) hangs(host string) bool {
	if !h.faultsOn || !strings.HasPrefix(host, hangingHost) {
		return false
	}
	h.record(func() { h.tried++ })
	return true
}

// Act has 80 to 120 callbacks hang, and a few others due meanwhile.
func (h *hanging) Act() {
	shops := openShops(h.World)
	h.faultsOn = true
	attacker, victim := shops[0], shops[1]
	if h.rng.IntN(2) == 0 {
		attacker, victim = victim, attacker
	}
	for n := range 80 + h.rng.IntN(40) {
		host := fmt.Sprintf("%s%d.example.com", hangingHost, n%h.hosts)
		h.run(clients, func() { h.makeCallback(attacker, fmt.Sprintf("attack-%d", n), host) })
	}
	for n := range 4 + h.rng.IntN(4) {
		pause := time.Duration(h.rng.IntN(60_000)) * time.Millisecond
		h.run(clients, func() {
			h.pass(pause)
			actor := fmt.Sprintf("order-%d", n)
			id := h.makeCallback(victim, actor, "shop.example.com")
			since := h.now()
			h.record(func() { h.prompt[id] = since })
		})
	}
	h.run(clients, func() { h.pass(hangingTime) })
	h.steer(clients)
	h.checkHanging()
	recoverShops(h.World)
}

// makeCallback makes a callback of a shop to a host due.
func (h *hanging) makeCallback(s *shop, actor, host string) (checkout string) {
	made := h.send(actor, s.tenant, client.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: s.token,
		Body: fmt.Sprintf(`{"checkout_reference":%q,"amount":10.10,"currency":%q,"merchant_code":%q,`+
			`"return_url":"https://%s/hook"}`, actor, s.currency, s.merchant, host)}).view().ID
	h.send(actor, s.tenant, client.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + made, APIKey: s.token})
	return made
}

// Interfere has the event sources call as soon as there is something to do.
func (h *hanging) Interfere() {
	h.relay()
	if h.now().Sub(h.lastTick) >= time.Minute {
		h.tick()
	}
	if h.consuming.Load() < hangingCalls {
		h.poll("callbacks", 10)
	}
}

// checkHanging: a receiver that answers has had its callbacks promptly, and one
// that does not was tried no more often than it takes to know.
func (h *hanging) checkHanging() {
	arrived := map[string]time.Time{}
	for _, d := range h.received {
		if first, ok := arrived[d.Checkout]; !ok || d.at.Before(first) {
			arrived[d.Checkout] = d.at
		}
	}
	for _, id := range sorted(h.prompt) {
		since := h.prompt[id]
		switch at, ok := arrived[id]; {
		case !ok:
			h.find(id, "callback due since %v never came", since)
		case at.Sub(since) > promptly:
			h.find(id, "callback due since %v came %v later", since, at.Sub(since))
		}
	}
	if h.hosts == 1 && h.tried > mostHanging {
		h.find("", "a host that hangs was tried %d times", h.tried)
	}
}
