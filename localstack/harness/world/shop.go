package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Shop is a merchant's server in a world. It sells in one currency, and sends the merchant's key.
type Shop struct {
	*World
	Merchant Merchant // its own, whichever the world's first is
	Currency string
	Receiver *Receiver // of its callbacks; nil: its checkouts ask for none
}

// RedirectURL is where the payers of a shop with callbacks come back to.
const RedirectURL = "https://shop.example/done?a=b"

// Cards of the sandbox, and the CVV that Shop.Card sends with each.
const (
	Frictionless = client.Frictionless
	Challenged   = client.Challenged
	CVV          = client.CVV
)

// Unanswered is an amount that the sandbox takes without an answer, and knows of 30 seconds later (contract §12).
const Unanswered = "42.25"

// NewShop opens a world, and in it the shop of the first merchant.
func NewShop(tb testing.TB) Shop {
	tb.Helper()
	return New(tb).Shop()
}

// Shop is the first merchant's.
func (w *World) Shop() Shop { return Shop{World: w, Merchant: w.Merchant, Currency: "EUR"} }

// WithCallbacks returns the shop with a receiver: its checkouts have a return_url and a redirect_url.
func (s Shop) WithCallbacks() Shop {
	s.Helper()
	s.Receiver = s.Receive()
	return s
}

// OtherShop returns the shop of the world's other merchant, which is in Germany too.
func (s Shop) OtherShop() Shop {
	s.Merchant, s.Currency = s.Other, "EUR"
	return s
}

// NewShop provisions a merchant; more are terms beside country and currency.
func (s Shop) NewShop(country, currency string, more map[string]any) Shop {
	s.Helper()
	terms := map[string]any{"name": "Filiale " + country, "email": "filiale@example.com",
		"country": country, "currency": currency}
	maps.Copy(terms, more)
	s.Merchant, s.Currency = s.Provision(terms), currency
	return s
}

// WithKey returns the shop with another key.
func (s Shop) WithKey(key string) Shop {
	s.Merchant.Key.ID, s.Merchant.Key.Plaintext = "", key
	return s
}

// NewKey has an operator make the merchant another key, for test mode; kind is secret or public.
func (s Shop) NewKey(kind string, scopes ...string) string {
	s.Helper()
	var made struct {
		Key struct{ Plaintext string } `json:"api_key"`
	}
	s.Operate(map[string]any{"command": "create_api_key", "merchant_code": s.Merchant.Code,
		"mode": "test", "name": "another", "type": kind, "scopes": append([]string{}, scopes...)}, &made)
	s.Secret("API key", made.Key.Plaintext)
	return made.Key.Plaintext
}

// NewLiveShop provisions a merchant whose own key is of live mode.
func (s Shop) NewLiveShop() Shop {
	s.Helper()
	return s.NewShop("DE", "EUR", map[string]any{"sandbox": false})
}

// WithTestKey returns the shop with a new secret key of test mode, which may do everything.
func (s Shop) WithTestKey() Shop {
	s.Helper()
	return s.WithKey(s.NewKey("secret", identity.AllScopes()...))
}

// RotateSecret has an operator give the merchant its next callback secret.
func (s Shop) RotateSecret() webhook.Secret {
	s.Helper()
	var made struct{ Secret string }
	s.Operate(map[string]any{"command": "rotate_callback_secret", "merchant_code": s.Merchant.Code}, &made)
	s.Secret("callback secret", made.Secret)
	secret, err := webhook.ParseSecret(made.Secret)
	s.must(err)
	return secret
}

// Tenant returns the merchant's tenant in test mode.
func (s Shop) Tenant() identity.Tenant {
	return identity.Tenant{Mode: identity.Test, Merchant: s.Merchant.Code}
}

// Do sends a request with the shop's key, unless it has another.
func (s Shop) Do(r Request) Response {
	s.Helper()
	if r.APIKey == "" {
		r.APIKey = s.Merchant.Key.Plaintext
	}
	return s.World.Do(r)
}

// Send sends a request with the shop's key.
func (s Shop) Send(method, path string, body any) Response {
	s.Helper()
	return s.Do(Request{Method: method, Path: path, Body: body})
}

// CheckoutBody returns a body to create a checkout with, under a reference of its own.
func (s Shop) CheckoutBody(amount string) map[string]any {
	body := map[string]any{"checkout_reference": fmt.Sprintf("order-%d", s.serial.Add(1)), "amount": json.Number(amount),
		"currency": s.Currency, "merchant_code": s.Merchant.Code}
	if s.Receiver != nil {
		body["return_url"], body["redirect_url"] = s.Receiver.URL, RedirectURL
	}
	return body
}

