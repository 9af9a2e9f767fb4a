// Package payments simulates payments by all methods. Use New with simulator.Run.
package payments

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/books"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
)

type payments struct{ *simulator.World }

// New returns the workload. Most payments are in test mode, and no acquirer charges live cards.
func New(w *simulator.World) simulator.Workload { return payments{w} }

func (w payments) Check() {
	books.Check(w.World)
	if w.Stripe != nil {
		books.Reconcile(w.World)
	}
}

// Act starts the clients of one to three scenarios.
func (w payments) Act() {
	all := shops.Open(w.World)
	w.FaultsOn = true
	for n := range 1 + w.RNG.IntN(3) {
		s := newOrder(w.World, w.pick(all), w.Random(n+1), fmt.Sprintf("order-%d", n))
		s.Amount = simulator.Pick(s.RNG, s.amounts())
		if w.Random(100+n).IntN(4) == 0 { // separate random numbers, so that the seed's other choices do not change
			s.Returns = shops.Returns
		}
		if s.atStripe() {
			s.Returns = stripeReturns
		}
		switch {
		case (s.Currency == "EUR" || s.atStripe()) && s.RNG.IntN(4) == 0:
			s.useSavedCard()
			continue
		case s.RNG.IntN(10) == 0:
			s.administer()
			continue
		}
		s.method = s.pickMethod()
		s.startClients()
	}
	shops.Recover(w.World)
}

// order is a scenario whose payers use any method while other clients interfere.
type order struct {
	*shops.Scenario
	method string // payment_type
}

// newOrder returns an order of the shop. Its clients pay by card.
func newOrder(w *simulator.World, s *shops.Shop, rng *rand.Rand, name string) *order {
	return &order{shops.NewScenario(w, s, rng, name), "card"}
}

// sandboxAmounts lists amounts of checkouts. The sandbox treats some specially and approves the rest (contract §12).
var sandboxAmounts = []string{"10.10", "25.00", "10.10", "25.00", "11.00", "42.24", "42.25", "42.25"}

// sandboxCards lists the payers' cards: without a challenge, with a challenge, and with a technical error (contract
// §12).
var sandboxCards = []string{client.Frictionless, client.Frictionless, client.Challenged, client.Challenged,
	"4012001037461114"}

func (s *order) pickMethod() string {
	if s.RNG.IntN(3) > 0 {
		return "card"
	}
	if s.Currency == "EUR" {
		return "ideal"
	}
	return "boleto"
}

// startClients starts servers that create the checkout, tills that process it, and clients that interfere.
func (s *order) startClients() {
	if s.RNG.IntN(3) == 0 {
		s.More += fmt.Sprintf(`,"valid_until":%q`, s.Now().Add(time.Duration(1+
			s.RNG.IntN(40))*time.Minute).Format(time.RFC3339))
	}
	s.StartClients("server", 1+s.RNG.IntN(2), s.Create)
	s.StartClients("till", 1+s.RNG.IntN(3), s.process)
	for i := range s.RNG.IntN(3) {
		act := []func(string, *rand.Rand){s.deactivate, s.patch, s.read, s.useForeignKey}[s.RNG.IntN(4)]
		s.StartClient("extra", i, func(actor string, rng *rand.Rand) {
			s.Await(actor)
			act(actor, rng)
		})
	}
}

// process pays the checkout, up to three times.
func (s *order) process(actor string, rng *rand.Rand) {
	s.Await(actor)
	for i := range 1 + rng.IntN(3) {
		r := client.Request{Method: "PUT", Path: s.CheckoutPath(), Body: s.paymentBody(rng)}
		answer := s.InsistWithKey(actor, rng, r, fmt.Sprintf("%s pays %d", actor, i))
		s.pay(actor, rng, answer.View())
		s.refundPaid(answer.View(), rng)
		s.Think(actor)
		if rng.IntN(2) == 0 {
			s.read(actor, rng)
		}
	}
}

func (s *order) paymentBody(rng *rand.Rand) string {
	switch s.method {
	case "ideal":
		return `{"payment_type":"ideal","personal_details":{"first_name":"A","last_name":"B","email":"a@example.com",` +
			`"address":{"country":"NL"}}}`
	case "boleto":
		return `{"payment_type":"boleto","personal_details":{"first_name":"Ana","last_name":"Silva",` +
			`"email":"a@example.com","tax_id":"52998224725",` +
			`"address":{"line_1":"Rua A 1","city":"Recife","state":"PE","postal_code":"50010-000","country":"BR"}}}`
	default:
		return fmt.Sprintf(`{"payment_type":"card","card":%s}`, shops.CardBody(simulator.Pick(rng, s.cards())))
	}
}

