package checkouts_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestCreateCheckout_Messages checks that a message names the field, the broken rule and the right value.
func TestCreateCheckout_Messages(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for want, c := range map[string]change{
		"amount must be a number, such as 10.00.":                        {"amount", "ten"},
		"amount must be written without an exponent, such as 10.00.":     {"amount", "1e1"},
		"amount must have at most the currency's decimals.":              {"amount", 10.123},
		"amount must have at most 12 digits before the decimal point.":   {"amount", 10_000_000_000_000},
		"currency must be EUR, the merchant's currency.":                 {"currency", "PLN"},
		"customer_id must be the id of one of the merchant's customers.": {"customer_id", "nobody"},
		"description must be a string.":                                  {"description", 5},
		"return_url must use port 80, 443 or 8443.":                      {"return_url", "https://a.example.com:22/"},
		"return_url must be an absolute http or https URL.":              {"return_url", "ftp://a.example.com/"},
		"return_url must have a public host name: this name is reserved, or known only in a local network.": {"return_url",
			"https://shop.example/"},
		"payment_type must be one of the merchant's methods: " +
			"card, google_pay, ideal, bancontact, eps, mybank, satispay.": {"payment_type", "cash"},
	} {
		got := s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), c))
		if got.Status != 400 || got.Text("message") != want {
			t.Errorf("%s %v: got %d %s, want 400 %q", c.path, c.value, got.Status, got.Body, want)
		}
	}
}
