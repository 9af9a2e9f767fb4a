package payments

import (
	"fmt"
	"math/rand/v2"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

// useSavedCard starts a scenario with a saved card. A customer saves a card with a mandate, perhaps twice at once. The
// card is charged, deactivated or refused for good during a charge, and saved again. Browsers try to use it too.
func (s *order) useSavedCard() {
	customer := s.Name + "-customer"
	s.makeCustomer(customer)
	for i := range 1 + s.RNG.IntN(2) {
		setup := s.newFollowUp(fmt.Sprintf("setup-%d", i), "10.10",
			fmt.Sprintf(`,"customer_id":%q,"purpose":"SETUP_RECURRING_PAYMENT"`, customer))
		setup.StartClient("till", 0, func(actor string, rng *rand.Rand) { setup.saveCard(actor, rng, customer) })
	}
}

// setupBody pays with the card that is to be saved.
var setupBody = `{"payment_type":"card","card":` + shops.CardBody(client.Frictionless) +
	`,"mandate":{"type":"recurrent","user_agent":"sim"}}`

// newFollowUp returns an order for another checkout of the same shop.
func (s *order) newFollowUp(name, amount, more string) *order {
	next := newOrder(s.World, s.Shop, rand.New(rand.NewPCG(s.RNG.Uint64(), s.Seed)), s.Name+"-"+name)
	next.Amount, next.More = amount, more
	return next
}

// makeCustomer starts two servers that create the same customer at once. The platform must let only one of them create
// the customer. Then each server adds a name, and the platform must keep both names.
func (s *order) makeCustomer(customer string) {
	for i, detail := range []string{"first_name", "last_name"} {
		s.StartClient("registrar", i, func(actor string, _ *rand.Rand) {
			made := s.Insist(actor, client.Request{Method: "POST", Path: "/v0.1/customers", IdempotencyKey: actor,
				Body: fmt.Sprintf(`{"customer_id":%q,"personal_details":{"email":"%s@example.com"}}`, customer, actor)})
			if made.Status != 201 && made.Status != 409 {
				return
			}
			s.Insist(actor, client.Request{Method: "PUT", Path: "/v0.1/customers/" + customer,
				IdempotencyKey: actor + " adds", Body: fmt.Sprintf(`{"personal_details":{%q:"X"}}`, detail)})
		})
	}
}

// saveCard pays a checkout and saves the card. Then it starts clients that charge the saved card. In half of the cases,
// another client deactivates the card; in the other half, its issuer refuses the card for good. In both cases the card
// is saved again at the same time. Browsers try the card, too.
func (s *order) saveCard(actor string, rng *rand.Rand, customer string) {
	s.Create(actor, rng)
	answer := s.Insist(actor, client.Request{Method: "PUT", Path: s.CheckoutPath(), IdempotencyKey: actor + " setup",
		Body: setupBody})
	s.pay(actor, rng, answer.View())
	token := s.Insist(actor, client.Request{Method: "GET", Path: s.CheckoutPath()}).View().Instrument.Token
	if token == "" {
		return
	}
	s.chargeSavedCard("first", "25.00", customer, token)
	s.chargeSavedCard("second", "25.00", customer, token)
	if rng.IntN(2) == 0 {
		s.StartClient("quitter", 0, func(actor string, _ *rand.Rand) {
			s.Think(actor)
			s.Insist(actor, client.Request{Method: "DELETE", Path: "/v0.1/customers/" + customer +
				"/payment-instruments/" + token, IdempotencyKey: actor})
		})
	} else {
		s.chargeSavedCard("refused", client.RefusedForGood, customer, token)
	}
	again := s.newFollowUp("again", "10.10", s.More)
	again.StartClient("till", 0, func(actor string, rng *rand.Rand) {
		again.Create(actor, rng)
		again.Insist(actor, client.Request{Method: "PUT", Path: again.CheckoutPath(), IdempotencyKey: actor + " pays",
			Body: setupBody})
	})
	s.tryFromBrowser("first", fmt.Sprintf(`,"customer_id":%q`, customer), customer, token)
	s.tryFromBrowser("second", "", customer, token) // on a checkout without a customer
}

func (s *order) chargeSavedCard(which, amount, customer, token string) {
	next := s.newFollowUp(which, amount, fmt.Sprintf(`,"customer_id":%q`, customer))
	next.StartClient("till", 0, func(actor string, rng *rand.Rand) {
		next.Create(actor, rng)
		next.Insist(actor, client.Request{Method: "PUT", Path: next.CheckoutPath(), IdempotencyKey: actor + " pays",
			Body: savedCardBody(customer, token)})
	})
}

func savedCardBody(customer, token string) string {
	return fmt.Sprintf(`{"payment_type":"card","token":%q,"customer_id":%q}`, token, customer)
}

// tryFromBrowser lets a browser try the card with the shop's public key, and guess the Idempotency-Key of a till.
func (s *order) tryFromBrowser(which, more, customer, token string) {
	next := s.newFollowUp(which+"-browser", "25.00", more)
	next.StartClient("browser", 0, func(actor string, rng *rand.Rand) {
		var made shops.Made
		next.Create(actor, rng)
		if !next.Operate(actor, fmt.Sprintf(`{"command":"create_api_key","merchant_code":%q,"mode":%q,"name":"web",`+
			`"type":"public"}`, next.Merchant, next.mode()), &made) {
			return
		}
		public := *next.Shop
		public.Token = made.Key.Plaintext
		browser := newOrder(next.World, &public, rng, next.Name)
		browser.ID = next.ID
		browser.Insist(actor, client.Request{Method: "PUT", Path: next.CheckoutPath(),
			IdempotencyKey: s.Name + "-" + which + "-till-0 pays", Body: savedCardBody(customer, token)})
		browser.Insist(actor, client.Request{Method: "GET", Path: next.CheckoutPath()})
	})
}

// administer starts operators who create one merchant twice, rotate one secret, lend a key, and replay callbacks.
func (s *order) administer() {
	code := fmt.Sprintf("MC%08d", 10_000_000+s.RNG.IntN(1000))
	for i := range 2 {
		s.StartClient("operator", i, func(actor string, _ *rand.Rand) {
			s.Command(actor, `{"command":"create_merchant","name":"Nr. %d","email":"n@example.com","country":"DE",`+
				`"currency":"EUR","merchant_code":%q}`, i, code)
			s.Command(actor, `{"command":"rotate_callback_secret","merchant_code":%q,"force":true}`, s.Merchant)
			s.Command(actor, `{"command":"replay_callbacks","merchant_code":%q,"from":"2026-11-01T00:00:00Z",`+
				`"to":"2027-11-01T00:00:00Z"}`, s.Merchant)
		})
	}
	s.StartClient("operator", 2, s.lendKey)
}

// mode returns the name of the shop's mode.
func (s *order) mode() string {
	if s.Live() {
		return "live"
	}
	return "test"
}

// lendKey creates a key, uses it and revokes it. The platform must refuse the key from then on.
func (s *order) lendKey(actor string, _ *rand.Rand) {
	var made shops.Made
	command := fmt.Sprintf(`{"command":"create_api_key","merchant_code":%q,"mode":%q,"name":"lent"}`, s.Merchant, s.mode())
	if !s.Operate(actor, command, &made) || made.Key.ID == "" {
		return
	}
	list := client.Request{Method: "GET", Path: "/v0.1/checkouts", APIKey: made.Key.Plaintext}
	s.Send(actor, s.Tenant, list)
	revoke := fmt.Sprintf(`{"command":"revoke_api_key","merchant_code":%q,"mode":%q,"key_id":%q}`,
		s.Merchant, s.mode(), made.Key.ID)
	if !s.Operate(actor, revoke, nil) || s.Answers[len(s.Answers)-1].Code() != "" {
		return
	}
	if answer := s.Send(actor, s.Tenant, list); answer.Status == 200 {
		s.Find("", "a revoked key still works")
	}
}
