package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Shop is a merchant's server in a world: it sells in one currency, and sends
// the merchant's key.
type Shop struct {
	*World
	Merchant Merchant // its own, whichever the world's first is
	Currency string
}

// Cards of the sandbox (contract §12), and the CVV that Shop.Card sends with
// any. It has four digits, which stand alone in what is stored and logged less
// often by chance than three do.
const (
	Frictionless = "4200000000000091" // paid at once
	Challenged   = "4200000000000042" // its issuer asks the payer
	CVV          = "7391"
)

// Shop is the first merchant's.
func (w *World) Shop() Shop { return Shop{World: w, Merchant: w.Merchant, Currency: "EUR"} }

// Neighbour is the shop of the world's other merchant.
func (s Shop) Neighbour() Shop { return Shop{World: s.World, Merchant: s.Other, Currency: "EUR"} }

// Abroad is a new merchant's shop; more are facts beside country and currency.
func (s Shop) Abroad(country, currency string, more map[string]any) Shop {
	s.Helper()
	facts := map[string]any{"name": "Filiale " + country, "email": "filiale@example.com",
		"country": country, "currency": currency}
	maps.Copy(facts, more)
	return Shop{World: s.World, Merchant: s.Provision(facts), Currency: currency}
}

// As is the shop with another key.
func (s Shop) As(key string) Shop {
	s.Merchant.Key.ID, s.Merchant.Key.Plaintext = "", key
	return s
}

// NewKey has an operator make the merchant another key, for test mode; kind is
// secret or public.
func (s Shop) NewKey(kind string, scopes ...string) string {
	s.Helper()
	var made struct {
		Key struct{ Plaintext string } `json:"api_key"`
	}
	s.Operate(map[string]any{"command": "create_api_key", "merchant_code": s.Merchant.Code,
		"name": "another", "type": kind,
		"scopes": append([]string{}, scopes...)}, &made)
	s.Secret("API key", made.Key.Plaintext)
	return made.Key.Plaintext
}

// RotateSecret has an operator give the merchant its next callback secret.
func (s Shop) RotateSecret() webhook.Secret {
	s.Helper()
	var made struct{ Secret string }
	s.Operate(map[string]any{"command": "rotate_callback_secret", "merchant_code": s.Merchant.Code}, &made)
	s.Secret("callback secret", made.Secret)
	secret, err := webhook.ParseSecret(made.Secret)
	if err != nil {
		s.Fatal(err)
	}
	return secret
}

// Tenant is whose data the shop sees with a test key.
func (s Shop) Tenant() identity.Tenant {
	return identity.Tenant{Mode: identity.Test, Merchant: s.Merchant.Code}
}

// Send sends a request with the shop's key.
func (s Shop) Send(method, path string, body any) Response {
	s.Helper()
	return s.Do(Request{Method: method, Path: path, Body: body, APIKey: s.Merchant.Key.Plaintext})
}

// Order is a body to create a checkout with, under a reference of its own.
func (s Shop) Order(amount string) map[string]any {
	return map[string]any{"checkout_reference": fmt.Sprintf("order-%d", s.serial.Add(1)), "amount": json.Number(amount),
		"currency": s.Currency, "merchant_code": s.Merchant.Code}
}

// Create makes a checkout of an order and answers its id; more are members
// beside or instead of Order's.
func (s Shop) Create(amount string, more map[string]any) string {
	s.Helper()
	order := s.Order(amount)
	maps.Copy(order, more)
	made := s.Send("POST", "/v0.1/checkouts", order)
	if made.Status != http.StatusCreated {
		s.Fatalf("create: %d %s", made.Status, made.Body)
	}
	return made.Text("id")
}

// Customer makes a customer and answers its id.
func (s Shop) Customer() string {
	s.Helper()
	id := fmt.Sprintf("customer-%d", s.serial.Add(1))
	if made := s.Send("POST", "/v0.1/customers", map[string]any{"customer_id": id}); made.Status != http.StatusCreated {
		s.Fatalf("customer: %d %s", made.Status, made.Body)
	}
	return id
}

// Deactivate ends a checkout that nobody has paid.
func (s Shop) Deactivate(checkout string) {
	s.Helper()
	if r := s.Send("DELETE", "/v0.1/checkouts/"+checkout, nil); r.Status != http.StatusOK {
		s.Fatalf("deactivate: %d %s", r.Status, r.Body)
	}
}

// Card is a body to pay a checkout by card.
func (w *World) Card(number string) map[string]any {
	w.Secret("card number", number)
	return map[string]any{"payment_type": "card", "card": map[string]any{"name": "Ada Lovelace", "number": number,
		"expiry_month": "12", "expiry_year": "2030", "cvv": CVV}}
}

// Payment is a transaction as its checkout shows it.
type Payment struct {
	ID         string `json:"id"`
	Code       string `json:"transaction_code"`
	InternalID int64  `json:"internal_id"`
	Status     string `json:"status"`
	Checkout   string `json:"-"` // id
	Reference  string `json:"-"` // of the checkout, when it was processed
}

// Pay has a checkout paid as the body says, and answers its latest
// transaction, whatever became of it.
func (s Shop) Pay(checkout string, body map[string]any) Payment {
	s.Helper()
	path := "/v0.1/checkouts/" + checkout
	answer := s.Send("PUT", path, body)
	if answer.Status == http.StatusAccepted { // which shows no transaction
		answer = s.Send("GET", path, nil)
	}
	var c struct {
		Reference    string    `json:"checkout_reference"`
		Transactions []Payment `json:"transactions"`
	}
	if err := answer.Into(&c); err != nil || answer.Status != http.StatusOK || len(c.Transactions) == 0 {
		s.Fatalf("process: %d %s", answer.Status, answer.Body)
	}
	p := c.Transactions[len(c.Transactions)-1]
	p.Checkout, p.Reference = checkout, c.Reference
	return p
}

// Sell has a new checkout paid by card.
func (s Shop) Sell(amount string) Payment {
	s.Helper()
	p := s.Pay(s.Create(amount, nil), s.Card(Frictionless))
	if p.Status != "SUCCESSFUL" {
		s.Fatalf("pay: %+v", p)
	}
	return p
}

// Refund gives an amount of a payment back.
func (s Shop) Refund(p Payment, amount string) {
	s.Helper()
	r := s.Send("POST", "/v0.1/me/refund/"+p.ID, map[string]any{"amount": json.Number(amount)})
	if r.Status != http.StatusNoContent {
		s.Fatalf("refund: %d %s", r.Status, r.Body)
	}
}

// SetPayout has an operator change how the merchant is paid out.
func (s Shop) SetPayout(settings map[string]any) {
	s.Helper()
	command := map[string]any{"command": "set_payout", "merchant_code": s.Merchant.Code}
	maps.Copy(command, settings)
	s.Operate(command, nil)
}