func (s *order) deactivate(actor string, rng *rand.Rand) {
	s.Insist(actor, client.Request{Method: "DELETE", Path: s.CheckoutPath(),
		IdempotencyKey: shops.Perhaps(rng, actor+" deactivates")})
}

func (s *order) patch(actor string, rng *rand.Rand) {
	body := fmt.Sprintf(`{"amount":%s}`, simulator.Pick(rng, s.amounts()))
	if rng.IntN(3) == 0 {
		body = fmt.Sprintf(`{"checkout_reference":%q}`, s.Name+"-renamed")
	}
	s.Insist(actor, client.Request{Method: "PATCH", Path: s.CheckoutPath(), Body: body,
		IdempotencyKey: shops.Perhaps(rng, actor+" patches")})
}

func (s *order) read(actor string, _ *rand.Rand) {
	s.Insist(actor, client.Request{Method: "GET", Path: s.CheckoutPath()})
}

// useForeignKey tries another merchant's key on the checkout.
func (s *order) useForeignKey(actor string, rng *rand.Rand) {
	other := s.All[(slices.Index(s.All, s.Shop)+1)%len(s.All)]
	method := []string{"GET", "DELETE", "PUT"}[rng.IntN(3)]
	body := s.paymentBody(rng)
	if s.method != "card" {
		body = shops.SetupFree
	}
	answer := s.Send(actor, other.Tenant, client.Request{Method: method, Path: s.CheckoutPath(), APIKey: other.Token,
		Body: body})
	if answer.Status == 200 {
		s.Find(s.ID, "%s of another merchant's checkout was answered %s", method, answer.Body)
	}
}

// pay acts as the payer, if the answer asks the payer to act: at once, late, or never, and sometimes twice.
func (s *order) pay(actor string, rng *rand.Rand, v simulator.View) {
	behaviour := rng.IntN(5)
	if behaviour == 0 {
		return
	}
	payer := actor + " payer"
	if behaviour == 1 {
		s.Pass(time.Duration(rng.IntN(40)) * time.Second)
	}
	switch {
	case v.NextStep.Method == "POST" && s.atStripe():
		s.visitStripe(payer, rng, v.NextStep)
	case v.NextStep.Method == "POST":
		s.authenticate(payer, rng, v.NextStep)
	case v.NextStep.Method == "GET":
		s.visitBank(payer, rng, v.NextStep.URL)
	case s.method == "boleto" && v.Status == "PENDING" && s.atStripe():
		s.Think(payer)
		s.Notef(payer, "pays the voucher: %v", s.Stripe.PayVoucher(s.ID))
	case s.method == "boleto" && v.Status == "PENDING":
		s.Think(payer)
		s.Operate(payer, fmt.Sprintf(`{"command":"pay_voucher","merchant_code":%q,"checkout_id":%q}`, s.Merchant, s.ID), nil)
	}
}

// browse posts a form as a browser does. It reloads when no answer comes.
func (s *order) browse(actor string, form client.Form) simulator.Response {
	r := form.Request()
	r.Path = strings.TrimPrefix(r.Path, s.Config.BaseURL)
	return s.Retry(actor, s.Tenant, r, simulator.Patience, simulator.Response.Done)
}

// authenticate goes through the issuer's page and back.
func (s *order) authenticate(actor string, rng *rand.Rand, step client.NextStep) {
	decision, err := s.browse(actor, step.Form()).Form()
	if err != nil {
		return
	}
	decision.Fields.Set("decision", []string{"approve", "approve", "approve", "reject", "error"}[rng.IntN(5)])
	back, err := s.browse(actor, decision).Form()
	if err != nil {
		return
	}
	s.Think(actor)
	for range 1 + rng.IntN(2) {
		s.browse(actor, back)
	}
}

// visitBank decides on the page of a redirect method's bank.
func (s *order) visitBank(actor string, rng *rand.Rand, page string) {
	s.Think(actor)
	decision := []string{"pay", "pay", "fail", "leave"}[rng.IntN(4)]
	s.browse(actor, client.Form{Action: page, Fields: url.Values{"decision": {decision}}})
}

// refundPaid starts refunds of a payment once an answer has told a till that the payment succeeded. It does so only
// once in a scenario, and only if the scenario has refunds.
func (s *order) refundPaid(paid simulator.View, rng *rand.Rand) {
	wanted := false
	s.Record(func() {
		if wanted = paid.TransactionID != "" && len(s.Returns) > 0 && s.Transaction == ""; wanted {
			s.Transaction = paid.TransactionID
		}
	})
	if wanted {
		s.RequestRefunds(rng)
	}
}
