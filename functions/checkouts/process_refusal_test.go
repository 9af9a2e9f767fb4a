package checkouts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// fault is one entry of the array that processCheckout returns for several faults (contract §3.1).
type fault struct {
	Code  string `json:"error_code"`
	Param string `json:"param"`
}

// checkFaults checks that a request is refused for exactly these faults, in any order.
func checkFaults(t *testing.T, got world.Response, want ...fault) {
	t.Helper()
	var faults []fault
	if err := got.Into(&faults); err != nil || got.Status != 400 ||
		got.Header.Get("Content-Type") != "application/json;charset=UTF-8" {
		t.Fatalf("got %d %s, %v, headers %v, want 400 with faults as JSON", got.Status, got.Body, err, got.Header)
	}
	byParam := func(a, b fault) int { return strings.Compare(a.Param, b.Param) }
	slices.SortFunc(faults, byParam)
	slices.SortFunc(want, byParam)
	if !slices.Equal(faults, want) {
		t.Errorf("got faults %v, want %v", faults, want)
	}
}

// badCards lists changes that make a request to pay by card invalid.
var badCards = []badRequest{
	{"no method", []change{{"payment_type", absent}}, missing("payment_type")},
	{"null method", []change{{"payment_type", nil}}, missing("payment_type")},
	{"unknown method", []change{{"payment_type", "cash"}}, world.Refused(400, "INVALID", "payment_type",
		"unknown-payment-method")},
	{"method no text", []change{{"payment_type", 1}}, invalid("payment_type")},
	{"no card", []change{{"card", absent}}, missing("card")},
	{"null card", []change{{"card", nil}}, missing("card")},
	{"card no object", []change{{"card", "4200"}}, invalid("card")},
	{"no name", []change{{"card.name", absent}}, missing("card.name")},
	{"name too long", []change{{"card.name", strings.Repeat("x", 256)}}, invalid("card.name")},
	{"no number", []change{{"card.number", absent}}, missing("card.number")},
	{"number with spaces", []change{{"card.number", "4200 0000 0000 0091"}}, invalid("card.number")},
	{"number that breaks Luhn", []change{{"card.number", "4200000000000092"}}, invalid("card.number")},
	{"number too short", []change{{"card.number", "42000000000"}}, invalid("card.number")},
	{"number too long", []change{{"card.number", "42000000000000000000"}}, invalid("card.number")},
	{"number of other digits", []change{{"card.number", "４２００００００００００００９１"}}, invalid("card.number")},
	{"number no text", []change{{"card.number", 4200}}, invalid("card.number")},
	{"no month", []change{{"card.expiry_month", absent}}, missing("card.expiry_month")},
	{"month of one digit", []change{{"card.expiry_month", "1"}}, invalid("card.expiry_month")},
	{"month zero", []change{{"card.expiry_month", "00"}}, invalid("card.expiry_month")},
	{"month thirteen", []change{{"card.expiry_month", "13"}}, invalid("card.expiry_month")},
	{"month no text", []change{{"card.expiry_month", true}}, invalid("card.expiry_month")},
	{"no year", []change{{"card.expiry_year", absent}}, missing("card.expiry_year")},
	{"year of three digits", []change{{"card.expiry_year", "203"}}, invalid("card.expiry_year")},
	{"year of letters", []change{{"card.expiry_year", "2O30"}}, invalid("card.expiry_year")},
	{"last month", []change{{"card.expiry_month", "10"}, {"card.expiry_year", "26"}}, invalid("card.expiry_year")},
	{"last year", []change{{"card.expiry_year", "2025"}}, invalid("card.expiry_year")},
	{"no CVV", []change{{"card.cvv", absent}}, missing("card.cvv")},
	{"CVV too short", []change{{"card.cvv", "73"}}, invalid("card.cvv")},
	{"CVV too long", []change{{"card.cvv", "73917"}}, invalid("card.cvv")},
	{"CVV of letters", []change{{"card.cvv", "7E9"}}, invalid("card.cvv")},
	{"zip code of four digits", []change{{"card.zip_code", "1234"}}, invalid("card.zip_code")},
	{"card and token", []change{{"token", "4e425463-3e1b-431d-83fa-1e51c2925e99"}}, invalid("token")},
	{"token without its owner", []change{{"card", absent}, {"token", "4e425463-3e1b-431d-83fa-1e51c2925e99"}},
		missing("customer_id")},
	{"unknown token", []change{{"card", absent}, {"token", "4e425463-3e1b-431d-83fa-1e51c2925e99"},
		{"customer_id", "nobody"}}, invalid("token")},
	{"token of no key's length", []change{{"card", absent}, {"token", strings.Repeat("x", 3000)},
		{"customer_id", "nobody"}}, invalid("token")},
	{"owner of no key's length", []change{{"card", absent}, {"token", "x"}, {"customer_id", strings.Repeat("x", 3000)}},
		invalid("token")},
	{"installments in Germany", []change{{"installments", 2}}, invalid("installments")},
	{"no installments", []change{{"installments", 0}}, invalid("installments")},
	{"installments as text", []change{{"installments", "1"}}, invalid("installments")},
	{"half an installment", []change{{"installments", 1.5}}, invalid("installments")},
	{"mandate of no type", []change{{"mandate", map[string]any{"user_agent": "x"}}}, missing("mandate.type")},
	{"mandate of another type", []change{{"mandate", map[string]any{"type": "once", "user_agent": "x"}}},
		invalid("mandate.type")},
	{"mandate without a browser", []change{{"mandate", map[string]any{"type": "recurrent"}}},
		missing("mandate.user_agent")},
	{"payer's email", []change{{"personal_details", map[string]any{"email": "ada@"}}}, invalid("personal_details.email")},
	{"no wallet", []change{{"card", absent}, {"payment_type", "google_pay"}}, missing("google_pay")},
	{"a card for a wallet", []change{{"card.number", "not a card"}, {"payment_type", "google_pay"},
		{"google_pay", map[string]any{}}}, invalid("card")},
	{"a card for iDEAL", []change{{"payment_type", "ideal"}}, invalid("card")},
	{"a saved card for iDEAL", []change{{"card", absent}, {"token", "x"}, {"customer_id", "nobody"},
		{"payment_type", "ideal"}}, invalid("token")},
	{"wallet no object", []change{{"payment_type", "google_pay"}, {"google_pay", "x"}}, invalid("google_pay")},
	{"boleto in Germany", []change{{"payment_type", "boleto"}}, world.Refused(400, "INVALID", "payment_type",
		"payment-method-not-allowed")},
	{"blik in Germany", []change{{"payment_type", "blik"}}, world.Refused(400, "INVALID", "payment_type",
		"payment-method-not-allowed")},
	{"twint in Germany", []change{{"payment_type", "twint"}}, world.Refused(400, "INVALID", "payment_type",
		"payment-method-not-allowed")},
	{"Apple Pay", []change{{"payment_type", "apple_pay"}, {"apple_pay", map[string]any{}}},
		world.Refused(400, "INVALID", "payment_type", "payment-method-not-allowed")},
	{"PayPal, switched off", []change{{"payment_type", "paypal"}}, world.Refused(400, "INVALID", "payment_type",
		"payment-method-not-allowed")},
	{"iDEAL for nobody", []change{{"card", absent}, {"payment_type", "ideal"}}, missing("personal_details")},
}

