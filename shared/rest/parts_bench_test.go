package rest

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TypicalBody has about as many members as the platform's largest requests.
const TypicalBody = `{"checkout_reference":"order-1048","amount":10.10,"currency":"EUR","merchant_code":"MC0A1B2C3D",
"description":"Two tickets to \"Fidelio\"","return_url":"https://shop.example.test/callbacks/1048",
"valid_until":"2026-12-01T10:00:00+01:00","payment_type":"card","card":{"name":"Ada Lovelace",
"number":"4242424242424242","expiry_month":"12","expiry_year":"2030","cvv":"123"},
"personal_details":{"first_name":"Ada","last_name":"Lovelace",
"address":{"line_1":"Straße des 17. Juni 135","city":"Berlin","country":"DE"}},"installments":1,"tip":null}`

// WorstBody has as many members as a body may have, all with escaped names, in about 1 MiB.
func WorstBody() string {
	var b strings.Builder
	b.WriteString(`{"amount":1`)
	for i := range maxValues - 2 {
		fmt.Fprintf(&b, `,"\u006e\u00e9\u006d %020d":-1.50e3`, i)
	}
	return b.String() + "}"
}

func BenchmarkParseJSON(b *testing.B) {
	for name, body := range map[string]string{"typical": TypicalBody, "worst": WorstBody()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := parseJSON([]byte(body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRouter(b *testing.B) {
	handle := JSON(200, func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	var routes []Route
	for _, line := range []string{"POST /v0.1/checkouts", "GET /v0.1/checkouts", "GET /v0.1/checkouts/{id}",
		"PUT /v0.1/checkouts/{id}", "DELETE /v0.1/checkouts/{id}", "PATCH /v0.1/checkouts/{id}",
		"GET /v0.1/checkouts/{id}/payment-methods", "GET /v0.1/merchants/{merchant_code}/payment-methods",
		"POST /v0.1/checkouts/{id}/complete_payment", "GET /v0.1/checkouts/{id}/boletos/{n}", "GET /pay/c-{id}"} {
		method, path, _ := strings.Cut(line, " ")
		routes = append(routes, Route{Method: method, Path: path, Handle: handle})
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			newRouter(routes)
		}
	})
	r := newRouter(routes)
	for name, request := range map[string]string{
		"fixed": "POST /v0.1/checkouts", "value": "PUT /v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10",
		"escaped":     "GET /v0.1/checkouts/a%2Fb/payment-methods",
		"not-allowed": "POST /v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10",
		"not-found":   "GET /v0.1/checkouts/3f2c9a41-8a57-4f0e-9d0b-6d1f3c2b7a10/nothing",
	} {
		method, path, _ := strings.Cut(request, " ")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.find(method, path)
			}
		})
	}
}
