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

	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

var live = identity.Tenant{Mode: identity.Live, Merchant: "MC0A1B2C3D"}

// newLiveOffice has an acquirer for live mode as well: the sandbox, which
// decides by the amount.
func newLiveOffice(t *testing.T) *office {
	t.Helper()
	o := newOffice(t)
	o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
	return o
}

// paid is a successful transaction of the tenant without a fee, so that the
// merchant is owed all of it.
func (o *office) paid(t *testing.T, of identity.Tenant, amount string, c money.Currency) string {
	t.Helper()
	checkout, err := o.store.CreateCheckout(t.Context(), of, payments.Checkout{
		ID: uuid.NewString(), Reference: uuid.NewString(), Amount: money.MustParse(amount, c),
		Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CreatedAt: o.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	card := &payments.Card{Name: "Ada", Number: payments.NewSecret(passing), ExpiryMonth: "12", ExpiryYear: "2030",
		CVV: payments.NewSecret("739")}
	checkout, _, err = o.Start(t.Context(), of, processing.PaymentRequest{
		CheckoutID: checkout.ID, Operation: uuid.NewString(), Method: payments.CardMethod, Card: card, Installments: 1})
	if err != nil || checkout.Status != payments.CheckoutPaid {
		t.Fatalf("pay: %s, %v", checkout.Status, err)
	}
	return checkout.Transactions[0].ID
}

// giveBack asks for a refund above a floor, in euros; "": none.
func (o *office) giveBack(ctx context.Context, of identity.Tenant, id, amount, floor string) error {
	request := processing.RefundRequest{TransactionID: id, Operation: uuid.NewString(), Amount: money.Literal(amount)}
	if floor != "" {
		least := money.MustParse(floor, "EUR")
		request.MinimumBalance = &least
	}
	return o.Refund(ctx, of, request)
}

func (o *office) mustRefund(t *testing.T, id, amount, floor string) {
	t.Helper()
	if err := o.giveBack(t.Context(), live, id, amount, floor); err != nil {
		t.Fatalf("refund %s: %v", amount, err)
	}
}

// refusedForBalance checks that a cent more than the floor leaves is refused.
func (o *office) refusedForBalance(t *testing.T, id, amount, floor string) *failure.Error {
	t.Helper()
	err := failure.Of(o.giveBack(t.Context(), live, id, amount, floor))
	if err.Code != "NOT_ENOUGH_BALANCE" {
		t.Errorf("refund %s above %s: %v", amount, floor, err)
	}
	return err
}

// held is what the tenant's refunds in flight hold, in euros.
func (o *office) held(t *testing.T, of identity.Tenant) string {
	t.Helper()
	held, err := o.store.Reserve(t.Context(), of, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	return held.Amount.String()
}

// Contract §6.4: to the floor, and not a cent further; a balance that cannot
// be refunded can still be refunded from when it grows.
func TestRefundsMayTakeTheBalanceToItsFloor(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	first, second := o.paid(t, live, "10", "EUR"), o.paid(t, live, "20", "EUR")
	o.refusedForBalance(t, second, "15.01", "15")
	o.mustRefund(t, first, "10", "15")
	o.refusedForBalance(t, second, "5.01", "15")
	o.mustRefund(t, second, "5", "15")
	o.refusedForBalance(t, second, "0.01", "15")
	o.refusedForBalance(t, second, "", "15")
	o.mustRefund(t, second, "0.01", "14.99")
	third := o.paid(t, live, "1", "EUR")
	o.mustRefund(t, third, "0.99", "15")
	if held := o.held(t, live); held != "0.00" {
		t.Errorf("held %s", held)
	}
}

// A floor below nought lets the merchant owe, until it does.
func TestRefundsMayTakeTheBalanceBelowNought(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	id := o.paid(t, live, "100", "EUR")
	_, err := o.Chargeback(t.Context(), live, processing.ChargebackRequest{
		TransactionID: o.paid(t, live, "50", "EUR"), ID: "cb"})
	if err != nil {
		t.Fatal(err)
	}
	o.refusedForBalance(t, id, "", "0.01")
	o.mustRefund(t, id, "", "0")
	id = o.paid(t, live, "1", "EUR")
	o.mustRefund(t, id, "", "-1000")
}

// What other currencies are owed for is no cover, and other merchants and
// modes neither.
func TestABalanceIsOfOneCurrencyAndTenant(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	id := o.paid(t, live, "10", "EUR")
	o.paid(t, live, "100", "USD")
	o.paid(t, identity.Tenant{Mode: identity.Test, Merchant: live.Merchant}, "100", "EUR")
	o.paid(t, identity.Tenant{Mode: identity.Live, Merchant: "MC00000000"}, "100", "EUR")
	o.refusedForBalance(t, id, "0.01", "10")
	o.mustRefund(t, id, "0.01", "9.99")
}

// A refund in flight counts as made until its outcome is known; a refusal that
// is due only to it is a transient one.
func TestRefundsInFlightHoldTheirMoney(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	big, small := o.paid(t, live, "100", "EUR"), o.paid(t, live, "10", "EUR")
	o.mustRefund(t, big, "42.25", "60") // of which nobody hears for 30 s
	if held := o.held(t, live); held != "42.25" {
		t.Errorf("held %s", held)
	}
	if held, short := o.refusedForBalance(t, small, "7.76", "60"), o.refusedForBalance(
		t, small, "1", "109.01"); !held.Transient || short.Transient {
		t.Errorf("transient %t for what is held, %t for what is not there", held.Transient, short.Transient)
	}
	o.mustRefund(t, small, "7.75", "60")
	o.Advance(2 * time.Minute)
	record, err := o.store.Transaction(t.Context(), live, big)
	if err != nil || len(record.Events) != 1 {
		t.Fatalf("%d events, %v", len(record.Events), err)
	}
	if err := o.ResolveRefundDue(t.Context(), live, record.Events[0].ID); err != nil {
		t.Fatal(err)
	}
	if held := o.held(t, live); held != "0.00" {
		t.Errorf("held %s after the outcome", held)
	}
	if err := o.refusedForBalance(t, small, "0.01", "60"); err.Transient { // the balance is what it was
		t.Error("transient, and nothing is held")
	}
}

// The hold is given back with a refund that came to nothing.
func TestRefundsThatCameToNothingHoldNothing(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	id := o.paid(t, live, "100", "EUR")
	if err := o.giveBack(t.Context(), live, id, "42.91", "50"); failure.Of(err).Code != "CONFLICT" {
		t.Errorf("declined: %v", err)
	}
	if err := o.giveBack(t.Context(), live, id, "42.24", "50"); !failure.Is(err, failure.KindUpstream) {
		t.Errorf("not taken: %v", err)
	}
	if held := o.held(t, live); held != "0.00" {
		t.Errorf("held %s", held)
	}
	o.mustRefund(t, id, "50", "50")
}

// Refunds of different transactions cannot count on the same money.
func TestRefundsAtOnceShareTheBalance(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	const many, fit = 15, 5
	ids := make([]string, many)
	for i := range ids {
		ids[i] = o.paid(t, live, "1", "EUR")
	}
	floor := fmt.Sprint(many - fit)
	var made atomic.Int64
	var running sync.WaitGroup
	for _, id := range ids {
		running.Go(func() {
			switch err := o.giveBack(t.Context(), live, id, "", floor); {
			case err == nil:
				made.Add(1)
			case !failure.Is(err, failure.KindConflict):
				t.Errorf("refund: %v", err)
			}
		})
	}
	running.Wait()
	if made.Load() == 0 || made.Load() > fit {
		t.Fatalf("%d refunds of %d that fit", made.Load(), fit)
	}
	for _, id := range ids { // whoever only lost the race
		if o.giveBack(t.Context(), live, id, "", floor) == nil {
			made.Add(1)
		}
	}
	if held := o.held(t, live); made.Load() != fit || held != "0.00" {
		t.Errorf("%d refunds of %d that fit, held %s", made.Load(), fit, held)
	}
}

// In test mode there is no floor, and nothing is held.
func TestWithoutAFloorNothingIsHeld(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.paid(t, tenant, "100", "EUR")
	if err := o.giveBack(t.Context(), tenant, id, "42.25", ""); err != nil {
		t.Fatal(err)
	}
	held, err := o.store.Reserve(t.Context(), tenant, "EUR")
	if err != nil || held.Version != 0 || !held.Amount.IsZero() {
		t.Errorf("held %+v, %v", held, err)
	}
}

// Contract §12: live refunds without an acquirer are not taken.
func TestALiveRefundWithoutAnAcquirer(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	id := o.paid(t, live, "10", "EUR")
	o.Acquirers[identity.Live] = acquirer.None{}
	if err := o.giveBack(t.Context(), live, id, "", "-1000"); !failure.Is(err, failure.KindUpstream) {
		t.Errorf("refund: %v", err)
	}
	record, err := o.store.Transaction(t.Context(), live, id)
	if err != nil || len(record.Events) != 0 || !record.CanRefund() || o.held(t, live) != "0.00" {
		t.Errorf("%d events, left %s, held %s, %v", len(record.Events), record.Refundable, o.held(t, live), err)
	}
}

// What is left is told in the transaction's currency.
func TestARefundAboveTheRestTellsIt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.paid(t, tenant, "10", "EUR")
	if err := o.giveBack(t.Context(), tenant, id, "3", ""); err != nil {
		t.Fatal(err)
	}
	err := o.giveBack(t.Context(), tenant, id, "7.01", "")
	var above *payments.AmountTooHighError
	if !errors.As(err, &above) || above.Refundable != money.MustParse("7", "EUR") || !failure.Is(err, failure.KindConflict) {
		t.Errorf("refund: %v", err)
	}
}

// An answer is lost, and the acquirer takes nothing more: whether it made the
// refund is not known, so it stays open and the money set aside.
func TestARefundNotTakenAfterALostAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	o := newLiveOffice(t)
	id := o.paid(t, live, "10", "EUR")
	o.Acquirers[identity.Live] = &amnesiac{Acquirer: o.Acquirers[identity.Live]}
	o.mustRefund(t, id, "4", "0")
	record, err := o.store.Transaction(t.Context(), live, id)
	if err != nil || len(record.Events) != 1 || record.Events[0].Status != payments.EventPending ||
		o.held(t, live) != "4.00" {
		t.Fatalf("events %+v, held %s, %v", record.Events, o.held(t, live), err)
	}
	o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
	o.Advance(2 * time.Minute)
	if err := o.ResolveRefundDue(t.Context(), live, record.Events[0].ID); err != nil {
		t.Fatal(err)
	}
	if record, err = o.store.Transaction(t.Context(), live, id); err != nil || record.Refunded.String() != "4.00" ||
		o.held(t, live) != "0.00" {
		t.Errorf("refunded %s, held %s, %v", record.Refunded, o.held(t, live), err)
	}
}

// amnesiac makes one refund and loses the answer, then takes nothing more.
type amnesiac struct {
	acquirer.Acquirer
	asked atomic.Int64
}

func (a *amnesiac) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	if a.asked.Add(1) > 1 {
		return payments.Outcome{}, acquirer.ErrNotTaken
	}
	if _, err := a.Acquirer.Refund(ctx, r); err != nil {
		return payments.Outcome{}, err
	}
	return payments.Outcome{}, faults.ErrNetwork
}
