package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// transactionItem is a transaction as stored. It is an item of its partition and of the history.
type transactionItem struct {
	key
	listed
	changed
	ReversedAs payments.HistoryStatus `dynamo:"reversed_as,omitempty"` // for the history's filters

	WriteID string `dynamo:"write_id"` // lets the writer recognise its own last write
	payments.Transaction
}

// MarshalDynamoItem leaves out the id, which is in the key.
func (i transactionItem) MarshalDynamoItem() (dynamo.Item, error) {
	type plain transactionItem
	stored, err := dynamo.MarshalItem(plain(i))
	delete(stored, "id")
	return stored, err
}

// UnmarshalDynamoItem reads what MarshalDynamoItem wrote.
func (i *transactionItem) UnmarshalDynamoItem(stored dynamo.Item) error {
	type plain transactionItem
	if err := dynamo.UnmarshalItem(stored, (*plain)(i)); err != nil {
		return err
	}
	p, ok := ParsePartition(i.PK)
	if !ok {
		return fmt.Errorf("store: a transaction is stored in %s", i.PK)
	}
	i.Transaction = i.Restored(p.Tenant.Merchant, p.Last, strings.TrimPrefix(i.SK, transactionPrefix))
	return nil
}

// eventItem is a refund, chargeback or deduction as stored, beside its transaction.
type eventItem struct {
	key
	due
	listed
	changed
	payments.Event
}

// Record is a transaction with its events and receipt numbers.
type Record struct {
	payments.Transaction
	Events   []payments.Event // visible to clients, oldest first
	Receipts map[string]int64 // by the id of the transaction or event; only numbered ones
	hidden   []payments.Event
}

// Refund returns the record's refund with the id, even a refund that clients do not see.
func (r Record) Refund(id string) (payments.Event, bool) {
	return find(slices.Concat(r.Events, r.hidden), func(e payments.Event) bool {
		return e.ID == id && e.Type == payments.RefundEvent
	})
}

// ChargebackBy returns the record's chargeback that the acquirer reported under its id.
func (r Record) ChargebackBy(id string) (payments.Event, bool) {
	return find(r.Events, func(e payments.Event) bool { return e.ID == r.ChargebackID(id) })
}

// Event returns the visible event with the numeric id that clients see.
func (r Record) Event(number int64) (payments.Event, bool) {
	return find(r.Events, func(e payments.Event) bool { return e.NumericID() == number })
}

var errNoTransaction = failure.NotFound("There is no such transaction.")

// Transactions reads the transactions of a code: none, one, or several if two ids have the same code.
func (s *View) Transactions(ctx context.Context, t identity.Tenant, code string) ([]Record, error) {
	var records []Record
	var events []payments.Event
	receipts := map[string]int64{}
	items := s.table.get(partitionKey, transactionPartition(t, code)).Consistent(true).Iter()
	for raw, err := range each[map[string]dynamoValue](ctx, items) {
		if err == nil {
			err = decodeItem(raw, &records, &events, receipts)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range records {
		records[i].attach(events, receipts)
	}
	return records, nil
}

// FindTransaction reads the transaction with an id or a code, with its events. Of several with one code it returns the
// successful transaction, else the newest (contract §6.1). Failure: NotFound.
func (s *View) FindTransaction(ctx context.Context, t identity.Tenant, idOrCode string) (Record, error) {
	code := idOrCode
	if uuid.Validate(idOrCode) == nil {
		code = payments.CodeOfID(idOrCode)
	}
	records, err := s.Transactions(ctx, t, code)
	if err != nil {
		return Record{}, err
	}
	records = slices.DeleteFunc(records, func(r Record) bool { return r.ID != idOrCode && r.Code != idOrCode })
	if len(records) == 0 {
		return Record{}, errNoTransaction
	}
	return Preferred(records), nil
}

// Preferred returns the successful record of several with the same code, else the newest (contract §6.1). There must be
// at least one record.
func Preferred(records []Record) Record {
	return slices.MinFunc(records, func(a, b Record) int {
		return cmp.Or(statusRank(a.Status)-statusRank(b.Status), b.CreatedAt.Compare(a.CreatedAt))
	})
}

// decodeItem decodes one item of a transaction's partition.
func decodeItem(raw map[string]dynamoValue, records *[]Record, events *[]payments.Event,
	receipts map[string]int64) error {
	var k key
	if err := dynamo.UnmarshalItem(raw, &k); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(k.SK, transactionPrefix):
		var item transactionItem
		err := dynamo.UnmarshalItem(raw, &item)
		*records = append(*records, Record{Transaction: item.Transaction})
		return err
	case strings.HasPrefix(k.SK, eventPrefix):
		var item eventItem
		err := dynamo.UnmarshalItem(raw, &item)
		*events = append(*events, item.Event)
		return err
	default:
		var item receiptItem
		err := dynamo.UnmarshalItem(raw, &item)
		receipts[item.ID] = item.Number
		return err
	}
}

// attach adds the receipts and those events that belong to the record.
func (r *Record) attach(events []payments.Event, receipts map[string]int64) {
	r.Receipts = receipts
	for _, e := range events {
		switch {
		case e.TransactionID != r.ID:
		case e.Visible():
			r.Events = append(r.Events, e)
		default:
			r.hidden = append(r.hidden, e)
		}
	}
	slices.SortFunc(r.Events, func(a, b payments.Event) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(eventRank(a), eventRank(b)), cmp.Compare(a.ID, b.ID))
	})
}

