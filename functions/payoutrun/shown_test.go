package payoutrun_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// shows is "received/total date simple_status" of a payment in each place that shows its payouts. The history shows no status,
// and the older detail knows no PAID_OUT (contract §6.3).
func (s *shop) shows(p payment) map[string]string {
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
		"detail":        "/v2.1/merchants/" + s.merchant.Code + "/transactions?id=" + p.ID,
		"legacy detail": "/v0.1/me/transactions?id=" + p.ID,
		"history": "/v2.1/merchants/" + s.merchant.Code + "/transactions/history?transaction_code=" +
			p.Code + "&types[]=PAYMENT",
		"legacy history": "/v0.1/me/transactions/history?transaction_code=" + p.Code + "&types[]=PAYMENT",
	} {
		r := s.send("GET", path, nil)
		var one payouts
		err := r.Into(&one)
		if len(one.Items) == 1 {
			err = json.Unmarshal(one.Items[0], &one)
		}
		if err != nil || r.Status != 200 {
			s.Fatalf("%s: %d %s", path, r.Status, r.Body)
		}
		shown[place] = fmt.Sprintf("%d/%d %s %s", one.Received, one.Total, one.Date, one.Simple)
	}
	return shown
}

// receipt is "type status amount" of the events on a payment's receipt.
func (s *shop) receipt(p payment) []string {
	s.Helper()
	var receipt struct {
		Data struct {
			Events []struct{ Type, Status, Amount string }
		} `json:"transaction_data"`
	}
	r := s.send("GET", "/v1.1/receipts/"+p.ID+"?mid="+s.merchant.Code, nil)
	if err := r.Into(&receipt); err != nil || r.Status != 200 {
		s.Fatalf("receipt: %d %s", r.Status, r.Body)
	}
	var events []string
	for _, e := range receipt.Data.Events {
		events = append(events, e.Type+" "+e.Status+" "+e.Amount)
	}
	return events
}

// wantShown checks all places: received/total and day, then the status of the newer and of the older detail.
func (s *shop) wantShown(what string, p payment, payouts, simple, legacy string) {
	s.Helper()
	for place, status := range map[string]string{"detail": simple, "legacy detail": legacy, "history": "",
		"legacy history": ""} {
		want(s, what+", "+place, s.shows(p)[place], payouts+" "+status)
	}
}

// TestEveryPlaceShowsWhereAPayoutStands: planned, on its way, refused, planned anew, paid, and taken from by a refund.
func TestEveryPlaceShowsWhereAPayoutStands(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(fields{"iban": sandbox.UnknownIBAN})
	p := s.pay("10", 1)
	s.wantShown("planned", p, "0/1 2026-11-21", "SUCCESSFUL", "SUCCESSFUL")
	wantAll(t, "planned", s.receipt(p), "PAYOUT SCHEDULED 9.80")
	s.midnight()
	s.tick(s.Main())
	s.wantShown("on its way", p, "0/1 2026-11-21", "SUCCESSFUL", "SUCCESSFUL")
	wantAll(t, "on its way", s.receipt(p), "PAYOUT RECONCILED 9.80")
	s.Clock.Advance(16 * time.Minute)
	s.tick(s.Main())
	s.wantShown("refused", p, "0/1 2026-11-22", "SUCCESSFUL", "SUCCESSFUL")
	wantAll(t, "refused", s.receipt(p), "PAYOUT FAILED 9.80", "PAYOUT SCHEDULED 9.80")
	s.set(fields{"iban": sandbox.PaidIBAN})
	s.night()
	s.wantShown("paid", p, "1/1 2026-11-22", "PAID_OUT", "SUCCESSFUL")
	wantAll(t, "paid", s.receipt(p), "PAYOUT FAILED 9.80", "PAYOUT PAID_OUT 9.80")
	s.refund(p, "3")
	s.wantShown("refunded", p, "1/1 2026-11-22", "REFUNDED", "REFUNDED")
	wantAll(t, "refunded", s.receipt(p), "PAYOUT FAILED 9.80", "PAYOUT PAID_OUT 9.80", "REFUND REFUNDED 3.00",
		"PAYOUT_DEDUCTION PENDING 3.00")
	s.pay("10", 1)
	s.night()
	wantAll(t, "deducted", s.receipt(p), "PAYOUT FAILED 9.80", "PAYOUT PAID_OUT 9.80", "REFUND REFUNDED 3.00",
		"PAYOUT_DEDUCTION SUCCESSFUL 3.00")
}
