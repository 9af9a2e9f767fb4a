package ledger_test

import (
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// This example records a payment of 10.00 EUR with a fee of 0.20 EUR. The acquirer owes us the full amount. We owe the
// merchant the amount without our fee.
func ExampleNewEntry() {
	entry, err := ledger.NewEntry("payment-1", ledger.Payment, ledger.OfTransaction("payment-1"),
		time.Date(2026, time.November, 2, 8, 0, 0, 0, time.UTC),
		ledger.Posting{Account: ledger.AcquirerReceivable, Amount: money.MustParse("10.00", "EUR")},
		ledger.Posting{Account: ledger.MerchantPayable, Amount: money.MustParse("-9.80", "EUR")},
		ledger.Posting{Account: ledger.FeeIncome, Amount: money.MustParse("-0.20", "EUR")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range entry.Postings {
		fmt.Println(p.Account, p.Amount)
	}
	// Output:
	// acquirer_receivable 10.00
	// merchant_payable -9.80
	// fee_income -0.20
}
