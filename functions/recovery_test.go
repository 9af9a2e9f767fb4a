package functions_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// story is one request under test: what comes before it, and the request.
type story struct {
	name    string
	prepare func(*tale) // makes what the request needs
	request func(*tale) world.Request
}

// tale is one run of a story on a checkout of its own.
type tale struct {
	*world.World
	receiver *world.Receiver
	n        int    // of the run
	checkout string // id
	token    string // of a saved card
	form     url.Values
	keyed    bool
	before   int // transactions before the request
}

func (t *tale) create(more map[string]any) string {
	body := map[string]any{"checkout_reference": fmt.Sprintf("order-%d", t.n), "amount": 10.10, "currency": "EUR",
		"merchant_code": t.Merchant.Code, "return_url": t.receiver.URL, "redirect_url": "https://shop.example/done?a=b"}
	maps.Copy(body, more)
	created := t.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: body})
	if created.Status != 201 {
		t.Fatalf("create: %d %s", created.Status, created.Body)
	}
	return created.Text("id")
}

func (t *tale) customer() string {
	id := fmt.Sprintf("customer-%d", t.n)
	if made := t.Do(world.Request{Method: "POST", Path: "/v0.1/customers", Body: map[string]any{"customer_id": id}}); made.Status != 201 {
		t.Fatalf("customer: %d %s", made.Status, made.Body)
	}
	return id
}

func (t *tale) put(body map[string]any) world.Request {
	return world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + t.checkout, Body: body}
}

func paying(number string) map[string]any {
	return map[string]any{"payment_type": "card", "card": card(number)}
}

func card(number string) map[string]any {
	return map[string]any{"name": "Ada Lovelace", "number": number, "expiry_month": "12", "expiry_year": "2030", "cvv": cvv}
}

const (
	cvv          = "7391"
	frictionless = "4200000000000091"
	challenged   = "4200000000000042"
)

var mandate = map[string]any{"type": "recurrent", "user_agent": "test"}

// challenge starts a 3DS payment and answers the issuer's page.
func (t *tale) challenge(decision string) url.Values {
	started := t.Do(t.put(paying(challenged)))
	if started.Status != 202 {
		t.Fatalf("start: %d %s", started.Status, started.Body)
	}
	return t.Challenge(started, decision)
}

var stories = []story{
	{"pay by card", func(t *tale) { t.checkout = t.create(nil) },
		func(t *tale) world.Request { return t.put(paying(frictionless)) }},
	{"declined", func(t *tale) { t.checkout = t.create(map[string]any{"amount": 42.01}) },
		func(t *tale) world.Request { return t.put(paying(frictionless)) }},
	{"start a challenge", func(t *tale) { t.checkout = t.create(nil) },
		func(t *tale) world.Request { return t.put(paying(challenged)) }},
	{"complete a challenge", func(t *tale) { t.checkout = t.create(nil); t.form = t.challenge("approve") },
		func(t *tale) world.Request { return t.complete() }},
	{"fail a challenge", func(t *tale) { t.checkout = t.create(nil); t.form = t.challenge("reject") },
		func(t *tale) world.Request { return t.complete() }},
	{"save a card with a mandate", func(t *tale) {
		t.checkout = t.create(map[string]any{"customer_id": t.customer(), "purpose": "SETUP_RECURRING_PAYMENT", "redirect_url": nil})
	}, func(t *tale) world.Request {
		body := paying(frictionless)
		body["mandate"] = mandate
		return t.put(body)
	}},
	{"charge a saved card", func(t *tale) {
		customer := t.customer()
		t.checkout = t.create(map[string]any{"checkout_reference": fmt.Sprintf("setup-%d", t.n), "customer_id": customer, "return_url": nil})
		t.token = t.Do(t.put(paying(frictionless))).Text("payment_instrument.token")
		t.checkout = t.create(nil)
	}, func(t *tale) world.Request {
		return t.put(map[string]any{"payment_type": "card", "token": t.token, "customer_id": fmt.Sprintf("customer-%d", t.n)})
	}},
	{"redirect method", func(t *tale) { t.checkout = t.create(nil) },
		func(t *tale) world.Request { return t.put(ideal()) }},
	{"process again at the payer's turn", func(t *tale) { t.checkout = t.create(nil); t.Do(t.put(ideal())) },
		func(t *tale) world.Request { return t.put(paying(frictionless)) }},
	{"deactivate", func(t *tale) { t.checkout = t.create(nil) },
		func(t *tale) world.Request {
			return world.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + t.checkout}
		}},
	{"deactivate at the payer's turn", func(t *tale) { t.checkout = t.create(nil); t.Do(t.put(ideal())) },
		func(t *tale) world.Request {
			return world.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + t.checkout}
		}},
}

