package payments

import (
	"html"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// NewAtStripe returns the workload with payments of the live shop, which Stripe charges.
func NewAtStripe(w *simulator.World) simulator.Workload {
	w.GoLiveAtStripe()
	return payments{w}
}

// Interfere also lets Stripe send notices.
func (w payments) Interfere() {
	w.World.Interfere()
	if w.Stripe != nil && w.RNG.Float64() < w.FaultProfile.Sources/4 {
		w.Notify()
	}
}

// pick returns the live shop if Stripe charges, and else one of the shops, mostly the first.
func (w payments) pick(all []*shops.Shop) *shops.Shop {
	for _, s := range all {
		if w.Stripe != nil && s.Live() {
			return s
		}
	}
	return shops.Pick(w.World, all)
}

// atStripe returns true if Stripe charges the order's payments.
func (s *order) atStripe() bool { return s.Stripe != nil && s.Live() }

// What payers and cashiers choose at Stripe. Stripe refuses the amount 42.24, leaves 42.25 open for 30 s, and fails
// refunds of 42.01. The cards are without a challenge, with a challenge, declined, and refused for good.
var (
	stripeAmounts = []string{"10.10", "100.00", "100.00", "100.00", "42.24", "42.25"}
	stripeReturns = []string{"", "10.00", "25.00", "42.25", "42.25", "42.25", "42.01", "0.01"}
	stripeCards   = []string{client.Frictionless, client.Frictionless, client.Challenged, client.Challenged,
		stripetest.DecliningCard, stripetest.StolenCard}
)

func (s *order) amounts() []string {
	if s.atStripe() {
		return stripeAmounts
	}
	return sandboxAmounts
}

func (s *order) cards() []string {
	if s.atStripe() {
		return stripeCards
	}
	return sandboxCards
}

// onwards matches the link that leads from the platform's page to Stripe's.
var onwards = regexp.MustCompile(`<a class="button" id="onwards" href="([^"]*)"`)

// visitStripe goes through Stripe's page and, in most cases, back by its link.
func (s *order) visitStripe(actor string, rng *rand.Rand, step client.NextStep) {
	link := onwards.FindSubmatch(s.browse(actor, step.Form()).Body)
	if link == nil {
		return
	}
	s.Think(actor)
	back, err := s.Stripe.Decide(html.UnescapeString(string(link[1])), rng.IntN(3) > 0)
	s.Notef(actor, "decides: %v", err)
	if back == "" || rng.IntN(4) == 0 {
		return
	}
	s.Think(actor)
	for range 1 + rng.IntN(2) {
		r := client.Request{Method: "GET", Path: strings.TrimPrefix(back, s.Config.BaseURL)}
		s.Retry(actor, s.Tenant, r, simulator.Patience, simulator.Response.Done)
	}
}
