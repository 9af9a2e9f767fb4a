// Package shops creates the merchants of a simulated world (Open). A Scenario is one checkout with its clients.
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
	All                     []*Shop // all shops of the world
}

// Live returns true if the shop takes real money.
func (s *Shop) Live() bool { return strings.HasPrefix(s.Tenant, "L#") }

// Open lets an operator create the merchants: a sandbox merchant in Germany, and a live merchant in Brazil that also
// has a test key.
func Open(w *simulator.World) (shops []*Shop) {
	w.Go(simulator.Clients, func() { shops = makeMerchants(w) })
	w.Steer(simulator.Clients)
	return shops
}

// Made is the answer to an operator who creates a merchant or a key.
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

// SomeShards returns a merchant's initial number of shards. A throttled write of its payments may increase the number.
func SomeShards(w *simulator.World, merchant int) int {
	rng := w.Random(3_000 + merchant) // separate random numbers, so that the seed's other choices do not change
	return []int{1, 1, 2, 4}[rng.IntN(4)]
}

// Recover lets the platform recover once the clients are done. At rest, every chargeback is reported again. A
// chargeback is a fact. So the platform must record it as soon as no refund in progress needs the same money.
func Recover(w *simulator.World) {
	w.Steer(simulator.Clients, simulator.Stragglers)
	w.Recover(func() { RepeatChargebacks(w) })
}

// Pick returns one of the shops, mostly the first.
func Pick(w *simulator.World, shops []*Shop) *Shop {
	return shops[[]int{0, 0, 0, 0, 1, 1, 1, 2}[w.RNG.IntN(8)]]
}

// Scenario is one checkout and the clients that use it.
type Scenario struct {
	*simulator.World
	*Shop
	Name    string
	Amount  string
	RNG     *rand.Rand // separate from the scheduler's
	created chan struct{}
	ID      string // set before created is closed
	More    string // further members of the request that creates it

	Transaction string   // the transaction that paid it, once known
	Returns     []string // amounts to refund once it is paid
}

// NewScenario returns a scenario of the shop.
func NewScenario(w *simulator.World, s *Shop, rng *rand.Rand, name string) *Scenario {
	return &Scenario{World: w, Shop: s, Name: name, RNG: rng, created: make(chan struct{})}
}

// StartClients starts several clients that do the same.
func (s *Scenario) StartClients(what string, many int, act func(actor string, rng *rand.Rand)) {
	for i := range many {
		s.StartClient(what, i, act)
	}
}

// StartClient starts a client with separate random numbers, so that the client's choices do not depend on when it acts.
func (s *Scenario) StartClient(what string, i int, act func(actor string, rng *rand.Rand)) {
	actor, rng := fmt.Sprintf("%s-%s-%d", s.Name, what, i), rand.New(rand.NewPCG(s.RNG.Uint64(), s.Seed))
	s.Go(simulator.Clients, func() { act(actor, rng) })
}

// Await waits until the checkout exists, and lets other actors go first.
func (s *Scenario) Await(actor string) {
	<-s.created
	s.Think(actor)
}

// Insist repeats a request until it is answered. It waits between tries.
func (s *Scenario) Insist(actor string, r client.Request) simulator.Response {
	r.APIKey = s.Token
	return s.Retry(actor, s.Tenant, r, simulator.Patience, simulator.Response.Done)
}

// Create creates the checkout, with an Idempotency-Key or without. If the reference is taken, it looks the checkout up.
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
	if answer.Status != 201 { // without an answer, the scenario's other clients use an unknown id
		found := s.Insist(actor, client.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=" + s.Name})
		id = append(simulator.Decoded[[]simulator.View](found.Body), simulator.View{ID: "unknown"})[0].ID
	}
	if id == "" || s.ID != "" {
		return
	}
	s.ID = id
	close(s.created)
}

// CheckoutPath returns the path of the checkout.
func (s *Scenario) CheckoutPath() string { return "/v0.1/checkouts/" + s.ID }

// CardBody returns a card for a request body.
func CardBody(number string) string {
	return fmt.Sprintf(`{"name":"Ada Lovelace","number":%q,"expiry_month":"12","expiry_year":"2035","cvv":"739"}`, number)
}

// Perhaps returns the text in half of the cases, and otherwise "".
func Perhaps(rng *rand.Rand, text string) string { return []string{text, ""}[rng.IntN(2)] }

// InsistWithKey sends a request. In half of the cases it adds an Idempotency-Key, and may send the request twice.
func (s *Scenario) InsistWithKey(actor string, rng *rand.Rand, r client.Request, key string) simulator.Response {
	if r.IdempotencyKey = Perhaps(rng, key); r.IdempotencyKey != "" {
		s.Impatient(actor, rng, func(twin string) { s.Insist(twin, r) })
	}
	return s.Insist(actor, r)
}

// Command repeats an operator's command until an answer comes.
func (s *Scenario) Command(actor, format string, args ...any) {
	s.InsistOn(actor, fmt.Sprintf(format, args...), nil)
}
