package month

import (
	"fmt"
	"math/rand/v2"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// someSettings are what a merchant or an operator may want of settings.
func someSettings(rng *rand.Rand) fields {
	switch rng.IntN(6) {
	case 0, 1:
		return fields{"payout_period": periods[rng.IntN(len(periods))]}
	case 2:
		return fields{"payout_on_demand": rng.IntN(2) == 0}
	case 3:
		return fields{"payout_on_demand": rng.IntN(2) == 0, "payout_on_demand_available": rng.IntN(3) > 0}
	case 4:
		return fields{"gross_settlement": rng.IntN(2) == 0}
	default:
		return fields{"payout_period": periods[rng.IntN(len(periods))], "gross_settlement": rng.IntN(2) == 0}
	}
}

// changesSettings is a change of settings: by operators, or in the merchant's office, by
// one or two people who do not know of each other.
func (p *payee) changesSettings() func() {
	rng := p.month.rng
	if rng.IntN(2) == 0 {
		return p.commands("update_settings", someSettings(rng), p.some())
	}
	changes := []fields{someSettings(rng)}
	if p.some() > 1 {
		changes = append(changes, someSettings(rng))
	}
	return p.inOffice(func(actor string, i int, rng *rand.Rand) {
		p.Insist(actor, client.Request{Method: "PUT", Path: settingsPath, Body: simulator.Encoded(changes[i])})
		if rng.IntN(2) == 0 {
			p.Insist(actor, client.Request{Method: "GET", Path: settingsPath})
		}
	}, len(changes))
}

// inOffice is an action of so many people in the merchant's office.
func (p *payee) inOffice(do func(actor string, i int, rng *rand.Rand), many int) func() {
	return func() {
		p.month.commands++
		what := fmt.Sprintf("office-%d", p.month.commands)
		for i := range many {
			p.StartClient(what, i, func(actor string, rng *rand.Rand) { do(actor, i, rng) })
		}
	}
}
