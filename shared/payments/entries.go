package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// paymentEntry enters the acquirer's debt to us, and our debt to the merchant. The debt to the merchant is the amount
// less our fee. Under gross settlement it is the full amount, and the fee is billed. reference is the acquirer's.
func paymentEntry(t Transaction, reference string, at time.Time) *ledger.Entry {
	owed, billed := minus(t.Captured, t.Fee), money.Zero(t.Fee.Currency())
	if t.Gross {
		owed, billed = t.Captured, t.Fee
	}
	entry := ledger.MustEntry(t.ID, ledger.Payment, ledger.OfTransaction(t.ID), at,
		ledger.Posting{Account: ledger.AcquirerReceivable, Amount: t.Captured},
		ledger.Posting{Account: ledger.FeesReceivable, Amount: billed},
		ledger.Posting{Account: ledger.MerchantPayable, Amount: owed.Neg()},
		ledger.Posting{Account: ledger.FeeIncome, Amount: t.Fee.Neg()})
	entry.AcquirerReference = reference
	return entry
}

// returnEntry enters an amount that went back to the payer at the merchant's cost. We keep the fee (contract §6.7).
func returnEntry(e Event, kind ledger.Kind, at time.Time) *ledger.Entry {
	return ledger.MustEntry(e.ID, kind, ledger.OfTransaction(e.TransactionID), at,
		ledger.Posting{Account: ledger.MerchantPayable, Amount: e.Amount},
		ledger.Posting{Account: ledger.AcquirerReceivable, Amount: e.Amount.Neg()})
}

// plus and minus cannot fail: one transaction's amounts have one currency and a bounded size (contract §4.1).
func plus(a, b money.Amount) money.Amount {
	sum, err := a.Add(b)
	if err != nil {
		panic(err)
	}
	return sum
}

func minus(a, b money.Amount) money.Amount { return plus(a, b.Neg()) }

// exceeds returns true if a is above b. Both have one currency.
func exceeds(a, b money.Amount) bool { return minus(a, b).Sign() > 0 }
