package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// TestRun_LivePayment checks that the local platform charges a live payment at a stand-in for Stripe.
func TestRun_LivePayment(t *testing.T) {
	t.Parallel()
	api := stripetest.New(clock.New())
	live := api.Start(t)
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory, Live: live})
	if want := "Live mode  charges at " + live["ACQUIRER_URL"]; !strings.Contains(l.said, want) {
		t.Errorf("got greeting %s, want %q in it", l.said, want)
	}
	var made struct {
		Merchant string                     `json:"merchant_code"`
		Key      struct{ Plaintext string } `json:"api_key"`
	}
	err := place.Operator(terminal.New(io.Discard)).Operate(t.Context(), map[string]any{"command": "create_merchant",
		"name": "Markt", "email": "markt@example.com", "country": "DE", "currency": "EUR"}, &made)
	if err != nil {
		t.Fatal(err)
	}
	shop := client.Client{BaseURL: l.env["BASE_URL"]}
	send := func(method, path string, body any) client.Response {
		t.Helper()
		answer, err := shop.Do(t.Context(), client.Request{Method: method, Path: path, Body: body,
			APIKey: made.Key.Plaintext})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	checkout := send("POST", "/v0.1/checkouts", map[string]any{"checkout_reference": "o", "amount": 10, "currency": "EUR",
		"merchant_code": made.Merchant}).Text("id")
	paid := send("PUT", "/v0.1/checkouts/"+checkout, client.ByCard(stripetest.PlainCard, time.Now()))
	if paid.Text("status") != "PAID" || api.Count("POST", "/confirm") != 1 {
		t.Errorf("got %d %s after %d confirmations, want PAID after one", paid.Status, paid.Body,
			api.Count("POST", "/confirm"))
	}
	if err := l.stop(); err != nil {
		t.Error(err)
	}
}
