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

// Payout pays a merchant for one period in one currency. Its ID follows from the period, so that a period has only one
// payout. The ID is also the bank's idempotency key.
type Payout struct {
	ID               string               `dynamo:"id"`
	Currency         money.Currency       `dynamo:"currency"`
	Shards           int                  `dynamo:"shards,omitempty"` // the merchant's when the payout was opened; 0: one
	Day              string               `dynamo:"day"`              // of payment, YYYY-MM-DD where the merchant is
	Cutoff           time.Time            `dynamo:"cutoff"`           // payables eligible before it are collected
	Status           Status               `dynamo:"status"`
	Total            money.Amount         `dynamo:"total"` // of its records
	Records          int                  `dynamo:"records"`
	To               merchant.BankAccount `dynamo:"to"`                           // from Sent on
	OutcomeAppliedTo string               `dynamo:"outcome_applied_to,omitempty"` // the last record that has the outcome
	Reason           string               `dynamo:"reason,omitempty"`             // the bank's, of a failure
	CreatedAt        time.Time            `dynamo:"created_at"`
	UpdatedAt        time.Time            `dynamo:"updated_at"`
	NextPoll         time.Time            `dynamo:"next_poll"` // when payoutopen starts the next run
	Polls            int                  `dynamo:"polls"`
	Version          int                  `dynamo:"version"` // of the stored item, from 1
}

// Regular is the kind of payouts that a schedule plans.
const Regular = "regular"

// OnDemand returns the kind of the payout that an operation requests.
func OnDemand(operation string) string { return "on demand " + operation }

// ID returns the id of a tenant's payout of a period. The kind distinguishes the regular payout from each payout on
// demand.
func ID(tenant string, currency money.Currency, day, kind string) string {
	sum := sha256.Sum256([]byte("payout\x00" + tenant + "\x00" + string(currency) + "\x00" + day + "\x00" + kind))
	return hex.EncodeToString(sum[:16])
}

// RunsBy is the time that a new payout has to run. If it has not run by then, payoutopen repeats its message. RunsBy is
// longer than any backlog of messages lasts, because repeated messages would make a backlog grow.
const RunsBy = 30 * time.Minute

// New opens a payout of the payables that are eligible before the cut-off.
func New(id string, currency money.Currency, day string, cutoff, now time.Time) Payout {
	return Payout{ID: id, Currency: currency, Day: day, Cutoff: cutoff, Status: Collecting, Total: money.Zero(currency),
		CreatedAt: now, UpdatedAt: now, NextPoll: now.Add(RunsBy), Version: 1}
}

// Reference returns the text that the merchant's bank statement shows.
func (p Payout) Reference() string { return "PAYOUT " + p.Day + " " + p.ID[:8] }

// Step is a payout's next state, with the journal entry of the same transaction.
type Step struct {
	Payout Payout // with the Version of the item that was read
	Entry  *ledger.Entry
}

// Seal ends the collecting. A total that is not above zero needs no bank: records and carried amounts cancel out.
func (p Payout) Seal(now time.Time) Step {
	if p.Total.Sign() > 0 {
		return Step{Payout: p.withStatus(Sealed, now)}
	}
	return Step{Payout: p.withStatus(Paying, now)}
}

// Send enters the transfer to the account into the journal, before the bank gets the order.
func (p Payout) Send(to merchant.BankAccount, now time.Time) Step {
	p.To = to
	return Step{Payout: p.withStatus(Sent, now), Entry: p.entry(ledger.Payout, ledger.MerchantPayable,
		ledger.PayoutsInTransit, now)}
}

// Paid records the bank's confirmation that the money has left.
func (p Payout) Paid(now time.Time) Step {
	return Step{Payout: p.withStatus(Paying, now), Entry: p.entry(ledger.PayoutPaid, ledger.PayoutsInTransit,
		ledger.Bank, now)}
}

// Rejected records the bank's answer that the money has not left, or has come back.
func (p Payout) Rejected(reason string, now time.Time) Step {
	step := Step{Payout: p.withStatus(Returning, now), Entry: p.entry(ledger.PayoutReturned, ledger.PayoutsInTransit,
		ledger.MerchantPayable, now)}
	step.Payout.Reason = reason
	return step
}

// resumeAfter is the time after which a payout without progress counts as cut off. A run takes less
// (functions/functions.go).
const resumeAfter = 15 * time.Minute

// withStatus returns the payout in the status. A next poll that is early enough stays, because a move in the due index
// costs four write units.
func (p Payout) withStatus(status Status, now time.Time) Payout {
	p.Status, p.UpdatedAt, p.Polls = status, now, 0
	if latest := now.Add(resumeAfter); !now.Before(p.NextPoll) || p.NextPoll.After(latest) {
		p.NextPoll = latest
	}
	return p
}

// entry debits the payout's total to one account and credits it to another.
func (p Payout) entry(kind ledger.Kind, debit, credit ledger.Account, now time.Time) *ledger.Entry {
	return ledger.MustEntry(p.ID, kind, ledger.OfPayout(p.ID), now,
		ledger.Posting{Account: debit, Amount: p.Total}, ledger.Posting{Account: credit, Amount: p.Total.Neg()})
}

// RecordStatus is the state of a payout record (contract §6.7).
type RecordStatus string

// The statuses. Clients do not see RecordOpen.
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
	payments.Payable
}

// NumericID returns the record's id as clients know it, of 53 bits (contract §6.7).
func (r Record) NumericID() int64 {
	return payments.NumericID("payout record " + r.PayoutID + " " + r.ID)
}

func (p Payout) record(payable payments.Payable) Record {
	return Record{PayoutID: p.ID, Day: p.Day, Reference: p.Reference(), Status: RecordOpen, Payable: payable}
}
