package payoutrun_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// TestALackIsCarriedOverSeveralPeriods: each payout makes up for a part of it, and the bank hears of nothing until all is made up for.
func TestALackIsCarriedOverSeveralPeriods(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.update(fields{"fee_rate": "0"})
	p := s.pay("100", 1)
	s.night()
	s.refund(p, "100")
	for _, period := range []struct{ sold, day, total, carried string }{
		{"30", "2026-11-22", "PAID -70.00", "BALANCE_DEDUCTION -70.00"},
		{"20", "2026-11-23", "PAID -50.00", "BALANCE_DEDUCTION -50.00"},
		{"50", "2026-11-24", "PAID 0.00", ""},
		{"10", "2026-11-25", "PAID 10.00", ""},
	} {
		s.pay(period.sold, 1)
		s.night()
		want(t, period.day, s.payouts()[period.day], period.total)
		want(t, period.day+" carries", strings.Join(s.waiting(), " "), period.carried)
	}
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-110.00")
	want(t, "owed", s.Balance(s.merchant, ledger.MerchantPayable, "EUR").IsZero(), true)
	wantAll(t, "list", s.listed(), "PAYOUT 100.00 SUCCESSFUL", "PAYOUT 30.00 SUCCESSFUL",
		"REFUND_DEDUCTION 100.00 SUCCESSFUL",
		"PAYOUT 20.00 SUCCESSFUL", "BALANCE_DEDUCTION 70.00 SUCCESSFUL", "PAYOUT 50.00 SUCCESSFUL",
		"BALANCE_DEDUCTION 50.00 SUCCESSFUL",
		"PAYOUT 10.00 SUCCESSFUL")
}

// TestACarriedLackOutlivesARejectedPayout: it waits anew, as it was.
func TestACarriedLackOutlivesARejectedPayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.update(fields{"fee_rate": "0"})
	p := s.pay("100", 1)
	s.night()
	s.refund(p, "60")
	s.pay("10", 1)
	s.night()
	s.set(fields{"iban": sandbox.ClosedIBAN})
	s.pay("80", 1)
	s.night()
	want(t, "rejected", s.payouts()["2026-11-23"], "FAILED 30.00")
	wantAll(t, "waiting", s.waiting(), "BALANCE_DEDUCTION -50.00", "PAYOUT 80.00")
	s.set(fields{"iban": sandbox.PaidIBAN})
	s.night()
	want(t, "paid", s.payouts()["2026-11-24"], "PAID 30.00")
	wantAll(t, "waiting", s.waiting())
}

// TestADemandWhileTheRegularPayoutWaits takes all that waits, and the regular one comes to nothing.
func TestADemandWhileTheRegularPayoutWaits(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.pay("10", 1)
	s.midnight()
	if err := s.Main().TickNow(t.Context(), "payoutplan"); err != nil { // planned, and not run yet
		t.Fatal(err)
	}
	s.pay("20.50", 1)
	s.Clock.Advance(time.Second)
	s.Operate(fields{"command": "run_payouts", "merchant_code": s.merchant.Code, "on_demand": true, "id": "now"}, nil)
	s.Clock.Advance(16 * time.Minute)
	s.tick(s.Main())
	var totals []string
	for _, p := range s.PayoutBooks(s.merchant).Payouts {
		totals = append(totals, fmt.Sprint(p.Status, " ", p.Total))
	}
	wantAll(t, "both", totals, "PAID 29.90", "PAID 0.00")
	wantAll(t, "list", s.listed(), "PAYOUT 9.80 SUCCESSFUL", "PAYOUT 20.10 SUCCESSFUL")
	wantAll(t, "waiting", s.waiting())
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-29.90")
}

// TestAClockThatLeapsPaysOnce: forward over several cut-offs, back before them, and on again.
func TestAClockThatLeapsPaysOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.pay("10", 1)
	for _, leap := range []time.Duration{72 * time.Hour, -60 * time.Hour, 24 * time.Hour, -36 * time.Hour,
		2 * time.Hour, 96 * time.Hour} {
		s.Clock.Advance(leap)
		s.tick(s.Main())
		s.pay("20.50", 1)
		s.CheckPayouts()
	}
	for range 5 {
		s.night()
	}
	wantAll(t, "waiting", s.waiting())
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-130.40") // 9.80 and six times 20.10
}

// TestACurrencyWithoutDecimals has none anywhere: 1.95 % of 1010 are 19.695, of 1000 19.5, which goes to the even 20.
func TestACurrencyWithoutDecimals(t *testing.T) {
	t.Parallel()
	s := openIn(t, "Europe/Budapest", fields{"name": "Lángos", "email": "langos@example.com",
		"country": "HU", "currency": "HUF"})
	s.set(fields{"holder": "Lángos Kft", "iban": sandbox.PaidIBAN})
	whole, part := s.pay("1010", 1), s.pay("1000", 1)
	s.refund(part, "333")
	wantAll(t, "part", s.stands(part), "SCHEDULED 647 333")
	s.night()
	want(t, "paid", s.payouts()["2026-11-21"], "PAID 1637")
	wantAll(t, "whole", s.stands(whole), "PAID_OUT 990 0")
	path := "/v1.0/merchants/" + s.merchant.Code + "/payouts?start_date=2026-11-21&end_date=2026-11-21"
	var records []struct{ Amount, Fee json.Number }
	if err := s.send("GET", path, nil).Into(&records); err != nil || len(records) != 2 {
		t.Fatalf("%v, %v", records, err)
	}
	table := string(s.send("GET", path+"&format=csv", nil).Body)
	for _, r := range records {
		if strings.Contains(string(r.Amount)+string(r.Fee), ".") || r.Fee != "20" {
			t.Errorf("%+v", r)
		}
		if !strings.Contains(table, ",PAYOUT,"+string(r.Amount)+",2026-11-21,HUF,20,SUCCESSFUL,") {
			t.Errorf("%+v is not in %s", r, table)
		}
	}
}
