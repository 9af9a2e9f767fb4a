package payments_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// An attempt by card begins, and the acquirer asks for 3-D Secure before it approves.
func ExampleCheckout_Settle() {
	now := time.Date(2026, time.November, 2, 8, 0, 0, 0, time.UTC)
	checkout := payments.Checkout{ID: "checkout-1", Amount: money.MustParse("10.00", "EUR"),
		Status: payments.CheckoutPending}
	checkout, err := checkout.Begin(payments.Attempt{ID: "attempt-1", Method: payments.CardMethod}, payments.Source{}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, decision := range []payments.Decision{payments.Challenge, payments.Approved} {
		change, _ := checkout.Settle("attempt-1", payments.Outcome{Decision: decision}, "msg_1", payments.Session{}, now)
		checkout = change.Checkout
		fmt.Println(checkout.Status, checkout.RequiresAction(), change.Transaction.Status)
	}
	// Output:
	// PENDING true PENDING
	// PAID false SUCCESSFUL
}

// An operator allows refunds in Brazil for 90 days, and refunds in forints from 100 up.
func ExampleParseRefundRules() {
	rules, err := payments.ParseRefundRules("BR:90 HUF::100")
	if err != nil {
		fmt.Println(err)
		return
	}
	var paid payments.Transaction
	paid.Status, paid.Amount = payments.TransactionSuccessful, money.MustParse("5000", "HUF")
	paid.Refundable = paid.Amount
	amount := money.MustParse("50", "HUF")
	_, err = rules.Terms(paid, "HU").Begin(paid, "request-1", &amount, false, time.Now())
	var tooLow *payments.AmountTooLowError
	if errors.As(err, &tooLow) {
		fmt.Println("from", tooLow.Minimum, "to", tooLow.Refundable)
	}
	// Output: from 100 to 5000
}
