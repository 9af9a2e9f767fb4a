package simulator

import (
	"fmt"
	"math/rand/v2"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// scenario is one checkout and the clients that use it.
type scenario struct {
	*World
	*shop
	name    string
	amount  string
	rng     *rand.Rand // apart from the scheduler's
	created chan struct{}
	id      string // set before created is closed
	more    string // further members of the creation

	transaction string   // that paid it, once it is known
	returns     []string // amounts that are refunded once it is paid
}

// newScenario returns a scenario of the shop.
func newScenario(w *World, s *shop, rng *rand.Rand, name string) *scenario {
	return &scenario{World: w, shop: s, name: name, rng: rng, created: make(chan struct{})}
}

// client starts one; each has random numbers of its own, so that what it does does not
// depend on when it does it.
func (s *scenario) client(what string, i int, act func(actor string, rng *rand.Rand)) {
	actor, rng := fmt.Sprintf("%s-%s-%d", s.name, what, i), rand.New(rand.NewPCG(s.rng.Uint64(), s.seed))
	s.run(clients, func() { act(actor, rng) })
}

// await waits for the checkout, and lets others go first.
func (s *scenario) await(actor string) {
	<-s.created
	s.think(actor)
}

// insist sends a request until it is answered, waiting between tries.
func (s *scenario) insist(actor string, r client.Request) response {
	r.APIKey = s.token
	return s.retry(actor, s.tenant, r, patience, response.done)
}

// create makes the checkout, as a merchant's server does: with a key or
// without, and when the reference is taken, it looks it up.
func (s *scenario) create(actor string, rng *rand.Rand) {
	r := client.Request{Method: "POST", Path: "/v0.1/checkouts", Body: fmt.Sprintf(
		`{"checkout_reference":%q,"amount":%s,"currency":%q,"merchant_code":%q,`+
			`"return_url":"https://shop.example.com/hook/%s","redirect_url":"https://shop.example/done"%s}`,
		s.name, s.amount, s.currency, s.merchant, s.name, s.more)}
	if rng.IntN(2) == 0 {
		r.IdempotencyKey = "create " + s.name
		if rng.IntN(3) == 0 {
			r.IdempotencyKey = actor
		}
	}
	answer := s.insist(actor, r)
	id := answer.view().ID
	if answer.Status != 201 {
		id = s.lookUpByReference(actor)
	}
	if id == "" || s.id != "" {
		return
	}
	s.id = id
	close(s.created)
}

// lookUpByReference asks for the checkout by its reference; without an answer,
// the scenario's other clients use an unknown one.
func (s *scenario) lookUpByReference(actor string) string {
	answer := s.insist(actor, client.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=" + s.name})
	list := append(decoded[[]view](answer.Body), view{ID: "unknown"})
	return list[0].ID
}

// path is that of the checkout.
func (s *scenario) path() string { return "/v0.1/checkouts/" + s.id }

// cardBody is a card in a request.
func cardBody(number string) string {
	return fmt.Sprintf(`{"name":"Ada Lovelace","number":%q,"expiry_month":"12","expiry_year":"2035","cvv":"739"}`, number)
}

// perhaps returns the text in half of the cases, and else "".
func perhaps(rng *rand.Rand, text string) string { return []string{text, ""}[rng.IntN(2)] }

// insistWithKey sends a request, in half of the cases with a key, and then perhaps twice.
func (s *scenario) insistWithKey(actor string, rng *rand.Rand, r client.Request, key string) response {
	if r.IdempotencyKey = perhaps(rng, key); r.IdempotencyKey != "" {
		s.impatient(actor, rng, func(twin string) { s.insist(twin, r) })
	}
	return s.insist(actor, r)
}

// command is tried until there is an answer.
func (s *scenario) command(actor, format string, args ...any) {
	s.insistOn(actor, fmt.Sprintf(format, args...), nil)
}
