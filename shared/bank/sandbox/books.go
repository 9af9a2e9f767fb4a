package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
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

// transfer is one entry of the books. Its State moves at most once, from
// Accepted to what it Becomes. One that is Cancelled is a tombstone: it was
// cancelled ahead of its arrival, and has nothing but its id.
type transfer struct {
	ID        string       `dynamo:"id"`
	Tenant    string       `dynamo:"tenant"`
	Amount    money.Amount `dynamo:"amount"`
	State     bank.State   `dynamo:"transfer_state"`
	Reason    string       `dynamo:"reason,omitempty"` // of a rejection
	Becomes   bank.State   `dynamo:"becomes"`
	Because   string       `dynamo:"because,omitempty"` // the reason it will have
	DecidesAt time.Time    `dynamo:"decides_at"`
	Silent    bool         `dynamo:"silent,omitempty"` // executed when it was ordered, which nobody heard
	CreatedAt time.Time    `dynamo:"created_at"`
}

func (t *transfer) becomes(state bank.State, because string, at time.Time) {
	t.Becomes, t.Because, t.DecidesAt = state, because, at
}

// at is the transfer as it stands then.
func (t transfer) at(now time.Time) transfer {
	if t.State == bank.Accepted && !now.Before(t.DecidesAt) {
		t.State, t.Reason = t.Becomes, t.Because
	}
	return t
}

func tombstone(id string, now time.Time) transfer {
	return transfer{ID: id, State: bank.Cancelled.State, Reason: bank.Cancelled.Reason, CreatedAt: now}
}

type transferItem struct {
	table.Key
	WriteID string `dynamo:"write_id,omitempty"` // of who entered it, to recognise one's own write; gone once it is decided
	transfer
}

// lineItem is a line of the statement. Its key is random, so that a second
// payment would show: only the conditions on the transfer prevent one.
type lineItem struct {
	table.Key
	ID       string       `dynamo:"id"`
	Tenant   string       `dynamo:"tenant"`
	Amount   money.Amount `dynamo:"amount"`
	BookedAt time.Time    `dynamo:"booked_at"`
}

// books are the sandbox's records in the table.
type books struct{ table.Books }

// open enters a new transfer, or a tombstone. For an id that is known it answers the transfer
// of old, and false.
func (b books) open(ctx context.Context, t transfer) (transfer, bool, error) {
	item := transferItem{Key: transferKey(t.ID), WriteID: uuid.NewString(), transfer: t}
	tx := b.Transaction().Put(b.Table.Put(item).If("attribute_not_exists(pk)"))
	if t.Silent || t.State == bank.Paid {
		tx.Put(b.Table.Put(b.line(t)))
	}
	cause := tx.Run(ctx)
	if cause == nil {
		return t, true, nil
	}
	stored, err := b.read(ctx, t.ID)
	switch {
	case errors.Is(err, bank.ErrUnknownTransfer):
		return transfer{}, false, cause
	case err != nil:
		return transfer{}, false, errors.Join(cause, err)
	default: // after a lost reply the transfer is new and ours
		return stored.transfer, stored.WriteID == item.WriteID, nil
	}
}

// decide brings an accepted transfer into its final state. Its condition lets
// that happen once, so there is one statement line.
func (b books) decide(ctx context.Context, t transfer) (transfer, error) {
	item := transferItem{Key: transferKey(t.ID), transfer: t}
	tx := b.Transaction().Put(b.Table.Put(item).If("transfer_state = ?", bank.Accepted))
	if t.State == bank.Paid && !t.Silent {
		tx.Put(b.Table.Put(b.line(t)))
	}
	cause := tx.Run(ctx)
	if cause == nil {
		return t, nil
	}
	stored, err := b.read(ctx, t.ID)
	switch {
	case err != nil:
		return transfer{}, errors.Join(cause, err)
	case stored.State == bank.Accepted:
		return transfer{}, cause
	default: // somebody was faster, or it was ourselves
		return stored.transfer, nil
	}
}

// line is the statement line of a transfer that is paid now.
func (b books) line(t transfer) lineItem {
	return lineItem{Key: table.NewKey(transferPrefix+t.ID, lineSort+rand.Text()),
		ID: t.ID, Tenant: t.Tenant, Amount: t.Amount, BookedAt: b.Time()}
}

func (b books) read(ctx context.Context, id string) (transferItem, error) {
	var item transferItem
	k := transferKey(id)
	err := b.Get(k).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return item, bank.ErrUnknownTransfer
	}
	return item, err
}