func TestProcessCheckout_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	before := s.Checkout(id)
	for _, c := range badCards {
		t.Run(c.name, func(t *testing.T) {
			c.want.Check(t, s.ProcessCheckout(id, edited(s.Card(world.Frictionless), c.changes...)))
		})
	}
	t.Run("several", func(t *testing.T) {
		checkFaults(t, s.ProcessCheckout(id, edited(s.Card(world.Frictionless), change{"card", map[string]any{}})),
			fault{"MISSING", "card.name"},
			fault{"MISSING", "card.number"},
			fault{"MISSING", "card.expiry_month"}, fault{"MISSING", "card.expiry_year"}, fault{"MISSING", "card.cvv"})
		checkFaults(t,
			s.ProcessCheckout(id, edited(s.Card(world.Frictionless), change{"card.cvv", "x"}, change{"installments", 3},
				change{"mandate", map[string]any{}},
				change{"personal_details", map[string]any{"birth_date": "1815", "address": map[string]any{"country": "UK1"}}})),
			fault{"INVALID", "card.cvv"}, fault{"INVALID", "installments"}, fault{"MISSING", "mandate.type"},
			fault{"MISSING", "mandate.user_agent"},
			fault{"INVALID", "personal_details.birth_date"}, fault{"INVALID", "personal_details.address.country"})
		checkFaults(t,
			s.ProcessCheckout(id, edited(s.Card(world.Frictionless), change{"card.name", 1}, change{"installments", "x"})),
			fault{"INVALID", "card.name"}, fault{"INVALID", "installments"})
	})
	for name, body := range map[string]string{"no JSON": `{"card":`, "a list": `[1]`,
		"a name twice": `{"card":{"cvv":"1","cvv":"2"}}`} {
		t.Run(name, func(t *testing.T) { malformed.Check(t, s.ProcessCheckout(id, body)) })
	}
	t.Run("empty", func(t *testing.T) { missing("payment_type").Check(t, s.ProcessCheckout(id, nil)) })
	t.Run("no checkout",
		func(t *testing.T) { noCheckout.Check(t, s.ProcessCheckout("nothing", s.Card(world.Frictionless))) })
	if after := s.Checkout(id); string(after.Body) != string(before.Body) || s.CallbacksReceived(id) != 0 {
		t.Errorf("got %s, %d callbacks\nwant no callback, and it unchanged: %s", after.Body, s.CallbacksReceived(id),
			before.Body)
	}
	s.MustPay(id, s.Card(world.Frictionless)) // none of the refusals above counted as an attempt
}

