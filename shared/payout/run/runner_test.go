package run_test

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

// TestRun_ManyPayables checks a payout of more payables than one step collects. One step has two payables of the same
// transaction. No step may write an item twice, or write too many items.
func TestRun_ManyPayables(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	for range 50 {
		h.pay(2)
	}
	single := h.pay(1)
	h.Advance(day)
	h.want("payout", h.run(h.plan()), "PAID 515.10 101")
	if len(h.requests) != 1 || h.requests[0].Amount != eur("515.10") || h.requests[0].Tenant != tenant.String() {
		t.Errorf("requests: got %+v, want one of 515.10 for %s", h.requests, tenant)
	}
	if tx := h.readTransaction(single); tx.SimpleStatus() != payments.SimplePaidOut || tx.Payouts[0].Day != "2026-11-21" {
		t.Errorf("transaction: got %+v, want it paid out, on 2026-11-21", tx)
	}
}

// TestRun_ManyPayablesRejected checks that a rejected payout returns all payables, each with its record and
// transaction.
func TestRun_ManyPayablesRejected(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.outcome = bank.Outcome{State: bank.Rejected, Reason: "AC04"}
	for range 70 {
		h.pay(1)
	}
	h.Advance(day)
	first := h.plan()
	h.want("payout", h.run(first), "FAILED 707.00 70")
	h.outcome = bank.Outcome{State: bank.Paid}
	h.Advance(day)
	second := h.plan()
	h.want("again", h.run(second), "PAID 707.00 70")
	if first == second || h.requests[0].ID == h.requests[1].ID {
		t.Errorf("got payout %s after %s, requests %+v, want another id in each", second, first, h.requests)
	}
}

// TestRun_RefundBetweenReads checks a refund that comes between the reads of a payable and its transaction. The two
// then differ, but this is no mismatch.
func TestRun_RefundBetweenReads(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tx := h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.doBefore("BatchGetItem", func() { h.chargeback(tx, "4") })
	h.want("payout", h.run(id), "PAID 6.10 1")
}

// TestRun_RefundBeforeCollecting checks that the payout deducts a refund that comes after its read and before its
// collecting.
func TestRun_RefundBeforeCollecting(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tx := h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.doBefore("TransactWriteItems", func() { h.chargeback(tx, "4") })
	h.want("payout", h.run(id), "PAID 6.10 1")
}

// TestRun_PaymentDuringRun checks that a payment during a run waits for the next payout. The same is true for a payable
// that was eligible before the cut-off, but was written after the payout was sealed.
func TestRun_PaymentDuringRun(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.doBefore("BatchGetItem", func() { h.pay(1) })
	h.want("payout", h.run(id), "PAID 10.10 1")
	h.Advance(-day)
	h.pay(1) // eligible at the same time as yesterday's payments
	h.Advance(day)
	h.want("payout", h.run(id), "PAID 10.10 1")
	h.Advance(day)
	h.want("the next", h.run(h.plan()), "PAID 20.20 2")
}