func ideal() map[string]any {
	return map[string]any{"payment_type": "ideal", "personal_details": map[string]any{"first_name": "Ada", "last_name": "Lovelace",
		"email": "ada@example.com", "address": map[string]any{"country": "NL"}}}
}

func (t *tale) complete() world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/checkouts/" + t.checkout + "/complete_payment", Body: t.form, Key: "-"}
}

// result is what a story comes to, whatever happened on the way.
func (t *tale) result() string {
	read := t.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts/" + t.checkout})
	books := t.Books(t.checkout)
	return fmt.Sprintf("%s, transactions %v, captured %d, told %d times, saved card %t", read.Text("status"),
		books.Transactions, books.Captured, len(t.receiver.Messages(t.checkout)),
		read.Text("payment_instrument.token") != "")
}

// again repeats the request as a client does that got no final answer, while
// the platform's minutes pass, until it is told. To process once more without
// an Idempotency-Key is to ask for another attempt, so such a client looks
// first whether there is one.
func (t *tale) again(request world.Request) {
	const patience = 6
	for range patience {
		if request.Method == "PUT" && !t.keyed && t.attempts() > t.before {
			return
		}
		response := t.Do(request)
		t.Minute()
		if response.Status < 500 && response.Status != 424 && !inProgress(response) {
			return
		}
	}
	t.Errorf("still no answer after %d minutes", patience)
}

// attempts is how many transactions the checkout shows.
func (t *tale) attempts() int {
	var read struct{ Transactions []any }
	if err := t.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts/" + t.checkout}).Into(&read); err != nil {
		t.Error(err)
	}
	return len(read.Transactions)
}

func inProgress(r world.Response) bool {
	code := r.Text("error_code")
	return r.Status == 409 && (code == "CONFLICT" || code == "IDEMPOTENCY_IN_PROGRESS")
}

// TestKilledAfterEveryStep lets each fault happen to each I/O step of each
// story: to the table, and to the acquirer. After the client repeated its
// request and the sweep ran, the result equals the one without faults: at
// most one charge, one transaction per charge, and each status change told
// under one id. With an Idempotency-Key and without.
func TestKilledAfterEveryStep(t *testing.T) {
	t.Parallel()
	for _, s := range stories {
		for _, keyed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/keyed=%t", s.name, keyed), func(t *testing.T) {
				t.Parallel()
				s.withEveryFault(t, keyed)
			})
		}
	}
}

func (s story) withEveryFault(t *testing.T, keyed bool) {
	w := world.New(t)
	receiver := w.Receive()
	w.Secret("card number", frictionless)
	w.Secret("card number", challenged)
	w.Secret("CVV", cvv)
	runs := 0
	run := func(step int, fault world.Fault) (string, []string) {
		runs++
		one := &tale{World: w, receiver: receiver, n: runs, keyed: keyed}
		return s.run(one, step, fault)
	}
	want, steps := run(0, world.NoFault)
	if len(steps) < 2 {
		t.Fatalf("only %v was called", steps)
	}
	for n, name := range steps {
		for _, fault := range world.Faults {
			if got, _ := run(n+1, fault); got != want {
				t.Errorf("%s at step %d (%s of %s):\n got %s\nwant %s", fault, n+1, name, strings.Join(steps, ", "), got, want)
			}
		}
	}
}

