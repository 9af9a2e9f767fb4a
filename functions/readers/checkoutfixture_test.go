package readers_test

import (
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// pays is the time after which a virtual reader's cardholder pays (contract §13.7).
const pays = world.ReaderPays

// till is a shop's reader, with methods to follow its checkouts.
type till struct{ world.CardReader }

func newTill(t testing.TB) till {
	t.Helper()
	return tillOf(world.NewShop(t).WithCallbacks(), "TILL0001")
}

// tillOf pairs a terminal with the shop.
func tillOf(s world.Shop, code string) till {
	s.Helper()
	return till{s.PairReader(code)}
}

// fate is the end of a checkout, as each record shows it.
type fate struct {
	status    string // status in the response to a read
	reason    string
	callbacks int
	captured  int            // number of captures
	records   map[string]int // number of transactions by status
}

// These are the fates of checkouts that have ended.
var (
	paid      = fate{"successful", "", 1, 1, map[string]int{"SUCCESSFUL": 1}}
	declined  = fate{"failed", "declined", 1, 0, map[string]int{"FAILED": 1}}
	stopped   = fate{"cancelled", "terminated", 1, 0, map[string]int{"CANCELLED": 1}}
	forgotten = fate{"cancelled", "timed out", 1, 0, map[string]int{"CANCELLED": 1}}
	waits     = fate{"pending", "", 0, 0, map[string]int{}}
)

// readFate reads the checkout, lets the platform run until idle, and returns the checkout's fate.
func (c till) readFate(checkout string) fate {
	c.Helper()
	read := c.Must(http.StatusOK, c.Read(checkout))
	c.RunUntilIdle()
	callbacks := c.reported(read.Text("data.client_transaction_id"))
	records := c.CheckoutRecords(checkout)
	return fate{read.Text("data.status"), read.Text("data.payment_failure_reason"), callbacks, records.Captured,
		records.Transactions}
}

// reported returns the number of different callbacks about a payment, which it finds by client transaction id.
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

// wantRefusal checks a refusal and its problem type. Clients decide by that type.
func wantRefusal(t testing.TB, got world.Response, want world.Refusal, kind string) {
	t.Helper()
	want.Check(t, got)
	if got.Text("errors.type") != kind || got.Text("errors.detail") == "" {
		t.Errorf("got %s, want errors with a detail and the type %q", got.Body, kind)
	}
}
