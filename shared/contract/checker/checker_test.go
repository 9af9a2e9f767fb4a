package checker

import (
	"regexp"
	"strings"
	"testing"
)

const (
	createBody = `{"checkout_reference":"order-1001","amount":"10.10","currency":"EUR","merchant_code":"MC0A1B2C3D",
		"description":null,"unknown":{"field":1}}`
	cardBody = `{"payment_type":"card","card":{"name":"Ada Example","number":"4200000000000091",
		"expiry_month":"12","expiry_year":"30","cvv":"123"}}`
)

func TestCheck_Accepted(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	webhookKeys := `{"keys":[{"id":"k1","public_key":"whpk_AAAA","created_at":"2020-02-29T10:56:56.876Z"}]}`
	instruments := `[{"token":"8c9d","active":false,"type":"card","card":{"last_4_digits":"0091","type":"VISA"},
		"created_at":"2020-02-29T10:56:56.000+00:00"}]`
	page := "<!doctype html>"
	decision := "/3ds/challenge/decision"
	for name, s := range map[string]*sample{
		"create":     newSample(t, "POST", "/v0.1/checkouts", 201, "CreatedCheckout").body(createBody),
		"list":       newSample(t, "GET", "/v0.1/checkouts?checkout_reference=order-1001", 200, "CheckoutList"),
		"list, none": newSample(t, "GET", "/v0.1/checkouts", 200, "[]"),
		"retrieve":   newSample(t, "GET", checkoutPath, 200, "PaidCheckout").header("Access-Control-Allow-Origin", "*"),
		"process":    newSample(t, "PUT", checkoutPath, 200, "PaidCheckout").body(cardBody),
		"decline":    newSample(t, "PUT", checkoutPath, 200, "DeclinedCheckout").body(cardBody),
		"challenge":  newSample(t, "PUT", checkoutPath, 202, "ChallengeRequired").body(cardBody),
		"redirect":   newSample(t, "PUT", checkoutPath, 200, "RedirectRequired").body(`{"payment_type":"ideal"}`),
		"boleto":     newSample(t, "PUT", checkoutPath, 200, "BoletoCheckout").body(`{"payment_type":"boleto"}`),
		"pix":        newSample(t, "PUT", checkoutPath, 200, "PixCheckout").body(`{"payment_type":"pix"}`),
		"deactivate": newSample(t, "DELETE", checkoutPath, 200, "DeactivatedCheckout"),
		"update":     newSample(t, "PATCH", checkoutPath, 200, "CreatedCheckout").body(`{"valid_until":null}`),
		"methods": newSample(t, "GET", "/v0.1/merchants/MC1/payment-methods?amount=1.5&currency=EUR", 200,
			`{"available_payment_methods":[{"id":"card"}]}`),
		"customer":    newSample(t, "POST", "/v0.1/customers", 201, "Customer").body(`{"customer_id":"c"}`),
		"instruments": newSample(t, "GET", "/v0.1/customers/c/payment-instruments", 200, instruments),
		"forget":      newSample(t, "DELETE", "/v0.1/customers/c/payment-instruments/t", 204, ""),
		"3DS return": newSample(t, "POST", checkoutPath+"/complete_payment", 303,
			"").form("PaRes=1&MD=2").header("Location", "https://shop.example/?checkout_id=1"),
		"3DS in frame": newSample(t, "POST", checkoutPath+"/complete_payment", 200, page).form("PaRes=1&MD=2"),
		"3DS answer":   newSample(t, "POST", decision, 200, page).form("MD=2&decision=approve"),
		"3DS error":    newSample(t, "POST", decision, 400, page).form(""),
		"webhook keys": newSample(t, "GET", "/.well-known/webhook-keys", 200, webhookKeys),
		"problem page": newSample(t, "GET", "/problems/conflict", 200, page).form(""),
		"artefact":     newSample(t, "GET", "/v0.1/artefacts/a/content", 200, "<PNG>").header("Content-Type", "image/png"),
		"health":       newSample(t, "GET", "/healthz", 200, `{"status":"ok","commit":"4f9c2d81a0b7"}`),
		"readiness":    newSample(t, "GET", "/readyz", 200, `{"status":"ok"}`),
		"bad input":    newSample(t, "POST", "/v0.1/checkouts", 400, "MissingField").body(`{`),
		"many faults": newSample(t, "PUT", checkoutPath, 400,
			`[{"message":"m","error_code":"MISSING","param":"a"},{"message":"m","error_code":"INVALID","param":"b"}]`),
		"faults, to a client of problems": newSample(t, "PUT", checkoutPath, 400,
			`[{"message":"m","error_code":"MISSING","param":"a"},{"message":"m","error_code":"MISSING","param":"b"}]`).
			accept("application/problem+json"),
		"problem": newSample(t, "GET", checkoutPath, 404, "CheckoutNotFound").accept("application/problem+json").header(
			"Content-Type", problemType),
		"no such":   newSample(t, "GET", checkoutPath, 404, "CheckoutNotFound"),
		"duplicate": newSample(t, "POST", "/v0.1/checkouts", 409, "DuplicatedCheckout").body(createBody),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := s.check(checker); err != nil {
				t.Errorf("got error %v, want none", err)
			}
		})
	}
}

