package payout_test

import (
	"fmt"
	"log"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// A payout collects payables, is sealed and sent, and is paid once the bank confirms it.
func ExamplePayout() {
	now := start.AddDate(0, 0, 1)
	payment := approve(log.Default(), newCheckout(eur("25.00"), ""), "attempt-1", 1, start)
	p := payout.New(payout.ID("L#MC0A1B2C3D", "EUR", "2026-11-03", payout.Regular), "EUR", "2026-11-03", now, now)
	collection, err := p.Collect(payment.Payables,
		map[string]payments.Transaction{payment.Transaction.ID: *payment.Transaction}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	step := collection.Payout.Seal(now)
	fmt.Println(step.Payout.Status, step.Payout.Total)
	step = step.Payout.Send(account, now)
	fmt.Println(step.Payout.Status, step.Entry.Kind)
	step = step.Payout.Paid(now.Add(time.Hour))
	fmt.Println(step.Payout.Status, step.Entry.Kind)
	transaction := collection.Transactions[0]
	applied, err := step.Payout.ApplyOutcome(collection.Records,
		map[string]payments.Transaction{transaction.ID: transaction}, nil, now.Add(time.Hour))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(applied.Records[0].Status, applied.Transactions[0].SimpleStatus())
	// Output:
	// SEALED 25.00
	// SENT payout
	// PAYING payout_paid
	// SUCCESSFUL PAID_OUT
}
