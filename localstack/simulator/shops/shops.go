// Package shops has the merchants of a simulated world, and what clients of most workloads do with one checkout.
package shops

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
)

// Shop is a tenant with its API key: a merchant in one mode.
type Shop struct {
	Tenant, Merchant, Token string
	Currency                string
	All                     []*Shop // of the world
}

// Live reports whether the shop takes real money.
func (s *Shop) Live() bool { return strings.HasPrefix(s.Tenant, "L#") }

// Open has an operator make the merchants: a sandbox one in Germany, and one in Brazil that is live and has a test key.
func Open(w *simulator.World) (shops []*Shop) {
	w.Go(simulator.Clients, func() { shops = makeMerchants(w) })
	w.Steer(simulator.Clients)
	return shops
}

// Made is the answer to an operator who makes a merchant or a key.
type Made struct {
	Code   string                         `json:"merchant_code"`
	Key    struct{ ID, Plaintext string } `json:"api_key"`
	Second struct{ Plaintext string }     `json:"test_api_key"`
}

func makeMerchants(w *simulator.World) []*Shop {
	var german, brazilian Made
	w.Operate("operator", fmt.Sprintf(`{"command":"create_merchant","name":"Kaffeehaus","email":"k@example.com",`+
		`"country":"DE","currency":"EUR","sandbox":true,"shards":%d}`, SomeShards(w, 0)), &german)
	w.Operate("operator", fmt.Sprintf(`{"command":"create_merchant","name":"Padaria","email":"p@example.com",`+
		`"country":"BR","currency":"BRL","test_key":true,"shards":%d}`, SomeShards(w, 1)), &brazilian)
	shops := []*Shop{
		{Tenant: "T#" + german.Code, Merchant: german.Code, Token: german.Key.Plaintext, Currency: "EUR"},
		{Tenant: "T#" + brazilian.Code, Merchant: brazilian.Code, Token: brazilian.Second.Plaintext, Currency: "BRL"},
		{Tenant: "L#" + brazilian.Code, Merchant: brazilian.Code, Token: brazilian.Key.Plaintext, Currency: "BRL"},
	}
	for _, s := range shops {
		s.All = shops
	}
	return shops
}

// SomeShards returns how many a merchant has at first. It may grow when a write of its payments is throttled.
func SomeShards(w *simulator.World, merchant int) int {
	rng := w.Random(3_000 + merchant) // random numbers of its own: it came later
	return []int{1, 1, 2, 4}[rng.IntN(4)]
}

// Recover lets the platform recover once the clients are done. At rest, every chargeback is reported once more: it is a
// fact that must be recorded as soon as no refund under way counts on the same money.
func Recover(w *simulator.World) {
	w.Steer(simulator.Clients, simulator.Stragglers)
	w.Recover(func() { RepeatChargebacks(w) })
}

// Pick returns one of the shops: mostly the first.
func Pick(w *simulator.World, shops []*Shop) *Shop {
	return shops[[]int{0, 0, 0, 0, 1, 1, 1, 2}[w.RNG.IntN(8)]]
}

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

// StartClients starts so many clients that do the same.
func (s *Scenario) StartClients(what string, many int, act func(actor string, rng *rand.Rand)) {
	for i := range many {
		s.StartClient(what, i, act)
	}
}

// StartClient starts one; each has random numbers of its own, so that what it does does not depend on when it does it.
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

// Create makes the checkout, with a key or without, and looks it up if the reference is taken.
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
	if answer.Status != 201 { // without an answer, the scenario's other clients use an unknown one
		found := s.Insist(actor, client.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=" + s.Name})
		id = append(simulator.Decoded[[]simulator.View](found.Body), simulator.View{ID: "unknown"})[0].ID
	}
	if id == "" || s.ID != "" {
		return
	}
	s.ID = id
	close(s.created)
}

// CheckoutPath is that of the checkout.
func (s *Scenario) CheckoutPath() string { return "/v0.1/checkouts/" + s.ID }

// CardBody returns a card in a request.
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
