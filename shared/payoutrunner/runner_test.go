package payoutrunner_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Two rows of one transaction in one step, and more rows than a step takes: no item is named twice, nor are there too many.
func TestAPayoutOfManyRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 50 {
		h.pay(2)
	}
	single := h.pay(1)
	h.Advance(day)
	h.want("payout", h.run(h.plan()), "PAID 515.10 101")
	if len(h.orders) != 1 || h.orders[0].Amount != eur("515.10") || h.orders[0].Tenant != tenant.String() {
		t.Errorf("orders %+v", h.orders)
	}
	if tx := h.read(single); tx.SimpleStatus() != payments.SimplePaidOut || tx.Payouts[0].Day != "2026-11-21" {
		t.Errorf("%+v", tx)
	}
}

// All rows come back, each a record, a transaction and a row.
func TestARejectedPayoutOfManyRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.word = bank.Outcome{State: bank.Rejected, Reason: "AC04"}
	for range 70 {
		h.pay(1)
	}
	h.Advance(day)
	first := h.plan()
	h.want("payout", h.run(first), "FAILED 707.00 70")
	h.word = bank.Outcome{State: bank.Paid}
	h.Advance(day)
	second := h.plan()
	h.want("again", h.run(second), "PAID 707.00 70")
	if first == second || h.orders[0].ID == h.orders[1].ID {
		t.Error("it is paid under the rejected payout's id")
	}
}

// TestARefundBetweenTwoReadsIsNoContradiction: the row was read before, its transaction after.
func TestARefundBetweenTwoReadsIsNoContradiction(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tx := h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.before["BatchGetItem"] = func() { h.chargeback(tx, "4") }
	h.want("payout", h.run(id), "PAID 6.10 1")
}

// And one between reading the transaction and taking the row.
func TestARefundBeforeTheRowIsTakenCountsAgainstIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tx := h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.before["TransactWriteItems"] = func() { h.chargeback(tx, "4") }
	h.want("payout", h.run(id), "PAID 6.10 1")
}

// TestAPaymentDuringTheRunWaitsForTheNext, as does a row that was written late: its time had come, but the payout was sealed.
func TestAPaymentDuringTheRunWaitsForTheNext(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.before["BatchGetItem"] = func() { h.pay(1) }
	h.want("payout", h.run(id), "PAID 10.10 1")
	h.Advance(-day)
	h.pay(1) // as yesterday
	h.Advance(day)
	h.want("payout", h.run(id), "PAID 10.10 1")
	h.Advance(day)
	h.want("the next", h.run(h.plan()), "PAID 20.20 2")
}

// TestRowsThatContradictTheirTransactionsStopThePayout: nothing but a mistake makes them.
func TestRowsThatContradictTheirTransactionsStopThePayout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.pay(1)
	_, table := h.Store.Raw()
	var rows []map[string]any
	if err := table.Get("pk", tenant.String()+"#PAYABLE#EUR").All(t.Context(), &rows); err != nil || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	if err := table.Update("pk", rows[0]["pk"]).Range("sk", rows[0]["sk"]).Set("amount", eur("1000")).Run(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Advance(day)
	id := h.plan()
	if rests, err := h.Run(t.Context(), tenant, id); rests || !errors.Is(err, payments.ErrPayableMismatch) ||
		failure.Of(err).Kind != failure.KindInternal {
		t.Errorf("rests %t, %v, which must be a fault of ours", rests, err)
	}
	h.want("payout", h.stands(id), "COLLECTING 0.00 0")
}

// TestARefundUnderAFloorCannotCountOnRowsThatLeave: whoever takes rows passes the held balance's version, in live mode, also
// before anything was ever held.
func TestARefundUnderAFloorCannotCountOnRowsThatLeave(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tx := h.pay(1)
	h.Advance(day)
	before, err := h.Store.Reserve(t.Context(), tenant, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	h.run(h.plan())
	change, err := h.read(tx).BeginRefund("operation", nil, true, h.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Store.ApplyTransaction(t.Context(), tenant, change, &before); !errors.Is(err, store.ErrStale) {
		t.Errorf("a refund on the balance before the payout: %v", err)
	}
	after, err := h.Store.Reserve(t.Context(), tenant, "EUR")
	if err != nil || !after.Amount.IsZero() || after.Version == before.Version {
		t.Errorf("%+v, %v", after, err)
	}
	if err := h.Store.ApplyTransaction(t.Context(), tenant, change, &after); err != nil {
		t.Errorf("a refund on the balance of now: %v", err)
	}
}

// TestAPayoutWaitsForAVerifiedAccount, and goes to the one that is verified then.
func TestAPayoutWaitsForAVerifiedAccount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.before["BatchGetItem"] = func() {
		h.set(func(s *terms) { s.To.Status = merchant.BankAccountPending })
	}
	h.want("unverified", h.run(id), "SEALED 10.10 1")
	h.Advance(16 * time.Minute)
	h.want("still", h.run(id), "SEALED 10.10 1")
	h.set(func(s *terms) {
		s.To.IBAN, s.To.Status = "DE88100100100000003333", merchant.BankAccountVerified
	})
	h.want("verified", h.run(id), "PAID 10.10 1")
	if len(h.orders) != 1 || h.orders[0].To.IBAN != "DE88100100100000003333" {
		t.Errorf("%+v", h.orders)
	}
	if p, err := h.Store.Payout(t.Context(), tenant, id); err != nil || p.To.IBAN != "DE88100100100000003333" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestAnOrderKeepsItsAccount: what the bank is asked again is what it was asked first.
func TestAnOrderKeepsItsAccount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.word = bank.Outcome{State: bank.Accepted}
	h.want("ordered", h.run(id), "SENT 10.10 1")
	h.set(func(s *terms) { s.To.IBAN = "DE88100100100000003333" })
	h.word = bank.Outcome{State: bank.Paid}
	h.want("asked", h.run(id), "PAID 10.10 1")
	if len(h.orders) != 2 || h.orders[0] != h.orders[1] {
		t.Errorf("%+v", h.orders)
	}
}

func TestWithoutABankAPayoutWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	delete(h.Banks, identity.Live)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.want("payout", h.run(id), "SENT 10.10 1")
	h.Advance(2 * day) // nobody is there who could cancel it
	h.want("payout", h.run(id), "SENT 10.10 1")
}

// TestARunEndsBeforeItsTime, with nothing begun, so that another message goes on.
func TestARunEndsBeforeItsTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	ctx, cancel := context.WithTimeout(t.Context(), 29*time.Second)
	defer cancel()
	if rests, err := h.Run(ctx, tenant, id); rests || err != nil {
		t.Errorf("rests %t, %v", rests, err)
	}
	h.want("payout", h.stands(id), "COLLECTING 0.00 0")
}

// TestAMistakeEndsARun, so that another message goes on later: here a payout whose schedule is not there.
func TestAMistakeEndsARun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	_, table := h.Store.Raw()
	if err := table.Delete("pk", tenant.String()+"#PAYOUTSCHEDULE").Range("sk", "SCHEDULE").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if rests, err := h.Run(ctx, tenant, id); rests || !failure.Is(err, failure.KindNotFound) {
		t.Errorf("rests %t, %v", rests, err)
	}
	h.want("payout", h.stands(id), "SEALED 10.10 1")
}
