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
	Merchant Merchant // the shop's merchant, which may differ from World.Merchant
	Currency string
	Receiver *Receiver // receives the shop's callbacks; if nil, its checkouts request no callbacks
}

// RedirectURL is the redirect_url of checkouts of a shop with callbacks.
const RedirectURL = "https://shop.example/done?a=b"

// Cards of the sandbox, and the CVV that World.Card returns with each card.
const (
	Frictionless = client.Frictionless
	Challenged   = client.Challenged
	CVV          = client.CVV
)

// Unanswered is an amount for which the sandbox gives no answer at first. It knows the outcome 30 seconds later
// (contract §12).
const Unanswered = "42.25"

// NewShop opens a world and returns the shop of its first merchant.
func NewShop(tb testing.TB) Shop {
	tb.Helper()
	return New(tb).Shop()
}

// Shop returns the shop of the first merchant.
func (w *World) Shop() Shop { return Shop{World: w, Merchant: w.Merchant, Currency: "EUR"} }

// WithCallbacks returns the shop with a receiver. Its checkouts have a return_url and a redirect_url.
func (s Shop) WithCallbacks() Shop {
	s.Helper()
	s.Receiver = s.Receive()
	return s
}

// OtherShop returns the shop of the world's other merchant, also in Germany.
func (s Shop) OtherShop() Shop {
	s.Merchant, s.Currency = s.Other, "EUR"
	return s
}

// NewShop provisions a merchant and returns the merchant's shop. more contains further arguments of the command.
func (s Shop) NewShop(country, currency string, more map[string]any) Shop {
	s.Helper()
	terms := map[string]any{"name": "Filiale " + country, "email": "filiale@example.com",
		"country": country, "currency": currency}
	maps.Copy(terms, more)
	s.Merchant, s.Currency = s.Provision(terms), currency
	return s
}

// WithKey returns a copy of the shop with another key.
func (s Shop) WithKey(key string) Shop {
	s.Merchant.Key.ID, s.Merchant.Key.Plaintext = "", key
	return s
}

// NewKey creates another key of the merchant for test mode, as an operator. kind is secret or public.
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

// NewLiveShop provisions a merchant with a key for live mode, and returns the merchant's shop.
func (s Shop) NewLiveShop() Shop {
	s.Helper()
	return s.NewShop("DE", "EUR", map[string]any{"sandbox": false})
}

// WithTestKey returns a copy of the shop with a new secret key for test mode. The key has all scopes.
func (s Shop) WithTestKey() Shop {
	s.Helper()
	return s.WithKey(s.NewKey("secret", identity.AllScopes()...))
}

// RotateSecret gives the merchant a new callback secret, as an operator.
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

// Do sends a request with the shop's key. If the request has another key, Do uses that key.
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

// CheckoutBody returns a request body for a new checkout, with a unique reference.
func (s Shop) CheckoutBody(amount string) map[string]any {
	body := map[string]any{"checkout_reference": fmt.Sprintf("order-%d", s.serial.Add(1)), "amount": json.Number(amount),
		"currency": s.Currency, "merchant_code": s.Merchant.Code}
	if s.Receiver != nil {
		body["return_url"], body["redirect_url"] = s.Receiver.URL, RedirectURL
	}
	return body
}

// Create creates a checkout and returns its id. more contains members that Create adds to CheckoutBody. A nil value
// removes the member.
func (s Shop) Create(amount string, more map[string]any) string {
	s.Helper()
	body := s.CheckoutBody(amount)
	maps.Copy(body, more)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	return s.Must(http.StatusCreated, s.Send("POST", "/v0.1/checkouts", body)).Text("id")
}

// Customer creates a customer and returns its id.
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

// ProcessCheckout sends a request to pay a checkout. body is the request's body.
func (s Shop) ProcessCheckout(checkout string, body any) Response {
	s.Helper()
	return s.Send("PUT", "/v0.1/checkouts/"+checkout, body)
}

// Statuses returns the statuses of a checkout and of its transactions, the oldest first, separated by spaces.
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

// CallbacksReceived delivers the callbacks that are due, and returns the number of different callbacks about a checkout
// so far.
func (s Shop) CallbacksReceived(checkout string) int {
	s.Helper()
	s.RunUntilIdle()
	return len(s.Receiver.Messages(checkout))
}

// Deactivate ends an unpaid checkout.
func (s Shop) Deactivate(checkout string) {
	s.Helper()
	s.Must(http.StatusOK, s.Send("DELETE", "/v0.1/checkouts/"+checkout, nil))
}

// Card returns a request body to pay a checkout by card. For one number the card is always the same.
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
	Reference  string `json:"-"` // of the checkout, at the time of processing
}

// Pay processes a checkout and returns its latest transaction, which can have any status.
func (s Shop) Pay(checkout string, body map[string]any) Payment {
	s.Helper()
	answer := s.ProcessCheckout(checkout, body)
	if answer.Status == http.StatusAccepted { // a 202 shows no transaction
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

// MustPay pays a checkout and returns the answer. The payment must succeed at once.
func (s Shop) MustPay(checkout string, body map[string]any) Response {
	s.Helper()
	paid := s.ProcessCheckout(checkout, body)
	if paid.Status != http.StatusOK || paid.Text("status") != "PAID" {
		s.Fatalf("pay: got %d %s, want 200 and PAID", paid.Status, paid.Body)
	}
	return paid
}

// Answer sends the form from Challenge to the checkout, as the browser of a payer who returns from the card's issuer.
func (w *World) Answer(checkout string, form url.Values) Response {
	w.Helper()
	return w.Do(Request{Method: "POST", Path: "/v0.1/checkouts/" + checkout + "/complete_payment", Body: form,
		APIKey: NoKey})
}

// Sell creates a checkout and pays it by card.
func (s Shop) Sell(amount string) Payment {
	s.Helper()
	p := s.Pay(s.Create(amount, nil), s.Card(Frictionless))
	if p.Status != "SUCCESSFUL" {
		s.Fatalf("pay: %+v", p)
	}
	return p
}

// Transaction reads the details of the transaction that the query names.
func (s Shop) Transaction(query string) Response {
	s.Helper()
	return s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions?"+query, nil)
}

// Refund refunds an amount of a payment.
func (s Shop) Refund(p Payment, amount string) {
	s.Helper()
	body := map[string]any{"amount": json.Number(amount)}
	s.Must(http.StatusNoContent, s.Send("POST", "/v0.1/me/refund/"+p.ID, body))
}

// SetPayout changes the bank account for the merchant's payouts, as an operator.
func (s Shop) SetPayout(account map[string]any) {
	s.Helper()
	s.Command("set_payout", account)
}

// Command runs an operator's command about the merchant, such as update_settings in test mode.
func (s Shop) Command(command string, arguments map[string]any) {
	s.Helper()
	body := map[string]any{"command": command, "merchant_code": s.Merchant.Code}
	maps.Copy(body, arguments)
	s.Operate(body, nil)
}
