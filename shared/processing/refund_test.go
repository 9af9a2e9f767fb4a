package processing_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/secret"
)

var live = identity.Tenant{Mode: identity.Live, Merchant: "MC0A1B2C3D"}

// newLiveFixture returns a fixture that also has an acquirer for live mode. That acquirer is the sandbox, which decides
// by the amount.
func newLiveFixture(t *testing.T) *fixture {
	t.Helper()
	o := newFixture(t)
	o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
	return o
}

// createPaid creates a successful transaction of the tenant without a fee, so that the whole amount is payable.
func (o *fixture) createPaid(t *testing.T, of identity.Tenant, amount string, c money.Currency) string {
	t.Helper()
	checkout, err := o.store.CreateCheckout(t.Context(), of, payments.Checkout{
		ID: uuid.NewString(), Reference: uuid.NewString(), Amount: money.MustParse(amount, c),
		Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CreatedAt: o.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	card := &payments.Card{Name: "Ada", Number: secret.New(passing), ExpiryMonth: "12", ExpiryYear: "2030",
		CVV: secret.New("739")}
	checkout, _, err = o.Start(t.Context(), of, processing.PaymentRequest{
		CheckoutID: checkout.ID, Operation: uuid.NewString(), Method: payments.CardMethod, Card: card, Installments: 1})
	if err != nil || checkout.Status != payments.CheckoutPaid {
		t.Fatalf("pay: got %s, %v, want PAID", checkout.Status, err)
	}
	return checkout.Transactions[0].ID
}

// tryRefund requests a refund under a minimum balance in euros; "" means none.
func (o *fixture) tryRefund(ctx context.Context, of identity.Tenant, id, amount, minimum string) error {
	request := processing.RefundRequest{By: identity.Platform(), TransactionID: id, Operation: uuid.NewString(),
		Amount: money.Literal(amount)}
	if minimum != "" {
		balance := money.MustParse(minimum, "EUR")
		request.MinimumBalance = &balance
	}
	return o.Refund(ctx, of, request)
}

func (o *fixture) mustRefund(t *testing.T, id, amount, minimum string) {
	t.Helper()
	if err := o.tryRefund(t.Context(), live, id, amount, minimum); err != nil {
		t.Fatalf("refund %s: got %v, want no error", amount, err)
	}
}

// checkRefusedForBalance checks that the refund is refused for lack of balance, and returns true if the failure is
// transient.
func (o *fixture) checkRefusedForBalance(t *testing.T, id, amount, minimum string) (transient bool) {
	t.Helper()
	err := failure.Of(o.tryRefund(t.Context(), live, id, amount, minimum))
	if err.Code != "NOT_ENOUGH_BALANCE" {
		t.Errorf("refund %s above %s: got %v, want NOT_ENOUGH_BALANCE", amount, minimum, err)
	}
	return err.Transient
}

// readReserve returns the tenant's reserve for pending refunds, in euros.
func (o *fixture) readReserve(t *testing.T, of identity.Tenant) string {
	t.Helper()
	reserve, err := o.store.Reserve(t.Context(), of, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	return reserve.Amount.String()
}

// TestRefund_MinimumBalance checks that refunds do not take the balance below the minimum, not even by a cent. Refunds
// are possible again when the balance grows (contract §6.4).
func TestRefund_MinimumBalance(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	first, second := o.createPaid(t, live, "10", "EUR"), o.createPaid(t, live, "20", "EUR")
	o.checkRefusedForBalance(t, second, "15.01", "15")
	o.mustRefund(t, first, "10", "15")
	o.checkRefusedForBalance(t, second, "5.01", "15")
	o.mustRefund(t, second, "5", "15")
	o.checkRefusedForBalance(t, second, "0.01", "15")
	o.checkRefusedForBalance(t, second, "", "15")
	o.mustRefund(t, second, "0.01", "14.99")
	third := o.createPaid(t, live, "1", "EUR")
	o.mustRefund(t, third, "0.99", "15")
	if got := o.readReserve(t, live); got != "0.00" {
		t.Errorf("reserve: got %s, want 0.00", got)
	}
}

// TestRefund_NegativeMinimumBalance checks that with a minimum below zero, refunds may take the balance down to that
// minimum.
func TestRefund_NegativeMinimumBalance(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	id := o.createPaid(t, live, "100", "EUR")
	_, err := o.Chargeback(t.Context(), live, processing.ChargebackRequest{
		TransactionID: o.createPaid(t, live, "50", "EUR"), ID: "cb"})
	if err != nil {
		t.Fatal(err)
	}
	o.checkRefusedForBalance(t, id, "", "0.01")
	o.mustRefund(t, id, "", "0")
	id = o.createPaid(t, live, "1", "EUR")
	o.mustRefund(t, id, "", "-1000")
}

// TestRefund_BalancePerCurrencyAndTenant checks that payables of other currencies, merchants and modes do not count.
func TestRefund_BalancePerCurrencyAndTenant(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	id := o.createPaid(t, live, "10", "EUR")
	o.createPaid(t, live, "100", "USD")
	o.createPaid(t, identity.Tenant{Mode: identity.Test, Merchant: live.Merchant}, "100", "EUR")
	o.createPaid(t, identity.Tenant{Mode: identity.Live, Merchant: "MC00000000"}, "100", "EUR")
	o.checkRefusedForBalance(t, id, "0.01", "10")
	o.mustRefund(t, id, "0.01", "9.99")
}

// TestRefund_PendingReserved checks that pending refunds count as made until their outcome is known. If a refund is
// refused only because of the reserve, the failure is transient.
func TestRefund_PendingReserved(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	big, small := o.createPaid(t, live, "100", "EUR"), o.createPaid(t, live, "10", "EUR")
	o.mustRefund(t, big, "42.25", "60") // pending for 30 s
	if got := o.readReserve(t, live); got != "42.25" {
		t.Errorf("reserve: got %s, want 42.25", got)
	}
	if !o.checkRefusedForBalance(t, small, "7.76", "60") {
		t.Error("a refusal for the reserve alone: got transient false, want true")
	}
	if o.checkRefusedForBalance(t, small, "1", "109.01") {
		t.Error("a refusal for the balance: got transient true, want false")
	}
	o.mustRefund(t, small, "7.75", "60")
	o.Advance(2 * time.Minute)
	record, err := o.store.Transaction(t.Context(), live, big)
	if err != nil || len(record.Events) != 1 {
		t.Fatalf("got events %+v, %v, want one", record.Events, err)
	}
	if err = o.ResolveRefundDue(t.Context(), live, record.Events[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := o.readReserve(t, live); got != "0.00" {
		t.Errorf("reserve after the outcome: got %s, want 0.00", got)
	}
	if o.checkRefusedForBalance(t, small, "0.01", "60") { // the balance has not changed
		t.Error("a refusal without a reserve: got transient true, want false")
	}
}

// TestRefund_FailedNotReserved checks that the reserve is released when refunds are declined or not taken.
func TestRefund_FailedNotReserved(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	id := o.createPaid(t, live, "100", "EUR")
	if err := o.tryRefund(t.Context(), live, id, "42.91", "50"); failure.Of(err).Code != "CONFLICT" {
		t.Errorf("declined: got %v, want CONFLICT", err)
	}
	if err := o.tryRefund(t.Context(), live, id, "42.24", "50"); !failure.Is(err, failure.KindUpstream) {
		t.Errorf("not taken: got %v, want an upstream failure", err)
	}
	if got := o.readReserve(t, live); got != "0.00" {
		t.Errorf("reserve: got %s, want 0.00", got)
	}
	o.mustRefund(t, id, "50", "50")
}

// TestRefund_ConcurrentOnOneBalance checks that refunds of different transactions cannot use the same money.
func TestRefund_ConcurrentOnOneBalance(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	const many, fit = 15, 5
	ids := make([]string, many)
	for i := range ids {
		ids[i] = o.createPaid(t, live, "1", "EUR")
	}
	minimum := fmt.Sprint(many - fit)
	var made atomic.Int64
	var running sync.WaitGroup
	for _, id := range ids {
		running.Go(func() {
			switch err := o.tryRefund(t.Context(), live, id, "", minimum); {
			case err == nil:
				made.Add(1)
			case !failure.Is(err, failure.KindConflict):
				t.Errorf("refund: got %v, want a conflict or no error", err)
			}
		})
	}
	running.Wait()
	if made.Load() == 0 || made.Load() > fit {
		t.Fatalf("got %d refunds, want 1 to %d", made.Load(), fit)
	}
	for _, id := range ids { // repeat the refunds that only lost the race
		if o.tryRefund(t.Context(), live, id, "", minimum) == nil {
			made.Add(1)
		}
	}
	if got := o.readReserve(t, live); made.Load() != fit || got != "0.00" {
		t.Errorf("got %d refunds, reserve %s, want %d, 0.00", made.Load(), got, fit)
	}
}

// TestRefund_NoMinimumBalance checks that nothing is reserved without a minimum balance, as in test mode.
func TestRefund_NoMinimumBalance(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.createPaid(t, tenant, "100", "EUR")
	if err := o.tryRefund(t.Context(), tenant, id, "42.25", ""); err != nil {
		t.Fatal(err)
	}
	reserve, err := o.store.Reserve(t.Context(), tenant, "EUR")
	if err != nil || reserve.Version != 0 || !reserve.Amount.IsZero() {
		t.Errorf("reserve: got %+v, %v, want none", reserve, err)
	}
}

// TestRefund_NoLiveAcquirer checks that a refund in live mode is refused if there is no live acquirer (contract §12).
func TestRefund_NoLiveAcquirer(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	id := o.createPaid(t, live, "10", "EUR")
	o.Acquirers[identity.Live] = acquirer.None{}
	if err := o.tryRefund(t.Context(), live, id, "", "-1000"); !failure.Is(err, failure.KindUpstream) {
		t.Errorf("refund: got %v, want an upstream failure", err)
	}
	record, err := o.store.Transaction(t.Context(), live, id)
	if err != nil || len(record.Events) != 0 || !record.CanRefund() || o.readReserve(t, live) != "0.00" {
		t.Errorf("got events %+v, left %s, reserve %s, %v, want no events, some left, 0.00", record.Events,
			record.Refundable, o.readReserve(t, live), err)
	}
}

// TestRefund_AmountTooHigh checks that the error names the refundable rest in the transaction's currency.
func TestRefund_AmountTooHigh(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.createPaid(t, tenant, "10", "EUR")
	if err := o.tryRefund(t.Context(), tenant, id, "3", ""); err != nil {
		t.Fatal(err)
	}
	err := o.tryRefund(t.Context(), tenant, id, "7.01", "")
	var above *payments.AmountTooHighError
	if !errors.As(err, &above) || above.Refundable != money.MustParse("7", "EUR") ||
		!failure.Is(err, failure.KindConflict) {
		t.Errorf("refund: got %v, want a conflict that says 7 EUR are left", err)
	}
}

// TestRefund_NotTakenAfterLostAnswer uses an acquirer that loses the first answer and then takes no refund. It is
// unknown if the acquirer made the refund. So the refund stays pending, and its money stays reserved.
func TestRefund_NotTakenAfterLostAnswer(t *testing.T) {
	t.Parallel()
	o := newLiveFixture(t)
	id := o.createPaid(t, live, "10", "EUR")
	o.Acquirers[identity.Live] = &lostRefund{Acquirer: o.Acquirers[identity.Live]}
	o.mustRefund(t, id, "4", "0")
	record, err := o.store.Transaction(t.Context(), live, id)
	if err != nil || len(record.Events) != 1 || record.Events[0].Status != payments.EventPending ||
		o.readReserve(t, live) != "4.00" {
		t.Fatalf("got events %+v, reserve %s, %v, want one that is PENDING, 4.00", record.Events, o.readReserve(t, live), err)
	}
	o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
	o.Advance(2 * time.Minute)
	if err = o.ResolveRefundDue(t.Context(), live, record.Events[0].ID); err != nil {
		t.Fatal(err)
	}
	if record, err = o.store.Transaction(t.Context(), live, id); err != nil || record.Refunded.String() != "4.00" ||
		o.readReserve(t, live) != "0.00" {
		t.Errorf("got refunded %s, reserve %s, %v, want 4.00, 0.00", record.Refunded, o.readReserve(t, live), err)
	}
}

// lostRefund makes one refund and loses the answer. After that it takes no refund.
type lostRefund struct {
	acquirer.Acquirer
	asked atomic.Int64
}

func (a *lostRefund) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	if a.asked.Add(1) > 1 {
		return payments.Outcome{}, acquirer.ErrNotTaken
	}
	if _, err := a.Acquirer.Refund(ctx, r); err != nil {
		return payments.Outcome{}, err
	}
	return payments.Outcome{}, faults.ErrNetwork
}
