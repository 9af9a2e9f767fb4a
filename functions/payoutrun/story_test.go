package payoutrun_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

func want[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func wantAll(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestADaysPaymentsArePaidOutTheNextDay is the whole story: SCHEDULED, RECONCILED, PAID_OUT.
func TestADaysPaymentsArePaidOutTheNextDay(t *testing.T) {
	t.Parallel()
	s := open(t)
	coffee, cake := s.pay("10", 1), s.pay("20.50", 1)
	s.tick(s.Main())
	want(t, "payouts on the same day", len(s.payouts()), 0)
	wantAll(t, "coffee", s.stands(coffee), "SCHEDULED 9.80 0.00")
	s.midnight()
	late := s.pay("7", 1)
	s.tick(s.Main())
	// Fees of 1.95 %: 0.20 (0.195, half to even) and 0.40.
	want(t, "ordered", s.payouts()["2026-11-21"], "SENT 29.90")
	wantAll(t, "coffee", s.stands(coffee), "RECONCILED 9.80 0.00")
	wantAll(t, "list before the bank's word", s.listed())
	want(t, "in transit", s.Balance(s.merchant, ledger.PayoutsInTransit, "EUR").String(), "-29.90")
	s.Clock.Advance(16 * time.Minute)
	s.tick(s.Main())
	want(t, "paid", s.payouts()["2026-11-21"], "PAID 29.90")
	wantAll(t, "coffee", s.stands(coffee), "PAID_OUT 9.80 0.00")
	d := s.detail(cake)
	if d.Total != 1 || d.Received != 1 || d.Simple != "PAID_OUT" || d.Date != "2026-11-21" || d.Plan != "SINGLE_PAYMENT" {
		t.Errorf("cake %+v", d)
	}
	if d := s.detail(late); d.Total != 1 || d.Received != 0 || d.Simple != "SUCCESSFUL" {
		t.Errorf("the next day's %+v", d)
	}
	wantAll(t, "list", s.listed(), "PAYOUT 9.80 SUCCESSFUL", "PAYOUT 20.10 SUCCESSFUL")
	want(t, "in transit", s.Balance(s.merchant, ledger.PayoutsInTransit, "EUR").IsZero(), true)
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-29.90")
	wantAll(t, "still waiting", s.waiting(), "PAYOUT 6.86")
}

func TestHistoryAndReceiptShowThePayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.pay("10", 1)
	s.night()
	var history struct {
		Items []struct {
			Date     string `json:"payout_date"`
			Type     string `json:"payout_type"`
			Total    int    `json:"payouts_total"`
			Received int    `json:"payouts_received"`
		}
	}
	r := s.send("GET", "/v2.1/merchants/"+s.merchant.Code+"/transactions/history", nil)
	if err := r.Into(&history); err != nil || len(history.Items) != 1 {
		t.Fatalf("history: %d %s", r.Status, r.Body)
	}
	if h := history.Items[0]; h.Date != "2026-11-21" || h.Type != "BANK_ACCOUNT" || h.Total != 1 || h.Received != 1 {
		t.Errorf("history %+v", h)
	}
	var receipt struct {
		Data struct {
			Events []struct{ Type, Status, Amount string }
		} `json:"transaction_data"`
	}
	r = s.send("GET", "/v1.1/receipts/"+p.ID+"?mid="+s.merchant.Code, nil)
	if err := r.Into(&receipt); err != nil || len(receipt.Data.Events) != 1 {
		t.Fatalf("receipt: %d %s", r.Status, r.Body)
	}
	if e := receipt.Data.Events[0]; e.Type != "PAYOUT" || e.Status != "PAID_OUT" || e.Amount != "9.80" {
		t.Errorf("receipt %+v", e)
	}
}

// Contract §6.7: a refund before the payout raises deducted_amount; one after it is a PAYOUT_DEDUCTION event and a
// REFUND_DEDUCTION record.
func TestRefundsBeforeAndAfterThePayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.pay("10", 1)
	s.refund(p, "4")
	wantAll(t, "before", s.stands(p), "SCHEDULED 5.80 4.00")
	s.night()
	wantAll(t, "paid", s.listed(), "PAYOUT 5.80 SUCCESSFUL")
	s.refund(p, "5")
	s.pay("20", 1)
	wantAll(t, "waiting", s.waiting(), "REFUND_DEDUCTION -5.00", "PAYOUT 19.61")
	want(t, "deduction", s.deduction(p), "PENDING")
	s.night()
	want(t, "deducted", s.payouts()["2026-11-22"], "PAID 14.61")
	want(t, "deduction", s.deduction(p), "SUCCESSFUL")
	wantAll(t, "list", s.listed(), "PAYOUT 5.80 SUCCESSFUL", "PAYOUT 19.61 SUCCESSFUL", "REFUND_DEDUCTION 5.00 SUCCESSFUL")
}

