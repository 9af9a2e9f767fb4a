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

// TestManyLateRefundsAreOnePayout, of which JSON and CSV list every record; the next payment makes up for all of them at once.
func TestManyLateRefundsAreOnePayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.update(fields{"fee_rate": "0"})
	p := s.pay("100", 1)
	s.night()
	const late = 200
	for range late {
		s.refund(p, "0.50")
	}
	s.night()
	want(t, "payouts", len(s.payouts()), 2)
	want(t, "the refunds", s.payouts()["2026-11-22"], "PAID -100.00")
	want(t, "waiting", fmt.Sprint(counted(s.waiting())), "map[BALANCE_DEDUCTION -100.00:1]")
	want(t, "list", fmt.Sprint(counted(s.listed())), "map[PAYOUT 100.00 SUCCESSFUL:1 REFUND_DEDUCTION 0.50 "+
		"SUCCESSFUL:200]")
	r := s.send("GET", "/v1.0/merchants/"+s.merchant.Code+"/payouts?start_date=2026-11-22&end_date=2026-11-22&format=csv",
		nil)
	want(t, "CSV", strings.Count(string(r.Body), ",REFUND_DEDUCTION,0.50,2026-11-22,EUR,0.00,SUCCESSFUL,"), late)
	for _, e := range s.detail(p).Events {
		if e.Type == string(payments.PayoutDeductionEvent) && e.Status != string(payments.EventSuccessful) {
			t.Fatalf("%+v", e)
		}
	}
	s.night()
	want(t, "payouts of the debt alone", len(s.payouts()), 2)
	s.pay("130", 1)
	s.night()
	want(t, "made up for", s.payouts()["2026-11-24"], "PAID 30.00")
	wantAll(t, "waiting", s.waiting())
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-130.00")
	if report := s.Reconcile(); report.Found > 0 {
		t.Errorf("breaks: %+v", report.Breaks)
	}
}

// counted says how often there is each.
func counted(all []string) map[string]int {
	times := map[string]int{}
	for _, one := range all {
		times[one]++
	}
	return times
}

// TestOverlappingRunsTakeEachDebitOnce: many runners of one payout, and of one on demand, when there is nothing but debits.
func TestOverlappingRunsTakeEachDebitOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.update(fields{"fee_rate": "0"})
	p := s.pay("100", 1)
	s.night()
	for range 100 {
		s.refund(p, "0.50")
	}
	s.overlap(time.Second, func(int) {}) // so that the later one may take what the earlier one lacks
	for id, p := range s.PayoutBooks(s.merchant).Payouts {
		want(t, id, p.Status, payout.Paid)
	}
	s.pay("80", 1)
	s.night()
	wantAll(t, "waiting", s.waiting())
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-130.00")
	if report := s.Reconcile(); report.Found > 0 {
		t.Errorf("breaks: %+v", report.Breaks)
	}
}
