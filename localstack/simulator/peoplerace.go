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

// story is what people do in the worlds of a mutation control whose condition few other worlds need.
type story struct {
	plot   plot
	begins beginning
}

// stories are by the condition that is missing (Options.Without).
var stories = map[string]story{
	"ConditionCheck CLIENT: (version = ?)":                          {signingOut(clientRevoked), anyBeginning},
	"ConditionCheck GRANT: (attribute_exists(pk))":                  {signingOut(grantRevoked), anyBeginning},
	"ConditionCheck TOKEN: (attribute_exists(pk))":                  {signingOut(tokenRevoked), anyBeginning},
	"Put INVITED: (version = ?)":                                    {guests, anyBeginning},
	"Put KEY COUNT: (attribute_not_exists(pk))":                     {someKeys, keysUncounted},
	"Update MEMBERS COUNT: (attribute_not_exists(pk) OR count < ?)": {hiring, membersAlmost},
}

// heldWrites are transactions, and single writes of the entries of objects.
var heldWrites = regexp.MustCompile(`^(TransactWriteItems |(Put|Delete)Item OBJECTS#)`)

func newRace(rng *rand.Rand) race {
	return race{narrow: rng.IntN(2) == 0, common: rng.IntN(3) == 0, held: []float64{0, 0.7, 0.95}[rng.IntN(3)]}
}

// withoutHeld leaves out writes that wait, but for those of mails alone: what others do between a read and the
// write that follows from it is what conditions are for. One whose condition is to be missed waits longest.
func (w *World) withoutHeld(ready []*call) []*call {
	if !w.faultsOn {
		return ready
	}
	if slices.ContainsFunc(ready, func(c *call) bool { return c.bare }) &&
		w.rng.Float64() < bareHeld[w.seed/3%uint64(len(bareHeld))] {
		ready = without(ready, func(c *call) bool { return c.bare })
	}
	if w.held > 0 && w.rng.Float64() < w.held {
		ready = without(ready, func(c *call) bool {
			return c.kind == toTable && heldWrites.MatchString(c.label) &&
				!strings.HasPrefix(c.label, "TransactWriteItems MAIL#")
		})
	}
	return ready
}

// without leaves out the calls that wait, unless all do or their time is up.
func without(ready []*call, waits func(*call) bool) []*call {
	others := slices.DeleteFunc(slices.Clone(ready), func(c *call) bool {
		return (c.ctx == nil || c.ctx.Err() == nil) && waits(c)
	})
	if len(others) == 0 {
		return ready
	}
	return others
}

// bareHeld is the probability, at each turn, that such a write waits; it is another in one history or another.
var bareHeld = [...]float64{0.9, 0.98, 0.996}

// Limits of invitations and members (contract §8.1).
const (
	mostInvitations = 250
	mostMembers     = 1000
)

// beginning is the state of an office when the faults begin.
type beginning int

// The beginnings.
const (
	anyBeginning      beginning = iota // one of the others
	dayAfter                           // with invitations of the day before only
	invitationsAlmost                  // near the limit of invitations
	membersAlmost                      // near the limit of members
	keysUncounted                      // before it counts keys
	beginnings
)

// approach brings the office to its beginning.
func (o *office) approach() {
	r := o.recordsIn(o.scan())
	count := r.count
	begins := beginning(1 + o.rng.IntN(int(beginnings-1)))
	if told, ok := stories[o.Without]; ok && told.begins != anyBeginning {
		begins = told.begins
	}
	switch begins {
	case dayAfter:
		o.setCount(count, "invited_on", "S", o.now().Add(-24*time.Hour).Format(time.DateOnly))
	case invitationsAlmost:
		o.setCount(count, "invited", "N", mostInvitations-1-o.rng.IntN(2))
	case membersAlmost:
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
