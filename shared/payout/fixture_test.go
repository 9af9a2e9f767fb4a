package payout_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// start is the time of the payments in these tests.
var start = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

func eur(amount string) money.Amount { return money.MustParse(amount, "EUR") }

// account is the account that receives the payouts of these tests.
var account = merchant.BankAccount{ID: "account-1", Holder: "Shop", IBAN: "DE17100100100000005678",
	Status: merchant.BankAccountVerified}

// newCheckout returns a checkout of the amount that is paid out in installments.
func newCheckout(amount money.Amount, rate string) payments.Checkout {
	return payments.Checkout{ID: "checkout-1", Reference: "order-1", Amount: amount, Status: payments.CheckoutPending,
		Purpose:   payments.PurposeCheckout,
		Payee:     payments.Payee{Code: "MC0A1B2C3D", Country: "DE", FeeRate: rate, PayoutPlan: merchant.TrueInstallment},
		CreatedAt: start, Version: 7}
}

// approve returns the checkout's approved payment in parts, with its payables.
func approve(t interface{ Fatal(...any) }, c payments.Checkout, id string, parts int,
	now time.Time) payments.CheckoutChange {
	c, err := c.Begin(payments.Attempt{ID: id, Operation: "request-" + id, Method: payments.CardMethod,
		PaymentType: payments.CardMethod.PaymentType(), Installments: parts}, payments.Source{}, now)
	if err != nil {
		t.Fatal(err)
	}
	change, ok := c.Settle(id, payments.Outcome{Decision: payments.Approved}, "msg", payments.Session{}, now)
	if !ok {
		t.Fatal("the approval: got no change, want one")
	}
	return change
}

// capture returns a payment of 90.00 EUR with a fee of 2 %.
func capture(t testing.TB, parts int) payments.CheckoutChange {
	t.Helper()
	return approve(t, newCheckout(eur("90"), "0.02"), "attempt-1", parts, start)
}

// diff returns the difference between two values, or "" if they are equal. Amounts are equal if value and currency are
// equal.
func diff(want, got any) string {
	return cmp.Diff(want, got, cmpopts.EquateComparable(money.Amount{}), cmpopts.EquateEmpty())
}

func chargeback(t testing.TB, tx payments.Transaction, id string, amount *money.Amount) payments.TransactionChange {
	t.Helper()
	change, err := tx.Chargeback(payments.Checkout{}, id, amount, false, "msg", after(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return change
}
