package payoutrun_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// TestShortfall_ManyLateRefunds checks a payout of a hundred refunds that were made after the payment was paid out. The
// run collects the refunds in four steps, and then records them as paid in three steps. The JSON list and the CSV list
// have a record of each refund. The payout of the next payment is reduced by the refunds.
func TestShortfall_ManyLateRefunds(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("100")
	runNight(s)
	const late = 100
	for range late {
		s.Refund(p, "1")
	}
	runNight(s)
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
	runNight(s)
	want(t, "payouts of a negative balance", len(payoutsByDay(s)), 2)
	s.Sell("130")
	runNight(s)
	want(t, "covered", payoutsByDay(s)["2026-11-24"], "PAID 30.00")
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-130.00")
	if report := s.Reconcile(); report.Found > 0 {
		t.Errorf("got %d breaks %+v, want none", report.Found, report.Breaks)
	}
}

// TestPayoutRecords_FullRefund checks payments of 10 that were refunded or charged back before their payout. If nothing
// is left of a payment, it has no PAYOUT record. If its fee is still owed, a deduction has the amount of the fee. These
// records and the record of another payment of 5 add up to the payout.
func TestPayoutRecords_FullRefund(t *testing.T) {
	t.Parallel()
	refund := func(amounts ...string) func(world.Shop, world.Payment) {
		return func(s world.Shop, p world.Payment) {
			for _, amount := range amounts {
				s.Refund(p, amount)
			}
		}
	}
	chargeback := func(amount string) func(world.Shop, world.Payment) {
		return func(s world.Shop, p world.Payment) {
			s.Operate(fields{"command": "charge_back", "merchant_code": s.Merchant.Code, "transaction": p.ID,
				"amount": json.Number(amount)}, nil)
		}
	}
	feeBack := []string{"CHARGE_BACK_DEDUCTION 0.20"}
	for name, c := range map[string]struct {
		rate         string
		gross        bool
		installments int
		back         func(world.Shop, world.Payment)
		total        string
		listed       []string // records besides the payment of 5
	}{
		"refunded":                  {"0.02", false, 1, refund("10"), "PAID 4.70", []string{"REFUND_DEDUCTION 0.20"}},
		"refunded but for the fee":  {"0.02", false, 1, refund("9.80"), "PAID 4.90", nil},
		"refunded, no fee":          {"0", false, 1, refund("10"), "PAID 5.00", nil},
		"refunded, the fee billed":  {"0.02", true, 1, refund("10"), "PAID 5.00", nil},
		"refunded in parts":         {"0", false, 1, refund("4", "6"), "PAID 5.00", nil},
		"refunded in part":          {"0", false, 1, refund("4"), "PAID 11.00", []string{"PAYOUT 6.00"}},
		"charged back":              {"0.02", false, 1, chargeback("10"), "PAID 4.70", feeBack},
		"charged back, no fee":      {"0", false, 1, chargeback("10"), "PAID 5.00", nil},
		"an instalment":             {"0", false, 2, refund("5"), "PAID 5.00", nil},
		"an instalment but for 1":   {"0", false, 2, refund("4"), "PAID 6.00", []string{"PAYOUT 1.00"}},
		"instalments, charged back": {"0.02", false, 2, chargeback("10"), "PAID 4.70", feeBack},
	} {
		s := openIn(t, "BR", "BRL", fields{"payout_plan": "TRUE_INSTALLMENT", "fee_rate": c.rate})
		s.Command("update_settings", fields{"gross_settlement": c.gross})
		s.SetPayout(fields{"holder": "Padaria Ltda", "account_number": "12345678", "bank_code": "001"})
		other := "PAYOUT 4.90"
		if c.rate == "0" || c.gross {
			other = "PAYOUT 5.00"
		}
		s.Sell("5")
		c.back(s, sellInInstallments(s, "10", c.installments))
		runNight(s)
		want(t, name, payoutsByDay(s)["2026-11-21"], c.total)
		sum, listed := money.Zero("BRL"), []string{}
		for _, record := range payoutRecords(s) {
			kind, amount, _ := strings.Cut(strings.TrimSuffix(record, " SUCCESSFUL"), " ")
			listed = append(listed, kind+" "+amount)
			moved := money.MustParse(amount, "BRL")
			if kind != "PAYOUT" {
				moved = moved.Neg()
			}
			var err error
			if sum, err = sum.Add(moved); err != nil {
				t.Fatal(err)
			}
		}
		wantAll(t, name+", listed", listed, slices.Concat(c.listed, []string{other})...)
		want(t, name+", the sum", "PAID "+sum.String(), c.total)
	}
}

// TestPayoutRecords_ZeroInstallment checks a payment of 0.02 in three instalments, so that one part is zero. The zero
// part appears in no payout's list, even if the payout failed.
func TestPayoutRecords_ZeroInstallment(t *testing.T) {
	t.Parallel()
	s := openIn(t, "BR", "BRL", fields{"payout_plan": "TRUE_INSTALLMENT", "fee_rate": "0"})
	s.SetPayout(fields{"holder": "Padaria Ltda", "account_number": "12345678", "bank_code": "001"})
	sellInInstallments(s, "0.02", 3)
	for range 3 {
		runNight(s)
		s.Clock.Advance(31 * 24 * time.Hour)
	}
	wantAll(t, "three parts of 0.02", payoutRecords(s), "PAYOUT 0.02 SUCCESSFUL")

	rejected := open(t)
	rejected.Command("update_merchant", fields{"fee_rate": "0"})
	rejected.SetPayout(fields{"iban": sandbox.ClosedIBAN})
	rejected.Sell("5")
	rejected.Refund(rejected.Sell("10"), "10")
	runNight(rejected)
	want(t, "rejected", payoutsByDay(rejected)["2026-11-21"], "FAILED 5.00")
	wantAll(t, "rejected", payoutRecords(rejected), "PAYOUT 5.00 FAILED")
}

// counted returns the number of occurrences of each text.
func counted(all []string) map[string]int {
	times := map[string]int{}
	for _, one := range all {
		times[one]++
	}
	return times
}

// TestRun_ConcurrentRunnersOfDebits runs a regular payout several times at the same time, with a payout on demand. The
// payouts have only debits.
func TestRun_ConcurrentRunnersOfDebits(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.Command("update_merchant", fields{"fee_rate": "0"})
	p := s.Sell("100")
	runNight(s)
	for range 100 {
		s.Refund(p, "0.50")
	}
	runConcurrently(s, time.Second, func(int) {}) // the later payout may take the earlier one's negative balance
	for id, p := range s.PayoutState(s.Merchant).Payouts {
		want(t, id, p.Status, payout.Paid)
	}
	s.Sell("80")
	runNight(s)
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank), "-130.00")
	if report := s.Reconcile(); report.Found > 0 {
		t.Errorf("got %d breaks %+v, want none", report.Found, report.Breaks)
	}
}
