package transactions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// Contract §4.6, in the history: a set-up is refunded, so that it adds nothing to the
// sum of payments less refunds. A set-up of 0 refunds 0.
func TestTheHistoryShowsTheRefundOfASetUp(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for amount, refunded := range map[string]string{"1": "1.00", "0": "0.00"} {
		body := s.Card(world.Frictionless)
		body["mandate"] = map[string]any{"type": "recurrent", "user_agent": "test"}
		p := s.Pay(s.Create(amount, map[string]any{"purpose": "SETUP_RECURRING_PAYMENT", "customer_id": s.Customer()}), body)
		for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history", legacyHistory} {
			for _, query := range []string{"?transaction_code=" + p.Code, "?limit=1&order=descending"} {
				var page struct{ Items []json.RawMessage }
				if err := s.Send("GET", path+query, nil).Into(&page); err != nil || len(page.Items) != 1 {
					t.Fatalf("%s%s: got items %s, %v, want one", path, query, page.Items, err)
				}
				world.Holds(t, page.Items[0], map[string]string{"id": `"` + p.ID + `"`, "refunded_amount": refunded})
			}
		}
		s.Clock.Advance(time.Second)
	}
}
