// Package examples builds the requests that openapi.yaml shows, and creates the objects that these requests need (see
// Fixture).
package examples

import (
	"net/url"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// Scenario is one shop with the last checkout, customer and card that were created in it.
type Scenario struct {
	world.Shop
	CheckoutID string
	CustomerID string
	CardToken  string     // token of a saved card
	Form       url.Values // the issuer's answer to a challenge
	Keyed      bool       // the request under test has an Idempotency-Key
	before     int        // number of transactions before the request under test
}

// New opens a world with a shop that receives callbacks.
func New(tb testing.TB) *Scenario {
	tb.Helper()
	return &Scenario{Shop: world.NewShop(tb).WithCallbacks()}
}

// Open creates the checkout for the next payment.
func (t *Scenario) Open(more map[string]any) {
	t.Helper()
	t.CheckoutID = t.Create("10.10", more)
}

func (t *Scenario) putRequest(body map[string]any) world.Request {
	return world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + t.CheckoutID, Body: body}
}

// ByCard returns a request to pay the scenario's checkout by card.
func (t *Scenario) ByCard(number string) world.Request { return t.putRequest(t.Card(number)) }

// ByIDEAL returns a request to pay the scenario's checkout by iDEAL.
func (t *Scenario) ByIDEAL() world.Request {
	return t.putRequest(map[string]any{"payment_type": "ideal", "personal_details": map[string]any{"first_name": "Ada",
		"last_name": "Lovelace", "email": "ada@example.com", "address": map[string]any{"country": "NL"}}})
}

// SaveCard creates a customer, who pays and saves the card.
func (t *Scenario) SaveCard() {
	t.Helper()
	t.CustomerID = t.Customer()
	t.CardToken = t.PayAndSave()
}

// PayAndSave pays as the customer, saves the card, and returns the card's token.
func (t *Scenario) PayAndSave() string {
	t.Helper()
	t.Open(map[string]any{"customer_id": t.CustomerID, "return_url": nil})
	return t.MustPay(t.CheckoutID, t.Card(world.Frictionless)).Text("payment_instrument.token")
}

// BySavedCard returns a request to pay the scenario's checkout by the saved card.
func (t *Scenario) BySavedCard() world.Request {
	return t.putRequest(map[string]any{"payment_type": "card", "token": t.CardToken, "customer_id": t.CustomerID})
}

// StartChallenge starts a 3DS payment. Then it sends the payer's decision on the issuer's page.
func (t *Scenario) StartChallenge(decision string) {
	t.Helper()
	started := t.Do(t.ByCard(world.Challenged))
	if started.Status != 202 {
		t.Fatalf("start: got %d %s, want 202", started.Status, started.Body)
	}
	t.Form = t.Challenge(started, decision)
}

// Complete returns the request that brings the payer back from the issuer.
func (t *Scenario) Complete() world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/checkouts/" + t.CheckoutID + "/complete_payment",
		Body: t.Form, APIKey: world.NoKey}
}
