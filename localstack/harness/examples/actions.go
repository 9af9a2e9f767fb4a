package examples

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// Action is a request under test, and its preparation.
type Action struct {
	Name    string
	Prepare func(*Scenario) // creates the objects that the request needs
	Request func(*Scenario) world.Request
}

// Actions are the requests of payers, one for each outcome.
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
		return t.putRequest(body)
	}},
	{"charge a saved card", func(t *Scenario) { t.SaveCard(); t.Open(nil) }, (*Scenario).BySavedCard},
	{"charge a saved card that is refused for good", func(t *Scenario) {
		t.SaveCard()
		t.Open(map[string]any{"amount": json.Number(client.RefusedForGood)})
	}, (*Scenario).BySavedCard},
	{"redirect method", func(t *Scenario) { t.Open(nil) }, (*Scenario).ByIDEAL},
	{"process again at the payer's turn", func(t *Scenario) { t.Open(nil); t.Do(t.ByIDEAL()) },
		func(t *Scenario) world.Request { return t.ByCard(world.Frictionless) }},
	{"deactivate", func(t *Scenario) { t.Open(nil) }, (*Scenario).deactivation},
	{"deactivate at the payer's turn", func(t *Scenario) { t.Open(nil); t.Do(t.ByIDEAL()) }, (*Scenario).deactivation},
}

func (t *Scenario) deactivation() world.Request {
	return world.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + t.CheckoutID}
}

// Result describes the outcome of an action: the checkout's status, its records, its callbacks and the saved card.
func (t *Scenario) Result() string {
	read, records := t.Checkout(t.CheckoutID), t.CheckoutRecords(t.CheckoutID)
	return fmt.Sprintf("%s, transactions %v, captured %d, %d callbacks, saved card %t", read.Text("status"),
		records.Transactions, records.Captured, len(t.Receiver.Messages(t.CheckoutID)),
		read.Text("payment_instrument.token") != "")
}

// repeat repeats a request each minute until its answer is final. Before a PUT without an Idempotency-Key it reads the
// checkout. If the checkout already has a new attempt, repeat stops, because the PUT would start another attempt.
func (t *Scenario) repeat(request world.Request) {
	const patience = 6
	var response world.Response
	for range patience {
		if request.Method == "PUT" && !t.Keyed && t.countAttempts() > t.before {
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

func (t *Scenario) countAttempts() int {
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

// Run runs the action once, with a fault at one step. It returns the action's result and the steps that the action
// took.
func (s Action) Run(t *Scenario, step int, fault faults.Fault) (string, []string) {
	s.Prepare(t)
	request := s.Request(t)
	if t.Keyed {
		request.IdempotencyKey = "key of " + t.CheckoutID
	}
	t.before = t.countAttempts()
	p := t.Process()
	p.Steps.Plan(step, fault)
	first := p.Do(request)
	steps := p.Steps.Taken()
	if fault == faults.DieAfter || first.Status >= 400 {
		t.repeat(request)
	}
	t.Clock.Advance(time.Minute)
	t.PassMinute()
	return t.Result(), steps
}
