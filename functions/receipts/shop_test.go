package receipts_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// shop is a merchant's server that reads receipts.
type shop struct{ world.Shop }

type fields = map[string]any

// open starts a world with a German shop.
func open(t *testing.T) *shop {
	t.Helper()
	return &shop{world.New(t).Shop()}
}

// neighbour is the world's other German shop.
func (s *shop) neighbour() *shop { return &shop{s.OtherShop()} }

// abroad is a new shop with facts of its own.
func (s *shop) abroad(country, currency string, more fields) *shop {
	s.Helper()
	return &shop{s.NewShop(country, currency, more)}
}

// try has a card charged for a new checkout, with or without success.
func (s *shop) try(amount string, more fields) world.Payment {
	s.Helper()
	return s.Pay(s.Create(amount, more), s.Card(world.Frictionless))
}

// refundEvent asks for a refund and answers its event's id, as the detail tells it.
func (s *shop) refundEvent(p world.Payment, amount string) int64 {
	s.Helper()
	s.Clock.Advance(time.Second)
	_ = s.Send("POST", "/v0.1/me/refund/"+p.ID, fields{"amount": json.Number(amount)})
	return s.lastEvent(p, "REFUND")
}

// lastEvent is the id of the transaction's latest event of the type.
func (s *shop) lastEvent(p world.Payment, kind string) int64 {
	s.Helper()
	detail := s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions?id="+p.ID, nil)
	var shown struct {
		Events []struct {
			ID   int64
			Type string
		}
	}
	if err := detail.Into(&shown); err != nil || detail.Status != 200 {
		s.Fatalf("detail: %d %s", detail.Status, detail.Body)
	}
	id := int64(0)
	for _, e := range shown.Events {
		if e.Type == kind {
			id = e.ID
		}
	}
	if id == 0 {
		s.Fatalf("no %s among the events: %s", kind, detail.Body)
	}
	return id
}

// path leads to a receipt; event 0: of the transaction itself.
func (s *shop) path(id string, event int64) string {
	path := "/v1.1/receipts/" + id + "?mid=" + s.Merchant.Code
	if event != 0 {
		path += fmt.Sprint("&tx_event_id=", event)
	}
	return path
}

// read reads a receipt, which must be there.
func (s *shop) read(id string, event int64) world.Response {
	s.Helper()
	got := s.Send("GET", s.path(id, event), nil)
	if got.Status != 200 {
		s.Fatalf("receipt: %d %s", got.Status, got.Body)
	}
	return got
}

// number is the number of a receipt; "": none.
func (s *shop) number(id string, event int64) string {
	s.Helper()
	return s.read(id, event).Text("transaction_data.receipt_no")
}
