package simulator

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

type kind int // the callee of an I/O

// The kinds of I/O, and the moves and replies of clients.
const (
	toTable kind = iota
	toQueue
	toSandbox // the records of the sandbox's acquirer and bank
	toAcquirer
	toReceiver
	toPlatform // a client's request
	ToClient   // the reply to a client
	move       // a client, or a late delivery, continues
	toBank
	toHanging // a receiver that never answers
	toMail
	toTerminal
	toObjects // the platform's calls to S3, which can have the faults of calls to the table except conflicts
	ToLink    // a client's upload or download by a link
	kinds
)

var kindNames = [...]string{"table", "queue", "sandbox", "acquirer", "receiver", "platform", "client", "move",
	"bank", "hanging receiver", "mail", "terminal", "objects", "link"}

func (k kind) String() string { return kindNames[k] }

// callFaults lists the faults that calls of a function can have that may arrive late.
var callFaults = []faults.Fault{faults.FailBefore, faults.LoseReply, faults.ArriveLate, faults.Throttle, faults.Hang,
	faults.DieBefore, faults.DieAfter}

// oneWayFaults lists the faults of calls that must not arrive late.
var oneWayFaults = []faults.Fault{faults.FailBefore, faults.LoseReply, faults.Throttle, faults.Hang, faults.DieBefore,
	faults.DieAfter}

// possible lists the possible faults of each kind of I/O. Counterparties' calls to their own records never hang or
// arrive late.
var possible = [kinds][]faults.Fault{
	toTable: {faults.FailBefore, faults.LoseReply, faults.ArriveLate, faults.Throttle, faults.Conflict, faults.Hang,
		faults.DieBefore, faults.DieAfter},
	toSandbox:  {faults.FailBefore, faults.LoseReply, faults.Throttle, faults.Conflict},
	toQueue:    callFaults,
	toAcquirer: callFaults,
	toBank:     callFaults,
	toTerminal: callFaults,
	toObjects:  callFaults,
	toMail:     oneWayFaults,
	toReceiver: oneWayFaults,
	toPlatform: {faults.FailBefore, faults.Duplicate},
	ToClient:   {faults.LoseReply},
	ToLink:     {faults.FailBefore, faults.ArriveLate, faults.Duplicate},
}

// FaultProfile contains the faults that one seed switches on, and their rates.
type FaultProfile struct {
	on   [faults.Count]bool
	Rate float64 // share of I/O that has a fault

	Sticky      float64 // probability that the last actor gets the next turn too
	Skews       bool    // processes' clocks differ
	Jumps       float64 // probability of a clock jump at each step
	StreamDies  bool    // the function relay gets no records
	queueSleeps bool    // messages come hours late
	Duplicates  bool    // the queue delivers messages twice, and in any order
	IndexLag    time.Duration
	ttlLag      time.Duration
	Sources     float64 // probability at each step that event sources run
	LowLimits   bool    // rate limits are so low that clients reach them
}

var rates = []float64{0, 0.02, 0.05, 0.1, 0.2}

func newFaultProfile(rng *rand.Rand) FaultProfile {
	coin := func(p float64) bool { return rng.Float64() < p }
	w := FaultProfile{
		Rate: rates[rng.IntN(len(rates))], Sticky: []float64{0, 0, 0.5, 0.9}[rng.IntN(4)], Skews: coin(0.3),
		StreamDies: coin(0.15), queueSleeps: coin(0.1), Duplicates: coin(0.3),
		Sources:   []float64{0.02, 0.05, 0.2}[rng.IntN(3)],
		LowLimits: coin(0.1),
	}
	for f := faults.FailBefore; f < faults.Count; f++ {
		w.on[f] = coin(0.5)
	}
	if coin(0.4) {
		w.Jumps = []float64{0.01, 0.04}[rng.IntN(2)]
	}
	if coin(0.3) {
		w.IndexLag = time.Duration(rng.IntN(90_000)) * time.Millisecond
	}
	if coin(0.5) {
		w.ttlLag = time.Duration(rng.IntN(48)) * time.Hour
	}
	return w
}

// chooseFault chooses the fault of an I/O of the kind, if any.
func (w *FaultProfile) chooseFault(k kind, rng *rand.Rand) faults.Fault {
	list := possible[k]
	if len(list) == 0 || rng.Float64() >= w.Rate {
		return faults.None
	}
	if f := list[rng.IntN(len(list))]; w.on[f] {
		return f
	}
	return faults.None
}

// heldWrites matches transactions. It also matches single writes of the entries of objects.
var heldWrites = regexp.MustCompile(`^(TransactWriteItems |(Put|Delete)Item OBJECTS#)`)

// removeHeld removes from the ready calls the writes that must wait. While a write waits, other calls can change the
// data that the write's condition protects. Writes that only store mails never wait. The writes targeted by a mutation
// control wait longest.
func (w *World) removeHeld(ready []*call) []*call {
	if !w.FaultsOn {
		return ready
	}
	if slices.ContainsFunc(ready, func(c *call) bool { return c.targeted }) &&
		w.RNG.Float64() < targetedHeld[w.Seed/3%uint64(len(targetedHeld))] {
		ready = holdBack(ready, func(c *call) bool { return c.targeted })
	}
	if w.Held > 0 && w.RNG.Float64() < w.Held {
		ready = holdBack(ready, func(c *call) bool {
			return c.kind == toTable && heldWrites.MatchString(c.label) &&
				!strings.HasPrefix(c.label, "TransactWriteItems MAIL#")
		})
	}
	return ready
}

// holdBack removes each call that should wait (the function waits returns true), unless the call's time is up. If no
// call would be left, holdBack removes none.
func holdBack(ready []*call, waits func(*call) bool) []*call {
	others := slices.DeleteFunc(slices.Clone(ready), func(c *call) bool {
		return (c.ctx == nil || c.ctx.Err() == nil) && waits(c)
	})
	if len(others) == 0 {
		return ready
	}
	return others
}

var targetedHeld = [...]float64{0.9, 0.98, 0.996} // probability that a targeted write waits at a turn, by seed
