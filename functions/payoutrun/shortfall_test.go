package payoutrun_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// TestManyLateRefundsAreOnePayout, taken in four steps and paid in three, of which JSON and CSV list every record. The
// next payment covers all of them.
func TestManyLateRefundsAreOnePayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Update(fields{"fee_rate": "0"})
	p := s.Sell("100")
	night(s)
	const late = 100
	for range late {
		s.Refund(p, "1")
	}
	night(s)
	want(t, "payouts", len(payoutsByDay(s)), 2)
	want(t, "the refunds", payoutsByDay(s)["2026-11-22"], "PAID -100.00")
	want(t, "waiting", fmt.Sprint(counted(payables(s))), "map[BALANCE_DEDUCTION -100.00:1]")
	want(t, "list", fmt.Sprint(counted(payoutRecords(s))), "map[PAYOUT 100.00 SUCCESSFUL:1 REFUND_DEDUCTION 1.00 "+
		"SUCCESSFUL:100]")
	r := s.Send("GET", "/v1.0/merchants/"+s.Merchant.Code+"/payouts?start_date=2026-11-22&end_date=2026-11-22&format=csv",
		nil)
	want(t, "CSV", strings.Count(string(r.Body), ",REFUND_DEDUCTION,1.00,2026-11-22,EUR,0.00,SUCCESSFUL,"), late)
	for _, e := range eventsOf(s, p, payments.PayoutDeductionEvent) {
		if e.Status != string(payments.EventSuccessful) {
			t.Fatalf("got %+v, want status %s", e, payments.EventSuccessful)
		}
	}
	night(s)
	want(t, "payouts of a negative balance", len(payoutsByDay(s)), 2)
	s.Sell("130")
	night(s)
	want(t, "covered", payoutsByDay(s)["2026-11-24"], "PAID 30.00")
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-130.00")
	if report := s.Reconcile(); report.Found > 0 {
		t.Errorf("got %d breaks %+v, want none", report.Found, report.Breaks)
	}
}

// counted is how often there is each.
func counted(all []string) map[string]int {
	times := map[string]int{}
	for _, one := range all {
		times[one]++
	}
	return times
}

// TestOverlappingRunsTakeEachDebitOnce: several runners of one payout, and of one on demand, when there are only
// debits.
func TestOverlappingRunsTakeEachDebitOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Update(fields{"fee_rate": "0"})
	p := s.Sell("100")
	night(s)
	for range 100 {
		s.Refund(p, "0.50")
	}
	overlap(s, time.Second, func(int) {}) // so that the later payout may take the negative balance of the earlier one
	for id, p := range s.PayoutState(s.Merchant).Payouts {
		want(t, id, p.Status, payout.Paid)
	}
	s.Sell("80")
	night(s)
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-130.00")
	if report := s.Reconcile(); report.Found > 0 {
		t.Errorf("got %d breaks %+v, want none", report.Found, report.Breaks)
	}
}