// eventRank sorts a deduction after its cause, which has the same time.
func eventRank(e payments.Event) int {
	if e.Type == payments.PayoutDeductionEvent {
		return 1
	}
	return 0
}

// Transaction reads one transaction by its id, consistently. Failure: NotFound.
func (s *View) Transaction(ctx context.Context, t identity.Tenant, id string) (Record, error) {
	records, err := s.Transactions(ctx, t, payments.CodeOfID(id))
	if err != nil {
		return Record{}, err
	}
	r, found := find(records, func(r Record) bool { return r.ID == id })
	if !found {
		return r, errNoTransaction
	}
	return r, nil
}

// statusRank puts successful transactions before all others.
func statusRank(s payments.TransactionStatus) int {
	if s == payments.TransactionSuccessful {
		return 0
	}
	return 1
}

// putTransaction writes a new transaction, or the outcome of a PENDING one. A final transaction is never overwritten.
func (s *Store) putTransaction(t identity.Tenant, tx payments.Transaction) *dynamo.Put {
	return s.table.Put(newTransactionItem(t, tx)).If("attribute_not_exists(pk) OR 'status' = ?",
		payments.TransactionPending)
}

func newTransactionItem(t identity.Tenant, tx payments.Transaction) transactionItem {
	return transactionItem{key: transactionKey(t, tx.Code, tx.ID), listed: listedAt(t, tx.Shard, tx.CreatedAt, tx.ID),
		changed: changedAt(t, tx.Shard, tx.ChangedAt, tx.ID), ReversedAs: tx.ReversedAs(), WriteID: newWriteID(),
		Transaction: tx}
}

func (s *Store) newEventItem(t identity.Tenant, e payments.Event) eventItem {
	item := eventItem{key: eventKey(t, e.Code, e.ID), Event: e}
	if e.Listed() {
		item.listed = listedAt(t, e.Shard, e.CreatedAt, e.ID)
		item.changed = changedAt(t, e.Shard, e.ChangedAt, e.ID)
	}
	if at := e.DueAt(); !at.IsZero() {
		item.due = s.shards.dueAt(at, item.key)
	}
	return item
}

// ApplyTransaction writes a transaction's change completely or not at all: the transaction, its events, the journal
// entry, the payables, the callback and the change of the merchant's reserve. Error: ErrStale when the transaction or
// the reserve changed.
func (s *Store) ApplyTransaction(ctx context.Context, t identity.Tenant,
	change payments.TransactionChange, reserve *Reserve) error {
	before := change.Transaction.Version
	change.Transaction.Version++
	item := newTransactionItem(t, change.Transaction)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("version = ?", before))
	for _, e := range change.Events {
		// A final event is never overwritten. A withdrawn refund may be requested again.
		tx.Put(s.table.Put(s.newEventItem(t, e)).If("attribute_not_exists(pk) OR 'status' IN (?, ?, ?)",
			payments.EventBegun, payments.EventPending, payments.EventWithdrawn))
	}
	if change.Entry != nil {
		tx.Put(s.putEntry(t, *change.Entry))
	}
	for _, payable := range change.Payables {
		tx.Put(s.putPayable(t, payable))
	}
	if change.Callback != nil {
		tx.Put(s.putCallback(t, *change.Callback))
	}
	if change.ReserveDelta.Currency() != "" {
		tx.Update(s.reserveUpdate(t, change.ReserveDelta, reserve))
	}
	return s.resolveWrite(ctx, item.key, written{item.WriteID, item.Version}, ErrStale, tx.Run(ctx))
}