// run plays the story once with a fault, and answers its result and steps.
func (s story) run(t *tale, step int, fault world.Fault) (string, []string) {
	s.prepare(t)
	request := s.request(t)
	if t.keyed {
		request.Header = map[string]string{"Idempotency-Key": fmt.Sprintf("key-%d", t.n)}
	}
	t.before = t.attempts()
	p := t.Process()
	p.Steps.Plan(step, fault)
	first := p.Do(request)
	steps := p.Steps.Taken()
	if fault == world.Crash || first.Status >= 400 {
		t.again(request)
	}
	t.Clock.Advance(time.Minute)
	t.Minute()
	return t.result(), steps
}

// TestARestartBetweenChallengeAndAnswerLosesNothing: another process takes
// the payer's answer.
func TestARestartBetweenChallengeAndAnswerLosesNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := &tale{World: w, receiver: w.Receive(), n: 1}
	one.checkout = one.create(nil)
	before, after := w.Process(), w.Process()
	started := before.Do(one.put(paying(challenged)))
	before.Stop()
	one.form = one.Challenge(started, "approve")
	if answer := after.Do(one.complete()); answer.Status != 303 || answer.Header.Get("Location") != "https://shop.example/done?a=b&checkout_id="+one.checkout {
		t.Errorf("complete: %d, to %s", answer.Status, answer.Header.Get("Location"))
	}
	if read := w.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts/" + one.checkout}); read.Text("status") != "PAID" {
		t.Errorf("checkout: %s", read.Body)
	}
}

// TestAHundredProcessCallsChargeOnce: at once and alike, with one
// Idempotency-Key and without.
func TestAHundredProcessCallsChargeOnce(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "once"} {
		t.Run("key="+key, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			one := &tale{World: w, receiver: w.Receive(), n: 1}
			one.checkout = one.create(nil)
			request := one.put(paying(frictionless))
			if key != "" {
				request.Header = map[string]string{"Idempotency-Key": key}
			}
			statuses := one.atOnce(100, request)
			if got := one.result(); got != "PAID, transactions map[SUCCESSFUL:1], captured 1, told 0 times, saved card false" {
				t.Errorf("result: %s", got)
			}
			slices.Sort(statuses)
			if allowed := []int{200, 409}; statuses[0] != 200 || slices.ContainsFunc(statuses, func(s int) bool { return !slices.Contains(allowed, s) }) {
				t.Errorf("statuses: %v", statuses)
			}
			w.Settle()
			if told := one.receiver.Messages(one.checkout); len(told) != 1 {
				t.Errorf("told %d times", len(told))
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
			w := world.New(t)
			one := &tale{World: w}
			request := world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: map[string]any{
				"checkout_reference": "order", "amount": "10.10", "currency": "EUR", "merchant_code": w.Merchant.Code}}
			if key != "" {
				request.Header = map[string]string{"Idempotency-Key": key}
			}
			created := 0
			for _, status := range one.atOnce(100, request) {
				if status == 201 {
					created++
				} else if status != 409 {
					t.Errorf("status %d", status)
				}
			}
			var listed []map[string]any
			if err := w.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts"}).Into(&listed); err != nil || len(listed) != 1 {
				t.Errorf("listed %d checkouts, %v", len(listed), err)
			}
			if created == 0 || (key == "" && created > 1) {
				t.Errorf("%d of 100 said 201", created)
			}
		})
	}
}

// atOnce sends a request many times at the same time and answers the statuses.
func (t *tale) atOnce(many int, request world.Request) []int {
	statuses := make([]int, many)
	done := make(chan struct{})
	for i := range many {
		go func() {
			statuses[i] = t.Do(request).Status
			done <- struct{}{}
		}()
	}
	for range many {
		<-done
	}
	return statuses
}
