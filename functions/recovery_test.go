package functions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// action is one request under test: what comes before it, and the request.
type action struct {
	name    string
	prepare func(*scenario) // makes what the request needs
	request func(*scenario) world.Request
}

var actions = []action{
	{"pay by card", func(t *scenario) { t.open(nil) },
		func(t *scenario) world.Request { return t.byCard(world.Frictionless) }},
	{"declined", func(t *scenario) { t.open(map[string]any{"amount": 42.01}) },
		func(t *scenario) world.Request { return t.byCard(world.Frictionless) }},
	{"start a challenge", func(t *scenario) { t.open(nil) },
		func(t *scenario) world.Request { return t.byCard(world.Challenged) }},
	{"complete a challenge", func(t *scenario) { t.open(nil); t.challenge("approve") }, (*scenario).complete},
	{"fail a challenge", func(t *scenario) { t.open(nil); t.challenge("reject") }, (*scenario).complete},
	{"save a card with a mandate", func(t *scenario) {
		t.open(map[string]any{"customer_id": t.Customer(), "purpose": "SETUP_RECURRING_PAYMENT", "redirect_url": nil})
	}, func(t *scenario) world.Request {
		body := t.Card(world.Frictionless)
		body["mandate"] = map[string]any{"type": "recurrent", "user_agent": "test"}
		return t.put(body)
	}},
	{"charge a saved card", func(t *scenario) { t.saveCard(); t.open(nil) }, (*scenario).bySavedCard},
	{"redirect method", func(t *scenario) { t.open(nil) }, (*scenario).byIDEAL},
	{"process again at the payer's turn", func(t *scenario) { t.open(nil); t.Do(t.byIDEAL()) },
		func(t *scenario) world.Request { return t.byCard(world.Frictionless) }},
	{"deactivate", func(t *scenario) { t.open(nil) }, (*scenario).deactivate},
	{"deactivate at the payer's turn", func(t *scenario) { t.open(nil); t.Do(t.byIDEAL()) }, (*scenario).deactivate},
}

func (t *scenario) deactivate() world.Request {
	return world.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + t.checkout}
}

// result is what a action comes to, whatever happened on the way.
func (t *scenario) result() string {
	read, records := t.Checkout(t.checkout), t.CheckoutRecords(t.checkout)
	return fmt.Sprintf("%s, transactions %v, captured %d, %d callbacks, saved card %t", read.Text("status"),
		records.Transactions, records.Captured, len(t.Receiver.Messages(t.checkout)),
		read.Text("payment_instrument.token") != "")
}

// again repeats the request as a client does that got no final answer, while
// the platform's minutes pass, until it gets one. To process once more without
// an Idempotency-Key is to ask for another attempt, so such a client looks
// first whether there is one.
func (t *scenario) again(request world.Request) {
	const patience = 6
	var response world.Response
	for range patience {
		if request.Method == "PUT" && !t.keyed && t.attempts() > t.before {
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

// attempts is how many transactions the checkout shows.
func (t *scenario) attempts() int {
	var read struct{ Transactions []any }
	if err := t.Checkout(t.checkout).Into(&read); err != nil {
		t.Errorf("the checkout: got error %v, want none", err)
	}
	return len(read.Transactions)
}

func inProgress(r world.Response) bool {
	code := r.Text("error_code")
	return r.Status == 409 && (code == "CONFLICT" || code == "IDEMPOTENCY_IN_PROGRESS")
}

// TestKilledAfterEveryStep lets each fault happen to each I/O step of each
// action: to the table, and to the acquirer. After the client repeated its
// request and the sweep ran, the result equals the one without faults: at
// most one charge, one transaction per charge, and each status change sent
// under one id. With an Idempotency-Key and without.
func TestKilledAfterEveryStep(t *testing.T) {
	t.Parallel()
	for _, s := range actions {
		for _, keyed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/keyed=%t", s.name, keyed), func(t *testing.T) {
				t.Parallel()
				s.withEveryFault(t, keyed)
			})
		}
	}
}

