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

// TestNegativeBalance_SeveralPeriods checks that each payout covers a part of the negative balance. The bank gets no
// transfer until the whole balance is covered.
func TestNegativeBalance_SeveralPeriods(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("100")
	runNight(s)
	s.Refund(p, "100")
	for _, period := range []struct{ sold, day, total, carried string }{
		{"30", "2026-11-22", "PAID -70.00", "BALANCE_DEDUCTION -70.00"},
		{"20", "2026-11-23", "PAID -50.00", "BALANCE_DEDUCTION -50.00"},
		{"50", "2026-11-24", "PAID 0.00", ""},
		{"10", "2026-11-25", "PAID 10.00", ""},
	} {
		s.Sell(period.sold)
		runNight(s)
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

// TestNegativeBalance_RejectedPayout checks that a rejected payout carries the same negative balance forward again.
func TestNegativeBalance_RejectedPayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("100")
	runNight(s)
	s.Refund(p, "60")
	s.Sell("10")
	runNight(s)
	s.SetPayout(fields{"iban": sandbox.ClosedIBAN})
	s.Sell("80")
	runNight(s)
	want(t, "rejected", payoutsByDay(s)["2026-11-23"], "FAILED 30.00")
	wantAll(t, "payables", payables(s), "BALANCE_DEDUCTION -50.00", "PAYOUT 80.00")
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	runNight(s)
	want(t, "paid", payoutsByDay(s)["2026-11-24"], "PAID 30.00")
	wantAll(t, "payables", payables(s))
}

// TestPayoutOnDemand_RegularPayoutWaits checks that a payout on demand takes all payables. A regular payout that was
// opened before is then empty.
func TestPayoutOnDemand_RegularPayoutWaits(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Sell("10")
	advanceToMidnight(s)
	openPayout(s) // opens the regular payout, but does not run it
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

// TestPayout_ClockLeaps lets the clock leap over several cut-offs, back before them, and forward again. It checks that
// each sale is paid out once.
func TestPayout_ClockLeaps(t *testing.T) {
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
		runNight(s)
	}
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-130.40") // 9.80 and six times 20.10
}

// TestPayout_CurrencyWithoutDecimals checks that fees are whole amounts. 1.95 % of 1010 is 19.695, and of 1000 is 19.5.
// Both are rounded to 20, because a half is rounded to the even number.
func TestPayout_CurrencyWithoutDecimals(t *testing.T) {
	t.Parallel()
	s := openIn(t, "HU", "HUF", nil)
	s.SetPayout(fields{"holder": "Lángos Kft", "iban": sandbox.PaidIBAN})
	whole, part := s.Sell("1010"), s.Sell("1000")
	s.Refund(part, "333")
	wantAll(t, "part", payoutEvents(s, part), "SCHEDULED 647 333")
	runNight(s)
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
