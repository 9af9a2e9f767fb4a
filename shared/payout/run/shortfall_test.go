package run_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// repaid is a payment that was paid out, and of which so many times 0.05 EUR were charged back since.
func (h *fixture) repaid(parts int) payments.Transaction {
	h.Helper()
	tx := h.pay(1)
	h.Advance(day)
	h.want("the payment", h.run(h.plan()), "PAID 10.10 1")
	for range parts {
		h.chargeback(tx, "0.05")
	}
	return tx
}

// each acts before each call of the operation, but not before its own.
func (h *fixture) each(operation string, do func()) {
	h.before(operation, func() {
		do()
		h.each(operation, do)
	})
}

// payables are those that are eligible now.
func (h *fixture) payables() []payments.Payable {
	h.Helper()
	payables, err := h.Store.Payables(h.Context(), tenant, 1, 0, "EUR", h.Now(), 1000)
	if err != nil {
		h.Fatal(err)
	}
	return payables
}

// wantBalance fails the test unless the sum of the payables is the amount, so that a refund can count on no more.
func (h *fixture) wantBalance(when, amount string) {
	h.Helper()
	sum := money.Zero("EUR")
	for _, payable := range h.payables() {
		var err error
		if sum, err = sum.Add(payable.Amount); err != nil {
			h.Fatal(err)
		}
	}
	h.want("balance "+when, sum.String(), amount)
}

// TestDebitsWithoutCreditsAreOnePayout, however many steps it takes: at each step the negative balance
// is carried forward to the next payout.
func TestDebitsWithoutCreditsAreOnePayout(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.repaid(100)
	h.Advance(day)
	id := h.plan()
	h.each("TransactWriteItems", func() { h.wantBalance("at a step", "-5.00") })
	h.want("the debits", h.run(id), "PAID -5.00 100")
	h.wire.Inject(nil)
	got := h.payables()
	if len(got) != 1 || got[0].Kind != payments.PayableBalanceDeduction || got[0].Amount != eur("-5") {
		t.Errorf("payables: got %+v, want one, a %s of -5", got, payments.PayableBalanceDeduction)
	}
	h.Advance(day)
	h.want("the debt alone", h.plan(), "")
	h.pay(2)
	h.Advance(day)
	h.want("what is left of a payment", h.run(h.plan()), "PAID 5.10 3")
	h.want("waiting", h.plan(), "")
}

// TestDebitsAndTooFewCreditsAreOnePayout: they are collected in the same step, in which the balance becomes negative.
func TestDebitsAndTooFewCreditsAreOnePayout(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	first := h.repaid(101)
	for range 101 {
		h.chargeback(first, "0.05")
	}
	second := h.pay(20)
	h.chargeback(second, "6.06")
	h.Advance(day)
	h.want("the debits", h.run(h.plan()), "PAID -6.06 222") // 20 parts of the rest, 4.04, and 202 debits
	h.wantBalance("then", "-6.06")
	if tx := h.read(second); tx.PayoutsReceived() != 20 {
		t.Errorf("payouts: got %+v, want 20 received", tx.Payouts)
	}
}

// TestALateCreditReducesTheNegativeBalance: it was eligible before the cut-off, and written when the payout's balance
// was negative.
func TestALateCreditReducesTheNegativeBalance(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.repaid(40)
	h.Advance(day)
	id := h.plan()
	steps := 0
	h.each("TransactWriteItems", func() {
		if steps++; steps == 2 {
			h.Advance(-day)
			h.pay(1) // this write is not counted: each leaves out its own calls
			h.Advance(day)
		}
	})
	h.want("with the credit", h.run(id), "PAID 8.10 41")
	h.wire.Inject(nil)
	h.wantBalance("then", "0.00")
}

// TestALaterPayoutTakesAnEarlierNegativeBalance while the earlier one still collects: it takes all that is left as
// well, and each payable goes into one of them. One that was eligible before both, and is written late, goes into the
// next.
func TestALaterPayoutTakesAnEarlierNegativeBalance(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.repaid(70)
	h.Advance(day)
	earlier := h.plan()
	steps, later := 0, ""
	h.each("TransactWriteItems", func() {
		if steps++; steps != 2 { // the first one has collected 32 payables, and read 32 more
			return
		}
		h.Advance(day)
		planned, opened, err := h.OpenOnDemand(t.Context(), tenant, "operation")
		if later = planned.ID; err != nil || !opened {
			t.Fatalf("opened: got %t, %v, want true", opened, err)
		}
		h.want("the later one", h.run(later), "PAID -3.50 39") // 38 debits of 0.05, and 1.60
		h.Advance(-2 * day)
		h.pay(1)
		h.Advance(2 * day)
	})
	h.want("the earlier one", h.run(earlier), "PAID -1.60 32")
	h.want("the later one", h.state(later), "PAID -3.50 39")
	h.Advance(day)
	h.wantBalance("then", "6.60")
	h.want("the next", h.run(h.plan()), "PAID 6.60 2")
}

// TestNoRefundCountsOnANegativeBalance under a minimum balance: after each step of the payout the reserve that was read
// before is outdated.
func TestNoRefundCountsOnANegativeBalance(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tx := h.repaid(100)
	h.Advance(day)
	id := h.plan()
	var reserves []store.Reserve
	h.each("TransactWriteItems", func() {
		reserve, err := h.Store.Reserve(t.Context(), tenant, "EUR")
		if err != nil {
			t.Fatal(err)
		}
		reserves = append(reserves, reserve)
	})
	h.want("the debits", h.run(id), "PAID -5.00 100")
	h.wire.Inject(nil)
	change, err := h.read(tx).BeginRefund("operation", nil, true, h.Now())
	if err != nil || len(reserves) < 4 {
		t.Fatalf("got %d steps, %v, want 4 or more", len(reserves), err)
	}
	for i := range reserves[:4] { // before the steps that collect
		if err := h.Store.ApplyTransaction(t.Context(), tenant, change, &reserves[i]); !errors.Is(err, store.ErrStale) {
			t.Errorf("a refund on the reserve before step %d: got %v, want ErrStale", i, err)
		}
	}
}
