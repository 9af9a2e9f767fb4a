package checkouts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

func TestCreateCheckout_Valid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	for _, c := range []struct {
		name    string
		changes []change
		want    map[string]string
	}{
		{"as it was asked for", []change{{"checkout_reference", "mine"}, {"description", "Two <coffees>\n\t& a cake"}},
			map[string]string{
				"checkout_reference": `"mine"`, "amount": "10.10", "currency": `"EUR"`,
				"merchant_code": `"` + s.Merchant.Code + `"`,
				"merchant_name": `"Kaffeehaus"`, "merchant_country": `"DE"`, "merchant_sandbox": "true",
				"description": `"Two <coffees>\n\t& a cake"`,
				"purpose":     `"CHECKOUT"`, "checkout_type": `"checkout"`, "user_id": `"` + s.Merchant.Key.ID + `"`,
				"return_url": `"` + s.Receiver.URL + `"`, "redirect_url": `"` + world.RedirectURL + `"`, "status": `"PENDING"`,
				"date": `"2026-11-20T12:00:00.000+00:00"`, "transactions": "[]", "valid_until": "",
				"customer_id": "", "pay_to_email": "",
				"transaction_id": "", "transaction_code": "", "mandate": "", "payment_instrument": "", "hosted_checkout": "",
				"hosted_checkout_url": ""}},
		{"numeric string", []change{{"amount", "10.1"}}, map[string]string{"amount": "10.10"}},
		{"whole amount", []change{{"amount", 7}}, map[string]string{"amount": "7.00"}},
		{"zeros beyond the decimals", []change{{"amount", json.RawMessage("1.5000")}}, map[string]string{"amount": "1.50"}},
		{"largest amount", []change{{"amount", "999999999.99"}}, map[string]string{"amount": "999999999.99"}},
		{"longest reference", []change{{"checkout_reference", strings.Repeat("é", 90)}}, nil},
		{"payee by email", []change{{"merchant_code", absent}, {"pay_to_email", "Kaffee@example.com"}},
			map[string]string{"merchant_code": `"` + s.Merchant.Code + `"`, "pay_to_email": `"Kaffee@example.com"`}},
		{"payee by both", []change{{"pay_to_email", "kaffee@example.com"}},
			map[string]string{"pay_to_email": `"kaffee@example.com"`}},
		{"customer", []change{{"customer_id", customer}}, map[string]string{"customer_id": `"` + customer + `"`}},
		{"setup for nothing", []change{{"customer_id", customer}, {"purpose", "SETUP_RECURRING_PAYMENT"}, {"amount", 0}},
			map[string]string{"purpose": `"SETUP_RECURRING_PAYMENT"`, "amount": "0.00"}},
		{"valid until", []change{{"valid_until", "2026-11-20T14:30:00.5+02:00"}},
			map[string]string{"valid_until": `"2026-11-20T12:30:00.500+00:00"`}},
		{"hosted", []change{{"hosted_checkout", map[string]any{"enabled": true}}},
			map[string]string{"hosted_checkout": `{"enabled":true}`}},
		{"not hosted", []change{{"hosted_checkout", map[string]any{"enabled": false}}},
			map[string]string{"hosted_checkout": `{"enabled":false}`, "hosted_checkout_url": ""}},
		{"card without a way back", []change{{"payment_type", "card"}, {"redirect_url", absent}},
			map[string]string{"redirect_url": ""}},
		{"another method", []change{{"payment_type", "ideal"}}, map[string]string{"payment_type": ""}},
		{"payer", []change{{"personal_details", map[string]any{"first_name": "Ada",
			"address": map[string]any{"line1": "Weg 1"}}}},
			map[string]string{"personal_details": ""}},
		{"null is absent", []change{{"description", nil}, {"return_url", nil}, {"redirect_url", nil},
			{"customer_id", nil}, {"purpose", nil},
			{"payment_type", nil}, {"personal_details", nil}, {"valid_until", nil}, {"hosted_checkout", nil},
			{"pay_to_email", nil}},
			map[string]string{"purpose": `"CHECKOUT"`, "valid_until": "", "return_url": "", "hosted_checkout": ""}},
		{"what the service assigns is ignored", []change{{"id", "mine"}, {"status", "PAID"}, {"date", "2020-01-01"},
			{"transactions", []any{1}}, {"x", 1}},
			map[string]string{"status": `"PENDING"`, "transactions": "[]", "date": `"2026-11-20T12:00:00.000+00:00"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), c.changes...))
			if made.Status != 201 {
				t.Fatalf("got %d %s, want 201", made.Status, made.Body)
			}
			world.Holds(t, made.Body, c.want)
			id := made.Text("id")
			if url := made.Text("hosted_checkout_url"); url != "" && url != "http://cashwrap.test/pay/c-"+id {
				t.Errorf("got hosted_checkout_url %s, want http://cashwrap.test/pay/c-%s or none", url, id)
			}
			if read := s.Checkout(id); string(read.Body) != string(made.Body) {
				t.Errorf("read: got %s\nwant as created: %s", read.Body, made.Body)
			}
		})
	}
}

// badRequest is a change that makes a request to create a checkout invalid.
type badRequest struct {
	name    string
	changes []change
	want    world.Refusal
}

var badRequests = []badRequest{
	{"nothing", []change{{"checkout_reference", absent}, {"amount", absent}, {"currency", absent},
		{"merchant_code", absent}}, missing("checkout_reference")},
	{"no reference, no amount", []change{{"checkout_reference", absent}, {"amount", absent}},
		missing("checkout_reference")},
	{"no amount, no currency", []change{{"amount", absent}, {"currency", absent}}, missing("amount")},
	{"no currency, no payee", []change{{"currency", absent}, {"merchant_code", absent}}, missing("currency")},
	{"no payee", []change{{"merchant_code", absent}}, missing("merchant_code")},
	{"null reference", []change{{"checkout_reference", nil}}, missing("checkout_reference")},
	{"null amount", []change{{"amount", nil}}, missing("amount")},
	{"null currency", []change{{"currency", nil}}, missing("currency")},
	{"null payee", []change{{"merchant_code", nil}}, missing("merchant_code")},
	{"empty reference", []change{{"checkout_reference", ""}}, missing("checkout_reference")},

	{"reference too long", []change{{"checkout_reference", strings.Repeat("é", 91)}}, invalid("checkout_reference")},
	{"reference no text", []change{{"checkout_reference", 7}}, invalid("checkout_reference")},
	{"reference with a line break", []change{{"checkout_reference", "order\n1"}}, invalid("checkout_reference")},
	{"reference with a C1 control", []change{{"checkout_reference", "order\u0085"}}, invalid("checkout_reference")},
	{"reference with half a pair", []change{{"checkout_reference", json.RawMessage(`"order\ud800"`)}}, malformed},
	{"description too long", []change{{"description", strings.Repeat("x", 1001)}}, invalid("description")},
	{"description with DEL", []change{{"description", "two\x7fcoffees"}}, invalid("description")},

	{"amount with an exponent", []change{{"amount", json.Number("1e1")}}, invalid("amount")},
	{"amount with an exponent as text", []change{{"amount", "1E+1"}}, invalid("amount")},
	{"amount with too many decimals", []change{{"amount", "10.101"}}, invalid("amount")},
	{"amount with far too many decimals", []change{{"amount", "10.00000000000000000000000000001"}}, invalid("amount")},
	{"amount zero", []change{{"amount", 0}}, invalid("amount")},
	{"amount zero as text", []change{{"amount", "0.00"}}, invalid("amount")},
	{"amount below zero", []change{{"amount", -1}}, invalid("amount")},
	{"amount too large", []change{{"amount", 1000000000}}, invalid("amount")},
	{"amount astronomic", []change{{"amount", "99999999999999999999999999999999"}}, invalid("amount")},
	{"amount no number", []change{{"amount", "ten"}}, invalid("amount")},
	{"amount empty", []change{{"amount", ""}}, invalid("amount")},
	{"amount with a comma", []change{{"amount", "10,10"}}, invalid("amount")},
	{"amount hexadecimal", []change{{"amount", "0x10"}}, invalid("amount")},
	{"amount not a number", []change{{"amount", "NaN"}}, invalid("amount")},
	{"amount with a space", []change{{"amount", " 10"}}, invalid("amount")},
	{"amount true", []change{{"amount", true}}, invalid("amount")},
	{"amount an object", []change{{"amount", map[string]any{"value": 1}}}, invalid("amount")},

	{"another currency", []change{{"currency", "USD"}}, invalid("currency")},
	{"currency in small letters", []change{{"currency", "eur"}}, invalid("currency")},
	{"no currency at all", []change{{"currency", "XXX"}}, invalid("currency")},

	{"foreign payee", []change{{"merchant_code", "MC00000000"}}, denied},
	{"foreign payee by email", []change{{"merchant_code", absent}, {"pay_to_email", "tee@example.com"}}, denied},
	{"two payees", []change{{"pay_to_email", "tee@example.com"}}, invalid("pay_to_email")},

	{"unknown customer", []change{{"customer_id", "nobody"}}, invalid("customer_id")},
	{"customer of no key's length", []change{{"customer_id", strings.Repeat("x", 3000)}}, invalid("customer_id")},
	{"setup without a customer", []change{{"purpose", "SETUP_RECURRING_PAYMENT"}}, missing("customer_id")},
	{"unknown purpose", []change{{"purpose", "DONATION"}}, invalid("purpose")},

	{"past its time", []change{{"valid_until", "2026-11-20T11:59:59Z"}}, invalid("valid_until")},
	{"until now", []change{{"valid_until", "2026-11-20T13:00:00+01:00"}}, invalid("valid_until")},
	{"until a day", []change{{"valid_until", "2026-12-20"}}, invalid("valid_until")},
	{"until some minute", []change{{"valid_until", "2026-12-20T12:00Z"}}, invalid("valid_until")},
	{"until a number", []change{{"valid_until", 1797768000}}, invalid("valid_until")},

	{"hosted without a word", []change{{"hosted_checkout", map[string]any{}}}, missing("hosted_checkout.enabled")},
	{"hosted maybe", []change{{"hosted_checkout", map[string]any{"enabled": "yes"}}}, invalid("hosted_checkout.enabled")},

	{"unknown method", []change{{"payment_type", "cash"}}, world.Refused(400, "INVALID", "payment_type",
		"unknown-payment-method")},
	{"method of another currency", []change{{"payment_type", "boleto"}}, world.Refused(400, "INVALID", "payment_type",
		"payment-method-not-allowed")},
	{"method that is not offered yet", []change{{"payment_type", "apple_pay"}},
		world.Refused(400, "INVALID", "payment_type", "payment-method-not-allowed")},
	{"method that is switched off", []change{{"payment_type", "paypal"}},
		world.Refused(400, "INVALID", "payment_type", "payment-method-not-allowed")},
	{"unknown method without a way back", []change{{"payment_type", "cash"}, {"redirect_url", absent}},
		world.Refused(400, "INVALID", "payment_type", "unknown-payment-method")},
	{"method without a way back", []change{{"payment_type", "ideal"}, {"redirect_url", absent}}, missing("redirect_url")},

	{"payer's email", []change{{"personal_details", map[string]any{"email": "ada"}}}, invalid("personal_details.email")},
	{"payer's birth date", []change{{"personal_details", map[string]any{"birth_date": "10.12.1815"}}},
		invalid("personal_details.birth_date")},
	{"payer born tomorrow", []change{{"personal_details", map[string]any{"birth_date": "2026-11-21"}}},
		invalid("personal_details.birth_date")},
	{"payer's tax id", []change{{"personal_details", map[string]any{"tax_id": strings.Repeat("1", 256)}}},
		invalid("personal_details.tax_id")},
	{"payer's country", []change{{"personal_details", map[string]any{"address": map[string]any{"country": "Brazil"}}}},
		invalid("personal_details.address.country")},
	{"payer's postal code", []change{{"personal_details",
		map[string]any{"address": map[string]any{"country": "BR", "postal_code": "1310-100"}}}},
		invalid("personal_details.address.postal_code")},
	{"payer's state",
		[]change{{"personal_details", map[string]any{"address": map[string]any{"country": "BR", "state": "XX"}}}},
		invalid("personal_details.address.state")},
	{"payer no object", []change{{"personal_details", "Ada"}}, invalid("personal_details")},
}

// hostileURLs lists addresses that must be refused as return_url, the target of callbacks.
var hostileURLs = []string{
	"ftp://shop.example.com/", "/hook", "shop.example.com/hook", "javascript:alert(1)", "https://", "http://10.0.0.1/",
	"http://192.168.1.1/",
	"http://169.254.169.254/latest/meta-data/", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/",
	"http://2130706433/", "http://0x7f.1/",
	"http://ada:pw@shop.example.com/", "http://shop.example.com:22/", "http://db.internal/", "http://printer/",
	"https://shop.example.com/#x",
	"https://shop.example.com/ x", "https://" + strings.Repeat("x", 2048) + ".example.com/",
	"http://kubernetes.default.svc/", "https://shop.example/hook", "https://co.uk/",
}

// hostileTargets lists addresses that must be refused as redirect_url, the target of a payer's redirect.
var hostileTargets = []string{
	"javascript:alert(1)", "data:text/html,x", "//shop.example", "/done", "shop.example",
	"ftp://shop.example/", "https://",
	"https://ada:pw@shop.example/", "https://shop.example/%zz", "https://shop.example/" + strings.Repeat("x", 2048),
}

func TestCreateCheckout_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	cases := append([]badRequest{}, badRequests...)
	for _, url := range hostileURLs {
		cases = append(cases, badRequest{"return_url " + url, []change{{"return_url", url}}, invalid("return_url")})
	}
	for _, url := range hostileTargets {
		cases = append(cases, badRequest{"redirect_url " + url, []change{{"redirect_url", url}}, invalid("redirect_url")})
	}
	foreign := s.OtherShop().Customer()
	cases = append(cases, badRequest{"another merchant's customer", []change{{"customer_id", foreign}},
		invalid("customer_id")},
		badRequest{"another merchant", []change{{"merchant_code", s.Other.Code}}, denied})
	for _, c := range cases {
		t.Run(fmt.Sprintf("%.60s", c.name), func(t *testing.T) {
			got := s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), c.changes...))
			c.want.Check(t, got)
			if c.want == denied && (got.Text("error_message") != "request_not_allowed" ||
				!strings.Contains(got.Text("detail"), " is not that of the credential")) {
				t.Errorf("got %s, want request_not_allowed and why", got.Body)
			}
		})
	}
	for name, body := range map[string]string{
		"no JSON": `{"amount":`, "a list": `[1]`, "a text": `"x"`, "a name twice": `{"amount":1,"amount":2}`,
		"not UTF-8": "{\"description\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) { malformed.Check(t, s.Send("POST", "/v0.1/checkouts", body)) })
	}
	t.Run("empty", func(t *testing.T) { missing("checkout_reference").Check(t, s.Send("POST", "/v0.1/checkouts", nil)) })
	t.Run("too much", func(t *testing.T) {
		world.Refused(413, "INVALID_REQUEST", "", "content-too-large").Check(t,
			s.Send("POST", "/v0.1/checkouts", `"`+strings.Repeat("x", 1<<20)+`"`))
	})
	if listed := s.Send("GET", "/v0.1/checkouts", nil); string(listed.Body) != "[]" {
		t.Errorf("after the refusals: got checkouts %s, want []", listed.Body)
	}
}

func TestCreateCheckout_CurrencyWithoutDecimals(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks().NewShop("HU", "HUF", nil)
	made := s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), change{"amount", 4200}))
	if world.Holds(t, made.Body, map[string]string{"amount": "4200"}); made.Status != 201 {
		t.Errorf("got %d %s, want 201", made.Status, made.Body)
	}
	invalid("amount").Check(t,
		s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), change{"amount", "4200.5"})))
}

func TestCreateCheckout_OnlinePaymentsNotAllowed(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	s.Merchant = s.Provision(map[string]any{"name": "Kiosk", "email": "kiosk@example.com", "country": "DE",
		"currency": "EUR", "online_payments": false})
	for name, got := range map[string]world.Response{
		"create":  s.Send("POST", "/v0.1/checkouts", s.CheckoutBody("10.10")),
		"process": s.ProcessCheckout("4e425463-3e1b-431d-83fa-1e51c2925e99", s.Card(world.Frictionless)),
	} {
		denied.Check(t, got)
		if got.Text("error_message") != "checkout_payments_not_allowed" ||
			got.Text("detail") != "The merchant may not take payments online." {
			t.Errorf("%s: got %s, want checkout_payments_not_allowed and why", name, got.Body)
		}
	}
}

// TestCreateCheckout_ReferenceTwice checks that a merchant can use a reference only once in each mode, even if the
// first checkout has ended.
func TestCreateCheckout_ReferenceTwice(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	again := func() world.Response {
		return s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), change{"checkout_reference", "once"}))
	}
	id := s.Create("10.10", fields{"checkout_reference": "once"})
	duplicate.Check(t, again())
	s.MustPay(id, s.Card(world.Frictionless))
	duplicate.Check(t, again())
	s.OtherShop().Create("10.10", fields{"checkout_reference": "once"})
	s.Create("10.10", fields{"checkout_reference": "ONCE"})

	gone := change{"checkout_reference", "gone"}
	s.Deactivate(s.Create("10.10", fields{"checkout_reference": "gone"}))
	duplicate.Check(t, s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), gone)))
}

func TestIdempotencyKey_CreateCheckout(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	body := s.CheckoutBody("10.10")
	send := func(body map[string]any) world.Response {
		return s.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: body,
			IdempotencyKey: "k-1"})
	}
	first := send(body)
	if first.Status != 201 || first.Header.Get("Idempotency-Replayed") != "" {
		t.Fatalf("got %d %s, headers %v, want 201 and no Idempotency-Replayed", first.Status, first.Body, first.Header)
	}
	s.Clock.Advance(time.Hour)
	second := send(body)
	if second.Status != 201 || string(second.Body) != string(first.Body) ||
		second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replay: got %d %s, headers %v\nwant 201 %s, Idempotency-Replayed true", second.Status, second.Body,
			second.Header, first.Body)
	}
	world.Refused(422, "IDEMPOTENCY_KEY_REUSED", "", "idempotency-key-reused").Check(t,
		send(edited(body, change{"amount", 11})))
	s.Want("another merchant's key", 201,
		s.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: s.Other.Key.Plaintext,
			Body: s.OtherShop().CheckoutBody("10.10"), IdempotencyKey: "k-1"}))
	var listed []map[string]any
	if err := s.Send("GET", "/v0.1/checkouts", nil).Into(&listed); err != nil || len(listed) != 1 {
		t.Errorf("got %d checkouts, %v, want 1", len(listed), err)
	}
}

// TestIdempotencyKey_Refusal checks that a refusal is stored, so that a retry gets the same refusal (contract §2.8).
func TestIdempotencyKey_Refusal(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	send := func() world.Response {
		return s.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: map[string]any{},
			IdempotencyKey: "k-1"})
	}
	first, second := send(), send()
	missing("checkout_reference").Check(t, second)
	if string(first.Body) != string(second.Body) || second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("replay: got %s, headers %v\nwant %s, Idempotency-Replayed true", second.Body, second.Header, first.Body)
	}
}
