package checkouts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// step is the expected refusal of a request, and the changes that repair the request.
type step struct {
	want    world.Refusal
	repairs []change
}

// worstPayer returns a payer with a fault in every detail, and two faults in the email.
func worstPayer(country any) map[string]any {
	long := strings.Repeat("x", 256)
	return map[string]any{"first_name": long, "last_name": long, "email": long, "phone": long,
		"tax_id": long, "birth_date": "1815",
		"address": map[string]any{"city": long, "line_1": long, "line_2": long, "postal_code": long,
			"state": long, "country": country}}
}

// payerSteps returns the steps that repair worstPayer's faults one after the other. The country is missing at first.
func payerSteps() []step {
	const at = "personal_details."
	var steps []step
	for _, repair := range []change{
		{at + "first_name", "Ada"}, {at + "last_name", "Lovelace"}, {at + "email", "ada"}, {at + "phone", "1"},
		{at + "tax_id", "1"},
		{at + "email", "ada@example.com"}, {at + "birth_date", "2027-01-01"}, {at + "birth_date", "2000-01-01"},
		{at + "address.city", "x"}, {at + "address.line_1", "x"}, {at + "address.line_2", "x"},
		{at + "address.postal_code", "x"}, {at + "address.state", "x"},
		{at + "address.country", "BR"}, {at + "address.postal_code", "01310-100"}, {at + "address.state", "SP"},
	} {
		steps = append(steps, step{invalid(repair.path), []change{repair}})
	}
	return steps
}

// walk repairs the body step by step, and checks that each repair reveals the next fault.
func walk(t *testing.T, body map[string]any, steps []step, send func(map[string]any) world.Response) world.Response {
	t.Helper()
	for _, s := range steps {
		s.want.Check(t, send(body))
		body = edited(body, s.repairs...)
	}
	return send(body)
}

// TestCreateCheckout_FirstFault checks which fault is reported first: missing fields, then the payee, then values in
// the order of their checks.
func TestCreateCheckout_FirstFault(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	body := map[string]any{"pay_to_email": "tee@example.com", "description": "a\x00", "return_url": "ftp://x",
		"redirect_url": "ftp://x", "purpose": "GIFT",
		"payment_type": "cash", "valid_until": "tomorrow", "customer_id": "nobody", "hosted_checkout": map[string]any{},
		"personal_details": worstPayer("XX")}
	unknown, unavailable := world.Refused(400, "INVALID", "payment_type", "unknown-payment-method"),
		world.Refused(400, "INVALID", "payment_type", "payment-method-not-allowed")
	steps := append([]step{
		{missing("checkout_reference"), []change{{"checkout_reference", strings.Repeat("x", 91)}}},
		{missing("amount"), []change{{"amount", "0"}}},
		{missing("currency"), []change{{"currency", "XXX"}}},
		{missing("hosted_checkout.enabled"), []change{{"pay_to_email", absent}}},
		{missing("merchant_code"), []change{{"merchant_code", "MC00000000"}}},
		{missing("hosted_checkout.enabled"), []change{{"hosted_checkout.enabled", true}}},
		{denied, []change{{"merchant_code", s.Merchant.Code}, {"pay_to_email", "tee@example.com"}}},
		{invalid("pay_to_email"), []change{{"pay_to_email", absent}}},
		{invalid("currency"), []change{{"currency", "USD"}}},
		{invalid("currency"), []change{{"currency", "EUR"}}},
		{invalid("amount"), []change{{"amount", "1"}}},
		{invalid("valid_until"), []change{{"valid_until", "2026-01-01T00:00:00Z"}}},
		{invalid("valid_until"), []change{{"valid_until", absent}}},
		{invalid("checkout_reference"), []change{{"checkout_reference", "first fault"}}},
		{invalid("description"), []change{{"description", "a"}}},
		{invalid("purpose"), []change{{"purpose", "SETUP_RECURRING_PAYMENT"}, {"customer_id", absent}}},
		{missing("customer_id"), []change{{"customer_id", "nobody"}}},
		{invalid("return_url"), []change{{"return_url", absent}}},
		{invalid("redirect_url"), []change{{"redirect_url", absent}}},
		{unknown, []change{{"payment_type", "boleto"}}},
		{unavailable, []change{{"payment_type", "ideal"}}},
		{missing("redirect_url"), []change{{"redirect_url", world.RedirectURL}}},
	}, payerSteps()...)
	steps = append(steps, step{invalid("customer_id"), []change{{"customer_id", s.Customer()}}})
	s.Want("repaired", 201, walk(t, body, steps, func(body map[string]any) world.Response {
		return s.Send("POST", "/v0.1/checkouts", body)
	}))
}

// TestUpdateCheckout_FirstFault checks the order of the faults that are checked after the checkout has been found.
func TestUpdateCheckout_FirstFault(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	setup := s.Create("10.10", fields{"customer_id": s.Customer(), "purpose": "SETUP_RECURRING_PAYMENT"})
	paid := s.Create("10.10", nil)
	s.MustPay(paid, s.Card(world.Frictionless))
	worst := map[string]any{"customer_id": "nobody", "checkout_reference": strings.Repeat("x", 91), "description": "a\x00",
		"amount": "0.001", "currency": "XXX", "valid_until": "tomorrow"}
	invalid("customer_id").Check(t, patch(s, "nothing", worst))
	noCheckout.Check(t, patch(s, "nothing", edited(worst, change{"customer_id", absent})))
	processed.Check(t, patch(s, paid, edited(worst, change{"customer_id", absent})))
	got := walk(t, worst, []step{
		{invalid("customer_id"), []change{{"customer_id", ""}}},
		{invalid("checkout_reference"), []change{{"checkout_reference", ""}}},
		{invalid("checkout_reference"), []change{{"checkout_reference", "other"}}},
		{invalid("description"), []change{{"description", ""}}},
		{missing("customer_id"), []change{{"customer_id", absent}}},
		{invalid("currency"), []change{{"currency", "EUR"}}},
		{invalid("amount"), []change{{"amount", "2"}}},
		{invalid("valid_until"), []change{{"valid_until", "2026-01-01T00:00:00Z"}}},
		{invalid("valid_until"), []change{{"valid_until", nil}}},
	}, func(body map[string]any) world.Response { return patch(s, setup, body) })
	s.Want("repaired", 200, got)
}

