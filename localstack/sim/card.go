package sim

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"regexp"
)

// hidden finds a form's hidden fields in the platform's pages.
var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)

func fields(page string) url.Values {
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	return form
}

// subscribe is a story with a saved card: a customer leaves a card with a
// mandate, it is charged, and given up while it is charged again.
func (s *story) subscribe() {
	actor := s.name + "-subscription"
	dice := rand.New(rand.NewPCG(s.dice.Uint64(), s.seed))
	customer := s.name + "-customer"
	path := "/v0.1/customers/" + customer
	s.insist(actor, request{Method: "POST", Path: "/v0.1/customers", Key: actor, Body: fmt.Sprintf(`{"customer_id":%q}`, customer)})
	s.more = fmt.Sprintf(`,"customer_id":%q,"purpose":"SETUP_RECURRING_PAYMENT"`, customer)
	s.amount, s.method = "10.10", "card"
	s.create(actor, dice)
	number := []string{frictionless, challenged}[dice.IntN(2)]
	answer := s.insist(actor, request{Method: "PUT", Path: s.path(), Key: actor + " setup", Body: fmt.Sprintf(
		`{"payment_type":"card","card":%s,"mandate":{"type":"recurrent","user_agent":"sim"}}`, cardBody(number))})
	s.pay(actor, dice, answer.view())
	token := s.insist(actor, request{Method: "GET", Path: s.path()}).view().Instrument.Token
	if token == "" {
		return
	}
	s.charge("first", customer, token)
	s.charge("second", customer, token)
	s.run(clients, func() {
		actor := s.name + "-quitter"
		s.think(actor)
		gone := s.insist(actor, request{Method: "DELETE", Path: path + "/payment-instruments/" + token, Key: actor})
		if gone.Status != 204 {
			return
		}
		s.charge("after", customer, token)
	})
}

// charge makes a checkout and pays it with the saved card. After the card
// was given up it must be refused.
func (s *story) charge(which, customer, token string) {
	next := &story{World: s.World, shop: s.shop, name: s.name + "-" + which, amount: "25.00", method: "card",
		dice: rand.New(rand.NewPCG(s.seed, uint64(len(which)))), created: make(chan struct{}),
		more: fmt.Sprintf(`,"customer_id":%q`, customer)}
	next.client("till", 0, func(actor string, dice *rand.Rand) {
		next.create(actor, dice)
		answer := next.insist(actor, request{Method: "PUT", Path: next.path(), Key: actor,
			Body: fmt.Sprintf(`{"payment_type":"card","token":%q,"customer_id":%q}`, token, customer)})
		if which == "after" && answer.view().Status == "PAID" {
			next.find(next.id, "a card that was given up paid: %s", answer.Body)
		}
	})
}
