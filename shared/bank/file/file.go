// Package file is the bank of live mode for operators who hand files to their
// bank. It takes orders, writes them into ISO 20022 files for the operator to
// upload (pain.001.001.09), and learns from the operator what the bank made of
// them. It keeps its books in the table under keys of its own.
//
// An order is in at most one file, and a file that is written again has the
// same bytes, so that a bank knows it by its message id.
package file

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Bank keeps the orders. It is safe for concurrent use.
type Bank struct{ books books }

var _ bank.Bank = (*Bank)(nil)

// Config is what the bank works with.
type Config = table.Books

// New returns the bank; it makes no call.
func New(c Config) *Bank { return &Bank{books{c}} }

// transferID fits EndToEndId: Max35Text of the SEPA set.
var transferID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,34}$`)

// Transfer takes the order, or answers what became of the one of that id,
// whatever else is asked. An account that no file can name is rejected at
// once: one bad line spoils a whole file. Errors: ErrNotTaken, or an unknown
// outcome.
func (b *Bank) Transfer(ctx context.Context, t bank.Transfer) (bank.Outcome, error) {
	if !transferID.MatchString(t.ID) || t.Amount.Sign() <= 0 {
		return b.unlessKnown(ctx, t.ID)
	}
	now := b.books.Time()
	o := order{Transfer: t, Standing: waiting, OrderedAt: now}
	if reason := refusal(t.To); reason != "" {
		o = o.settle(bank.Outcome{State: bank.Rejected, Reason: reason}, now)
	}
	o, err := b.books.open(ctx, o)
	if err != nil {
		return bank.Outcome{}, err
	}
	return o.outcome(), nil
}

// unlessKnown refuses what no file can carry, but an order that was taken
// before (or cancelled ahead of its arrival) is answered for all the same.
func (b *Bank) unlessKnown(ctx context.Context, id string) (bank.Outcome, error) {
	o, err := b.books.order(ctx, id)
	if errors.Is(err, bank.ErrUnknownTransfer) {
		return bank.Outcome{}, fmt.Errorf("%w: it has no amount, or no id of at most 35 letters and digits", bank.ErrNotTaken)
	}
	if err != nil {
		return bank.Outcome{}, err
	}
	return o.outcome(), nil
}

// Cancel withdraws an order that is in no file yet, and refuses an id never
// seen from now on. One in a file goes its way, whether or not the file is
// complete: the operator's bank may have it. After an error, asking again is
// safe.
func (b *Bank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	now := b.books.Time()
	o, err := b.books.open(ctx, order{Transfer: bank.Transfer{ID: id}, OrderedAt: now}.settle(bank.Cancelled, now))
	if err == nil && o.Standing == waiting {
		o, err = b.books.move(ctx, id, func(o order) (order, error) {
			if o.Standing != waiting {
				return o, nil
			}
			return o.settle(bank.Cancelled, now), nil
		})
	}
	if err != nil {
		return bank.Outcome{}, err
	}
	return o.outcome(), nil
}

// Errors of Settle, beside bank.ErrUnknownTransfer.
var (
	ErrSettled     = failure.Conflict("the order is settled already, with another outcome")
	ErrNotExported = failure.Conflict("the order is in no complete file yet")
)

// reasonCode is the form of ISO 20022 ExternalStatusReason1Code.
var reasonCode = regexp.MustCompile(`^[A-Z0-9]{1,4}$`)

// Settle records the bank's word on an order: Paid, or Rejected with a reason.
// It is final, and saying it again is fine. An order in no file yet may be
// rejected, which withdraws it, but cannot have been paid. Errors:
// ErrUnknownTransfer, ErrSettled, ErrNotExported, a bad field.
func (b *Bank) Settle(ctx context.Context, id string, word bank.Outcome) error {
	switch {
	case word.State == bank.Paid && word.Reason != "":
		return failure.Invalid("reason", "goes with a rejection only")
	case word.State == bank.Rejected && !reasonCode.MatchString(word.Reason):
		return failure.Invalid("reason", "must be an ISO 20022 status reason such as AC04")
	case word.State != bank.Paid && word.State != bank.Rejected:
		return failure.Invalid("outcome", "must be paid or rejected")
	}
	_, err := b.books.move(ctx, id, func(o order) (order, error) {
		switch {
		case o.settled() && o.outcome() == word:
			return o, nil
		case o.settled():
			return o, ErrSettled
		case o.Standing == waiting && word.State == bank.Paid:
			return o, ErrNotExported
		case o.Standing == exported:
			if err := b.complete(ctx, o.ExportID); err != nil {
				return o, err
			}
		}
		return o.settle(word, b.books.Time()), nil
	})
	return err
}

// complete says the file may have reached the bank: what is in it is fixed.
// Were an order of it rejected before, it could be paid by the file all the
// same.
func (b *Bank) complete(ctx context.Context, exportID string) error {
	e, err := b.books.export(ctx, exportID)
	switch {
	case err != nil:
		return err
	case !e.sealed():
		return ErrNotExported
	default:
		return nil
	}
}

// maxListed bounds a list of orders, and those of a file.
const maxListed = 1000

// Orders are those in no file yet, the oldest first, at most limit (1-1000).
func (b *Bank) Orders(ctx context.Context, currency money.Currency, limit int) ([]bank.Transfer, error) {
	if limit < 1 || limit > maxListed {
		return nil, failure.Invalid("limit", "must be from 1 to 1000")
	}
	ids, err := b.books.waiting(ctx, currency, limit)
	if err != nil {
		return nil, err
	}
	found, err := b.books.orders(ctx, ids)
	if err != nil {
		return nil, err
	}
	var transfers []bank.Transfer
	for _, id := range ids {
		if o, ok := found[id]; ok && o.Standing == waiting {
			transfers = append(transfers, o.Transfer)
		}
	}
	return transfers, nil
}

// Statement walks every order that the operator's bank has paid, by the time
// it was told so, page by page. An error ends it.
func (b *Bank) Statement(ctx context.Context) iter.Seq2[bank.StatementLine, error] {
	return table.Walk(ctx, b.books.paid(), paidItem.line)
}
