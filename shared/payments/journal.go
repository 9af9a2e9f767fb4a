package payments

import (
	"errors"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// Account of a tenant's books. Debits are positive, credits negative.
type Account string

// The accounts.
const (
	AcquirerReceivable Account = "acquirer_receivable" // what the acquirer has taken for us and not yet handed over
	MerchantPayable    Account = "merchant_payable"    // what we owe the merchant
	FeeIncome          Account = "fee_income"          // what we have earned
	FeesReceivable     Account = "fees_receivable"     // fees billed to the merchant, under gross settlement
	PayoutsInTransit   Account = "payouts_in_transit"  // ordered at the bank, not known to be executed
	Bank               Account = "bank"                // our money there
)

// EntryKind says what an entry records.
type EntryKind string

// The kinds.
const (
	PaymentEntry    EntryKind = "payment"
	RefundEntry     EntryKind = "refund"
	ChargeBackEntry EntryKind = "charge_back"

	PayoutEntry         EntryKind = "payout"
	PayoutPaidEntry     EntryKind = "payout_paid"
	PayoutReturnedEntry EntryKind = "payout_returned"
)

// Leg is one account's share of an entry.
type Leg struct {
	Account Account      `dynamo:"account"`
	Amount  money.Amount `dynamo:"amount"` // debit positive, credit negative
}

// Entry is one posting of the double-entry journal: written once, in the
// transaction that moves the money, and never changed. A mistake is mended by
// another entry.
type Entry struct {
	ID            string    `dynamo:"id"` // of the transaction or event it records
	Kind          EntryKind `dynamo:"kind"`
	TransactionID string    `dynamo:"transaction_id"`
	Code          string    `dynamo:"transaction_code"`
	Legs          []Leg     `dynamo:"legs"`
	At            time.Time `dynamo:"at"`
}

// ErrUnbalanced reports legs that do not sum to zero in each currency, or an
// entry that moves nothing.
var ErrUnbalanced = errors.New("payments: an unbalanced journal entry")

// NewEntry makes an entry of the legs; those of nought are left out. Error:
// ErrUnbalanced.
func NewEntry(id string, kind EntryKind, t Transaction, at time.Time, legs ...Leg) (Entry, error) {
	e := Entry{ID: id, Kind: kind, TransactionID: t.ID, Code: t.Code, At: at}
	for _, leg := range legs {
		if !leg.Amount.IsZero() {
			e.Legs = append(e.Legs, leg)
		}
	}
	return e, e.Check()
}

// Check is what the constructor demands, for those who read entries back.
func (e Entry) Check() error {
	sums := map[money.Currency]money.Amount{}
	for _, leg := range e.Legs {
		currency := leg.Amount.Currency()
		sum, ok := sums[currency]
		if !ok {
			sum = money.Zero(currency)
		}
		var err error
		if sums[currency], err = sum.Add(leg.Amount); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnbalanced, e.ID, err)
		}
	}
	for _, sum := range sums {
		if !sum.IsZero() {
			return fmt.Errorf("%w: %s is off by %s", ErrUnbalanced, e.ID, sum)
		}
	}
	if len(e.Legs) < 2 {
		return fmt.Errorf("%w: %s moves nothing", ErrUnbalanced, e.ID)
	}
	return nil
}

// post makes an entry that is balanced by construction. One that is not is a
// mistake in this package, and must not reach the books.
func post(id string, kind EntryKind, t Transaction, at time.Time, legs ...Leg) *Entry {
	e, err := NewEntry(id, kind, t, at, legs...)
	if err != nil {
		panic(err)
	}
	return &e
}

// paymentEntry: the acquirer owes us the amount; we owe it to the merchant,
// less our fee, or under gross settlement whole, with the fee billed.
func paymentEntry(t Transaction, at time.Time) *Entry {
	owed, billed := minus(t.Captured, t.Fee), money.Zero(t.Fee.Currency())
	if t.Gross {
		owed, billed = t.Captured, t.Fee
	}
	return post(t.ID, PaymentEntry, t, at, Leg{AcquirerReceivable, t.Captured}, Leg{FeesReceivable, billed},
		Leg{MerchantPayable, owed.Neg()}, Leg{FeeIncome, t.Fee.Neg()})
}

// returnEntry: the acquirer gave the amount back to the payer, at the
// merchant's cost. The fee is not given back (contract §6.7).
func returnEntry(e Event, kind EntryKind, t Transaction, at time.Time) *Entry {
	return post(e.ID, kind, t, at, Leg{MerchantPayable, e.Amount}, Leg{AcquirerReceivable, e.Amount.Neg()})
}

// plus and minus are for amounts of one transaction, whose currency is one and
// whose size is bounded (contract §4.1): they cannot fail.
func plus(a, b money.Amount) money.Amount {
	sum, err := a.Add(b)
	if err != nil {
		panic(err)
	}
	return sum
}

func minus(a, b money.Amount) money.Amount { return plus(a, b.Neg()) }

// more says a is above b, both of one currency.
func more(a, b money.Amount) bool { return minus(a, b).Sign() > 0 }
