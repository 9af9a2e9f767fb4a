package functions_test

import (
	"net/url"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// scenario is what happens to one shop in a test of all functions.
type scenario struct {
	world.Shop
	checkout string // id
	payer    string // a customer's id
	token    string // of a saved card
	form     url.Values
	keyed    bool // the request under test has an Idempotency-Key
	before   int  // transactions before it
}

// newScenario is in a world of its own, with nothing else in it.
func newScenario(tb testing.TB) *scenario {
	tb.Helper()
	return &scenario{Shop: world.NewShop(tb).WithCallbacks()}
}

// open makes the checkout that is paid.
func (t *scenario) open(more map[string]any) {
	t.Helper()
	t.checkout = t.Create("10.10", more)
}

func (t *scenario) put(body map[string]any) world.Request {
	return world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + t.checkout, Body: body}
}

// byCard is a request to pay the checkout.
func (t *scenario) byCard(number string) world.Request { return t.put(t.Card(number)) }

func (t *scenario) byIDEAL() world.Request {
	return t.put(map[string]any{"payment_type": "ideal", "personal_details": map[string]any{"first_name": "Ada",
		"last_name": "Lovelace",
		"email":     "ada@example.com", "address": map[string]any{"country": "NL"}}})
}

// saveCard has a new customer pay with a card that is saved.
func (t *scenario) saveCard() {
	t.Helper()
	t.payer = t.Customer()
	t.token = t.payAndSave()
}

// payAndSave has the customer pay and returns the card's token.
func (t *scenario) payAndSave() string {
	t.Helper()
	t.open(map[string]any{"customer_id": t.payer, "return_url": nil})
	return t.Do(t.byCard(world.Frictionless)).Text("payment_instrument.token")
}

// bySavedCard is a request to pay the checkout.
func (t *scenario) bySavedCard() world.Request {
	return t.put(map[string]any{"payment_type": "card", "token": t.token, "customer_id": t.payer})
}

// challenge starts a 3DS payment and has the payer decide on the issuer's page.
func (t *scenario) challenge(decision string) {
	t.Helper()
	started := t.Do(t.byCard(world.Challenged))
	if started.Status != 202 {
		t.Fatalf("start: got %d %s, want 202", started.Status, started.Body)
	}
	t.form = t.Challenge(started, decision)
}

// complete brings the payer back from the issuer.
func (t *scenario) complete() world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/checkouts/" + t.checkout + "/complete_payment",
		Body: t.form, APIKey: world.NoKey}
}