// TestProcessCheckout_AllFaultsInOrder checks that one answer lists all faults in the contract's order.
func TestProcessCheckout_AllFaultsInOrder(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	const missing, invalid = "MISSING ", "INVALID "
	payer := []string{invalid + "personal_details.first_name", invalid + "personal_details.last_name",
		invalid + "personal_details.email",
		invalid + "personal_details.phone", invalid + "personal_details.tax_id", invalid + "personal_details.email",
		invalid + "personal_details.birth_date",
		invalid + "personal_details.address.city", invalid + "personal_details.address.line_1",
		invalid + "personal_details.address.line_2",
		invalid + "personal_details.address.postal_code", invalid + "personal_details.address.state"}
	brazilian := []string{invalid + "personal_details.address.postal_code", invalid + "personal_details.address.state"}
	noCard := []string{missing + "card.name", missing + "card.number", missing + "card.expiry_month",
		missing + "card.expiry_year", missing + "card.cvv"}
	mandate := []string{missing + "mandate.type", missing + "mandate.user_agent", invalid + "mandate.user_ip"}
	long := strings.Repeat("x", 256)
	american := s.NewShop("US", "USD", nil)
	for name, c := range map[string]struct {
		of   world.Shop
		body map[string]any
		want []string
	}{
		"method alone": {s, map[string]any{"card": map[string]any{}, "installments": 13}, []string{missing + "payment_type"}},
		"unknown method alone": {s, map[string]any{"payment_type": "cash", "card": map[string]any{}, "installments": 13},
			[]string{invalid + "payment_type"}},
		"nothing right": {s, map[string]any{"payment_type": "card", "card": map[string]any{}, "installments": 13,
			"mandate": map[string]any{"user_ip": "\x00"}, "personal_details": worstPayer("XX")},
			slices.Concat(noCard, []string{invalid + "installments"}, mandate, payer,
				[]string{invalid + "personal_details.address.country"})},
		"a payer of Brazil": {s, map[string]any{"payment_type": "card", "personal_details": worstPayer("BR")},
			slices.Concat([]string{missing + "card"}, payer, brazilian)},
		"values of a card": {american, map[string]any{"payment_type": "card", "installments": 2,
			"card": map[string]any{"name": long, "number": "4200000000000092", "expiry_month": "10",
				"expiry_year": "26", "cvv": "12"},
			"mandate": map[string]any{"type": "once", "user_agent": strings.Repeat("x", 4097)}},
			[]string{invalid + "card.name", invalid + "card.number", invalid + "card.expiry_year", invalid + "card.cvv",
				missing + "card.zip_code",
				invalid + "installments", invalid + "mandate.type", invalid + "mandate.user_agent"}},
		"forms of a card": {american, map[string]any{"payment_type": "card",
			"card": map[string]any{"name": "Ada\n", "number": "x", "expiry_month": "13", "expiry_year": "1", "cvv": "x",
				"zip_code": "1234"}},
			[]string{invalid + "card.name", invalid + "card.number", invalid + "card.expiry_month", invalid + "card.expiry_year",
				invalid + "card.cvv", invalid + "card.zip_code"}},
		"an expired card of no month": {s, map[string]any{"payment_type": "card",
			"card": map[string]any{"name": "Ada", "number": world.Frictionless, "expiry_month": "0",
				"expiry_year": "2025", "cvv": "123"}},
			[]string{invalid + "card.expiry_month"}},
		"card and token": {s, map[string]any{"payment_type": "card", "card": map[string]any{},
			"token": "x", "installments": 0},
			[]string{invalid + "token", invalid + "installments"}},
		"token alone": {s, map[string]any{"payment_type": "card", "token": "x",
			"mandate": map[string]any{"type": "recurrent"}},
			[]string{missing + "customer_id", missing + "mandate.user_agent"}},
		"wallet": {s, map[string]any{"payment_type": "google_pay", "card": map[string]any{}, "token": "x", "installments": -1,
			"mandate": map[string]any{}},
			[]string{invalid + "card", invalid + "token", missing + "google_pay", invalid + "installments",
				missing + "mandate.type", missing + "mandate.user_agent"}},
	} {
		t.Run(name, func(t *testing.T) {
			at := id
			if c.of == american {
				at = american.Create("10.10", nil)
			}
			if diff := cmp.Diff(c.want, faultsOf(t, c.of.ProcessCheckout(at, c.body))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// faultsOf returns the faults in a refusal, each as its code and param.
func faultsOf(t *testing.T, got world.Response) []string {
	t.Helper()
	var faults []fault
	if got.Status != 400 {
		t.Fatalf("got %d %s, want 400", got.Status, got.Body)
	}
	if err := got.Into(&faults); err != nil {
		return []string{got.Text("error_code") + " " + got.Text("param")}
	}
	var all []string
	for _, f := range faults {
		all = append(all, f.Code+" "+f.Param)
	}
	return all
}
