package processing_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// createFor creates a checkout for a customer.
func (o *fixture) createFor(t *testing.T, customer string) payments.Checkout {
	t.Helper()
	c, err := o.store.CreateCheckout(t.Context(), tenant, payments.Checkout{
		ID: uuid.NewString(), Reference: uuid.NewString(), Amount: money.MustParse("10.10", "EUR"),
		Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout, CustomerID: customer, CreatedAt: o.Now(),
		RedirectURL: "https://shop.example/done",
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStart_CustomerChangedDuringCancel checks that the former customer's card is not charged if the checkout gets
// another customer while its attempt is cancelled.
func TestStart_CustomerChangedDuringCancel(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	saved, err := o.pay(t, o.createFor(t, "ada"), passing)
	if err != nil || saved.InstrumentToken == "" {
		t.Fatalf("save: got %+v, %v, want a token", saved, err)
	}
	c := o.createFor(t, "ada")
	if _, err = o.pay(t, c, challenged); err != nil {
		t.Fatal(err)
	}
	o.onCancel = func(string) { // meanwhile another attempt fails, and the merchant updates the checkout
		failed, failure := o.pay(t, c, "4012001037461114")
		if failure != nil || failed.Status != payments.CheckoutFailed {
			t.Errorf("another attempt: got %s, %v, want FAILED", failed.Status, failure)
		}
		failed.CustomerID = "grace"
		if _, failure = o.store.SaveCheckout(t.Context(), tenant, failed); failure != nil {
			t.Errorf("update: got %v, want no error", failure)
		}
	}
	_, _, err = o.Start(t.Context(), tenant, processing.PaymentRequest{CheckoutID: c.ID, Operation: uuid.NewString(),
		Method:     payments.CardMethod,
		CustomerID: "ada", Token: saved.InstrumentToken, Installments: 1, PayerPresent: true})
	if f := failure.Of(err); f.Kind != failure.KindInvalid || f.Param != "token" {
		t.Errorf("process: got %v, want the token to be invalid", err)
	}
	if now := o.read(t, c); now.Status != payments.CheckoutFailed || len(now.Transactions) != 2 {
		t.Errorf("got %s with %d transactions, want %s with 2", now.Status, len(now.Transactions), payments.CheckoutFailed)
	}
}
