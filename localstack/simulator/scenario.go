package simulator

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

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
	method  string // payment_type
	instant bool   // valid_until comes soon

	transaction string   // that paid it, once it is known
	returns     []string // amounts that are refunded once it is paid
}

// newScenario returns a scenario of the shop. Its clients pay by card.
func newScenario(w *World, s *shop, rng *rand.Rand, name string) *scenario {
	return &scenario{World: w, shop: s, name: name, method: "card", rng: rng, created: make(chan struct{})}
}

// Amounts and what they come to (contract §12). The rest is approved.
var amounts = []string{"10.10", "25.00", "10.10", "25.00", "11.00", "42.24", "42.25", "42.25"}

// Cards of contract §12.
const (
	frictionless = client.Frictionless
	challenged   = client.Challenged
	technical    = "4012001037461114"
)

func (s *scenario) pickMethod() string {
	if s.rng.IntN(3) > 0 {
		return "card"
	}
	if s.currency == "EUR" {
		return "ideal"
	}
	return "boleto"
}

// startClients starts the scenario's clients: servers that create the checkout, tills that
// process it at the same time, and those who disturb them.
func (s *scenario) startClients() {
	if s.rng.IntN(3) == 0 {
		s.more += fmt.Sprintf(`,"valid_until":%q`, s.now().Add(time.Duration(1+
			s.rng.IntN(40))*time.Minute).Format(time.RFC3339))
		s.instant = true
	}
	for i := range 1 + s.rng.IntN(2) {
		s.client("server", i, s.create)
	}
	for i := range 1 + s.rng.IntN(3) {
		s.client("till", i, s.process)
	}
	for i := range s.rng.IntN(3) {
		act := []func(string, *rand.Rand){s.deactivate, s.patch, s.read, s.useForeignKey}[s.rng.IntN(4)]
		s.client("extra", i, func(actor string, rng *rand.Rand) {
			s.await(actor)
			act(actor, rng)
		})
	}
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

func (s *scenario) path() string { return "/v0.1/checkouts/" + s.id }

// process pays, up to three times.
func (s *scenario) process(actor string, rng *rand.Rand) {
	s.await(actor)
	for i := range 1 + rng.IntN(3) {
		r := client.Request{Method: "PUT", Path: s.path(), Body: s.payment(rng)}
		answer := s.insistWithKey(actor, rng, r, fmt.Sprintf("%s pays %d", actor, i))
		s.pay(actor, rng, answer.view())
		s.refundPaid(answer.view(), rng)
		s.think(actor)
		if rng.IntN(2) == 0 {
			s.read(actor, rng)
		}
	}
}

func (s *scenario) payment(rng *rand.Rand) string {
	switch s.method {
	case "ideal":
		return `{"payment_type":"ideal","personal_details":{"first_name":"A","last_name":"B","email":"a@example.com",` +
			`"address":{"country":"NL"}}}`
	case "boleto":
		return `{"payment_type":"boleto","personal_details":{"first_name":"Ana","last_name":"Silva",` +
			`"email":"a@example.com","tax_id":"52998224725",` +
			`"address":{"line_1":"Rua A 1","city":"Recife","state":"PE","postal_code":"50010-000","country":"BR"}}}`
	default:
		number := []string{frictionless, frictionless, challenged, challenged, technical}[rng.IntN(5)]
		return fmt.Sprintf(`{"payment_type":"card","card":%s}`, cardBody(number))
	}
}

func cardBody(number string) string {
	return fmt.Sprintf(`{"name":"Ada Lovelace","number":%q,"expiry_month":"12","expiry_year":"2035","cvv":"739"}`, number)
}

func (s *scenario) deactivate(actor string, rng *rand.Rand) {
	s.insist(actor, client.Request{Method: "DELETE", Path: s.path(), IdempotencyKey: perhaps(rng, actor+" deactivates")})
}

func (s *scenario) patch(actor string, rng *rand.Rand) {
	body := fmt.Sprintf(`{"amount":%s}`, amounts[rng.IntN(len(amounts))])
	if rng.IntN(3) == 0 {
		body = fmt.Sprintf(`{"checkout_reference":%q}`, s.name+"-renamed")
	}
	s.insist(actor, client.Request{Method: "PATCH", Path: s.path(), Body: body,
		IdempotencyKey: perhaps(rng, actor+" patches")})
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

func (s *scenario) read(actor string, _ *rand.Rand) {
	s.insist(actor, client.Request{Method: "GET", Path: s.path()})
}

// useForeignKey tries another merchant's key on the checkout.
func (s *scenario) useForeignKey(actor string, rng *rand.Rand) {
	other := s.all[(slices.Index(s.all, s.shop)+1)%len(s.all)]
	method := []string{"GET", "DELETE", "PUT"}[rng.IntN(3)]
	body := s.payment(rng)
	if s.method != "card" {
		body = `{"payment_type":"card","card":` + cardBody(frictionless) + `}`
	}
	answer := s.send(actor, other.tenant, client.Request{Method: method, Path: s.path(), APIKey: other.token, Body: body})
	if answer.Status == 200 {
		s.find(s.id, "%s of another merchant's checkout was answered %s", method, answer.Body)
	}
}

// pay acts as the payer, if the answer asks for one: at once, late, or never,
// and now and then twice.
func (s *scenario) pay(actor string, rng *rand.Rand, v view) {
	behaviour := rng.IntN(5)
	if behaviour == 0 {
		return
	}
	payer := actor + " payer"
	if behaviour == 1 {
		s.pass(time.Duration(rng.IntN(40)) * time.Second)
	}
	switch {
	case v.NextStep.Method == "POST":
		s.authenticate(payer, rng, v.NextStep)
	case v.NextStep.Method == "GET":
		s.visitBank(payer, rng, v.NextStep.URL)
	case s.method == "boleto" && v.Status == "PENDING":
		s.think(payer)
		s.operate(payer, fmt.Sprintf(`{"command":"pay_voucher","merchant_code":%q,"checkout_id":%q}`, s.merchant, s.id), nil)
	}
}

// browse posts a form as a browser does, reloading when nothing comes.
func (s *scenario) browse(actor string, form client.Form) response {
	r := form.Request()
	r.Path = strings.TrimPrefix(r.Path, s.config.BaseURL)
	return s.retry(actor, s.tenant, r, patience, response.done)
}

// authenticate goes through the issuer's page and back.
func (s *scenario) authenticate(actor string, rng *rand.Rand, step client.NextStep) {
	decision, err := s.browse(actor, step.Form()).Form()
	if err != nil {
		return
	}
	decision.Fields.Set("decision", []string{"approve", "approve", "approve", "reject", "error"}[rng.IntN(5)])
	back, err := s.browse(actor, decision).Form()
	if err != nil {
		return
	}
	s.think(actor)
	for range 1 + rng.IntN(2) {
		s.browse(actor, back)
	}
}

// visitBank decides on the page of a redirect method's bank.
func (s *scenario) visitBank(actor string, rng *rand.Rand, page string) {
	s.think(actor)
	decision := []string{"pay", "pay", "fail", "leave"}[rng.IntN(4)]
	s.browse(actor, client.Form{Action: page, Fields: url.Values{"decision": {decision}}})
}