// TestRun_PayableMismatch checks that the payout stops if, by our own fault, a payable contradicts its transaction.
func TestRun_PayableMismatch(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	_, table := h.Store.Raw()
	var items []map[string]any
	if err := table.Get("pk", "PAYABLE#"+tenant.String()+"#EUR").All(t.Context(), &items); err != nil || len(items) != 1 {
		t.Fatalf("payables: got %v, %v, want one", items, err)
	}
	if err := table.Update("pk", items[0]["pk"]).Range("sk", items[0]["sk"]).Set("amount", eur("1000")).Run(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Advance(day)
	id := h.plan()
	if waits, err := h.Run(t.Context(), tenant, id); waits || !errors.Is(err, payments.ErrPayableMismatch) ||
		failure.Of(err).Kind != failure.KindInternal {
		t.Errorf("waits: got %t, %v, want false, an internal payments.ErrPayableMismatch", waits, err)
	}
	h.want("payout", h.payoutState(id), "COLLECTING 0.00 0")
}

// TestRun_ReserveAfterCollecting checks that, under a minimum balance, payables that a payout has collected no longer
// cover a refund. In live mode collecting changes the reserve's version, even before the first refund. So the refund's
// write fails with ErrStale.
func TestRun_ReserveAfterCollecting(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tx := h.pay(1)
	h.Advance(day)
	before, err := h.Store.Reserve(t.Context(), tenant, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	h.run(h.plan())
	change, err := h.readTransaction(tx).BeginRefund("operation", nil, true, h.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err = h.Store.ApplyTransaction(t.Context(), tenant, change, &before); !errors.Is(err, store.ErrStale) {
		t.Errorf("a refund on the reserve before the payout: got %v, want ErrStale", err)
	}
	after, err := h.Store.Reserve(t.Context(), tenant, "EUR")
	if err != nil || !after.Amount.IsZero() || after.Version == before.Version {
		t.Errorf("reserve: got %+v, %v, want 0 and another version than %d", after, err, before.Version)
	}
	if err := h.Store.ApplyTransaction(t.Context(), tenant, change, &after); err != nil {
		t.Errorf("a refund on the present reserve: got %v, want no error", err)
	}
}

// TestRun_NoVerifiedAccount checks that a payout waits for a verified account and then goes to that account.
func TestRun_NoVerifiedAccount(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.doBefore("BatchGetItem", func() {
		h.setTerms(func(s *terms) { s.To.Status = merchant.BankAccountPending })
	})
	h.want("unverified", h.run(id), "SEALED 10.10 1")
	h.Advance(16 * time.Minute)
	h.want("still", h.run(id), "SEALED 10.10 1")
	h.setTerms(func(s *terms) {
		s.To.IBAN, s.To.Status = "DE88100100100000003333", merchant.BankAccountVerified
	})
	h.want("verified", h.run(id), "PAID 10.10 1")
	if len(h.requests) != 1 || h.requests[0].To.IBAN != "DE88100100100000003333" {
		t.Errorf("requests: got %+v, want one to DE88100100100000003333", h.requests)
	}
	if p, err := h.Store.Payout(t.Context(), tenant, id); err != nil || p.To.IBAN != "DE88100100100000003333" {
		t.Errorf("payout: got %+v, %v, want it to DE88100100100000003333", p, err)
	}
}

// TestRun_RepeatedTransfer checks that a repeated request for a transfer names the same account as the first request.
func TestRun_RepeatedTransfer(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.outcome = bank.Outcome{State: bank.Accepted}
	h.want("requested", h.run(id), "SENT 10.10 1")
	h.setTerms(func(s *terms) { s.To.IBAN = "DE88100100100000003333" })
	h.outcome = bank.Outcome{State: bank.Paid}
	h.want("asked", h.run(id), "PAID 10.10 1")
	if len(h.requests) != 2 || h.requests[0] != h.requests[1] {
		t.Errorf("requests: got %+v, want the same one twice", h.requests)
	}
}

func TestRun_NoBank(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	delete(h.Banks, identity.Live)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	h.want("payout", h.run(id), "SENT 10.10 1")
	h.Advance(2 * day) // without a bank, no transfer can be cancelled
	h.want("payout", h.run(id), "SENT 10.10 1")
}

// TestRun_TimeNearlyUp checks that a run starts no step when its time is nearly up. The next run continues.
func TestRun_TimeNearlyUp(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	ctx, cancel := context.WithTimeout(t.Context(), 29*time.Second)
	defer cancel()
	if waits, err := h.Run(ctx, tenant, id); waits || err != nil {
		t.Errorf("waits: got %t, %v, want false and no error", waits, err)
	}
	h.want("payout", h.payoutState(id), "COLLECTING 0.00 0")
}

// TestRun_Error checks that an error ends a run, and that another run can continue later. Here the payout has no
// schedule.
func TestRun_Error(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	id := h.plan()
	_, table := h.Store.Raw()
	if err := table.Delete("pk", "PAYOUTSCHEDULE#"+tenant.String()).Range("sk", "SCHEDULE").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if waits, err := h.Run(ctx, tenant, id); waits || !failure.Is(err, failure.KindNotFound) {
		t.Errorf("waits: got %t, %v, want false and a schedule that is not found", waits, err)
	}
	h.want("payout", h.payoutState(id), "SEALED 10.10 1")
}
