package readers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// pays is when a virtual reader has paid (contract §13.7).
const pays = 3 * time.Second

// till is a shop with a paired reader.
type till struct {
	world.Shop
	reader string
}

func newTill(t testing.TB) till {
	t.Helper()
	return tillOf(world.NewShop(t).WithCallbacks(), "TILL0001")
}

// tillOf pairs a terminal with the shop.
func tillOf(s world.Shop, code string) till {
	s.Helper()
	made := s.Send("POST", "/v0.1/merchants/"+s.Merchant.Code+"/readers", map[string]any{"pairing_code": code})
	if made.Status != http.StatusCreated {
		s.Fatalf("pair: got %d %s, want 201", made.Status, made.Body)
	}
	s.Clock.Advance(pays)
	return till{s, made.Text("id")}
}

func (c till) path(more string) string {
	return "/v0.1/merchants/" + c.Merchant.Code + "/readers/" + c.reader + more
}

// body asks for an amount in minor units.
func (c till) body(value int64) map[string]any {
	body := map[string]any{"total_amount": map[string]any{"currency": c.Currency, "minor_unit": 2, "value": value}}
	if c.Receiver != nil {
		body["return_url"] = c.Receiver.URL
	}
	return body
}

// creation is the request for a checkout.
func (c till) creation(value int64) world.Request {
	return world.Request{Method: "POST", Path: c.path("/checkout"), Body: c.body(value), APIKey: c.Merchant.Key.Plaintext}
}

// begin has an amount put before the cardholder, and returns the checkout's id.
func (c till) begin(value int64) string {
	c.Helper()
	made := c.Do(c.creation(value))
	if made.Status != http.StatusCreated {
		c.Fatalf("create: got %d %s, want 201", made.Status, made.Body)
	}
	return made.Text("data.checkout_id")
}

func (c till) read(checkout string) world.Response {
	c.Helper()
	return c.Send("GET", c.path("/checkout/"+checkout), nil)
}

func (c till) terminate() world.Response {
	c.Helper()
	return c.Send("POST", c.path("/terminate"), nil)
}

func (c till) offline(offline bool) {
	c.Helper()
	c.Operate(map[string]any{"command": "set_reader_offline", "merchant_code": c.Merchant.Code, "mode": "test",
		"reader_id": c.reader, "offline": offline}, nil)
}

// fate is what has become of a checkout, everywhere.
type fate struct {
	status    string // as it is read
	reason    string
	callbacks int
	captured  int            // how often money moved
	records   map[string]int // transactions by status
}

// The fates of checkouts that have ended.
var (
	paid      = fate{"successful", "", 1, 1, map[string]int{"SUCCESSFUL": 1}}
	declined  = fate{"failed", "declined", 1, 0, map[string]int{"FAILED": 1}}
	stopped   = fate{"cancelled", "terminated", 1, 0, map[string]int{"CANCELLED": 1}}
	forgotten = fate{"cancelled", "timed out", 1, 0, map[string]int{"CANCELLED": 1}}
	waits     = fate{"pending", "", 0, 0, map[string]int{}}
)

// fate reads what has become of a checkout, without which nothing more happens to it.
func (c till) fate(checkout string) fate {
	c.Helper()
	read := c.read(checkout)
	if read.Status != http.StatusOK {
		c.Fatalf("retrieve: got %d %s, want 200", read.Status, read.Body)
	}
	c.RunUntilIdle()
	callbacks := c.reported(read.Text("data.client_transaction_id"))
	records := c.CheckoutRecords(checkout)
	return fate{read.Text("data.status"), read.Text("data.payment_failure_reason"), callbacks, records.Captured,
		records.Transactions}
}

// reported counts the different callbacks about a payment, by its client transaction id.
func (c till) reported(payment string) int {
	ids := map[string]bool{}
	for _, d := range c.Receiver.Deliveries() {
		if d.Reader != nil && d.Reader.Payload.ClientTransactionID == payment {
			ids[d.ID] = true
		}
	}
	return len(ids)
}

var (
	busy      = world.Refused(422, "", "", "unprocessable-entity")
	offline   = world.Refused(422, "", "", "reader-offline")
	forOthers = world.Refused(422, "", "", "validation-error")
	noSale    = world.Refused(404, "NOT_FOUND", "", "checkout-not-found")
)

// refusedAs checks a refusal with the type that clients switch on.
func refusedAs(t testing.TB, got world.Response, want world.Refusal, kind string) {
	t.Helper()
	want.Check(t, got)
	if got.Text("errors.type") != kind || got.Text("errors.detail") == "" {
		t.Errorf("got %s, want errors with a detail and the type %q", got.Body, kind)
	}
}
