package transactions_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// shop is a merchant's server that asks for transactions and refunds.
type shop struct{ world.Shop }

// open starts a world with a German shop.
func open(t *testing.T) *shop {
	t.Helper()
	return &shop{world.New(t).Shop()}
}

// neighbour is the world's other shop.
func (s *shop) neighbour() *shop { return &shop{s.OtherShop()} }

// abroad is a new shop in another country.
func (s *shop) abroad(country, currency string) *shop {
	return &shop{s.NewShop(country, currency, nil)}
}

// as is the shop with another key, which has one scope.
func (s *shop) as(scope string) *shop { return &shop{s.WithKey(s.NewKey("secret", scope))} }

// moveTo puts the shop into another time zone.
func (s *shop) moveTo(zone string) {
	s.Helper()
	s.change(map[string]any{"time_zone": zone})
}

// change has an operator change terms of the merchant.
func (s *shop) change(terms map[string]any) {
	s.Helper()
	terms["command"], terms["merchant_code"] = "update_merchant", s.Merchant.Code
	s.Operate(terms, nil)
}

// get is the detail of version 2.1, by a query.
func (s *shop) get(query string) world.Response {
	s.Helper()
	return s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions?"+query, nil)
}

// legacy is the detail without a merchant in its path.
func (s *shop) legacy(query string) world.Response {
	s.Helper()
	return s.Send("GET", "/v0.1/me/transactions?"+query, nil)
}

// seen is a transaction in short: its simple status, the events that are no
// payouts, and what is left to refund.
func (s *shop) seen(p world.Payment) string {
	s.Helper()
	read := s.get("id=" + p.ID)
	var t struct {
		Status       string
		SimpleStatus string `json:"simple_status"`
		Events       []struct {
			Type, Status string
			Amount       json.Number
		}
		Links []struct {
			Max json.Number `json:"max_amount"`
		}
	}
	if err := read.Into(&t); err != nil || read.Status != 200 {
		s.Fatalf("read: %d %s", read.Status, read.Body)
	}
	text := t.SimpleStatus
	for _, e := range t.Events {
		if e.Type != "PAYOUT" {
			text += fmt.Sprintf(", %s %s %s", e.Type, e.Status, e.Amount)
		}
	}
	for _, l := range t.Links {
		text += ", left " + l.Max.String()
	}
	return text
}

// expect checks what is seen of a transaction.
func (s *shop) expect(p world.Payment, want string) {
	s.Helper()
	if got := s.seen(p); got != want {
		s.Errorf("seen %q, want %q", got, want)
	}
}

var (
	invalid     = world.Invalid
	noReason    = world.Invalid("")
	denied      = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound    = world.Refused(404, "NOT_FOUND", "", "not-found")
	conflict    = world.Refused(409, "CONFLICT", "", "conflict")
	unavailable = world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed")
)
