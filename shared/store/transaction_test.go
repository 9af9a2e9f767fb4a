package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

func eur(amount string) money.Amount { return money.MustParse(amount, "EUR") }

// pay stores a paid checkout of 10.10 EUR, in two parts at a fee of 0.20.
func pay(t *testing.T, s *store.Store, tenant identity.Tenant, reference, attempt string) payments.Transaction {
	t.Helper()
	return payFor(t, s, tenant, draft(reference), attempt)
}

func payFor(t *testing.T, s *store.Store, tenant identity.Tenant, d payments.Checkout,
	attempt string) payments.Transaction {
	t.Helper()
	d.Payee.FeeRate, d.Payee.PayoutPlan = "0.0195", merchant.TrueInstallment
	c, err := s.CreateCheckout(t.Context(), tenant, d)
	if err != nil {
		t.Fatal(err)
	}
	c, err = c.Begin(payments.Attempt{ID: attempt, Operation: "request", Method: payments.CardMethod,
		Installments: 2}, payments.Source{},
		start)
	if err != nil {
		t.Fatal(err)
	}
	change, ok := c.Settle(attempt, payments.Outcome{Decision: payments.Approved}, "msg_"+attempt,
		payments.Session{}, start)
	if !ok {
		t.Fatal("got nothing to write, want a change")
	}
	if _, err := s.Apply(t.Context(), tenant, change); err != nil {
		t.Fatal(err)
	}
	return *change.Transaction
}

