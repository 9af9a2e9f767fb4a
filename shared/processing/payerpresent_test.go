package processing_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// of makes a checkout of a customer's.
func (o *office) of(t *testing.T, customer string) payments.Checkout {
	t.Helper()
	c, err := o.store.CreateCheckout(t.Context(), tenant, payments.Checkout{
		ID: uuid.NewString(), Reference: uuid.NewString(), Amount: money.MustParse("10.10", "EUR"), Status: payments.CheckoutPending,
		Purpose: payments.PurposeCheckout, CustomerID: customer, CreatedAt: o.Now(), RedirectURL: "https://shop.example/done",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestACheckoutChangesHandsWhileAnAttemptIsGivenUp: the card of the customer it
// was of is not charged for the one it is of now.
func TestACheckoutChangesHandsWhileAnAttemptIsGivenUp(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	saved, err := o.pay(t, o.of(t, "ada"), passing)
	if err != nil || saved.InstrumentToken == "" {
		t.Fatalf("save: %+v, %v", saved, err)
	}
	c := o.of(t, "ada")
	if _, err := o.pay(t, c, challenged); err != nil {
		t.Fatal(err)
	}
	o.onCancel = func(string) { // another till gives the attempt up, fails, and the merchant updates the checkout
		failed, err := o.pay(t, c, "4012001037461114")
		if err != nil || failed.Status != payments.CheckoutFailed {
			t.Errorf("%s, %v", failed.Status, err)
		}
		failed.CustomerID = "grace"
		if _, err := o.store.SaveCheckout(t.Context(), tenant, failed); err != nil {
			t.Error(err)
		}
	}
	_, _, err = o.Start(t.Context(), tenant, processing.PaymentRequest{CheckoutID: c.ID, Operation: uuid.NewString(),
		Method:     payments.CardMethod,
		CustomerID: "ada", Token: saved.InstrumentToken, Installments: 1, PayerPresent: true})
	if f := failure.Of(err); f.Kind != failure.KindInvalid || f.Param != "token" {
		t.Errorf("process: %v", err)
	}
	if now := o.read(t, c); now.Status != payments.CheckoutFailed || len(now.Transactions) != 2 {
		t.Errorf("%s with %d transactions", now.Status, len(now.Transactions))
	}
}
