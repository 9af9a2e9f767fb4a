package run_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// payAndChargeBack stores a payment that was paid out. It then stores a chargeback of 0.05 EUR for each part.
func (h *fixture) payAndChargeBack(parts int) payments.Transaction {
	h.Helper()
	tx := h.pay(1)
	h.Advance(day)
	h.want("the payment", h.run(h.plan()), "PAID 10.10 1")
	for range parts {
		h.chargeback(tx, "0.05")
	}
	return tx
}

// doBeforeEach calls the function do before each call of the operation. It ignores the calls that do itself makes.
func (h *fixture) doBeforeEach(operation string, do func()) {
	h.doBefore(operation, func() {
		do()
		h.doBeforeEach(operation, do)
	})
}

// readPayables returns the payables that are eligible now.
func (h *fixture) readPayables() []payments.Payable {
	h.Helper()
	payables, err := h.Store.Payables(h.Context(), tenant, 1, 0, "EUR", h.Now(), 1000)
	if err != nil {
		h.Fatal(err)
	}
	return payables
}

// wantBalance fails the test unless the payables sum to the amount. This sum is the limit for refunds.
func (h *fixture) wantBalance(when, amount string) {
	h.Helper()
	sum := money.Zero("EUR")
	for _, payable := range h.readPayables() {
		var err error
		if sum, err = sum.Add(payable.Amount); err != nil {
			h.Fatal(err)
		}
	}
	h.want("balance "+when, sum.String(), amount)
}

// TestRun_OnlyDebits checks that one payout collects debits without credits, in any number of steps. Each step carries
// the negative balance forward to the next payout.
func TestRun_OnlyDebits(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.payAndChargeBack(100)
	h.Advance(day)
	id := h.plan()
	h.doBeforeEach("TransactWriteItems", func() { h.wantBalance("at a step", "-5.00") })
	h.want("the debits", h.run(id), "PAID -5.00 100")
	h.wire.Inject(nil)
	got := h.readPayables()
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

// TestRun_DebitsExceedCredits checks that the step that makes the balance negative collects both debits and credits.
func TestRun_DebitsExceedCredits(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	first := h.payAndChargeBack(101)
	for range 101 {
		h.chargeback(first, "0.05")
	}
	second := h.pay(20)
	h.chargeback(second, "6.06")
	h.Advance(day)
	h.want("the debits", h.run(h.plan()), "PAID -6.06 222") // 20 parts of the rest, 4.04, and 202 debits
	h.wantBalance("then", "-6.06")
	if tx := h.readTransaction(second); tx.PayoutsReceived() != 20 {
		t.Errorf("payouts: got %+v, want 20 received", tx.Payouts)
	}
}

// TestRun_LateCredit checks that a late credit reduces the negative balance. The credit was eligible before the
// cut-off, but was written when the payout's balance was already negative.
func TestRun_LateCredit(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.payAndChargeBack(40)
	h.Advance(day)
	id := h.plan()
	steps := 0
	h.doBeforeEach("TransactWriteItems", func() {
		if steps++; steps == 2 {
			h.Advance(-day)
			h.pay(1) // the calls of pay do not trigger the action again
			h.Advance(day)
		}
	})
	h.want("with the credit", h.run(id), "PAID 8.10 41")
	h.wire.Inject(nil)
	h.wantBalance("then", "0.00")
}

// TestRun_LaterPayoutTakesNegativeBalance checks a later payout that takes the negative balance of a payout that is
// still collecting. The later payout takes the remaining payables as well, and each payable goes into one of the two. A
// payable that was eligible before both payouts, but is written late, goes into the payout after them.
func TestRun_LaterPayoutTakesNegativeBalance(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.payAndChargeBack(70)
	h.Advance(day)
	earlier := h.plan()
	steps, later := 0, ""
	h.doBeforeEach("TransactWriteItems", func() {
		if steps++; steps != 2 { // the first payout has collected 32 payables, and has read 32 more
			return
		}
		h.Advance(day)
		planned, opened, err := h.OpenOnDemand(t.Context(), tenant, "operation")
		if later = planned.ID; err != nil || !opened {
			t.Fatalf("opened: got %t, %v, want true", opened, err)
		}
		h.want("the later one", h.run(later), "PAID -3.50 39") // 38 debits of 0.05, and the balance of -1.60
		h.Advance(-2 * day)
		h.pay(1)
		h.Advance(2 * day)
	})
	h.want("the earlier one", h.run(earlier), "PAID -1.60 32")
	h.want("the later one", h.payoutState(later), "PAID -3.50 39")
	h.Advance(day)
	h.wantBalance("then", "6.60")
	h.want("the next", h.run(h.plan()), "PAID 6.60 2")
}

// TestRun_ReserveOfNegativeBalance checks refunds of a merchant with a minimum balance, while a payout collects a
// negative total. A refund must not use money that the payout has just taken. So each step that collects payables
// outdates the reserve: a refund with a reserve that was read before the step fails with ErrStale.
func TestRun_ReserveOfNegativeBalance(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tx := h.payAndChargeBack(100)
	h.Advance(day)
	id := h.plan()
	var reserves []store.Reserve
	h.doBeforeEach("TransactWriteItems", func() {
		reserve, err := h.Store.Reserve(t.Context(), tenant, "EUR")
		if err != nil {
			t.Fatal(err)
		}
		reserves = append(reserves, reserve)
	})
	h.want("the debits", h.run(id), "PAID -5.00 100")
	h.wire.Inject(nil)
	change, err := h.readTransaction(tx).BeginRefund("operation", nil, true, h.Now())
	if err != nil || len(reserves) < 4 {
		t.Fatalf("got %d steps, %v, want 4 or more", len(reserves), err)
	}
	for i := range reserves[:4] { // read before the steps that collect
		if err := h.Store.ApplyTransaction(t.Context(), tenant, change, &reserves[i]); !errors.Is(err, store.ErrStale) {
			t.Errorf("a refund on the reserve before step %d: got %v, want ErrStale", i, err)
		}
	}
}
