package transactions_test

import (
	"encoding/json"
	"fmt"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// withScope returns the shop with another key, which has only this scope.
func withScope(s world.Shop, scope string) world.Shop { return s.WithKey(s.NewKey("secret", scope)) }

// setTimeZone changes the shop's time zone.
func setTimeZone(s world.Shop, zone string) {
	s.Helper()
	s.Command("update_merchant", map[string]any{"time_zone": zone})
}

// legacyTransaction reads the detail without a merchant in its path.
func legacyTransaction(s world.Shop, query string) world.Response {
	s.Helper()
	return s.Send("GET", "/v0.1/me/transactions?"+query, nil)
}

// summary returns a transaction's simple status, its events without payouts, and the amount that can still be refunded.
func summary(s world.Shop, p world.Payment) string {
	s.Helper()
	read := s.Transaction("id=" + p.ID)
	var t struct {
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
		s.Fatalf("read: got %d %s, %v, want 200 and a transaction", read.Status, read.Body, err)
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

func wantSummary(s world.Shop, p world.Payment, want string) {
	s.Helper()
	if got := summary(s, p); got != want {
		s.Errorf("transaction: got %q, want %q", got, want)
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
