package file

import (
	"context"
	"errors"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/table"
)

// The entities:
//
//	entity    pk                           sk
//	transfer  FILEBANK#TRANSFER#<id>       TRANSFER               or a tombstone in its place
//	waiting   FILEBANK#WAITING#<currency>  <requested at>#<id>    while the transfer is in no file
//	export    FILEBANK#EXPORT#<id>         EXPORT
//	paid      FILEBANK#PAID                <paid at>#<id>         the statement
//	account   FILEBANK#ACCOUNT#<id>        ACCOUNT                a verification
//	asked     FILEBANK#ASKED               <asked at>#<id>        while the operator has not answered it
const (
	transferSort  = "TRANSFER"
	exportSort    = "EXPORT"
	paidPartition = "FILEBANK#PAID"
)

func transferKey(id string) table.Key { return table.NewKey("FILEBANK#TRANSFER#"+id, transferSort) }
func exportKey(id string) table.Key   { return table.NewKey("FILEBANK#EXPORT#"+id, exportSort) }

func waitingPartition(c money.Currency) string { return "FILEBANK#WAITING#" + string(c) }

func (t transfer) waitingKey() table.Key {
	return table.NewKey(waitingPartition(t.Amount.Currency()), micros(t.RequestedAt)+"#"+t.ID)
}

// micros formats a time in UTC with a fixed width, so that it sorts as text.
func micros(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// state is the state of a transfer. It moves from waiting to exported to paid or rejected, or directly to rejected, and
// never back.
type state string

const (
	waiting  state = "waiting"
	exported state = "exported"
	paid     state = state(bank.Paid)
	rejected state = state(bank.Rejected)
)

// transfer is a transfer with its state. The embedded Transfer never changes. A tombstone replaces a transfer that was
// cancelled before it was requested, and has only the id.
type transfer struct {
	bank.Transfer
	State       state     `dynamo:"transfer_state"`
	Reason      string    `dynamo:"reason,omitempty"`    // reason of a rejection
	ExportID    string    `dynamo:"export_id,omitempty"` // id of the file that has the transfer
	RequestedAt time.Time `dynamo:"requested_at"`
	SettledAt   time.Time `dynamo:"settled_at,omitempty"`
}

type transferItem struct {
	table.Key
	transfer
}

func itemOf(t transfer) transferItem { return transferItem{transferKey(t.ID), t} }

type waitingItem struct {
	table.Key
	ID string `dynamo:"id"`
}

type exportItem struct {
	table.Key
	export
}

// settle returns the transfer with its final outcome.
func (t transfer) settle(final bank.Outcome, now time.Time) transfer {
	t.State, t.Reason, t.SettledAt = state(final.State), final.Reason, now
	return t
}

func (t transfer) isSettled() bool { return t.State == paid || t.State == rejected }

// outcome returns the transfer's outcome as the port bank reports it.
func (t transfer) outcome() bank.Outcome {
	if !t.isSettled() {
		return bank.Outcome{State: bank.Accepted}
	}
	return bank.Outcome{State: bank.State(t.State), Reason: t.Reason}
}

// paidItem is a line of the statement.
type paidItem struct {
	table.Key
	ID     string       `dynamo:"id"`
	Tenant string       `dynamo:"tenant"`
	Amount money.Amount `dynamo:"amount"`
	PaidAt time.Time    `dynamo:"paid_at"`
}

func (i paidItem) line() bank.StatementLine {
	return bank.StatementLine{LineID: i.SK, ID: i.ID, Tenant: i.Tenant, Amount: i.Amount, At: i.PaidAt}
}

type records struct{ table.Client }

// create stores a new transfer. If the id is known, it returns the stored transfer. So a caller that repeats the call
// after a lost reply gets the transfer that it stored.
func (r records) create(ctx context.Context, t transfer) (transfer, error) {
	item := itemOf(t)
	tx := r.Transaction().Put(r.Table.Put(item).If("attribute_not_exists(pk)"))
	if t.State == waiting {
		tx.Put(r.Table.Put(waitingItem{Key: t.waitingKey(), ID: t.ID}))
	}
	stored, err := table.Write(ctx, r.Client, item.Key, item, tx.Run, nil)
	return stored.transfer, err
}

// update applies a rule to a transfer and returns the transfer. If another writer was faster, update applies the rule
// again to the new state. If only the reply of the write was lost, update finds the rule already applied.
func (r records) update(ctx context.Context, id string, rule func(transfer) (transfer, error)) (transfer, error) {
	var cause error
	for tried := state(""); ; {
		before, err := r.readTransfer(ctx, id)
		if err != nil {
			return transfer{}, errors.Join(cause, err)
		}
		if cause != nil && before.State == tried {
			return transfer{}, cause
		}
		after, err := rule(before)
		if err != nil || after.State == before.State {
			return before, err
		}
		tx := r.Transaction()
		r.addStep(tx, before, after)
		if cause = tx.Run(ctx); cause == nil {
			return after, nil
		}
		tried = before.State
	}
}

// addStep adds the writes of a transfer's next state to a transaction. When the transfer stops waiting, its waiting
// item is deleted. When the transfer is paid, a line of the statement is written. By the condition, a transfer can
// leave each state only once.
func (r records) addStep(tx *dynamo.WriteTx, before, after transfer) {
	tx.Put(r.Table.Put(itemOf(after)).If("transfer_state = ?", before.State))
	if before.State == waiting {
		tx.Delete(r.Delete(before.waitingKey()))
	}
	if after.State == paid {
		tx.Put(r.Table.Put(paidItem{Key: table.NewKey(paidPartition, micros(after.SettledAt)+"#"+after.ID),
			ID: after.ID, Tenant: after.Tenant, Amount: after.Amount, PaidAt: after.SettledAt}))
	}
}

func (r records) readTransfer(ctx context.Context, id string) (transfer, error) {
	item, err := table.One[transferItem](ctx, r.Client, transferKey(id), bank.ErrUnknownTransfer)
	return item.transfer, err
}

// readTransfers reads several transfers by id. Unknown ids are absent from the result.
func (r records) readTransfers(ctx context.Context, ids []string) (map[string]transfer, error) {
	found := make(map[string]transfer, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	batch := r.Table.Batch("pk", "sk").Get().Consistent(true)
	for _, id := range ids {
		k := transferKey(id)
		batch.And(dynamo.Keys{k.PK, k.SK})
	}
	var items []transferItem
	if err := batch.All(ctx, &items); err != nil && !errors.Is(err, dynamo.ErrNotFound) {
		return nil, err
	}
	for _, item := range items {
		found[item.ID] = item.transfer
	}
	return found, nil
}

// listWaiting returns the ids of the oldest transfers that are in no file.
func (r records) listWaiting(ctx context.Context, currency money.Currency, limit int) ([]string, error) {
	var items []waitingItem
	err := r.Table.Get("pk", waitingPartition(currency)).Consistent(true).Limit(limit).All(ctx, &items)
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids, err
}

// statementQuery returns the query that reads the lines of the statement since the time.
func (r records) statementQuery(since time.Time) *dynamo.Query {
	return r.Table.Get("pk", paidPartition).Range("sk", dynamo.GreaterOrEqual, micros(since)).Consistent(true)
}
