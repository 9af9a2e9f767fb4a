package payout

import "github.com/cashwrap/cashwrap/shared/payments"

// RecordStatus is the state of a payout record (contract §6.7).
type RecordStatus string

// The statuses. Clients do not see RecordOpen.
const (
	RecordOpen       RecordStatus = "OPEN"
	RecordSuccessful RecordStatus = "SUCCESSFUL"
	RecordFailed     RecordStatus = "FAILED"
)

// Record is one line of a payout: a payable that it collected.
type Record struct {
	PayoutID  string       `dynamo:"payout_id"`
	Day       string       `dynamo:"day"`
	Reference string       `dynamo:"reference"`
	Status    RecordStatus `dynamo:"status"`
	payments.Payable
}

// NumericID is the record's id as clients know it, of 53 bits (contract §6.7).
func (r Record) NumericID() int64 {
	return payments.NumericID("payout record " + r.PayoutID + " " + r.ID)
}

// record is the payable as the payout records it.
func (p Payout) record(payable payments.Payable) Record {
	return Record{PayoutID: p.ID, Day: p.Day, Reference: p.Reference(), Status: RecordOpen, Payable: payable}
}
