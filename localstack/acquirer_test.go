package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// TestRun_LivePayment checks that the local platform charges a live payment at a stand-in for Stripe.
// CASHWRAP_TESTS=all takes localstripe, which is not ours.
func TestRun_LivePayment(t *testing.T) {
	t.Parallel()
	api := stripetest.New(clock.New())
	server, confirmations := http.Handler(api), 1
	if enginetest.All(t) {
		server, confirmations = stripetest.Serve(stripetest.StartLocalStripe(t)), 0 // not counted
	}
	live := stripetest.Start(t, server)
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
	card := client.Card(stripetest.PlainCard, time.Now())
	card["cvv"] = "731" // localstripe takes three digits
	paid := send("PUT", "/v0.1/checkouts/"+checkout, map[string]any{"payment_type": "card", "card": card})
	if n := api.Count("POST", "/confirm"); paid.Text("status") != "PAID" || n != confirmations {
		t.Errorf("got %d %s after %d confirmations, want PAID after %d", paid.Status, paid.Body, n, confirmations)
	}
	var sold struct{ Transactions []struct{ ID string } }
	if err := paid.Into(&sold); err != nil || len(sold.Transactions) != 1 {
		t.Fatalf("got %s, error %v; want one transaction", paid.Body, err)
	}
	if r := send("POST", "/v0.1/me/refund/"+sold.Transactions[0].ID, nil); r.Status != http.StatusNoContent {
		t.Errorf("refund: got %d %s, want 204", r.Status, r.Body)
	}
	if err := l.stop(); err != nil {
		t.Error(err)
	}
}
