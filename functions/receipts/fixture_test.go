package receipts_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

type (
	fields   = map[string]any
	jsonText = json.RawMessage
)

// charge creates a checkout and tries to pay it by card. The payment may succeed or fail.
func charge(s world.Shop, amount string, more fields) world.Payment {
	s.Helper()
	return s.Pay(s.Create(amount, more), s.Card(world.Frictionless))
}

// refundEvent requests a refund, and returns the id of the refund's event.
func refundEvent(s world.Shop, p world.Payment, amount string) int64 {
	s.Helper()
	s.Clock.Advance(time.Second)
	_ = s.Send("POST", "/v0.1/me/refund/"+p.ID, fields{"amount": json.Number(amount)})
	return lastEvent(s, p, "REFUND")
}

// lastEvent returns the id of the transaction's latest event of the type.
func lastEvent(s world.Shop, p world.Payment, kind string) int64 {
	s.Helper()
	detail := s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions?id="+p.ID, nil)
	var shown struct {
		Events []struct {
			ID   int64
			Type string
		}
	}
	if err := detail.Into(&shown); err != nil || detail.Status != 200 {
		s.Fatalf("detail: got %d %s, %v, want 200", detail.Status, detail.Body, err)
	}
	id := int64(0)
	for _, e := range shown.Events {
		if e.Type == kind {
			id = e.ID
		}
	}
	if id == 0 {
		s.Fatalf("got %s, want a %s among the events", detail.Body, kind)
	}
	return id
}

// receiptPath returns the path of a receipt. Event 0 means the receipt of the transaction itself.
func receiptPath(s world.Shop, id string, event int64) string {
	path := "/v1.1/receipts/" + id + "?mid=" + s.Merchant.Code
	if event != 0 {
		path += fmt.Sprint("&tx_event_id=", event)
	}
	return path
}

// receipt reads a receipt, which must exist.
func receipt(s world.Shop, id string, event int64) world.Response {
	s.Helper()
	got := s.Must(200, s.Send("GET", receiptPath(s, id, event), nil))
	return got
}

// receiptNumber returns the number of a receipt, or "" if it has none.
func receiptNumber(s world.Shop, id string, event int64) string {
	s.Helper()
	return receipt(s, id, event).Text("transaction_data.receipt_no")
}

// count returns the number of the table's items with the sort key.
func count(s world.Shop, sortKey string) int {
	s.Helper()
	return s.CountItems("sk = ?", sortKey)
}
