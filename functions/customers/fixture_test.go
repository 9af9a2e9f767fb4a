package customers_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

const (
	cvv    = "739"
	number = "4200000000000091"
)

// shop is a merchant's server in a world.
type shop struct {
	*world.World
	merchant world.Merchant
	orders   *int
}

// open starts a world with two shops.
func open(t *testing.T) (one, other shop) {
	t.Helper()
	w := world.New(t)
	w.Secret("CVV", cvv)
	return shop{w, w.Merchant, new(int)}, shop{w, w.Other, new(int)}
}

func (s shop) send(method, path string, body any) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: method, Path: path, Body: body, Key: s.merchant.Key.Plaintext})
}

const collection = "/v0.1/customers"

func at(customer string) string { return collection + "/" + url.PathEscape(customer) }

func cardsOf(customer string) string { return at(customer) + "/payment-instruments" }

// post creates a customer.
func (s shop) post(customer string, details any) world.Response {
	s.Helper()
	return s.send("POST", collection, map[string]any{"customer_id": customer, "personal_details": details})
}

// must answers the response, which has to have the status.
func must(t *testing.T, status int, got world.Response) world.Response {
	t.Helper()
	if got.Status != status {
		t.Fatalf("%d %s, want %d", got.Status, got.Body, status)
	}
	return got
}

// save has a customer pay with a card and answers the saved card's token.
func (s shop) save(t *testing.T, customer, number string, recurring bool) string {
	t.Helper()
	s.Secret("card number", number)
	*s.orders++
	order := map[string]any{"checkout_reference": fmt.Sprintf("order-%d", *s.orders), "amount": 1, "currency": "EUR",
		"merchant_code": s.merchant.Code, "customer_id": customer}
	payment := map[string]any{"payment_type": "card", "card": map[string]any{"name": "Ada Lovelace", "number": number,
		"expiry_month": "12", "expiry_year": "2030", "cvv": cvv}}
	if recurring {
		order["purpose"], payment["mandate"] = "SETUP_RECURRING_PAYMENT", map[string]any{"type": "recurrent", "user_agent": "test"}
	}
	made := must(t, 201, s.send("POST", "/v0.1/checkouts", order))
	return must(t, 200, s.send("PUT", "/v0.1/checkouts/"+made.Text("id"), payment)).Text("payment_instrument.token")
}

var missing, invalid = world.Missing, world.Invalid

var (
	malformed = world.Refused(400, "INVALID_REQUEST", "", "bad-request")
	denied    = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound  = world.Refused(404, "NOT_FOUND", "", "not-found")
	exists    = world.Refused(409, "CUSTOMER_ALREADY_EXISTS", "", "conflict")
)

// shows checks a customer as sent, which must have these details as JSON.
func shows(t *testing.T, got world.Response, id, details string) {
	t.Helper()
	var c struct {
		ID      string          `json:"customer_id"`
		Details json.RawMessage `json:"personal_details"`
	}
	if err := got.Into(&c); err != nil || got.Status >= 300 || c.ID != id || string(c.Details) != details {
		t.Errorf("%d %s: %v\nwant %s with %s", got.Status, got.Body, err, id, details)
	}
}
