package functions_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// shownReader is the document's value for a reader.
const shownReader = "rdr_0123456789abcdefghijklmnop"

// ofReaders are the placeholders for a paired reader, and for a checkout at it. A live key, which no
// terminal shows a code for, has neither.
var ofReaders = map[string]placeholder{
	shownReader: {"READER_ID", func(fix *fixture) string {
		if fix.live() {
			return "rdr_oflivemodethereisnone00000"
		}
		got := fix.Send(http.MethodPost, fix.readers(), map[string]any{"pairing_code": "SHOWN001"})
		if got.Status != http.StatusCreated {
			fix.Fatalf("pair: got %d %s, want 201", got.Status, got.Body)
		}
		fix.Clock.Advance(confirmed)
		return got.Text("id")
	}},
	"2b7e1516-28ae-4a6f-9c15-88d1f0c2a3b4": {"READER_CHECKOUT_ID", func(fix *fixture) string {
		if fix.live() {
			return uuid.NewString()
		}
		path := fmt.Sprintf("%s/%s/checkout", fix.readers(), fix.actual(shownReader))
		got := fix.Send(http.MethodPost, path, map[string]any{
			"total_amount": map[string]any{"currency": "EUR", "minor_unit": 2, "value": 1010}})
		if got.Status != http.StatusCreated {
			fix.Fatalf("sell: got %d %s, want 201", got.Status, got.Body)
		}
		return got.Text("data.checkout_id")
	}},
}

// confirmed is by when a virtual terminal has confirmed (contract §9).
const confirmed = 3 * time.Second

func (fix *fixture) readers() string { return "/v0.1/merchants/" + fix.Merchant.Code + "/readers" }

func (fix *fixture) live() bool { return strings.HasPrefix(fix.Merchant.Key.Plaintext, "sk_live_") }