func readTx(t *testing.T, s *store.Store, id string) store.Record {
	t.Helper()
	r, err := s.Transaction(t.Context(), tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func apply(t *testing.T, s *store.Store, change payments.TransactionChange) {
	t.Helper()
	if err := s.ApplyTransaction(t.Context(), tenant, change, nil); err != nil {
		t.Fatal(err)
	}
}

func beginRefund(t *testing.T, tx payments.Transaction, operation, amount string,
	reserved bool) payments.TransactionChange {
	t.Helper()
	x := eur(amount)
	change, err := tx.BeginRefund(operation, &x, reserved, start.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// decide applies the acquirer's decision to a stored refund.
func decide(t *testing.T, r store.Record, id string, d payments.Decision, at time.Time) payments.TransactionChange {
	t.Helper()
	e, ok := r.Refund(id)
	if !ok {
		t.Fatalf("got %+v, want refund %s in it", r, id)
	}
	change, ok := r.SettleRefund(e, payments.Outcome{Decision: d}, at)
	if !ok {
		t.Fatalf("got no change by %s, want one", d)
	}
	return change
}

func TestApply_Payment(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	r := readTx(t, s, "attempt-1")
	if r.Code != tx.Code || r.Captured != eur("10.10") || r.Fee != eur("0.20") || len(r.Payouts) != 2 ||
		r.Version != 1 || len(r.Events) != 0 {
		t.Errorf("got %+v, want %s of 10.10 with a fee of 0.20 and 2 payouts, version 1, no events", r, tx.Code)
	}
	entries, err := s.Entries(t.Context(), tenant, ledger.OfTransaction(tx.ID))
	if err != nil || len(entries) != 1 || entries[0].Kind != ledger.Payment || entries[0].Check() != nil ||
		len(entries[0].Postings) != 3 {
		t.Errorf("got %+v, %v, want one balanced payment of 3 postings", entries, err)
	}
	wantOwed(t, s, "9.90")
	for name, elsewhere := range map[string]identity.Tenant{
		"live": {Mode: identity.Live, Merchant: tenant.Merchant}, "another merchant": {Mode: identity.Test, Merchant: "MC2"},
	} {
		if _, err := s.Transaction(t.Context(), elsewhere, "attempt-1"); !failure.Is(err, failure.KindNotFound) {
			t.Errorf("%s: got error %v, want KindNotFound", name, err)
		}
	}
}

func TestApplyTransaction_RefundStates(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	id := tx.RefundID("operation")
	apply(t, s, beginRefund(t, tx, "operation", "4.10", false))
	r := readTx(t, s, tx.ID)
	if e, ok := r.Refund(id); !ok || e.Status != payments.EventBegun || len(r.Events) != 0 ||
		r.Refundable != eur("6.00") {
		t.Fatalf("reserved: got %+v, want refund %s begun, no events and 6.00 refundable", r, id)
	}
	want := store.Due{Tenant: tenant, RefundID: id, At: start.Add(time.Hour + time.Minute)}
	if due := listOverdue(t, s, start.Add(2*time.Hour)); !slices.Contains(due, want) {
		t.Errorf("got %v due, want %v in it", due, want)
	}
	apply(t, s, decide(t, r, id, payments.OutcomeUnknown, start.Add(2*time.Hour)))
	if r = readTx(t, s, tx.ID); len(r.Events) != 1 || r.Events[0].Status != payments.EventPending {
		t.Fatalf("pending: got %+v, want one pending event", r)
	}
	apply(t, s, decide(t, r, id, payments.Approved, start.Add(3*time.Hour)))
	r = readTx(t, s, tx.ID)
	if len(r.Events) != 1 || r.Events[0].Status != payments.EventRefunded || r.Refunded != eur("4.10") || r.Version != 4 ||
		!r.Events[0].CreatedAt.Equal(start.Add(2*time.Hour)) {
		t.Errorf("refunded: got %+v, want one event of %s, refunded, 4.10 in all, version 4", r, start.Add(2*time.Hour))
	}
	if e, ok := r.Event(r.Events[0].NumericID()); !ok || e.ID != id {
		t.Errorf("by its number: got %+v, %t, want %s", e, ok, id)
	}
	for _, due := range listOverdue(t, s, start.Add(1000*time.Hour)) {
		if due.RefundID != "" {
			t.Errorf("got %v still due, want no refund", due)
		}
	}
	if entries, err := s.Entries(t.Context(), tenant, ledger.OfTransaction(tx.ID)); err != nil || len(entries) != 2 {
		t.Errorf("got %+v, %v, want 2 entries", entries, err)
	}
	wantOwed(t, s, "5.80")
}

// TestTransaction_Events checks that each transaction of a code has its events, in the order they were first seen.
func TestTransaction_Events(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	for i, operation := range []string{"z", "a", "m"} {
		apply(t, s, beginRefund(t, readTx(t, s, tx.ID).Transaction, operation, "1", false))
		apply(t, s, decide(t, readTx(t, s, tx.ID), tx.RefundID(operation), payments.Declined,
			start.Add(time.Duration(2+i)*time.Hour)))
	}
	c, err := s.Checkout(t.Context(), tenant, tx.CheckoutID)
	if err != nil {
		t.Fatal(err)
	}
	amount := eur("1")
	change, err := readTx(t, s, tx.ID).Chargeback(c, "cb", &amount, false, "msg_cb", start.Add(9*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, change)
	namesake := tx
	namesake.ID = "attempt-2"
	if _, err = s.Apply(t.Context(), tenant, payments.CheckoutChange{Checkout: c, Transaction: &namesake}); err != nil {
		t.Fatal(err)
	}
	records, err := s.Transactions(t.Context(), tenant, tx.Code)
	if err != nil || len(records) != 2 {
		t.Fatalf("got %+v, %v, want 2 records", records, err)
	}
	for _, r := range records {
		if r.ID == "attempt-2" && len(r.Events) != 0 {
			t.Errorf("got events %+v of another, want none", r.Events)
		}
	}
	r := readTx(t, s, tx.ID)
	want := []string{tx.RefundID("z"), tx.RefundID("a"), tx.RefundID("m"), tx.ChargebackID("cb")}
	for i, e := range r.Events {
		if len(r.Events) != 4 || e.ID != want[i] {
			t.Fatalf("got %+v, want %v", r.Events, want)
		}
	}
	if e, ok := r.ChargebackBy("cb"); !ok || e.Type != payments.ChargebackEvent {
		t.Errorf("got %+v, %t, want a chargeback", e, ok)
	}
	if e, ok := r.ChargebackBy("another"); ok {
		t.Errorf("got %+v, want no chargeback that was never reported", e)
	}
	if _, callback, err := s.Callback(t.Context(), "msg_cb"); err != nil || callback.CheckoutID != tx.CheckoutID {
		t.Errorf("got %+v, %v, want checkout %s", callback, err, tx.CheckoutID)
	}
}

func TestApplyTransaction_SecondRefundStale(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	apply(t, s, beginRefund(t, tx, "first", "10.10", false))
	if err := s.ApplyTransaction(t.Context(), tenant, beginRefund(t, tx, "second", "10.10", false), nil); !errors.Is(err,
		store.ErrStale) {
		t.Errorf("the second: got error %v, want ErrStale", err)
	}
	if r := readTx(t, s, tx.ID); !r.Refundable.IsZero() || r.EventCount != 1 {
		t.Errorf("got %+v, want nothing refundable and 1 event", r)
	}
}

// TestApply_FinalTransaction checks that a PENDING transaction is overwritten. A final transaction is not overwritten,
// even with the current checkout.
func TestApply_FinalTransaction(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, final := range []payments.TransactionStatus{payments.TransactionSuccessful, payments.TransactionFailed,
		payments.TransactionCancelled} {
		c, err := s.CreateCheckout(t.Context(), tenant, draft(string(final)))
		if err != nil {
			t.Fatal(err)
		}
		if c, err = c.Begin(payments.Attempt{ID: "attempt " + string(final), Operation: "request",
			Method: payments.CardMethod}, payments.Source{}, start); err != nil {
			t.Fatal(err)
		}
		unknown := payments.Outcome{Decision: payments.OutcomeUnknown}
		change, ok := c.Settle(c.Attempt.ID, unknown, "msg", payments.Session{}, start)
		if !ok {
			t.Fatal("got nothing to write, want a change")
		}
		for _, status := range []payments.TransactionStatus{payments.TransactionPending, payments.TransactionPending, final} {
			change.Transaction.Status = status
			if change.Checkout, err = s.Apply(t.Context(), tenant, change); err != nil {
				t.Fatalf("%s: got error %v, want none", status, err)
			}
		}
		before := readTx(t, s, change.Transaction.ID)
		for _, status := range []payments.TransactionStatus{payments.TransactionSuccessful, payments.TransactionFailed,
			payments.TransactionPending, final} {
			change.Transaction.Status = status
			if _, err = s.Apply(t.Context(), tenant, change); err == nil {
				t.Errorf("%s overwritten by %s: got no error, want one", final, status)
			}
		}
		now, err := s.Checkout(t.Context(), tenant, c.ID)
		if after := readTx(t, s, before.ID); err != nil || after.Status != before.Status ||
			now.Version != change.Checkout.Version {
			t.Errorf("%s: got %+v, version %d, %v, want %s, version %d", final, after, now.Version, err, before.Status,
				change.Checkout.Version)
		}
	}
}

// TestApplyTransaction_ClosedEvent checks that a closed event is not overwritten, even with the current transaction.
func TestApplyTransaction_ClosedEvent(t *testing.T) {
	t.Parallel()
	for decision, closed := range map[payments.Decision]payments.EventStatus{
		payments.Approved: payments.EventRefunded, payments.Declined: payments.EventFailed,
	} {
		s := newStore(t)
		tx := pay(t, s, tenant, "order-1", "attempt-1")
		apply(t, s, beginRefund(t, tx, "operation", "4.10", false))
		apply(t, s, decide(t, readTx(t, s, tx.ID), tx.RefundID("operation"), decision, start.Add(2*time.Hour)))
		r := readTx(t, s, tx.ID)
		for _, status := range []payments.EventStatus{payments.EventRefunded, payments.EventFailed, payments.EventPending,
			payments.EventWithdrawn} {
			e := r.Events[0]
			e.Status = status
			change := payments.TransactionChange{Transaction: r.Transaction, Events: []payments.Event{e}}
			if err := s.ApplyTransaction(t.Context(), tenant, change, nil); !errors.Is(err, store.ErrStale) {
				t.Errorf("%s by %s: got error %v, want ErrStale", closed, status, err)
			}
		}
		if now := readTx(t, s, tx.ID); now.Version != r.Version || now.Events[0].Status != closed {
			t.Errorf("got %+v, want version %d with an event that is %s", now, r.Version, closed)
		}
	}
}

// TestApplyTransaction_TakenPayable checks that nothing of a change is written when a payout has taken one of the
// change's payables.
func TestApplyTransaction_TakenPayable(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	_, table := s.Raw()
	var payables []struct {
		SK string `dynamo:"sk"`
	}
	err := table.Get("pk", "PAYABLE#"+tenant.String()+"#EUR").All(t.Context(), &payables)
	if err != nil || len(payables) != 2 {
		t.Fatalf("got payables %v, %v; want two", payables, err)
	}
	err = table.Delete("pk", "PAYABLE#"+tenant.String()+"#EUR").Range("sk", payables[0].SK).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, beginRefund(t, tx, "operation", "1", false))
	before := readTx(t, s, tx.ID)
	change := decide(t, before, tx.RefundID("operation"), payments.Approved, start.Add(2*time.Hour))
	if err = s.ApplyTransaction(t.Context(), tenant, change, nil); !errors.Is(err, store.ErrStale) {
		t.Errorf("the change: got error %v, want ErrStale", err)
	}
	entries, err := s.Entries(t.Context(), tenant, ledger.OfTransaction(tx.ID))
	if after := readTx(t, s, tx.ID); err != nil || len(entries) != 1 || after.Version != before.Version ||
		len(after.Events) != 0 {
		t.Errorf("got %+v, %v, %+v, want one entry, version %d, no events", entries, err, after, before.Version)
	}
}

func TestApplyTransaction_WithdrawnRefundAgain(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	apply(t, s, beginRefund(t, tx, "operation", "4.10", false))
	r := readTx(t, s, tx.ID)
	e, _ := r.Refund(tx.RefundID("operation"))
	change, ok := r.WithdrawRefund(e, start.Add(2*time.Hour))
	if !ok {
		t.Fatal("got nothing to withdraw, want a change")
	}
	apply(t, s, change)
	if r = readTx(t, s, tx.ID); len(r.Events) != 0 || r.Refundable != eur("10.10") {
		t.Errorf("withdrawn: got %+v, want no events and 10.10 refundable", r)
	}
	apply(t, s, beginRefund(t, r.Transaction, "operation", "2", false))
	r = readTx(t, s, tx.ID)
	if again, ok := r.Refund(e.ID); !ok || again.Status != payments.EventBegun || again.Amount != eur("2") ||
		r.Refundable != eur("8.10") {
		t.Errorf("again: got %+v, want a refund of 2 begun and 8.10 refundable", r)
	}
}

func TestApplyTransaction_LostReply(t *testing.T) {
	t.Parallel()
	// The SDK repeats after one lost reply. Three lost replies exhaust its tries, and then the store reads its own write.
	for _, lost := range []int{1, 3} {
		wire := &faults.Wire{Send: enginetest.Do}
		s := openTable(t, clock.New(), wire)
		tx := pay(t, s, tenant, "order-1", "attempt-1")
		change := beginRefund(t, tx, "operation", "4.10", false)
		left := lost
		wire.Inject(func(operation string) faults.Fault {
			if left == 0 || operation != "TransactWriteItems" {
				return faults.None
			}
			left--
			return faults.LoseReply
		})
		apply(t, s, change)
		if left != 0 {
			t.Errorf("got %d replies that were not lost, want 0", left)
		}
		if r := readTx(t, s, tx.ID); r.Refundable != eur("6.00") || r.Version != 2 {
			t.Errorf("got %+v, want 6.00 refundable, version 2", r)
		}
		if err := s.ApplyTransaction(t.Context(), tenant, change, nil); !errors.Is(err, store.ErrStale) {
			t.Errorf("the same change again: got error %v, want ErrStale", err)
		}
	}
}
