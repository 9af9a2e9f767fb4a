// Package ledger defines the accounts and entries of the double-entry journal, and checks that each entry balances.
// NewEntry makes an entry, which refers to its transaction, payout or settlement by id.
package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// Account is an account of a tenant's ledger. Debits are positive, credits negative.
type Account string

// The accounts.
const (
	AcquirerReceivable Account = "acquirer_receivable" // the acquirer has collected this money, but not settled it with us
	MerchantPayable    Account = "merchant_payable"    // our debt to the merchant
	FeeIncome          Account = "fee_income"          // our earnings
	FeesReceivable     Account = "fees_receivable"     // fees billed to the merchant, under gross settlement
	PayoutsInTransit   Account = "payouts_in_transit"  // sent to the bank, while the outcome is unknown
	Bank               Account = "bank"                // our money at the bank

	AcquirerFees        Account = "acquirer_fees"        // the acquirer's fees: our expense
	AcquirerReserve     Account = "acquirer_reserve"     // the acquirer keeps this money as security
	AcquirerDifferences Account = "acquirer_differences" // written off after wrong settlements
)

// Kind is the kind of movement that an entry records.
type Kind string

// The kinds.
const (
	Payment    Kind = "payment"
	Refund     Kind = "refund"
	Chargeback Kind = "chargeback"

	Payout         Kind = "payout"
	PayoutPaid     Kind = "payout_paid"
	PayoutReturned Kind = "payout_returned"

	Settlement          Kind = "settlement"           // the acquirer has paid us
	SettlementReturned  Kind = "settlement_returned"  // a settlement came back from our bank
	SettlementCorrected Kind = "settlement_corrected" // an operator has written off a difference
	AcquirerFee         Kind = "acquirer_fee"         // a fee for no single charge
)

// Subject is the kind of object that an entry is about.
type Subject string

// The subjects.
const (
	SubjectTransaction Subject = "transaction"
	SubjectPayout      Subject = "payout"
	SubjectSettlement  Subject = "settlement" // in one currency, or an acquirer's fee for no single charge
)

// Reference names the transaction, payout or settlement whose money an entry moves.
type Reference struct {
	Subject Subject `dynamo:"subject"`
	ID      string  `dynamo:"id"`
}

// subject returns the subject that entries of this kind must have.
func (k Kind) subject() Subject {
	switch k {
	case Payout, PayoutPaid, PayoutReturned:
		return SubjectPayout
	case Settlement, SettlementReturned, SettlementCorrected, AcquirerFee:
		return SubjectSettlement
	default:
		return SubjectTransaction
	}
}

// OfTransaction returns a reference to a transaction.
func OfTransaction(id string) Reference { return Reference{SubjectTransaction, id} }

// OfPayout returns a reference to a payout.
func OfPayout(id string) Reference { return Reference{SubjectPayout, id} }

// OfSettlement returns a reference to a settlement in a currency, by the acquirer's id of the settlement.
func OfSettlement(id string, c money.Currency) Reference {
	return Reference{SubjectSettlement, "settlement#" + string(c) + "#" + id}
}

// OfAcquirerFee returns a reference to an acquirer's fee in a currency, by the acquirer's id of its line.
func OfAcquirerFee(lineID string, c money.Currency) Reference {
	return Reference{SubjectSettlement, "fee#" + string(c) + "#" + lineID}
}

// Posting is one account's share of an entry.
type Posting struct {
	Account Account      `dynamo:"account"`
	Amount  money.Amount `dynamo:"amount"` // debit positive, credit negative
}

// Entry moves money between accounts. It is written once, in the database transaction that moves the money, and never
// changed. Another entry corrects a mistake.
type Entry struct {
	ID       string    `dynamo:"id"` // of the transaction, event, payout, statement line or correction that it records
	Kind     Kind      `dynamo:"kind"`
	About    Reference `dynamo:"about"`
	Postings []Posting `dynamo:"postings"`
	At       time.Time `dynamo:"at"`

	AcquirerReference string `dynamo:"acquirer_reference,omitempty"` // of the movement at the acquirer; "" if it has none
}

// ErrUnbalanced reports postings that do not sum to zero in each currency, or an entry that moves nothing.
var ErrUnbalanced = errors.New("ledger: the entry does not balance")

// ErrSubject reports an entry whose subject does not fit its kind.
var ErrSubject = errors.New("ledger: the entry is about a wrong subject")

// NewEntry returns an entry of the given postings, without those that are zero. Errors: ErrSubject, ErrUnbalanced.
func NewEntry(id string, kind Kind, about Reference, at time.Time, postings ...Posting) (Entry, error) {
	e := Entry{ID: id, Kind: kind, About: about, At: at}
	for _, p := range postings {
		if !p.Amount.IsZero() {
			e.Postings = append(e.Postings, p)
		}
	}
	return e, e.Check()
}

// MustEntry returns an entry whose postings balance by construction. If they do not balance, it panics, because such a
// mistake of the caller must not be written.
func MustEntry(id string, kind Kind, about Reference, at time.Time, postings ...Posting) *Entry {
	e, err := NewEntry(id, kind, about, at, postings...)
	if err != nil {
		panic(err)
	}
	return &e
}

// Check checks a stored entry as NewEntry checks a new one. Errors: ErrSubject, ErrUnbalanced.
func (e Entry) Check() error {
	if e.About.Subject != e.Kind.subject() {
		return fmt.Errorf("%w: %s %s is about a %q", ErrSubject, e.Kind, e.ID, e.About.Subject)
	}
	sums := map[money.Currency]money.Amount{}
	for _, p := range e.Postings {
		currency := p.Amount.Currency()
		sum, ok := sums[currency]
		if !ok {
			sum = money.Zero(currency)
		}
		var err error
		if sums[currency], err = sum.Add(p.Amount); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnbalanced, e.ID, err)
		}
	}
	for _, sum := range sums {
		if !sum.IsZero() {
			return fmt.Errorf("%w: %s is off by %s", ErrUnbalanced, e.ID, sum)
		}
	}
	if len(e.Postings) < 2 {
		return fmt.Errorf("%w: %s moves nothing", ErrUnbalanced, e.ID)
	}
	return nil
}