// TestProcessCheckout_ValidCards checks the optional parts of a request to pay by card.
func TestProcessCheckout_ValidCards(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for i, changes := range [][]change{
		{{"card.expiry_month", "11"}, {"card.expiry_year", "26"}},
		{{"card.expiry_year", "30"}},
		{{"card.type", "AMEX"}, {"card.last_4_digits", "0000"}, {"unknown", map[string]any{}}},
		{{"installments", 1}}, {{"installments", nil}},
		{{"mandate", map[string]any{"type": "recurrent", "user_agent": "x", "user_ip": "192.0.2.1"}}},
		{{"token", nil}, {"customer_id", nil}, {"personal_details", nil}, {"google_pay", nil}, {"mandate", nil}},
		{{"personal_details", map[string]any{"email": "ada@example.com", "tax_id": "7",
			"address": map[string]any{"line1": "Weg 1"}}}},
	} {
		t.Run(fmt.Sprint(i), func(*testing.T) {
			s.MustPay(s.Create("10.10", nil), edited(s.Card(world.Frictionless), changes...))
		})
	}
}

// TestProcessCheckout_FaultsOfCheckout checks faults that depend on the stored checkout.
func TestProcessCheckout_FaultsOfCheckout(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer, another := s.Customer(), s.Customer()
	setup := s.Create("10.10", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	homeless := s.Create("10.10", fields{"redirect_url": nil})
	owned := s.Create("10.10", fields{"customer_id": customer})
	missing("mandate").Check(t, s.ProcessCheckout(setup, s.Card(world.Frictionless)))
	wallet := map[string]any{"payment_type": "google_pay", "google_pay": map[string]any{}}
	checkFaults(t, s.ProcessCheckout(setup, wallet), fault{"MISSING", "card"}, fault{"MISSING", "mandate"})
	missing("redirect_url").Check(t, s.ProcessCheckout(homeless, ideal("ideal")))
	invalid("customer_id").Check(t,
		s.ProcessCheckout(owned, edited(s.Card(world.Frictionless), change{"customer_id", another})))
	for _, id := range []string{setup, homeless, owned} {
		wantStatuses(t, s, id, "PENDING")
	}
	s.MustPay(owned, edited(s.Card(world.Frictionless), change{"customer_id", customer}))
}
