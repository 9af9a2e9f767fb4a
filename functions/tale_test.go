package functions_test

import (
	"maps"
	"net/url"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// tale is what happens to one shop in a test of all functions.
type tale struct {
	world.Shop
	receiver *world.Receiver
	checkout string // id
	payer    string // a customer's id
	token    string // of a saved card
	form     url.Values
	keyed    bool // the request under test has an Idempotency-Key
	before   int  // transactions before it
}

// newTale is in a world of its own, with nothing else in it.
func newTale(tb testing.TB) *tale {
	tb.Helper()
	w := world.New(tb)
	return &tale{Shop: w.Shop(), receiver: w.Receive()}
}

// Do sends a request with the shop's key, unless it has another.
func (t *tale) Do(r world.Request) world.Response {
	t.Helper()
	if r.APIKey == "" {
		r.APIKey = t.Merchant.Key.Plaintext
	}
	return t.World.Do(r)
}

// open makes the checkout that is paid.
func (t *tale) open(more map[string]any) {
	t.Helper()
	t.checkout = t.create(more)
}

// create makes a checkout of whose changes the receiver hears.
func (t *tale) create(more map[string]any) string {
	t.Helper()
	order := map[string]any{"return_url": t.receiver.URL, "redirect_url": "https://shop.example/done?a=b"}
	maps.Copy(order, more)
	return t.Create("10.10", order)
}

// read reads the checkout.
func (t *tale) read() world.Response {
	t.Helper()
	return t.Send("GET", "/v0.1/checkouts/"+t.checkout, nil)
}

func (t *tale) put(body map[string]any) world.Request {
	return world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + t.checkout, Body: body}
}

// byCard is a request to pay the checkout.
func (t *tale) byCard(number string) world.Request { return t.put(t.Card(number)) }

func (t *tale) byIDEAL() world.Request {
	return t.put(map[string]any{"payment_type": "ideal", "personal_details": map[string]any{"first_name": "Ada",
		"last_name": "Lovelace",
		"email":     "ada@example.com", "address": map[string]any{"country": "NL"}}})
}

// saveCard has a new customer pay with a card that is saved.
func (t *tale) saveCard() {
	t.Helper()
	t.payer = t.Customer()
	t.token = t.payAndSave()
}

// payAndSave has the customer pay, and answers the card's token.
func (t *tale) payAndSave() string {
	t.Helper()
	t.open(map[string]any{"customer_id": t.payer, "return_url": nil})
	return t.Do(t.byCard(world.Frictionless)).Text("payment_instrument.token")
}

// bySavedCard is a request to pay the checkout.
func (t *tale) bySavedCard() world.Request {
	return t.put(map[string]any{"payment_type": "card", "token": t.token, "customer_id": t.payer})
}

// challenge starts a 3DS payment and has the payer decide on the issuer's page.
func (t *tale) challenge(decision string) {
	t.Helper()
	started := t.Do(t.byCard(world.Challenged))
	if started.Status != 202 {
		t.Fatalf("start: %d %s", started.Status, started.Body)
	}
	t.form = t.Challenge(started, decision)
}

// complete brings the payer back from the issuer.
func (t *tale) complete() world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/checkouts/" + t.checkout + "/complete_payment",
		Body: t.form, APIKey: world.NoKey}
}
