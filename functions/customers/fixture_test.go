package customers_test

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

const collection = "/v0.1/customers"

func at(customer string) string { return collection + "/" + url.PathEscape(customer) }

func cardsOf(customer string) string { return at(customer) + "/payment-instruments" }

func createCustomer(s world.Shop, customer string, details any) world.Response {
	s.Helper()
	return s.Send("POST", collection, map[string]any{"customer_id": customer, "personal_details": details})
}

// saveCard pays with a customer's card, and returns the token of the saved card.
func saveCard(s world.Shop, customer, number string, recurring bool) string {
	s.Helper()
	order, payment := map[string]any{"customer_id": customer}, s.Card(number)
	if recurring {
		order["purpose"], payment["mandate"] = "SETUP_RECURRING_PAYMENT", map[string]any{"type": "recurrent",
			"user_agent": "test"}
	}
	return s.MustPay(s.Create("1", order), payment).Text("payment_instrument.token")
}

var missing, invalid = world.Missing, world.Invalid

var (
	malformed = world.Refused(400, "INVALID_REQUEST", "", "bad-request")
	denied    = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound  = world.Refused(404, "NOT_FOUND", "", "not-found")
	exists    = world.Refused(409, "CUSTOMER_ALREADY_EXISTS", "", "conflict")
)

// checkCustomer checks that a response shows the customer with these details, given as JSON.
func checkCustomer(t *testing.T, got world.Response, id, details string) {
	t.Helper()
	var c struct {
		ID      string          `json:"customer_id"`
		Details json.RawMessage `json:"personal_details"`
	}
	if err := got.Into(&c); err != nil || got.Status >= 300 || c.ID != id || string(c.Details) != details {
		t.Errorf("got %d %s, %v\nwant success and customer %s with %s", got.Status, got.Body, err, id, details)
	}
}
