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

// TestANegativeBalanceIsCarriedOverSeveralPeriods: each payout covers a part of it; the bank gets no transfer before
// all of it is covered.
func TestANegativeBalanceIsCarriedOverSeveralPeriods(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("100")
	night(s)
	s.Refund(p, "100")
	for _, period := range []struct{ sold, day, total, carried string }{
		{"30", "2026-11-22", "PAID -70.00", "BALANCE_DEDUCTION -70.00"},
		{"20", "2026-11-23", "PAID -50.00", "BALANCE_DEDUCTION -50.00"},
		{"50", "2026-11-24", "PAID 0.00", ""},
		{"10", "2026-11-25", "PAID 10.00", ""},
	} {
		s.Sell(period.sold)
		night(s)
		want(t, period.day, payoutsByDay(s)[period.day], period.total)
		want(t, period.day+" carries", strings.Join(payables(s), " "), period.carried)
	}
	want(t, "the bank", balance(s, ledger.Bank), "-110.00")
	want(t, "payable", balance(s, ledger.MerchantPayable), "0.00")
	wantAll(t, "list", payoutRecords(s), "PAYOUT 100.00 SUCCESSFUL", "PAYOUT 30.00 SUCCESSFUL",
		"REFUND_DEDUCTION 100.00 SUCCESSFUL",
		"PAYOUT 20.00 SUCCESSFUL", "BALANCE_DEDUCTION 70.00 SUCCESSFUL", "PAYOUT 50.00 SUCCESSFUL",
		"BALANCE_DEDUCTION 50.00 SUCCESSFUL",
		"PAYOUT 10.00 SUCCESSFUL")
}

// TestANegativeBalanceOutlivesARejectedPayout: it is carried forward again, unchanged.
func TestANegativeBalanceOutlivesARejectedPayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("100")
	night(s)
	s.Refund(p, "60")
	s.Sell("10")
	night(s)
	s.SetPayout(fields{"iban": sandbox.ClosedIBAN})
	s.Sell("80")
	night(s)
	want(t, "rejected", payoutsByDay(s)["2026-11-23"], "FAILED 30.00")
	wantAll(t, "payables", payables(s), "BALANCE_DEDUCTION -50.00", "PAYOUT 80.00")
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	night(s)
	want(t, "paid", payoutsByDay(s)["2026-11-24"], "PAID 30.00")
	wantAll(t, "payables", payables(s))
}

// TestAPayoutOnDemandWhileTheRegularOneWaits takes all payables; the regular payout is of nothing.
func TestAPayoutOnDemandWhileTheRegularOneWaits(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Sell("10")
	advanceToMidnight(s)
	openPayout(s) // and it is not run yet
	s.Sell("20.50")
	s.Clock.Advance(time.Second)
	s.Operate(fields{"command": "run_payouts", "merchant_code": s.Merchant.Code, "on_demand": true, "id": "now"}, nil)
	s.Clock.Advance(16 * time.Minute)
	s.RunPayouts()
	var totals []string
	for _, p := range s.PayoutState(s.Merchant).Payouts {
		totals = append(totals, fmt.Sprint(p.Status, " ", p.Total))
	}
	wantAll(t, "both", totals, "PAID 29.90", "PAID 0.00")
	wantAll(t, "list", payoutRecords(s), "PAYOUT 9.80 SUCCESSFUL", "PAYOUT 20.10 SUCCESSFUL")
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-29.90")
}

// TestAClockThatLeapsPaysOnce: forward over several cut-offs, back before them, and forward again.
func TestAClockThatLeapsPaysOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Sell("10")
	for _, leap := range []time.Duration{72 * time.Hour, -60 * time.Hour, 24 * time.Hour, -36 * time.Hour,
		2 * time.Hour, 96 * time.Hour} {
		s.Clock.Advance(leap)
		s.RunPayouts()
		s.Sell("20.50")
		s.CheckPayouts()
	}
	for range 5 {
		night(s)
	}
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-130.40") // 9.80 and six times 20.10
}

// TestACurrencyWithoutDecimals has none anywhere: 1.95 % of 1010 are 19.695, of 1000 19.5, which goes to the even 20.
func TestACurrencyWithoutDecimals(t *testing.T) {
	t.Parallel()
	s := openIn(t, "HU", "HUF", nil)
	s.SetPayout(fields{"holder": "Lángos Kft", "iban": sandbox.PaidIBAN})
	whole, part := s.Sell("1010"), s.Sell("1000")
	s.Refund(part, "333")
	wantAll(t, "part", payoutEvents(s, part), "SCHEDULED 647 333")
	night(s)
	want(t, "paid", payoutsByDay(s)["2026-11-21"], "PAID 1637")
	wantAll(t, "whole", payoutEvents(s, whole), "PAID_OUT 990 0")
	path := "/v1.0/merchants/" + s.Merchant.Code + "/payouts?start_date=2026-11-21&end_date=2026-11-21"
	var records []struct{ Amount, Fee json.Number }
	if err := s.Send("GET", path, nil).Into(&records); err != nil || len(records) != 2 {
		t.Fatalf("payouts: got %v, error %v; want 2", records, err)
	}
	table := string(s.Send("GET", path+"&format=csv", nil).Body)
	for _, r := range records {
		if strings.Contains(string(r.Amount)+string(r.Fee), ".") || r.Fee != "20" {
			t.Errorf("got %+v, want a fee of 20 and no decimal point", r)
		}
		if want := ",PAYOUT," + string(r.Amount) + ",2026-11-21,HUF,20,SUCCESSFUL,"; !strings.Contains(table, want) {
			t.Errorf("got CSV %s, want %q in it", table, want)
		}
	}
}
