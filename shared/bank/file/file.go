// Package file is the bank of live mode, for operators who send files to their bank. Call New to get the bank. It
// writes accepted transfers into ISO 20022 files (pain.001.001.09). The operator reports the outcome of each transfer,
// and whether accounts are verified. The bank keeps its own items in the table.
//
// A transfer is in at most one file. A file that is written again has the same bytes and the same message id, so the
// operator's bank recognises the repetition.
package file

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// Bank keeps transfers and verifications until the operator reports their outcomes. It is safe for concurrent use.
type Bank struct{ records records }

var _ bank.Bank = (*Bank)(nil)

// Config configures the bank.
type Config = table.Client

// New returns the bank; it makes no call.
func New(c Config) *Bank { return &Bank{records{c}} }

// transferID is the form of ids that fit the field EndToEndId: Max35Text of the SEPA set.
var transferID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,34}$`)

// Transfer accepts a transfer. For a known id it returns the outcome of that transfer. It rejects a transfer to an
// account that no file can name, because one bad line invalidates a whole file. Errors: ErrNotTaken; after any other
// error the outcome is unknown.
func (b *Bank) Transfer(ctx context.Context, request bank.Transfer) (bank.Outcome, error) {
	if !transferID.MatchString(request.ID) || request.Amount.Sign() <= 0 {
		return b.answerInvalid(ctx, request.ID)
	}
	now := b.records.Time()
	t := transfer{Transfer: request, State: waiting, RequestedAt: now}
	if reason := refusalReason(request.To); reason != "" {
		t = t.settle(bank.Outcome{State: bank.Rejected, Reason: reason}, now)
	}
	t, err := b.records.create(ctx, t)
	if err != nil {
		return bank.Outcome{}, err
	}
	return t.outcome(), nil
}

// answerInvalid refuses a request that no file can carry. If a transfer with the same id was accepted or cancelled
// before, it returns that transfer's outcome instead.
func (b *Bank) answerInvalid(ctx context.Context, id string) (bank.Outcome, error) {
	t, err := b.records.readTransfer(ctx, id)
	if errors.Is(err, bank.ErrUnknownTransfer) {
		return bank.Outcome{}, fmt.Errorf("%w: it has no amount, or no id of at most 35 letters and digits", bank.ErrNotTaken)
	}
	if err != nil {
		return bank.Outcome{}, err
	}
	return t.outcome(), nil
}

// Cancel cancels a transfer that is in no file yet. For an unknown id it stores a tombstone, so that a later transfer
// with that id is cancelled. Cancel never cancels a transfer in a file, even if the file is not complete, because the
// operator's bank may have that file. Cancel may be repeated.
func (b *Bank) Cancel(ctx context.Context, id string) (bank.Outcome, error) {
	now := b.records.Time()
	t, err := b.records.create(ctx,
		transfer{Transfer: bank.Transfer{ID: id}, RequestedAt: now}.settle(bank.Cancelled, now))
	if err == nil && t.State == waiting {
		t, err = b.records.update(ctx, id, func(t transfer) (transfer, error) {
			if t.State != waiting {
				return t, nil
			}
			return t.settle(bank.Cancelled, now), nil
		})
	}
	if err != nil {
		return bank.Outcome{}, err
	}
	return t.outcome(), nil
}

// Errors of Settle, beside bank.ErrUnknownTransfer.
var (
	ErrSettled     = failure.Conflict("The transfer is already settled, with another outcome.")
	ErrNotExported = failure.Conflict("The transfer is in no complete file yet.")
)

// reasonCode is the form of ISO 20022 ExternalStatusReason1Code.
var reasonCode = regexp.MustCompile(`^[A-Z0-9]{1,4}$`)

// Settle records a transfer's final outcome: Paid, or Rejected with a reason. It may be repeated. A transfer that is in
// no file yet can only be rejected, which cancels the transfer. Errors: ErrUnknownTransfer, ErrSettled, ErrNotExported,
// an invalid field.
func (b *Bank) Settle(ctx context.Context, id string, final bank.Outcome) error {
	switch {
	case final.State == bank.Paid && final.Reason != "":
		return failure.Invalid("reason", "is allowed only with a rejection")
	case final.State == bank.Rejected && !reasonCode.MatchString(final.Reason):
		return failure.Invalid("reason", "must be an ISO 20022 status reason such as AC04")
	case final.State != bank.Paid && final.State != bank.Rejected:
		return failure.Invalid("outcome", "must be paid or rejected")
	}
	_, err := b.records.update(ctx, id, func(t transfer) (transfer, error) {
		switch {
		case t.isSettled() && t.outcome() == final:
			return t, nil
		case t.isSettled():
			return t, ErrSettled
		case t.State == waiting && final.State == bank.Paid:
			return t, ErrNotExported
		case t.State == exported:
			if err := b.checkSealed(ctx, t.ExportID); err != nil {
				return t, err
			}
		}
		return t.settle(final, b.records.Time()), nil
	})
	return err
}

// checkSealed fails unless the file's content is final. A file that is not final could still pay a transfer after its
// rejection.
func (b *Bank) checkSealed(ctx context.Context, exportID string) error {
	e, err := b.records.readExport(ctx, exportID)
	switch {
	case err != nil:
		return err
	case !e.isSealed():
		return ErrNotExported
	default:
		return nil
	}
}

// maxListed bounds the transfers in one list, and in one file.
const maxListed = 1000

// Waiting returns the transfers that are in no file yet, oldest first, at most limit (1-1000).
func (b *Bank) Waiting(ctx context.Context, currency money.Currency, limit int) ([]bank.Transfer, error) {
	if limit < 1 || limit > maxListed {
		return nil, failure.Invalid("limit", "must be from 1 to 1000")
	}
	ids, err := b.records.listWaiting(ctx, currency, limit)
	if err != nil {
		return nil, err
	}
	found, err := b.records.readTransfers(ctx, ids)
	if err != nil {
		return nil, err
	}
	var transfers []bank.Transfer
	for _, id := range ids {
		if t, ok := found[id]; ok && t.State == waiting {
			transfers = append(transfers, t.Transfer)
		}
	}
	return transfers, nil
}

// Statement walks the transfers that the operator's bank has paid since the time, page by page, in the order in which
// they were recorded. An error ends the walk.
func (b *Bank) Statement(ctx context.Context, since time.Time) iter.Seq2[bank.StatementLine, error] {
	return table.Walk(ctx, b.records.statementQuery(since), paidItem.line)
}
