package transactions_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// mustBePaidOutOn checks that every view shows this payout day of the payment. "" means that they show none.
func mustBePaidOutOn(s world.Shop, p world.Payment, day string) {
	s.Helper()
	type transaction struct {
		ID         string
		PayoutDate string `json:"payout_date"`
		Events     []struct {
			DueDate string `json:"due_date"`
			Date    string
		} `json:"transaction_events"`
	}
	for name, read := range map[string]world.Response{"detail": s.Transaction("id=" + p.ID),
		"legacy detail": legacyTransaction(s, "id="+p.ID)} {
		var shown transaction
		if err := read.Into(&shown); err != nil || read.Status != 200 || len(shown.Events) != 1 {
			s.Fatalf("%s: got %d %s, %v, want 200 and one event", name, read.Status, read.Body, err)
		}
		if due := shown.Events[0]; shown.ID != p.ID || shown.PayoutDate != day || due.DueDate != day || due.Date != day {
			s.Errorf("%s: got %s paid out on %q, event %+v, want %s on %q", name, shown.ID, shown.PayoutDate, due, p.ID, day)
		}
	}
	for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions/history",
		"/v0.1/me/transactions/history"} {
		var page struct{ Items []transaction }
		read := s.Send("GET", path+"?transaction_code="+p.Code, nil)
		if err := json.Unmarshal(read.Body, &page); err != nil || len(page.Items) != 1 {
			s.Fatalf("%s: got %d %s, %v, want one item", path, read.Status, read.Body, err)
		}
		if got := page.Items[0]; got.ID != p.ID || got.PayoutDate != day {
			s.Errorf("%s: got %s paid out on %q, want %s on %q", path, got.ID, got.PayoutDate, p.ID, day)
		}
	}
}

// TestPayoutDate_MerchantSettings checks the payout day of a sale on Friday, 2026-11-20. Daily payouts pay it on the
// next day, weekly ones on Monday, and monthly ones on the first of the month (contract §6.7).
func TestPayoutDate_MerchantSettings(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	mustBePaidOutOn(s, p, "2026-11-21")
	for _, c := range []struct {
		settings map[string]any
		want     string
	}{
		{map[string]any{"payout_period": "weekly"}, "2026-11-23"},
		{map[string]any{"payout_period": "monthly"}, "2026-12-01"},
		{map[string]any{"payout_on_demand": true}, ""},
		{map[string]any{"payout_period": "daily", "payout_on_demand": false}, "2026-11-21"},
	} {
		s.Command("update_settings", c.settings)
		mustBePaidOutOn(s, p, c.want)
	}
}

// TestPayoutDate_OnDemand checks that a payout on demand has a day only once an operator has ordered it. A later change
// of the settings does not change that day.
func TestPayoutDate_OnDemand(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.SetPayout(map[string]any{"holder": "Kaffee GmbH", "iban": "DE17100100100000005678"})
	s.Command("update_settings", map[string]any{"payout_on_demand": true})
	p := s.Sell("10.10")
	mustBePaidOutOn(s, p, "")
	s.Clock.Advance(48 * time.Hour)
	s.Operate(map[string]any{"command": "run_payouts", "merchant_code": s.Merchant.Code, "on_demand": true, "id": "now"},
		nil)
	mustBePaidOutOn(s, p, "2026-11-22")
	s.Command("update_settings", map[string]any{"payout_on_demand": false, "payout_period": "monthly"})
	mustBePaidOutOn(s, p, "2026-11-22")
}

// TestPayoutDate_FailedPayout checks that a failed payout keeps its day, and that its replacement has another.
func TestPayoutDate_FailedPayout(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.SetPayout(map[string]any{"holder": "Kaffee GmbH", "iban": sandbox.ClosedIBAN})
	p := s.Sell("10.10")
	for _, want := range []string{"SCHEDULED 2026-11-21", "FAILED 2026-11-21, SCHEDULED 2026-11-22",
		"FAILED 2026-11-21, PAID_OUT 2026-11-22"} {
		var shown struct {
			Events []struct{ Status, Date string } `json:"transaction_events"`
		}
		if err := s.Transaction("id=" + p.ID).Into(&shown); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range shown.Events {
			got = append(got, e.Status+" "+e.Date)
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s.Clock.Advance(24 * time.Hour)
		s.Operate(map[string]any{"command": "run_payouts"}, nil)
		s.SetPayout(map[string]any{"holder": "Kaffee GmbH", "iban": sandbox.PaidIBAN})
	}
}

// TestPayoutDate_NoMidnight checks 2027-09-05 in Chile. On that day the clocks go forward at midnight, so the day
// begins at 01:00.
func TestPayoutDate_NoMidnight(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"2027-09-04T04:30:00Z": "2027-09-05", // 00:30 on 2027-09-04
		"2027-09-05T03:59:59Z": "2027-09-05", // the last second of 2027-09-04
		"2027-09-05T04:00:00Z": "2027-09-06", // a second later: 01:00 on 2027-09-05
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		s := world.NewShop(t)
		setTimeZone(s, "America/Santiago")
		s.Clock.Advance(at.Sub(s.Clock.Now()))
		mustBePaidOutOn(s, s.Sell("10.10"), want)
	}
}