// deduction is the status of the transaction's PAYOUT_DEDUCTION event.
func (s *shop) deduction(p payment) string {
	s.Helper()
	for _, e := range s.detail(p).Events {
		if e.Type == string(payments.PayoutDeductionEvent) {
			return e.Status
		}
	}
	return ""
}

// TestALackIsCarriedForward, once: a debt alone makes no payouts.
func TestALackIsCarriedForward(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.pay("100", 1)
	s.night()
	s.refund(p, "100")
	small := s.pay("10", 1)
	s.night()
	want(t, "lacking", s.payouts()["2026-11-22"], "PAID -90.20")
	want(t, "small", s.detail(small).Simple, "PAID_OUT")
	wantAll(t, "carried", s.waiting(), "BALANCE_DEDUCTION -90.20")
	for range 3 {
		s.night()
	}
	want(t, "payouts", len(s.payouts()), 2)
	s.pay("100", 1)
	s.night()
	want(t, "covered", s.payouts()["2026-11-26"], "PAID 7.85")
	wantAll(t, "waiting", s.waiting())
	wantAll(t, "list", s.listed(), "PAYOUT 98.05 SUCCESSFUL", "PAYOUT 9.80 SUCCESSFUL",
		"REFUND_DEDUCTION 100.00 SUCCESSFUL",
		"PAYOUT 98.05 SUCCESSFUL", "BALANCE_DEDUCTION 90.20 SUCCESSFUL")
}

func TestNothingLeftIsSettledWithoutTheBank(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.update(fields{"fee_rate": "0"})
	p := s.pay("10", 1)
	s.refund(p, "10")
	s.night()
	want(t, "payout", s.payouts()["2026-11-21"], "PAID 0.00")
	wantAll(t, "list", s.listed(), "PAYOUT 0.00 SUCCESSFUL")
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").IsZero(), true)
}

// Contract §6.5: a payout that fails makes its parts FAILED, and new ones SCHEDULED for the next cycle.
func TestARejectedPayoutIsMadeAgainInTheNextCycle(t *testing.T) {
	t.Parallel()
	for iban, reason := range map[string]string{sandbox.ClosedIBAN: "AC04", sandbox.UnknownIBAN: "AC01"} {
		s := open(t)
		s.set(fields{"iban": iban})
		p := s.pay("10", 1)
		debit := s.pay("100", 1)
		s.night()
		want(t, "rejected", s.payouts()["2026-11-21"], "FAILED 107.85")
		wantAll(t, "events", s.stands(p), "FAILED 9.80 0.00", "SCHEDULED 9.80 0.00")
		d := s.detail(p)
		if d.Total != 1 || d.Received != 0 || d.Simple != "SUCCESSFUL" || d.Date == "2026-11-21" {
			t.Errorf("%+v", d)
		}
		for _, p := range s.PayoutBooks(s.merchant).Payouts {
			want(t, "reason", p.Reason, reason)
		}
		s.refund(debit, "50")
		s.set(fields{"iban": sandbox.PaidIBAN})
		s.night()
		want(t, "paid", s.payouts()["2026-11-22"], "PAID 57.85")
		wantAll(t, "events", s.stands(p), "FAILED 9.80 0.00", "PAID_OUT 9.80 0.00")
		if d := s.detail(p); d.Total != 1 || d.Received != 1 || d.Simple != "PAID_OUT" || d.Date != "2026-11-22" {
			t.Errorf("%+v", d)
		}
		wantAll(t, "list", s.listed(), "PAYOUT 9.80 FAILED", "PAYOUT 98.05 FAILED", "PAYOUT 9.80 SUCCESSFUL",
			"PAYOUT 48.05 SUCCESSFUL")
		want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-57.85")
	}
}

// A deduction in a payout that fails waits anew, and its event stays PENDING.
func TestADeductionOutlivesARejectedPayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.pay("10", 1)
	s.night()
	s.set(fields{"iban": sandbox.ClosedIBAN})
	s.refund(p, "10")
	s.pay("100", 1)
	s.night()
	want(t, "rejected", s.payouts()["2026-11-22"], "FAILED 88.05")
	wantAll(t, "waiting", s.waiting(), "REFUND_DEDUCTION -10.00", "PAYOUT 98.05")
	want(t, "deduction", s.deduction(p), "PENDING")
	s.set(fields{"iban": sandbox.PaidIBAN})
	s.night()
	want(t, "paid", s.payouts()["2026-11-23"], "PAID 88.05")
	want(t, "deduction", s.deduction(p), "SUCCESSFUL")
}

func TestABankWithoutAnAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(fields{"iban": sandbox.LostAnswerIBAN})
	s.pay("10", 1)
	s.midnight()
	s.tick(s.Main())
	want(t, "unanswered", s.payouts()["2026-11-21"], "SENT 9.80")
	s.Clock.Advance(16 * time.Minute)
	s.tick(s.Main())
	want(t, "asked again", s.payouts()["2026-11-21"], "PAID 9.80")
}

