package payoutrunner_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// repaid is a payment that was paid out, and of which so many parts of 0.05 EUR were charged back since.
func (h *house) repaid(parts int) payments.Transaction {
	h.Helper()
	tx := h.pay(1)
	h.Advance(day)
	h.want("the payment", h.run(h.plan()), "PAID 10.10 1")
	for range parts {
		h.chargeback(tx, "0.05")
	}
	return tx
}

// each has something happen before each call of the operation.
func (h *house) each(operation string, do func()) {
	h.before[operation] = func() {
		do()
		h.each(operation, do)
	}
}

// rows are what waits until now.
func (h *house) rows() []payments.Payable {
	h.Helper()
	rows, err := h.Store.Payables(h.Context(), tenant, "EUR", h.Now(), 1000)
	if err != nil {
		h.Fatal(err)
	}
	return rows
}

// owes fails the test unless what waits comes to the amount, so that a refund can count on no more.
func (h *house) owes(when, amount string) {
	h.Helper()
	sum := money.Zero("EUR")
	for _, row := range h.rows() {
		var err error
		if sum, err = sum.Add(row.Amount); err != nil {
			h.Fatal(err)
		}
	}
	h.want("owed "+when, sum.String(), amount)
}

// TestDebitsWithoutCreditsAreOnePayout, however many steps it takes: at each of them what it lacks waits for the next one.
func TestDebitsWithoutCreditsAreOnePayout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.repaid(100)
	h.Advance(day)
	id := h.plan()
	h.each("TransactWriteItems", func() { h.owes("at a step", "-5.00") })
	h.want("the debits", h.run(id), "PAID -5.00 100")
	clear(h.before)
	if rows := h.rows(); len(rows) != 1 || rows[0].Kind != payments.PayableBalanceDeduction || rows[0].Amount != eur("-5") {
		t.Errorf("waiting %+v", rows)
	}
	h.Advance(day)
	h.want("the debt alone", h.plan(), "")
	h.pay(2)
	h.Advance(day)
	h.want("what is left of a payment", h.run(h.plan()), "PAID 5.10 3")
	h.want("waiting", h.plan(), "")
}

// TestDebitsAndTooFewCreditsAreOnePayout: they are taken in the same step, the lack begins in the middle of it.
func TestDebitsAndTooFewCreditsAreOnePayout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.repaid(101)
	for range 101 {
		h.chargeback(first, "0.05")
	}
	second := h.pay(20)
	h.chargeback(second, "6.06")
	h.Advance(day)
	h.want("the debits", h.run(h.plan()), "PAID -6.06 222") // 20 parts of the rest, 4.04, and 202 debits
	h.owes("then", "-6.06")
	if tx := h.read(second); tx.PayoutsReceived() != 20 {
		t.Errorf("%+v", tx.Payouts)
	}
}

// TestACreditThatIsLateMakesUpForALack: it was payable before the cut-off, and written when the payout lacked something.
func TestACreditThatIsLateMakesUpForALack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.repaid(40)
	h.Advance(day)
	id := h.plan()
	steps := 0
	h.each("TransactWriteItems", func() {
		if steps++; steps == 2 {
			h.Advance(-day)
			h.pay(1) // does not come here: it is written with a transaction, too
			h.Advance(day)
		}
	})
	h.want("with the credit", h.run(id), "PAID 8.10 41")
	clear(h.before)
	h.owes("then", "0.00")
}

// TestALaterPayoutTakesWhatAnEarlierOneLacks, while that collects: it takes what is left as well, and each row goes into one
// of them. One that was payable before both, and is written late, goes into the next.
func TestALaterPayoutTakesWhatAnEarlierOneLacks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.repaid(70)
	h.Advance(day)
	earlier := h.plan()
	steps, later := 0, ""
	h.each("TransactWriteItems", func() {
		if steps++; steps != 2 { // the first one has taken 32 rows, and read 32 more
			return
		}
		h.Advance(day)
		planned, opened, err := h.OnDemand(t.Context(), tenant, "operation")
		if later = planned.ID; err != nil || !opened {
			t.Fatalf("opened %t, %v", opened, err)
		}
		h.want("the later one", h.run(later), "PAID -3.50 39") // 38 rows of 0.05, and 1.60
		h.Advance(-2 * day)
		h.pay(1)
		h.Advance(2 * day)
	})
	h.want("the earlier one", h.run(earlier), "PAID -1.60 32")
	h.want("the later one", h.stands(later), "PAID -3.50 39")
	h.Advance(day)
	h.owes("then", "6.60")
	h.want("the next", h.run(h.plan()), "PAID 6.60 2")
}

// TestARefundUnderAFloorCannotCountOnWhatAPayoutLacks, at none of its steps: the balance before one is outdated after it.
func TestARefundUnderAFloorCannotCountOnWhatAPayoutLacks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tx := h.repaid(100)
	h.Advance(day)
	id := h.plan()
	var balances []store.Reserve
	h.each("TransactWriteItems", func() {
		held, err := h.Store.Reserve(t.Context(), tenant, "EUR")
		if err != nil {
			t.Fatal(err)
		}
		balances = append(balances, held)
	})
	h.want("the debits", h.run(id), "PAID -5.00 100")
	clear(h.before)
	change, err := h.read(tx).BeginRefund("operation", nil, true, h.Now())
	if err != nil || len(balances) < 4 {
		t.Fatalf("%d steps, %v", len(balances), err)
	}
	for i := range balances[:4] { // those that take rows
		if err := h.Store.ApplyTransaction(t.Context(), tenant, change, &balances[i]); !errors.Is(err, store.ErrStale) {
			t.Errorf("a refund on the balance before step %d: %v", i, err)
		}
	}
}
