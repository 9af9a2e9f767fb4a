package simulator

import "math/rand/v2"

// race is what makes changes meet.
type race struct {
	narrow bool    // all requests are about the same role, member, key and guest
	common bool    // all offices have the same plot
	held   float64 // how often a write waits for other calls
}

func newRace(rng *rand.Rand) race {
	return race{narrow: rng.IntN(2) == 0, common: rng.IntN(3) == 0, held: []float64{0, 0.7, 0.95}[rng.IntN(3)]}
}

// dismiss deletes who was invited last to the address that all invite.
func (o *office) dismiss(actor string, rng *rand.Rand, h *holder) {
	if o.hot.guest == "" {
		o.deleteMember(actor, rng, h)
		return
	}
	o.remove(actor, h, o.hot.guest)
}
