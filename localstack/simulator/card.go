package simulator

import (
	"fmt"
	"math/rand/v2"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// useSavedCard is a scenario with a saved card: a customer leaves a card with a
// mandate, twice at once, and it is charged, and given up while it is charged
// and left again. Browsers try it too.
func (s *order) useSavedCard() {
	customer := s.name + "-customer"
	s.makeCustomer(customer)
	for i := range 1 + s.rng.IntN(2) {
		setup := s.followUp(fmt.Sprintf("setup-%d", i), "10.10",
			fmt.Sprintf(`,"customer_id":%q,"purpose":"SETUP_RECURRING_PAYMENT"`, customer))
		setup.client("till", 0, func(actor string, rng *rand.Rand) { setup.saveCard(actor, rng, customer) })
	}
}

// setupBody pays with the card that is to be saved.
var setupBody = `{"payment_type":"card","card":` + cardBody(client.Frictionless) +
	`,"mandate":{"type":"recurrent","user_agent":"sim"}}`

// followUp is another checkout of the same shop.
func (s *order) followUp(name, amount, more string) *order {
	next := newOrder(s.World, s.shop, rand.New(rand.NewPCG(s.rng.Uint64(), s.seed)), s.name+"-"+name)
	next.amount, next.more = amount, more
	return next
}

// makeCustomer makes the customer, by two servers at once that know different
// things of them: only one may have made it, and what both add must stay.
func (s *order) makeCustomer(customer string) {
	for i, detail := range []string{"first_name", "last_name"} {
		s.client("registrar", i, func(actor string, _ *rand.Rand) {
			made := s.insist(actor, client.Request{Method: "POST", Path: "/v0.1/customers", IdempotencyKey: actor,
				Body: fmt.Sprintf(`{"customer_id":%q,"personal_details":{"email":"%s@example.com"}}`, customer, actor)})
			if made.Status != 201 && made.Status != 409 {
				return
			}
			s.insist(actor, client.Request{Method: "PUT", Path: "/v0.1/customers/" + customer,
				IdempotencyKey: actor + " adds", Body: fmt.Sprintf(`{"personal_details":{%q:"X"}}`, detail)})
		})
	}
}

// saveCard pays a checkout that leaves the card, then uses it and gives it up.
func (s *order) saveCard(actor string, rng *rand.Rand, customer string) {
	s.create(actor, rng)
	answer := s.insist(actor, client.Request{Method: "PUT", Path: s.path(), IdempotencyKey: actor + " setup",
		Body: setupBody})
	s.pay(actor, rng, answer.view())
	token := s.insist(actor, client.Request{Method: "GET", Path: s.path()}).view().Instrument.Token
	if token == "" {
		return
	}
	s.charge("first", customer, token)
	s.charge("second", customer, token)
	if rng.IntN(2) == 0 {
		s.client("quitter", 0, func(actor string, _ *rand.Rand) {
			s.think(actor)
			s.insist(actor, client.Request{Method: "DELETE", Path: "/v0.1/customers/" + customer +
				"/payment-instruments/" + token, IdempotencyKey: actor})
		})
		again := s.followUp("again", "10.10", s.more)
		again.client("till", 0, func(actor string, rng *rand.Rand) {
			again.create(actor, rng)
			again.insist(actor, client.Request{Method: "PUT", Path: again.path(), IdempotencyKey: actor + " pays",
				Body: setupBody})
		})
	}
	s.tryFromBrowser("first", fmt.Sprintf(`,"customer_id":%q`, customer), customer, token)
	s.tryFromBrowser("second", "", customer, token) // on a checkout without a customer
}

func (s *order) charge(which, customer, token string) {
	next := s.followUp(which, "25.00", fmt.Sprintf(`,"customer_id":%q`, customer))
	next.client("till", 0, func(actor string, rng *rand.Rand) {
		next.create(actor, rng)
		next.insist(actor, client.Request{Method: "PUT", Path: next.path(), IdempotencyKey: actor + " pays",
			Body: bySavedCard(customer, token)})
	})
}

func bySavedCard(customer, token string) string {
	return fmt.Sprintf(`{"payment_type":"card","token":%q,"customer_id":%q}`, token, customer)
}

// tryFromBrowser has a payer's browser try the card, with the shop's public
// key. It guesses the Idempotency-Key that the till of a charge uses at the
// same time.
func (s *order) tryFromBrowser(which, more, customer, token string) {
	next := s.followUp(which+"-browser", "25.00", more)
	next.client("browser", 0, func(actor string, rng *rand.Rand) {
		var made struct {
			Key struct{ Plaintext string } `json:"api_key"`
		}
		next.create(actor, rng)
		if !next.operate(actor, fmt.Sprintf(`{"command":"create_api_key","merchant_code":%q,"mode":"test","name":"web",`+
			`"type":"public"}`, next.merchant), &made) {
			return
		}
		public := *next.shop
		public.token = made.Key.Plaintext
		browser := newOrder(next.World, &public, rng, next.name)
		browser.id = next.id
		browser.insist(actor, client.Request{Method: "PUT", Path: next.path(),
			IdempotencyKey: s.name + "-" + which + "-till-0 pays", Body: bySavedCard(customer, token)})
		browser.insist(actor, client.Request{Method: "GET", Path: next.path()})
	})
}