// TestAnOrderThatIsNotTakenIsCancelledAfterADay: it waits as long as the bank may yet take it, and what was in it goes into
// the next payout, as after any rejection.
func TestAnOrderThatIsNotTakenIsCancelledAfterADay(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(fields{"iban": sandbox.NotTakenIBAN})
	s.update(fields{"fee_rate": "0"})
	p := s.pay("10", 1)
	s.night()
	want(t, "not taken", s.payouts()["2026-11-21"], "SENT 10.00")
	wantAll(t, "events", s.stands(p), "RECONCILED 10.00 0.00")
	want(t, "in transit", s.Balance(s.merchant, ledger.PayoutsInTransit, "EUR").String(), "-10.00")
	s.pay("20", 1)
	s.night() // the second one is not taken either
	s.Clock.Advance(time.Hour)
	s.tick(s.Main())
	want(t, "cancelled", s.payouts()["2026-11-21"], "FAILED 10.00")
	want(t, "the next", s.payouts()["2026-11-22"], "SENT 20.00")
	wantAll(t, "events", s.stands(p), "FAILED 10.00 0.00", "SCHEDULED 10.00 0.00")
	wantAll(t, "waiting", s.waiting(), "PAYOUT 10.00")
	for _, p := range s.PayoutBooks(s.merchant).Payouts {
		want(t, "reason of "+string(p.Status), p.Reason, map[payout.Status]string{payout.Failed: "DS02"}[p.Status])
	}
	s.set(fields{"iban": sandbox.PaidIBAN})
	s.night()
	s.night()
	want(t, "paid", s.payouts()["2026-11-23"], "PAID 10.00")
	want(t, "replaced", s.payouts()["2026-11-22"], "FAILED 20.00")
	want(t, "paid", s.payouts()["2026-11-24"], "PAID 20.00")
	wantAll(t, "events", s.stands(p), "FAILED 10.00 0.00", "PAID_OUT 10.00 0.00")
	wantAll(t, "list", s.listed(), "PAYOUT 10.00 FAILED", "PAYOUT 20.00 FAILED", "PAYOUT 10.00 SUCCESSFUL",
		"PAYOUT 20.00 SUCCESSFUL")
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-30.00")
}

// TestAnOrderThatIsNotTakenLeavesAnAccountThatWasReplaced, at the next look: it was meant for that account, and no other.
func TestAnOrderThatIsNotTakenLeavesAnAccountThatWasReplaced(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.set(fields{"iban": sandbox.NotTakenIBAN})
	p := s.pay("10", 1)
	s.night()
	want(t, "not taken", s.payouts()["2026-11-21"], "SENT 9.80")
	s.set(fields{"iban": sandbox.PaidIBAN})
	s.Clock.Advance(time.Hour)
	s.tick(s.Main())
	want(t, "cancelled", s.payouts()["2026-11-21"], "FAILED 9.80")
	s.night()
	want(t, "paid", s.payouts()["2026-11-22"], "PAID 9.80")
	wantAll(t, "events", s.stands(p), "FAILED 9.80 0.00", "PAID_OUT 9.80 0.00")
}

func TestInstallmentsArePaidAMonthApart(t *testing.T) {
	t.Parallel()
	s := openIn(t, "America/Sao_Paulo", fields{"name": "Padaria", "email": "padaria@example.com",
		"country": "BR", "currency": "BRL",
		"payout_plan": "TRUE_INSTALLMENT"})
	s.set(fields{"holder": "Padaria Ltda", "account_number": "12345678", "bank_code": "001"})
	p := s.pay("100", 3)
	s.night()
	if d := s.detail(p); d.Total != 3 || d.Received != 1 || d.Simple != "SUCCESSFUL" || d.Plan != "TRUE_INSTALLMENT" {
		t.Errorf("after a day: %+v", d)
	}
	wantAll(t, "after a day", s.listed(), "PAYOUT 32.68 SUCCESSFUL")
	s.Clock.Advance(29 * 24 * time.Hour) // 2026-12-20: the second one's day
	s.night()
	wantAll(t, "after a month", s.listed(), "PAYOUT 32.68 SUCCESSFUL", "PAYOUT 32.68 SUCCESSFUL")
	s.refund(p, "40") // 32.69 from what waits, the rest from other transactions
	s.Clock.Advance(31 * 24 * time.Hour)
	s.night()
	if d := s.detail(p); d.Received != 3 {
		t.Errorf("after two months: %+v", d)
	}
	wantAll(t, "after two months", s.listed(), "PAYOUT 32.68 SUCCESSFUL", "PAYOUT 32.68 SUCCESSFUL",
		"PAYOUT 0.00 SUCCESSFUL",
		"REFUND_DEDUCTION 7.31 SUCCESSFUL")
}

func TestGrossSettlementPaysTheFeeToo(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.update(fields{"gross_settlement": true})
	s.pay("10", 1)
	s.night()
	want(t, "paid", s.payouts()["2026-11-21"], "PAID 10.00")
	want(t, "billed", s.Balance(s.merchant, ledger.FeesReceivable, "EUR").String(), "0.20")
}