func (s action) withEveryFault(t *testing.T, keyed bool) {
	all := newScenario(t)
	run := func(step int, fault faults.Fault) (string, []string) {
		return s.run(&scenario{Shop: all.Shop, keyed: keyed}, step, fault)
	}
	want, steps := run(0, faults.None)
	if len(steps) < 2 {
		t.Fatalf("got steps %v, want at least 2", steps)
	}
	for n, name := range steps {
		for _, fault := range faults.Distinct(name) {
			if got, _ := run(n+1, fault); got != want {
				t.Errorf("%s at step %d (%s of %s):\n got %s\nwant %s", fault, n+1, name, strings.Join(steps, ", "), got, want)
			}
		}
	}
}

// run runs the action once with a fault and returns its result and steps.
func (s action) run(t *scenario, step int, fault faults.Fault) (string, []string) {
	s.prepare(t)
	request := s.request(t)
	if t.keyed {
		request.IdempotencyKey = "key of " + t.checkout
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
	return t.result(), steps
}

// TestARestartBetweenChallengeAndAnswerLosesNothing: another process takes
// the payer's answer.
func TestARestartBetweenChallengeAndAnswerLosesNothing(t *testing.T) {
	t.Parallel()
	one := newScenario(t)
	one.open(nil)
	before, after := one.Process(), one.Process()
	started := before.Do(one.byCard(world.Challenged))
	before.Stop()
	one.form = one.Challenge(started, "approve")
	want, answer := "https://shop.example/done?a=b&checkout_id="+one.checkout, after.Do(one.complete())
	if to := answer.Header.Get("Location"); answer.Status != 303 || to != want {
		t.Errorf("complete: got %d to %s, want 303 to %s", answer.Status, to, want)
	}
	if read := one.Checkout(one.checkout); read.Text("status") != "PAID" {
		t.Errorf("got checkout %s, want it PAID", read.Body)
	}
}

// TestAHundredProcessCallsChargeOnce: at once and alike, with one
// Idempotency-Key and without.
func TestAHundredProcessCallsChargeOnce(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "once"} {
		t.Run("key="+key, func(t *testing.T) {
			t.Parallel()
			one := newScenario(t)
			one.open(nil)
			request := one.byCard(world.Frictionless)
			if key != "" {
				request.IdempotencyKey = key
			}
			statuses := one.DoConcurrently(100, request)
			want := "PAID, transactions map[SUCCESSFUL:1], captured 1, 0 callbacks, saved card false"
			if got := one.result(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if statuses[200] == 0 || statuses[200]+statuses[409] != 100 {
				t.Errorf("got statuses %v, want 100 of 200 and 409, and at least one 200", statuses)
			}
			one.RunUntilIdle()
			if got := one.Receiver.Messages(one.checkout); len(got) != 1 {
				t.Errorf("got %d callbacks, want 1", len(got))
			}
		})
	}
}

// TestAHundredCreationsMakeOneCheckout: with one reference, and with one
// Idempotency-Key.
func TestAHundredCreationsMakeOneCheckout(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "once"} {
		t.Run("key="+key, func(t *testing.T) {
			t.Parallel()
			shop := world.New(t).Shop()
			request := world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: shop.CheckoutBody("10.10")}
			if key != "" {
				request.IdempotencyKey = key
			}
			statuses := shop.DoConcurrently(100, request)
			created := statuses[201]
			if created+statuses[409] != 100 {
				t.Errorf("got statuses %v, want 100 of 201 and 409", statuses)
			}
			var listed []map[string]any
			if err := shop.Send("GET", "/v0.1/checkouts", nil).Into(&listed); err != nil || len(listed) != 1 {
				t.Errorf("got %d checkouts listed, error %v; want 1", len(listed), err)
			}
			if created == 0 || (key == "" && created > 1) {
				t.Errorf("got %d of 100 with 201, want 1, or with a key at least 1", created)
			}
		})
	}
}
