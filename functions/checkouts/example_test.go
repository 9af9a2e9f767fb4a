package checkouts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestExample_AProcessDiesAfterTheCharge is the test to read first. It explains each call of the harness.
func TestExample_AProcessDiesAfterTheCharge(t *testing.T) {
	t.Parallel() // Each test has its own world, so all tests run in parallel.

	// A world is the whole platform in memory: functions, table, queues, acquirer, and a clock that only the test moves. A
	// shop is a merchant's server in the world. This shop also receives callbacks.
	s := world.NewShop(t).WithCallbacks()

	// A shop's requests carry the merchant's API key. The world compares every request and response with openapi.yaml.
	id := s.Create("10.10", nil) // POST /v0.1/checkouts, which must answer 201
	// Without a currency the same request is refused. edited returns a changed copy of a body. missing returns the
	// refusal that contract §3.2 prescribes for a missing field.
	missing("currency").Check(t, s.Send("POST", "/v0.1/checkouts",
		edited(s.CheckoutBody("10.10"), change{"currency", absent})))

	// A process is a set of warm functions, which live and die together. Its calls to table, queues and acquirer are its
	// steps. Inject decides what happens to each step. Here the acquirer charges the card, and the process dies before it
	// can record the charge. The payer's browser gets a 500, as from API Gateway when a function dies.
	dying := s.Process()
	dying.Steps.Inject(faults.Times(1, "Charge", faults.DieAfter))
	s.Must(500, dying.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, Body: s.Card(world.Frictionless)}))

	// App reads the table directly, so no fault affects this read. The attempt is open, so no other request charges the
	// card.
	c, err := s.App.Store.Checkout(t.Context(), s.Tenant(), id)
	if err != nil || c.Attempt.State != payments.AttemptPending {
		t.Errorf("got attempt %+v, error %v; want it pending", c.Attempt, err)
	}

	// A world runs only what the test starts. PassMinute moves the clock and runs everything that is due. The sweep asks
	// the acquirer about the same attempt. It records the payment in one transaction with the callback, which is then
	// delivered.
	s.PassMinute()
	want := world.CheckoutRecords{Transactions: map[string]int{"SUCCESSFUL": 1}, Captured: 1}
	if diff := cmp.Diff(want, s.CheckoutRecords(id)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if got := s.Receiver.Messages(id); len(got) != 1 {
		t.Errorf("got callbacks %v, want one", got)
	}
	// When the test ends, the world also adds up the journal and searches table and logs for card numbers and keys. It
	// fails the test if a function did what functions/access.json does not allow.
}
