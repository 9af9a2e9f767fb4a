package examples

import (
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// Action is a request under test, with what comes before it.
type Action struct {
	Name    string
	Prepare func(*Scenario) // makes what the request needs
	Request func(*Scenario) world.Request
}

// Actions are the requests of payers, each with its outcomes.
var Actions = []Action{
	{"pay by card", func(t *Scenario) { t.Open(nil) },
		func(t *Scenario) world.Request { return t.ByCard(world.Frictionless) }},
	{"declined", func(t *Scenario) { t.Open(map[string]any{"amount": 42.01}) },
		func(t *Scenario) world.Request { return t.ByCard(world.Frictionless) }},
	{"start a challenge", func(t *Scenario) { t.Open(nil) },
		func(t *Scenario) world.Request { return t.ByCard(world.Challenged) }},
	{"complete a challenge", func(t *Scenario) { t.Open(nil); t.StartChallenge("approve") }, (*Scenario).Complete},
	{"fail a challenge", func(t *Scenario) { t.Open(nil); t.StartChallenge("reject") }, (*Scenario).Complete},
	{"save a card with a mandate", func(t *Scenario) {
		t.Open(map[string]any{"customer_id": t.Customer(), "purpose": "SETUP_RECURRING_PAYMENT", "redirect_url": nil})
	}, func(t *Scenario) world.Request {
		body := t.Card(world.Frictionless)
		body["mandate"] = map[string]any{"type": "recurrent", "user_agent": "test"}
		return t.put(body)
	}},
	{"charge a saved card", func(t *Scenario) { t.SaveCard(); t.Open(nil) }, (*Scenario).BySavedCard},
	{"redirect method", func(t *Scenario) { t.Open(nil) }, (*Scenario).ByIDEAL},
	{"process again at the payer's turn", func(t *Scenario) { t.Open(nil); t.Do(t.ByIDEAL()) },
		func(t *Scenario) world.Request { return t.ByCard(world.Frictionless) }},
	{"deactivate", func(t *Scenario) { t.Open(nil) }, (*Scenario).deactivate},
	{"deactivate at the payer's turn", func(t *Scenario) { t.Open(nil); t.Do(t.ByIDEAL()) }, (*Scenario).deactivate},
}

func (t *Scenario) deactivate() world.Request {
	return world.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + t.CheckoutID}
}

// Result reads the outcome of an action: the checkout's status, its records, callbacks and saved card.
func (t *Scenario) Result() string {
	read, records := t.Checkout(t.CheckoutID), t.CheckoutRecords(t.CheckoutID)
	return fmt.Sprintf("%s, transactions %v, captured %d, %d callbacks, saved card %t", read.Text("status"),
		records.Transactions, records.Captured, len(t.Receiver.Messages(t.CheckoutID)),
		read.Text("payment_instrument.token") != "")
}

// again repeats a request each minute until it is final. A PUT without a key would be a new attempt, so it looks first.
func (t *Scenario) again(request world.Request) {
	const patience = 6
	var response world.Response
	for range patience {
		if request.Method == "PUT" && !t.Keyed && t.attempts() > t.before {
			return
		}
		response = t.Do(request)
		t.PassMinute()
		if response.Status < 500 && response.Status != 424 && !inProgress(response) {
			return
		}
	}
	t.Errorf("after %d minutes: got %d %s, want an outcome", patience, response.Status, response.Body)
}

func (t *Scenario) attempts() int {
	var read struct{ Transactions []any }
	if err := t.Checkout(t.CheckoutID).Into(&read); err != nil {
		t.Errorf("the checkout: got error %v, want none", err)
	}
	return len(read.Transactions)
}

func inProgress(r world.Response) bool {
	code := r.Text("error_code")
	return r.Status == 409 && (code == "CONFLICT" || code == "IDEMPOTENCY_IN_PROGRESS")
}

// Run runs the action once, with a fault at a step, and returns its result and the steps that it took.
func (s Action) Run(t *Scenario, step int, fault faults.Fault) (string, []string) {
	s.Prepare(t)
	request := s.Request(t)
	if t.Keyed {
		request.IdempotencyKey = "key of " + t.CheckoutID
	}
	t.before = t.attempts()
	p := t.Process()
	p.Steps.Plan(step, fault)
	first := p.Do(request)
	steps := p.Steps.Taken()
	if fault == faults.DieAfter || first.Status >= 400 {
		t.again(request)
	}
	t.Clock.Advance(time.Minute)
	t.PassMinute()
	return t.Result(), steps
}
