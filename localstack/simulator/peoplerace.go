package simulator

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
)

// race is what makes changes meet.
type race struct {
	narrow bool    // all requests are about the same role, member, key and guest
	common bool    // all offices have the same plot
	held   float64 // how often a write waits for other calls
}

// heldWrites are transactions, and single writes of the entries of objects.
var heldWrites = regexp.MustCompile(`^(TransactWriteItems |(Put|Delete)Item OBJECTS#)`)

func newRace(rng *rand.Rand) race {
	return race{narrow: rng.IntN(2) == 0, common: rng.IntN(3) == 0, held: []float64{0, 0.7, 0.95}[rng.IntN(3)]}
}

// withoutHeld leaves out writes that wait, but for those of mails alone: what others do between a read and the
// write that follows from it is what conditions are for.
func (w *World) withoutHeld(ready []*call) []*call {
	if w.held == 0 || !w.faultsOn || w.rng.Float64() >= w.held {
		return ready
	}
	others := slices.DeleteFunc(slices.Clone(ready), func(c *call) bool {
		late := c.ctx != nil && c.ctx.Err() != nil
		return !late && c.kind == toTable && heldWrites.MatchString(c.label) &&
			!strings.HasPrefix(c.label, "TransactWriteItems MAIL#")
	})
	if len(others) == 0 {
		return ready
	}
	return others
}

// Limits of invitations and members (contract §8.1).
const (
	mostInvitations = 250
	mostMembers     = 1000
)

// approach has the office begin near a limit, with invitations of the day before only, or
// before it counts keys.
func (o *office) approach() {
	r := o.recordsIn(o.scan())
	count := r.count
	switch o.rng.IntN(4) {
	case 0:
		o.setCount(count, "invited_on", "S", o.now().Add(-24*time.Hour).Format(time.DateOnly))
	case 1:
		o.setCount(count, "invited", "N", mostInvitations-1-o.rng.IntN(2))
	case 2:
		to := mostMembers - 1 - o.rng.IntN(2)
		o.others = to - number(count["count"])
		o.setCount(count, "count", "N", to)
	default:
		o.aws(o.table, tables+"DeleteItem", map[string]any{"TableName": o.config.Table, "Key": keyOf(r.keys)}, &struct{}{})
	}
}

func (w *World) setCount(count item, name, kind string, to any) {
	w.aws(w.table, tables+"UpdateItem", map[string]any{"TableName": w.config.Table, "Key": keyOf(count),
		"UpdateExpression": "SET #name = :to", "ExpressionAttributeNames": map[string]string{"#name": name},
		"ExpressionAttributeValues": map[string]any{":to": map[string]any{kind: fmt.Sprint(to)}}}, &struct{}{})
}

func keyOf(i item) map[string]any {
	return map[string]any{"pk": map[string]string{"S": i.text("pk")}, "sk": map[string]string{"S": i.text("sk")}}
}

// dismiss deletes who was invited last to the address that all invite.
func (o *office) dismiss(actor string, rng *rand.Rand, h *holder) {
	if o.hot.guest == "" {
		o.deleteMember(actor, rng, h)
		return
	}
	o.remove(actor, h, o.hot.guest)
}
