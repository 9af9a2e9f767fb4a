package store

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// receiptItem gives a transaction or refund its receipt number.
type receiptItem struct {
	key
	ID     string `dynamo:"id"` // of the transaction or event
	Number int64  `dynamo:"receipt_no"`
}

// receiptCounter is the tenant's last receipt number.
type receiptCounter struct {
	key
	Last int64 `dynamo:"last"`
}

// NumberReceipt gives a transaction or refund the tenant's next receipt number, or returns the number that it has, in
// one read and one transaction. code is the transaction's code. Numbers run from 1 without gaps, because counter and
// receipt are written together.
//
// Of many concurrent calls, one succeeds in each round. The others try again until their time is up.
func (s *Store) NumberReceipt(ctx context.Context, t identity.Tenant, code, id string) (int64, error) {
	var cause error
	for tried := int64(-1); ; {
		// The counter is read first. A try whose reply was lost may be applied between the two reads. The second read then
		// shows its number.
		last, err := s.readLastReceipt(ctx, t)
		if err != nil {
			return 0, errors.Join(cause, err)
		}
		if cause != nil {
			number, err := s.readReceiptNumber(ctx, t, code, id)
			switch {
			case err != nil:
				return 0, errors.Join(cause, err)
			case number != 0:
				return number, nil
			case last == tried: // no other receipt was numbered, so another error occurred
				return 0, cause
			}
		}
		if cause = s.writeReceipt(ctx, t, code, id, last); cause == nil {
			return last + 1, nil
		}
		tried = last
	}
}

// writeReceipt assigns the number after the last.
func (s *Store) writeReceipt(ctx context.Context, t identity.Tenant, code, id string, last int64) error {
	next := receiptCounter{key: receiptCounterKey(t), Last: last + 1}
	count := s.table.Put(next).If("'last' = ?", last)
	if last == 0 {
		count = s.table.Put(next).If("attribute_not_exists(pk)")
	}
	receipt := receiptItem{key: receiptKey(t, code, id), ID: id, Number: next.Last}
	return s.db.WriteTx().Idempotent(true).Put(count).Put(s.table.Put(receipt).If("attribute_not_exists(pk)")).Run(ctx)
}

// readLastReceipt returns the tenant's last number, or 0 before the first.
func (s *View) readLastReceipt(ctx context.Context, t identity.Tenant) (int64, error) {
	counter, err := readOne[receiptCounter](ctx, s, receiptCounterKey(t), nil)
	return counter.Last, err
}

// readReceiptNumber returns the number of a transaction or refund, or 0 while it has none.
func (s *View) readReceiptNumber(ctx context.Context, t identity.Tenant, code, id string) (int64, error) {
	receipt, err := readOne[receiptItem](ctx, s, receiptKey(t, code, id), nil)
	return receipt.Number, err
}