// Create creates a checkout and returns its id. more are members beside or instead of CheckoutBody's; nil removes one.
func (s Shop) Create(amount string, more map[string]any) string {
	s.Helper()
	body := s.CheckoutBody(amount)
	maps.Copy(body, more)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	return s.Must(http.StatusCreated, s.Send("POST", "/v0.1/checkouts", body)).Text("id")
}

// Customer makes a customer and returns its id.
func (s Shop) Customer() string {
	s.Helper()
	id := fmt.Sprintf("customer-%d", s.serial.Add(1))
	s.Must(http.StatusCreated, s.Send("POST", "/v0.1/customers", map[string]any{"customer_id": id}))
	return id
}

// Checkout reads a checkout.
func (s Shop) Checkout(id string) Response {
	s.Helper()
	return s.Send("GET", "/v0.1/checkouts/"+id, nil)
}

// ProcessCheckout asks for a checkout to be paid as the body says.
func (s Shop) ProcessCheckout(checkout string, body any) Response {
	s.Helper()
	return s.Send("PUT", "/v0.1/checkouts/"+checkout, body)
}

// Statuses are a checkout's own status and those of its transactions, the oldest first, with a space between any two.
func (s Shop) Statuses(checkout string) string {
	s.Helper()
	var c struct {
		Status       string
		Transactions []struct{ Status string }
	}
	if read := s.Checkout(checkout); read.Status != http.StatusOK || read.Into(&c) != nil {
		s.Fatalf("checkout: %d %s", read.Status, read.Body)
	}
	statuses := []string{c.Status}
	for _, transaction := range c.Transactions {
		statuses = append(statuses, transaction.Status)
	}
	return strings.Join(statuses, " ")
}

// CallbacksReceived delivers what is due, and counts the different callbacks about a checkout received by then.
func (s Shop) CallbacksReceived(checkout string) int {
	s.Helper()
	s.RunUntilIdle()
	return len(s.Receiver.Messages(checkout))
}

// Deactivate ends a checkout that nobody has paid.
func (s Shop) Deactivate(checkout string) {
	s.Helper()
	s.Must(http.StatusOK, s.Send("DELETE", "/v0.1/checkouts/"+checkout, nil))
}

// Card returns a body to pay a checkout by card. The card is the same whatever time it is.
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

// Pay processes a checkout and returns its latest transaction, whatever became of it.
func (s Shop) Pay(checkout string, body map[string]any) Payment {
	s.Helper()
	answer := s.ProcessCheckout(checkout, body)
	if answer.Status == http.StatusAccepted { // which shows no transaction
		answer = s.Checkout(checkout)
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

// MustPay has a checkout paid at once, and returns the checkout.
func (s Shop) MustPay(checkout string, body map[string]any) Response {
	s.Helper()
	paid := s.ProcessCheckout(checkout, body)
	if paid.Status != http.StatusOK || paid.Text("status") != "PAID" {
		s.Fatalf("pay: got %d %s, want 200 and PAID", paid.Status, paid.Body)
	}
	return paid
}

// Answer brings a payer back from the card's issuer, with the form that Challenge has returned.
func (w *World) Answer(checkout string, form url.Values) Response {
	w.Helper()
	return w.Do(Request{Method: "POST", Path: "/v0.1/checkouts/" + checkout + "/complete_payment", Body: form,
		APIKey: NoKey})
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

// Transaction reads the detail of a transaction, which the query names.
func (s Shop) Transaction(query string) Response {
	s.Helper()
	return s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions?"+query, nil)
}

// Refund gives an amount of a payment back.
func (s Shop) Refund(p Payment, amount string) {
	s.Helper()
	body := map[string]any{"amount": json.Number(amount)}
	s.Must(http.StatusNoContent, s.Send("POST", "/v0.1/me/refund/"+p.ID, body))
}

// SetPayout has an operator change the bank account to which the merchant is paid out.
func (s Shop) SetPayout(account map[string]any) {
	s.Helper()
	s.Command("set_payout", account)
}

// Command has an operator give a command about the merchant, such as update_settings in test mode.
func (s Shop) Command(command string, arguments map[string]any) {
	s.Helper()
	body := map[string]any{"command": command, "merchant_code": s.Merchant.Code}
	maps.Copy(body, arguments)
	s.Operate(body, nil)
}
