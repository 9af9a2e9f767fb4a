package transactions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestSetup_ZeroAmount checks that a set-up of recurring payments takes no money. Every view of its payment shows the
// amount 0, no refund and no event (contract §4.6). So the set-up adds nothing to the sum of payments less refunds.
func TestSetup_ZeroAmount(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	nothing := map[string]string{"amount": "0.00", "status": `"SUCCESSFUL"`, "payouts_total": "0", "payout_type": ""}
	for _, amount := range []string{"1", "0"} {
		body := s.Card(world.Frictionless)
		body["mandate"] = map[string]any{"type": "recurrent", "user_agent": "test"}
		p := s.Pay(s.Create(amount, map[string]any{"purpose": "SETUP_RECURRING_PAYMENT", "customer_id": s.Customer()}), body)
		for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history", legacyHistory} {
			for _, query := range []string{"?transaction_code=" + p.Code, "?limit=1&order=descending"} {
				var page struct{ Items []json.RawMessage }
				if err := s.Send("GET", path+query, nil).Into(&page); err != nil || len(page.Items) != 1 {
					t.Fatalf("%s%s: got items %s, %v, want one", path, query, page.Items, err)
				}
				world.Holds(t, page.Items[0], map[string]string{"id": quoted(p.ID), "refunded_amount": "0.00"})
				world.Holds(t, page.Items[0], nothing)
			}
			for status, want := range map[string]int{"REFUNDED": 0, "SUCCESSFUL": 1} {
				var page struct{ Items []json.RawMessage }
				err := s.Send("GET", path+"?transaction_code="+p.Code+"&statuses[]="+status, nil).Into(&page)
				if legacy := path == legacyHistory && status == "REFUNDED"; !legacy && (err != nil || len(page.Items) != want) {
					t.Errorf("%s, %s: got items %s, %v, want %d", path, status, page.Items, err, want)
				}
			}
		}
		for _, read := range []world.Response{s.Transaction("id=" + p.ID), legacyTransaction(s, "id="+p.ID)} {
			world.Holds(t, read.Body, nothing)
			world.Holds(t, read.Body, map[string]string{"simple_status": `"SUCCESSFUL"`, "events": "[]",
				"transaction_events": "[]", "links": "[]", "fee_amount": "0.00"})
		}
		conflict.Check(t, refundV0(s, p, ""))
		s.Clock.Advance(time.Second)
	}
}
