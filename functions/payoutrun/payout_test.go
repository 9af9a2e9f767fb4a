package payoutrun_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

func want[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantAll(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// TestPayout_NextDay follows the payout of a day's payments through its statuses: SCHEDULED, RECONCILED, PAID_OUT.
func TestPayout_NextDay(t *testing.T) {
	t.Parallel()
	s := open(t)
	coffee, cake := s.Sell("10"), s.Sell("20.50")
	s.RunPayouts()
	want(t, "payouts on the same day", len(payoutsByDay(s)), 0)
	wantAll(t, "coffee", payoutEvents(s, coffee), "SCHEDULED 9.80 0.00")
	advanceToMidnight(s)
	late := s.Sell("7")
	s.RunPayouts()
	// The fees of 1.95 % are 0.20 (0.195, a half rounded to the even number) and 0.40.
	want(t, "ordered", payoutsByDay(s)["2026-11-21"], "SENT 29.90")
	wantAll(t, "coffee", payoutEvents(s, coffee), "RECONCILED 9.80 0.00")
	wantAll(t, "list before the bank answers", payoutRecords(s))
	want(t, "in transit", balance(s, ledger.PayoutsInTransit), "-29.90")
	s.Clock.Advance(16 * time.Minute)
	s.RunPayouts()
	want(t, "paid", payoutsByDay(s)["2026-11-21"], "PAID 29.90")
	wantAll(t, "coffee", payoutEvents(s, coffee), "PAID_OUT 9.80 0.00")
	want(t, "cake", statusOf(s, cake), payoutStatus{1, 1, "PAID_OUT", "2026-11-21", "SINGLE_PAYMENT"})
	want(t, "the next day's", statusOf(s, late), payoutStatus{1, 0, "SUCCESSFUL", "2026-11-22", "SINGLE_PAYMENT"})
	wantAll(t, "list", payoutRecords(s), "PAYOUT 9.80 SUCCESSFUL", "PAYOUT 20.10 SUCCESSFUL")
	want(t, "in transit", balance(s, ledger.PayoutsInTransit), "0.00")
	want(t, "the bank", balance(s, ledger.Bank), "-29.90")
	wantAll(t, "payables", payables(s), "PAYOUT 6.86")
}

func TestPayout_HistoryAndReceipt(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.Sell("10")
	runNight(s)
	type item struct {
		Date     string `json:"payout_date"`
		Type     string `json:"payout_type"`
		Total    int    `json:"payouts_total"`
		Received int    `json:"payouts_received"`
	}
	var history struct{ Items []item }
	r := s.Send("GET", "/v2.1/merchants/"+s.Merchant.Code+"/transactions/history", nil)
	if err := r.Into(&history); err != nil || len(history.Items) != 1 {
		t.Fatalf("history: got %d %s, error %v; want one item", r.Status, r.Body, err)
	}
	want(t, "history", history.Items[0], item{"2026-11-21", "BANK_ACCOUNT", 1, 1})
	type event struct{ Type, Status, Amount string }
	var receipt struct {
		Data struct{ Events []event } `json:"transaction_data"`
	}
	r = s.Send("GET", "/v1.1/receipts/"+p.ID+"?mid="+s.Merchant.Code, nil)
	if err := r.Into(&receipt); err != nil || len(receipt.Data.Events) != 1 {
		t.Fatalf("receipt: got %d %s, error %v; want one event", r.Status, r.Body, err)
	}
	want(t, "receipt", receipt.Data.Events[0], event{"PAYOUT", "PAID_OUT", "9.80"})
}

// TestRefund_AroundPayout checks that a refund before the payout raises deducted_amount. A refund after the payout
// makes a PAYOUT_DEDUCTION event and a REFUND_DEDUCTION record (contract §6.7).
func TestRefund_AroundPayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.Sell("10")
	s.Refund(p, "4")
	wantAll(t, "before", payoutEvents(s, p), "SCHEDULED 5.80 4.00")
	runNight(s)
	wantAll(t, "paid", payoutRecords(s), "PAYOUT 5.80 SUCCESSFUL")
	s.Refund(p, "5")
	s.Sell("20")
	wantAll(t, "payables", payables(s), "REFUND_DEDUCTION -5.00", "PAYOUT 19.61")
	want(t, "deduction", deductionStatus(s, p), "PENDING")
	runNight(s)
	want(t, "deducted", payoutsByDay(s)["2026-11-22"], "PAID 14.61")
	want(t, "deduction", deductionStatus(s, p), "SUCCESSFUL")
	wantAll(t, "list", payoutRecords(s), "PAYOUT 5.80 SUCCESSFUL", "PAYOUT 19.61 SUCCESSFUL",
		"REFUND_DEDUCTION 5.00 SUCCESSFUL")
}

// deductionStatus returns the status of the transaction's PAYOUT_DEDUCTION event.
func deductionStatus(s world.Shop, p world.Payment) string {
	s.Helper()
	for _, e := range eventsOf(s, p, payments.PayoutDeductionEvent) {
		return e.Status
	}
	return ""
}

// TestNegativeBalance_CarriedForward checks that a negative balance is carried forward once. Without further payments
// it makes no payouts.
func TestNegativeBalance_CarriedForward(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.Sell("100")
	runNight(s)
	s.Refund(p, "100")
	small := s.Sell("10")
	runNight(s)
	want(t, "negative", payoutsByDay(s)["2026-11-22"], "PAID -90.20")
	want(t, "small", statusOf(s, small).Simple, "PAID_OUT")
	wantAll(t, "carried", payables(s), "BALANCE_DEDUCTION -90.20")
	for range 3 {
		runNight(s)
	}
	want(t, "payouts", len(payoutsByDay(s)), 2)
	s.Sell("100")
	runNight(s)
	want(t, "covered", payoutsByDay(s)["2026-11-26"], "PAID 7.85")
	wantAll(t, "payables", payables(s))
	wantAll(t, "list", payoutRecords(s), "PAYOUT 98.05 SUCCESSFUL", "PAYOUT 9.80 SUCCESSFUL",
		"REFUND_DEDUCTION 100.00 SUCCESSFUL",
		"PAYOUT 98.05 SUCCESSFUL", "BALANCE_DEDUCTION 90.20 SUCCESSFUL")
}

func TestPayout_ZeroAmount(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("10")
	s.Refund(p, "10")
	runNight(s)
	want(t, "payout", payoutsByDay(s)["2026-11-21"], "PAID 0.00")
	wantAll(t, "list", payoutRecords(s))
	want(t, "the bank", balance(s, ledger.Bank), "0.00")
}

// TestPayout_Rejected checks that the parts of a failed payout become FAILED. New parts are SCHEDULED for the next
// payout (contract §6.5).
func TestPayout_Rejected(t *testing.T) {
	t.Parallel()
	for iban, reason := range map[string]string{sandbox.ClosedIBAN: "AC04", sandbox.UnknownIBAN: "AC01"} {
		s := open(t)
		s.SetPayout(fields{"iban": iban})
		p := s.Sell("10")
		debit := s.Sell("100")
		runNight(s)
		want(t, "rejected", payoutsByDay(s)["2026-11-21"], "FAILED 107.85")
		wantAll(t, "events", payoutEvents(s, p), "FAILED 9.80 0.00", "SCHEDULED 9.80 0.00")
		want(t, "rejected", statusOf(s, p), payoutStatus{1, 0, "SUCCESSFUL", "2026-11-22", "SINGLE_PAYMENT"})
		for _, p := range s.PayoutState(s.Merchant).Payouts {
			want(t, "reason", p.Reason, reason)
		}
		s.Refund(debit, "50")
		s.SetPayout(fields{"iban": sandbox.PaidIBAN})
		runNight(s)
		want(t, "paid", payoutsByDay(s)["2026-11-22"], "PAID 57.85")
		wantAll(t, "events", payoutEvents(s, p), "FAILED 9.80 0.00", "PAID_OUT 9.80 0.00")
		want(t, "paid", statusOf(s, p), payoutStatus{1, 1, "PAID_OUT", "2026-11-22", "SINGLE_PAYMENT"})
		wantAll(t, "list", payoutRecords(s), "PAYOUT 9.80 FAILED", "PAYOUT 98.05 FAILED", "PAYOUT 9.80 SUCCESSFUL",
			"PAYOUT 48.05 SUCCESSFUL")
		want(t, "the bank", balance(s, ledger.Bank), "-57.85")
	}
}

// TestDeduction_RejectedPayout checks that a deduction moves from a failed payout to the next one. The deduction's
// event stays PENDING.
func TestDeduction_RejectedPayout(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.Sell("10")
	runNight(s)
	s.SetPayout(fields{"iban": sandbox.ClosedIBAN})
	s.Refund(p, "10")
	s.Sell("100")
	runNight(s)
	want(t, "rejected", payoutsByDay(s)["2026-11-22"], "FAILED 88.05")
	wantAll(t, "payables", payables(s), "REFUND_DEDUCTION -10.00", "PAYOUT 98.05")
	want(t, "deduction", deductionStatus(s, p), "PENDING")
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	runNight(s)
	want(t, "paid", payoutsByDay(s)["2026-11-23"], "PAID 88.05")
	want(t, "deduction", deductionStatus(s, p), "SUCCESSFUL")
}

func TestTransfer_LostAnswer(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.SetPayout(fields{"iban": sandbox.LostAnswerIBAN})
	s.Sell("10")
	advanceToMidnight(s)
	s.RunPayouts()
	want(t, "unanswered", payoutsByDay(s)["2026-11-21"], "SENT 9.80")
	s.Clock.Advance(16 * time.Minute)
	s.RunPayouts()
	want(t, "asked again", payoutsByDay(s)["2026-11-21"], "PAID 9.80")
}

// TestTransfer_NotAccepted checks a transfer that the bank does not accept. It is cancelled after a day, when the bank
// can no longer accept it. Its payables go into the next payout, as after any rejection.
func TestTransfer_NotAccepted(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.SetPayout(fields{"iban": sandbox.NotTakenIBAN})
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("10")
	runNight(s)
	want(t, "not taken", payoutsByDay(s)["2026-11-21"], "SENT 10.00")
	wantAll(t, "events", payoutEvents(s, p), "RECONCILED 10.00 0.00")
	want(t, "in transit", balance(s, ledger.PayoutsInTransit), "-10.00")
	s.Sell("20")
	runNight(s) // the bank does not accept the second transfer either
	s.Clock.Advance(time.Hour)
	s.RunPayouts()
	want(t, "cancelled", payoutsByDay(s)["2026-11-21"], "FAILED 10.00")
	want(t, "the next", payoutsByDay(s)["2026-11-22"], "SENT 20.00")
	wantAll(t, "events", payoutEvents(s, p), "FAILED 10.00 0.00", "SCHEDULED 10.00 0.00")
	wantAll(t, "payables", payables(s), "PAYOUT 10.00")
	for _, p := range s.PayoutState(s.Merchant).Payouts {
		want(t, "reason of "+string(p.Status), p.Reason, map[payout.Status]string{payout.Failed: "DS02"}[p.Status])
	}
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	runNight(s)
	runNight(s)
	want(t, "paid", payoutsByDay(s)["2026-11-23"], "PAID 10.00")
	want(t, "replaced", payoutsByDay(s)["2026-11-22"], "FAILED 20.00")
	want(t, "paid", payoutsByDay(s)["2026-11-24"], "PAID 20.00")
	wantAll(t, "events", payoutEvents(s, p), "FAILED 10.00 0.00", "PAID_OUT 10.00 0.00")
	wantAll(t, "list", payoutRecords(s), "PAYOUT 10.00 FAILED", "PAYOUT 20.00 FAILED", "PAYOUT 10.00 SUCCESSFUL",
		"PAYOUT 20.00 SUCCESSFUL")
	want(t, "the bank", balance(s, ledger.Bank), "-30.00")
}

// TestTransfer_AccountReplaced checks a transfer that the bank has not accepted when the merchant's account is
// replaced. The next poll cancels that transfer, because it was meant only for the replaced account.
func TestTransfer_AccountReplaced(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.SetPayout(fields{"iban": sandbox.NotTakenIBAN})
	p := s.Sell("10")
	runNight(s)
	want(t, "not taken", payoutsByDay(s)["2026-11-21"], "SENT 9.80")
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	s.Clock.Advance(time.Hour)
	s.RunPayouts()
	want(t, "cancelled", payoutsByDay(s)["2026-11-21"], "FAILED 9.80")
	runNight(s)
	want(t, "paid", payoutsByDay(s)["2026-11-22"], "PAID 9.80")
	wantAll(t, "events", payoutEvents(s, p), "FAILED 9.80 0.00", "PAID_OUT 9.80 0.00")
}

func TestPayout_Installments(t *testing.T) {
	t.Parallel()
	s := openIn(t, "BR", "BRL", fields{"payout_plan": "TRUE_INSTALLMENT"})
	s.SetPayout(fields{"holder": "Padaria Ltda", "account_number": "12345678", "bank_code": "001"})
	p := sellInInstallments(s, "100", 3)
	runNight(s)
	want(t, "after a day", statusOf(s, p), payoutStatus{3, 1, "SUCCESSFUL", "", "TRUE_INSTALLMENT"})
	wantAll(t, "after a day", payoutRecords(s), "PAYOUT 32.68 SUCCESSFUL")
	s.Clock.Advance(29 * 24 * time.Hour) // 2026-12-20, the day of the second instalment
	runNight(s)
	wantAll(t, "after a month", payoutRecords(s), "PAYOUT 32.68 SUCCESSFUL", "PAYOUT 32.68 SUCCESSFUL")
	s.Refund(p, "40") // 32.69 from waiting instalments, the rest from other payments
	s.Clock.Advance(31 * 24 * time.Hour)
	runNight(s)
	want(t, "after two months", statusOf(s, p).Received, 3)
	wantAll(t, "after two months", payoutRecords(s), "PAYOUT 32.68 SUCCESSFUL", "PAYOUT 32.68 SUCCESSFUL",
		"REFUND_DEDUCTION 7.31 SUCCESSFUL")
}

func TestPayout_GrossSettlement(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_settings", fields{"gross_settlement": true})
	s.Sell("10")
	runNight(s)
	want(t, "paid", payoutsByDay(s)["2026-11-21"], "PAID 10.00")
	want(t, "billed", balance(s, ledger.FeesReceivable), "0.20")
}
