package payout

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Status is the state of a payout.
type Status string

// The statuses. Paid and Failed are final.
const (
	Collecting Status = "COLLECTING" // payables are being collected
	Sealed     Status = "SEALED"     // complete; waits for a verified account
	Sent       Status = "SENT"       // sent to the bank, or about to be
	Paying     Status = "PAYING"     // paid; the outcome is being applied to its records
	Returning  Status = "RETURNING"  // not paid; the outcome is being applied to its records
	Paid       Status = "PAID"
	Failed     Status = "FAILED"
)

// Payout pays a merchant for one period in one currency. The payout's ID is derived from the period, so a period has
// only one payout. The bank uses the ID as idempotency key, too.
type Payout struct {
	ID               string               `dynamo:"id"`
	Currency         money.Currency       `dynamo:"currency"`
	Shards           int                  `dynamo:"shards,omitempty"` // the merchant's shards at the opening; 0 means 1
	Day              string               `dynamo:"day"`              // day of payment in the merchant's zone, YYYY-MM-DD
	Cutoff           time.Time            `dynamo:"cutoff"`           // payables eligible before this time are collected
	Status           Status               `dynamo:"status"`
	Total            money.Amount         `dynamo:"total"` // sum of the payout's records
	Records          int                  `dynamo:"records"`
	To               merchant.BankAccount `dynamo:"to"`                           // receiving account, from Sent on
	OutcomeAppliedTo string               `dynamo:"outcome_applied_to,omitempty"` // last record with an applied outcome
	Reason           string               `dynamo:"reason,omitempty"`             // the bank's reason for a failure
	CreatedAt        time.Time            `dynamo:"created_at"`
	UpdatedAt        time.Time            `dynamo:"updated_at"`
	ChangedAt        time.Time            `dynamo:"changed_at,omitempty"` // last outcome of a transaction's part
	NextPoll         time.Time            `dynamo:"next_poll"`            // when payoutopen starts the next run
	Polls            int                  `dynamo:"polls"`
	Version          int                  `dynamo:"version"` // version of the stored item, from 1
}

// Regular is the kind of a payout that a schedule plans.
const Regular = "regular"

// OnDemand returns the kind of the payout that the given operation requests.
func OnDemand(operation string) string { return "on demand " + operation }

// ID returns the id of a tenant's payout for a period. The kind distinguishes the regular payout from the payouts on
// demand, each of which has its own kind.
func ID(tenant string, currency money.Currency, day, kind string) string {
	sum := sha256.Sum256([]byte("payout\x00" + tenant + "\x00" + string(currency) + "\x00" + day + "\x00" + kind))
	return hex.EncodeToString(sum[:16])
}

// RunsBy limits the time until a new payout runs. If the payout has not run by then, payoutopen sends its message
// again. RunsBy is longer than any backlog of messages lasts, because repeated messages would make a backlog grow.
const RunsBy = 30 * time.Minute

// New returns a payout for the payables that become eligible before the cut-off.
func New(id string, currency money.Currency, day string, cutoff, now time.Time) Payout {
	return Payout{ID: id, Currency: currency, Day: day, Cutoff: cutoff, Status: Collecting, Total: money.Zero(currency),
		CreatedAt: now, UpdatedAt: now, NextPoll: now.Add(RunsBy), Version: 1}
}

// Reference returns the text that the merchant's bank statement shows.
func (p Payout) Reference() string { return "PAYOUT " + p.Day + " " + p.ID[:8] }

// Step is a payout's next state, together with the journal entry that the same transaction writes.
type Step struct {
	Payout Payout // the new state, with the Version of the item that was read
	Entry  *ledger.Entry
}

// Seal returns the step that ends the collecting. If the total is zero or less, there is nothing to transfer. Then the
// payout goes straight to Paying.
func (p Payout) Seal(now time.Time) Step {
	if p.Total.Sign() > 0 {
		return Step{Payout: p.withStatus(Sealed, now)}
	}
	return Step{Payout: p.withStatus(Paying, now)}
}

// Send returns the step that enters the transfer to the account into the journal. The caller writes this step before it
// orders the transfer at the bank.
func (p Payout) Send(to merchant.BankAccount, now time.Time) Step {
	p.To = to
	return Step{Payout: p.withStatus(Sent, now), Entry: p.entry(ledger.Payout, ledger.MerchantPayable,
		ledger.PayoutsInTransit, now)}
}

// Paid returns the step that records the bank's confirmation that the money has left.
func (p Payout) Paid(now time.Time) Step {
	return Step{Payout: p.withStatus(Paying, now), Entry: p.entry(ledger.PayoutPaid, ledger.PayoutsInTransit,
		ledger.Bank, now)}
}

// Rejected returns the step that records the bank's answer that the money has not left, or has come back.
func (p Payout) Rejected(reason string, now time.Time) Step {
	step := Step{Payout: p.withStatus(Returning, now), Entry: p.entry(ledger.PayoutReturned, ledger.PayoutsInTransit,
		ledger.MerchantPayable, now)}
	step.Payout.Reason = reason
	return step
}

// resumeAfter is the time after which a payout without progress counts as interrupted. A run takes less time than this
// (functions/functions.go).
const resumeAfter = 15 * time.Minute

// withStatus returns the payout in the status. A next poll that is already early enough stays unchanged, because a move
// in the due index costs four write units.
func (p Payout) withStatus(status Status, now time.Time) Payout {
	p.Status, p.UpdatedAt, p.Polls = status, now, 0
	if latest := now.Add(resumeAfter); !now.Before(p.NextPoll) || p.NextPoll.After(latest) {
		p.NextPoll = latest
	}
	return p
}

// entry returns the journal entry that debits the payout's total to one account and credits it to another.
func (p Payout) entry(kind ledger.Kind, debit, credit ledger.Account, now time.Time) *ledger.Entry {
	return ledger.MustEntry(p.ID, kind, ledger.OfPayout(p.ID), now,
		ledger.Posting{Account: debit, Amount: p.Total}, ledger.Posting{Account: credit, Amount: p.Total.Neg()})
}

// RecordStatus is the state of a payout record (contract §6.7).
type RecordStatus string

// The statuses. Clients never see RecordOpen.
const (
	RecordOpen       RecordStatus = "OPEN"
	RecordSuccessful RecordStatus = "SUCCESSFUL"
	RecordFailed     RecordStatus = "FAILED"
)

// Record is one line of a payout: a collected payable.
type Record struct {
	PayoutID  string       `dynamo:"payout_id"`
	Day       string       `dynamo:"day"`
	Reference string       `dynamo:"reference"`
	Status    RecordStatus `dynamo:"status"`
	// TransactionAt is the time of the transaction's creation. It is zero for a deduction, and in records that are older
	// than the field.
	TransactionAt time.Time `dynamo:"transaction_at,omitempty"`
	payments.Payable
}

// NumericID returns the record's id in the form that clients see, a number of 53 bits (contract §6.7).
func (r Record) NumericID() int64 {
	return payments.NumericID("payout record " + r.PayoutID + " " + r.ID)
}

// Changed returns true if the payout has changed the transaction of the record: the part is PAID_OUT or FAILED. The
// collecting changes no time that clients see.
func (r Record) Changed() bool { return r.Kind == payments.PayablePart && r.Status != RecordOpen }

func (p Payout) record(payable payments.Payable) Record {
	return Record{PayoutID: p.ID, Day: p.Day, Reference: p.Reference(), Status: RecordOpen, Payable: payable}
}
