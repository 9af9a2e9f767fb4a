package payoutrun_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// shownPayouts returns each view of a payment's payouts, as "received/total date simple_status". The histories have no
// status, and the legacy detail has no PAID_OUT (contract §6.3).
func shownPayouts(s world.Shop, p world.Payment) map[string]string {
	s.Helper()
	type payouts struct {
		Total    int    `json:"payouts_total"`
		Received int    `json:"payouts_received"`
		Date     string `json:"payout_date"`
		Simple   string `json:"simple_status"`
		Items    []json.RawMessage
	}
	shown := map[string]string{}
	for place, path := range map[string]string{
		"detail":        "/v2.1/merchants/" + s.Merchant.Code + "/transactions?id=" + p.ID,
		"legacy detail": "/v0.1/me/transactions?id=" + p.ID,
		"history": "/v2.1/merchants/" + s.Merchant.Code + "/transactions/history?transaction_code=" +
			p.Code + "&types[]=PAYMENT",
		"legacy history": "/v0.1/me/transactions/history?transaction_code=" + p.Code + "&types[]=PAYMENT",
	} {
		r := s.Send("GET", path, nil)
		var one payouts
		err := r.Into(&one)
		if len(one.Items) == 1 {
			err = json.Unmarshal(one.Items[0], &one)
		}
		if err != nil || r.Status != 200 {
			s.Fatalf("%s: got %d %s, error %v; want 200 and items of JSON", path, r.Status, r.Body, err)
		}
		shown[place] = fmt.Sprintf("%d/%d %s %s", one.Received, one.Total, one.Date, one.Simple)
	}
	return shown
}

// receiptEvents returns the events on a payment's receipt, each as "type status amount".
func receiptEvents(s world.Shop, p world.Payment) []string {
	s.Helper()
	var receipt struct {
		Data struct {
			Events []struct{ Type, Status, Amount string }
		} `json:"transaction_data"`
	}
	r := s.Send("GET", "/v1.1/receipts/"+p.ID+"?mid="+s.Merchant.Code, nil)
	if err := r.Into(&receipt); err != nil || r.Status != 200 {
		s.Fatalf("receipt: got %d %s, error %v; want 200 and JSON", r.Status, r.Body, err)
	}
	var events []string
	for _, e := range receipt.Data.Events {
		events = append(events, e.Type+" "+e.Status+" "+e.Amount)
	}
	return events
}

// wantShown checks all views of a payment. payouts is "received/total date". simple is the status in the detail, and
// legacy is the status in the legacy detail.
func wantShown(s world.Shop, what string, p world.Payment, payouts, simple, legacy string) {
	s.Helper()
	for place, status := range map[string]string{"detail": simple, "legacy detail": legacy, "history": "",
		"legacy history": ""} {
		want(s, what+", "+place, shownPayouts(s, p)[place], payouts+" "+status)
	}
}

// TestPayoutStatus_EachView checks the views of a payout that is planned, sent, rejected, planned again, paid, and
// reduced by a refund.
func TestPayoutStatus_EachView(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.SetPayout(fields{"iban": sandbox.UnknownIBAN})
	p := s.Sell("10")
	wantShown(s, "planned", p, "0/1 2026-11-21", "SUCCESSFUL", "SUCCESSFUL")
	wantAll(t, "planned", receiptEvents(s, p), "PAYOUT SCHEDULED 9.80")
	advanceToMidnight(s)
	s.RunPayouts()
	wantShown(s, "sent", p, "0/1 2026-11-21", "SUCCESSFUL", "SUCCESSFUL")
	wantAll(t, "sent", receiptEvents(s, p), "PAYOUT RECONCILED 9.80")
	s.Clock.Advance(16 * time.Minute)
	s.RunPayouts()
	wantShown(s, "rejected", p, "0/1 2026-11-22", "SUCCESSFUL", "SUCCESSFUL")
	wantAll(t, "rejected", receiptEvents(s, p), "PAYOUT FAILED 9.80", "PAYOUT SCHEDULED 9.80")
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	runNight(s)
	wantShown(s, "paid", p, "1/1 2026-11-22", "PAID_OUT", "SUCCESSFUL")
	wantAll(t, "paid", receiptEvents(s, p), "PAYOUT FAILED 9.80", "PAYOUT PAID_OUT 9.80")
	s.Refund(p, "3")
	wantShown(s, "refunded", p, "1/1 2026-11-22", "REFUNDED", "REFUNDED")
	wantAll(t, "refunded", receiptEvents(s, p), "PAYOUT FAILED 9.80", "PAYOUT PAID_OUT 9.80", "REFUND REFUNDED 3.00",
		"PAYOUT_DEDUCTION PENDING 3.00")
	s.Sell("10")
	runNight(s)
	wantAll(t, "deducted", receiptEvents(s, p), "PAYOUT FAILED 9.80", "PAYOUT PAID_OUT 9.80", "REFUND REFUNDED 3.00",
		"PAYOUT_DEDUCTION SUCCESSFUL 3.00")
}