// TestCheck_Refused spoils a good exchange in one way at a time. The error must name the broken rule.
func TestCheck_Refused(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	retrieved := func(old, new string) func(*testing.T) *sample {
		return func(t *testing.T) *sample {
			s := newSample(t, "GET", checkoutPath, 200, "PaidCheckout")
			s.replace(t, old, new)
			return s
		}
	}
	created := func(body string) func(*testing.T) *sample {
		return func(t *testing.T) *sample {
			return newSample(t, "POST", "/v0.1/checkouts", 201, "CreatedCheckout").body(body)
		}
	}
	unfiltered := func(member string) func(*testing.T) *sample {
		return func(t *testing.T) *sample {
			s := newSample(t, "GET", "/v0.1/merchants/MC1/payment-methods?amount=1", 400, "AmountWithoutCurrency")
			s.replace(t, regexp.MustCompile(member).FindString(s.resBody), "")
			return s
		}
	}
	spoiled := func(spoil func(*sample)) func(*testing.T) *sample {
		return func(t *testing.T) *sample {
			s := newSample(t, "GET", checkoutPath, 404, "CheckoutNotFound")
			spoil(s)
			return s
		}
	}
	for name, test := range map[string]struct {
		make func(*testing.T) *sample
		want string
	}{
		"unknown path":       {spoiled(func(s *sample) { s.path = "/v0.1/nope" }), "no such path"},
		"trailing slash":     {spoiled(func(s *sample) { s.path += "/" }), "no such path"},
		"unknown method":     {spoiled(func(s *sample) { s.method = "POST" }), "no method POST"},
		"wrong status":       {spoiled(func(s *sample) { s.status = 410 }), "status 410 is not documented"},
		"unvalidated status": {spoiled(func(s *sample) { s.status = 301 }), "status 301 is not documented"},
		"missing header":     {spoiled(func(s *sample) { s.resHeader.Del("X-Request-Id") }), `header "X-Request-Id" missing`},
		"bad header": {spoiled(func(s *sample) {
			s.resHeader.Set("RateLimit", "10")
		}), `header "RateLimit" doesn't match`},
		"no charset": {spoiled(func(s *sample) {
			s.resHeader.Set("Content-Type", "application/json")
		}), "content type"},
		"other charset": {spoiled(func(s *sample) {
			s.resHeader.Set("Content-Type", "application/json; charset=utf-8")
		}), "content type"},
		"problem asked for": {spoiled(func(s *sample) {
			s.accept("application/problem+json, application/json")
		}), "Accept asks for"},
		"problem unasked": {spoiled(func(s *sample) { s.resHeader.Set("Content-Type", problemType) }), "Accept asks for"},
		"body's status": {spoiled(func(s *sample) {
			s.resBody = strings.Replace(s.resBody, "404", "400", 1)
		}), "the body's status"},
		"wrong error code": {spoiled(func(s *sample) {
			s.resBody = strings.Replace(s.resBody, `"NOT_FOUND"`, `"CONFLICT"`, 1)
		}), "/error_code"},
		"wrong slug": {spoiled(func(s *sample) {
			s.resBody = strings.Replace(s.resBody, "checkout-not-found", "not-found", 1)
		}), "/type"},
		"two values": {spoiled(func(s *sample) { s.resBody += "{}" }), "not one JSON value"},
		"missing field": {retrieved(`"merchant_code":"MC0A1B2C3D","merchant_name"`, `"merchant_name"`),
			`"merchant_code" is missing`},
		"extra field": {retrieved(`"purpose"`, `"personal_details":{},"purpose"`),
			`property "personal_details" is unsupported`},
		"wrong date format": {retrieved(`"date":"2020-02-29T10:56:56.000+00:00"`, `"date":"2020-02-29T10:56:56.000Z"`),
			"/date"},
		"unknown enum":        {retrieved(`"status":"PAID"`, `"status":"DONE"`), "/status"},
		"reader's entry mode": {retrieved(`"CUSTOMER_ENTRY"`, `"CONTACTLESS"`), "/entry_mode"},
		"money as string":     {retrieved(`"amount":10.1`, `"amount":"10.1"`), "/amount"},
		"exponent":            {retrieved(`"amount":10.1`, `"amount":1.01e1`), "exponent"},
		"null field":          {retrieved(`"purpose"`, `"description":null,"purpose"`), "/description"},
		"id is no UUID":       {retrieved(`"id":"4e425463`, `"id":"X`), "/id"},
		"new, but paid": {func(t *testing.T) *sample {
			return newSample(t, "POST", "/v0.1/checkouts", 201, "PaidCheckout").body(createBody)
		}, "response body doesn't match"},
		"deactivated, but pending": {func(t *testing.T) *sample {
			return newSample(t, "DELETE", checkoutPath, 200, "CreatedCheckout")
		}, "response body doesn't match"},
		"body with 204": {func(t *testing.T) *sample {
			return newSample(t, "DELETE", "/v0.1/customers/c/payment-instruments/t", 204, "{}")
		}, "has no body"},
		"redirect without target": {func(t *testing.T) *sample {
			return newSample(t, "POST", checkoutPath+"/complete_payment", 303, "").form("PaRes=1&MD=2")
		}, `"Location" missing`},
		"page that is empty": {func(t *testing.T) *sample {
			s := newSample(t, "GET", "/problems/conflict", 200, "<p>").form("")
			s.resBody = ""
			return s
		}, "minimum string length"},
		"browser where none may be": {func(t *testing.T) *sample {
			return newSample(t, "GET", "/v0.1/memberships", 200, "[]").header("Access-Control-Allow-Origin", "*")
		}, "Access-Control-Allow-Origin is not for this path"},
		"one fault as array": {func(t *testing.T) *sample {
			return newSample(t, "PUT", checkoutPath, 400, `[{"message":"m","error_code":"MISSING","param":"a"}]`)
		}, "response body doesn't match"},
		"customer error without error_message": {func(t *testing.T) *sample {
			return newSample(t, "POST", "/v0.1/customers", 400, "MissingField")
		}, `"error_message" is missing`},
		"details missing": {unfiltered(`"details":"[^"]*",`), `"details" is missing`},
		"constraints missing": {unfiltered(`"failed_constraints":\[[^]]*\],`),
			"doesn't match any schema from \"anyOf\""},
		"accepted without currency": {created(`{"checkout_reference":"r","amount":1}`), "accepted request"},
		"accepted null amount": {created(`{"checkout_reference":"r","amount":null,"currency":"EUR"}`),
			"accepted request"},
		"accepted amount as words": {created(`{"checkout_reference":"r","amount":"ten","currency":"EUR"}`),
			"accepted request"},
		"accepted foreign currency": {created(`{"checkout_reference":"r","amount":1,"currency":"JPY"}`), "accepted request"},
		"accepted no body":          {created(``), "accepted request"},
		"accepted endless key": {func(t *testing.T) *sample {
			s := created(createBody)(t)
			s.reqHeader.Set("Idempotency-Key", strings.Repeat("k", 256))
			return s
		}, "accepted request"},
		"accepted form without MD": {func(t *testing.T) *sample {
			return newSample(t, "POST", checkoutPath+"/complete_payment", 200, "<p>").form("PaRes=1")
		}, "accepted request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, test.make(t).check(checker), test.want)
		})
	}
}

func TestCheck_ErrorQuotesNoCard(t *testing.T) {
	t.Parallel()
	checker := sharedChecker(t)
	const number = "4200000000000042"
	leak := newSample(t, "GET", checkoutPath, 200, "PaidCheckout")
	leak.replace(t, `"PAID"`, `"`+number+`"`)
	accepted := newSample(t, "PUT", checkoutPath, 200, "PaidCheckout").
		body(`{"payment_type":"card","card":{"name":"","number":"` + number + `0000","cvv":"1"}}`)
	for _, s := range []*sample{leak, accepted} {
		err := s.check(checker)
		if err == nil {
			t.Fatalf("%s %s: got no error, want one", s.method, s.path)
		}
		if strings.Contains(err.Error(), number) {
			t.Errorf("%s %s: got error %v, want one without the card number %s", s.method, s.path, err, number)
		}
	}
}
