package simulator

import (
	"regexp"
	"slices"
	"strings"
)

// heldWrites are transactions, and single writes of the entries of objects.
var heldWrites = regexp.MustCompile(`^(TransactWriteItems |(Put|Delete)Item OBJECTS#)`)

// withoutHeld leaves out writes that wait: conditions protect a write from what others do between the read before
// it and the write itself. Writes of mails alone never wait. Writes of a mutation control wait longest.
func (w *World) withoutHeld(ready []*call) []*call {
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

// holdBack leaves out the calls that wait, unless their time is up. If all calls wait, it leaves out none.
func holdBack(ready []*call, waits func(*call) bool) []*call {
	others := slices.DeleteFunc(slices.Clone(ready), func(c *call) bool {
		return (c.ctx == nil || c.ctx.Err() == nil) && waits(c)
	})
	if len(others) == 0 {
		return ready
	}
	return others
}

// targetedHeld is the probability, at each turn, that a targeted write waits. The seed chooses one of them.
var targetedHeld = [...]float64{0.9, 0.98, 0.996}
