package shops

import (
	"fmt"
	"math/rand/v2"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// Scenario is one checkout and the clients that use it.
type Scenario struct {
	*simulator.World
	*Shop
	Name    string
	Amount  string
	RNG     *rand.Rand // apart from the scheduler's
	created chan struct{}
	ID      string // set before created is closed
	More    string // further members of the creation

	Transaction string   // that paid it, once it is known
	Returns     []string // amounts that are refunded once it is paid
}

// NewScenario returns a scenario of the shop.
func NewScenario(w *simulator.World, s *Shop, rng *rand.Rand, name string) *Scenario {
	return &Scenario{World: w, Shop: s, Name: name, RNG: rng, created: make(chan struct{})}
}

// StartClient starts one; each has random numbers of its own, so that what it does does not
// depend on when it does it.
func (s *Scenario) StartClient(what string, i int, act func(actor string, rng *rand.Rand)) {
	actor, rng := fmt.Sprintf("%s-%s-%d", s.Name, what, i), rand.New(rand.NewPCG(s.RNG.Uint64(), s.Seed))
	s.Go(simulator.Clients, func() { act(actor, rng) })
}

// Await waits for the checkout, and lets others go first.
func (s *Scenario) Await(actor string) {
	<-s.created
	s.Think(actor)
}

// Insist sends a request until it is answered, waiting between tries.
func (s *Scenario) Insist(actor string, r client.Request) simulator.Response {
	r.APIKey = s.Token
	return s.Retry(actor, s.Tenant, r, simulator.Patience, simulator.Response.Done)
}

// Create makes the checkout, as a merchant's server does: with a key or
// without, and when the reference is taken, it looks it up.
func (s *Scenario) Create(actor string, rng *rand.Rand) {
	r := client.Request{Method: "POST", Path: "/v0.1/checkouts", Body: fmt.Sprintf(
		`{"checkout_reference":%q,"amount":%s,"currency":%q,"merchant_code":%q,`+
			`"return_url":"https://shop.example.com/hook/%s","redirect_url":"https://shop.example/done"%s}`,
		s.Name, s.Amount, s.Currency, s.Merchant, s.Name, s.More)}
	if rng.IntN(2) == 0 {
		r.IdempotencyKey = "create " + s.Name
		if rng.IntN(3) == 0 {
			r.IdempotencyKey = actor
		}
	}
	answer := s.Insist(actor, r)
	id := answer.View().ID
	if answer.Status != 201 {
		id = s.lookUpByReference(actor)
	}
	if id == "" || s.ID != "" {
		return
	}
	s.ID = id
	close(s.created)
}

// lookUpByReference asks for the checkout by its reference; without an answer,
// the scenario's other clients use an unknown one.
func (s *Scenario) lookUpByReference(actor string) string {
	answer := s.Insist(actor, client.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=" + s.Name})
	list := append(simulator.Decoded[[]simulator.View](answer.Body), simulator.View{ID: "unknown"})
	return list[0].ID
}

// CheckoutPath is that of the checkout.
func (s *Scenario) CheckoutPath() string { return "/v0.1/checkouts/" + s.ID }

// CardBody is a card in a request.
func CardBody(number string) string {
	return fmt.Sprintf(`{"name":"Ada Lovelace","number":%q,"expiry_month":"12","expiry_year":"2035","cvv":"739"}`, number)
}

// Perhaps returns the text in half of the cases, and else "".
func Perhaps(rng *rand.Rand, text string) string { return []string{text, ""}[rng.IntN(2)] }

// InsistWithKey sends a request, in half of the cases with a key, and then perhaps twice.
func (s *Scenario) InsistWithKey(actor string, rng *rand.Rand, r client.Request, key string) simulator.Response {
	if r.IdempotencyKey = Perhaps(rng, key); r.IdempotencyKey != "" {
		s.Impatient(actor, rng, func(twin string) { s.Insist(twin, r) })
	}
	return s.Insist(actor, r)
}

// Command is tried until there is an answer.
func (s *Scenario) Command(actor, format string, args ...any) {
	s.InsistOn(actor, fmt.Sprintf(format, args...), nil)
}
