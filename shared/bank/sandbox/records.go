package sandbox

import (
	"context"
	"crypto/rand"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// The sandbox's entities:
//
//	entity          pk                     sk
//	transfer        SANDBOX#TRANSFER#<id>  TRANSFER                 or a tombstone in its place
//	statement line  SANDBOX#TRANSFER#<id>  STATEMENT_LINE#<random>  one for each payment
const (
	transferPrefix = "SANDBOX#TRANSFER#"
	transferSort   = "TRANSFER"
	lineSort       = "STATEMENT_LINE#"
)

func transferKey(id string) table.Key { return table.NewKey(transferPrefix+id, transferSort) }

// transfer is a transfer with its state, which changes at most once, from Accepted to FinalState. A tombstone replaces
// a transfer that was cancelled before it was requested, and has no amount and no account.
type transfer struct {
	ID          string       `dynamo:"id"`
	Tenant      string       `dynamo:"tenant"`
	Amount      money.Amount `dynamo:"amount"`
	State       bank.State   `dynamo:"transfer_state"`
	Reason      string       `dynamo:"reason,omitempty"` // reason of a rejection
	FinalState  bank.State   `dynamo:"final_state"`
	FinalReason string       `dynamo:"final_reason,omitempty"`
	FinalAt     time.Time    `dynamo:"final_at"`
	LostAnswer  bool         `dynamo:"lost_answer,omitempty"` // paid at once, but the answer was lost
	CreatedAt   time.Time    `dynamo:"created_at"`
}

func (t *transfer) setFinal(state bank.State, reason string, at time.Time) {
	t.FinalState, t.FinalReason, t.FinalAt = state, reason, at
}

// asOf returns the transfer as it is at the given time.
func (t transfer) asOf(now time.Time) transfer {
	if t.State == bank.Accepted && !now.Before(t.FinalAt) {
		t.State, t.Reason = t.FinalState, t.FinalReason
	}
	return t
}

func newTombstone(id string, now time.Time) transfer {
	return transfer{ID: id, State: bank.Cancelled.State, Reason: bank.Cancelled.Reason, CreatedAt: now}
}

type transferItem struct {
	table.Key
	WriteID string `dynamo:"write_id,omitempty"` // lets a writer recognise its own write; removed with the final state
	transfer
}

// lineItem is a line of the statement. Its key is random. So if the conditions on the transfer failed to prevent a
// second payment, the second line would be stored and noticed.
type lineItem struct {
	table.Key
	table.Booked
	ID       string       `dynamo:"id"`
	Tenant   string       `dynamo:"tenant"`
	Amount   money.Amount `dynamo:"amount"`
	BookedAt time.Time    `dynamo:"booked_at"`
}

// records are the sandbox's items in the table.
type records struct{ table.Client }

// create stores a new transfer, or a tombstone. For a known id it returns the stored transfer, and false.
func (r records) create(ctx context.Context, t transfer) (transfer, bool, error) {
	item := transferItem{Key: transferKey(t.ID), WriteID: uuid.NewString(), transfer: t}
	tx := r.Transaction().Put(r.Table.Put(item).If("attribute_not_exists(pk)"))
	if t.LostAnswer || t.State == bank.Paid {
		tx.Put(r.Table.Put(r.newLine(t)))
	}
	stored, err := table.Write(ctx, r.Client, item.Key, item, tx.Run, nil)
	return stored.transfer, stored.WriteID == item.WriteID, err
}

// settle gives an accepted transfer its final state. By the condition, this can happen only once, so a transfer has
// only one statement line.
func (r records) settle(ctx context.Context, t transfer) (transfer, error) {
	item := transferItem{Key: transferKey(t.ID), transfer: t}
	tx := r.Transaction().Put(r.Table.Put(item).If("transfer_state = ?", bank.Accepted))
	if t.State == bank.Paid && !t.LostAnswer {
		tx.Put(r.Table.Put(r.newLine(t)))
	}
	stored, err := table.Write(ctx, r.Client, item.Key, item, tx.Run,
		func(i transferItem) bool { return i.State == bank.Accepted })
	return stored.transfer, err
}

// newLine returns the statement line for a transfer that is paid now.
func (r records) newLine(t transfer) lineItem {
	now, sort := r.Time(), lineSort+rand.Text()
	return lineItem{Key: table.NewKey(transferPrefix+t.ID, sort), Booked: table.NewBooked(lines, now, sort),
		ID: t.ID, Tenant: t.Tenant, Amount: t.Amount, BookedAt: now}
}

func (r records) read(ctx context.Context, id string) (transferItem, error) {
	return table.One[transferItem](ctx, r.Client, transferKey(id), bank.ErrUnknownTransfer)
}

// lines is the list of all lines in the table's index of lists.
const lines = "SANDBOX#STATEMENT_LINES"

// Statement walks the lines since the time. A real bank sends a statement. For the zero time the sandbox scans the
// whole table instead, which is acceptable only in test mode. Lines that are written during the walk may be missing. An
// error ends the walk.
func (b *Bank) Statement(ctx context.Context, since time.Time) iter.Seq2[bank.StatementLine, error] {
	if !since.IsZero() {
		return table.WalkBooked(ctx, b.records.Client, lines, since, lineItem.line)
	}
	return table.Walk(ctx, b.records.Table.Scan().Consistent(true).
		Filter("begins_with(pk, ?) AND begins_with(sk, ?)", transferPrefix, lineSort), lineItem.line)
}

func (i lineItem) line() bank.StatementLine {
	return bank.StatementLine{LineID: i.SK, ID: i.ID, Tenant: i.Tenant, Amount: i.Amount, At: i.BookedAt}
}

// Executed returns the number and the sum of a transfer's payments, according to the statement lines. More than one
// payment is a defect. Without a payment, the sum is the zero Amount.
func (b *Bank) Executed(ctx context.Context, id string) (int, money.Amount, error) {
	var items []lineItem
	err := b.records.Table.Get("pk", transferPrefix+id).Range("sk", dynamo.BeginsWith, lineSort).
		Consistent(true).All(ctx, &items)
	if err != nil || len(items) == 0 {
		return 0, money.Amount{}, err
	}
	sum := money.Zero(items[0].Amount.Currency())
	for _, item := range items {
		if sum, err = sum.Add(item.Amount); err != nil {
			return 0, money.Amount{}, err
		}
	}
	return len(items), sum, nil
}
