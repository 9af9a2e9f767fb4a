package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// scheduleItem is a tenant's payout schedule, due at its next cut-off.
type scheduleItem struct {
	key
	due
	WriteID string `dynamo:"write_id"`
	account.PayoutSchedule
}

// payoutItem is a payout with the account it goes to, due when it is to be
// woken.
type payoutItem struct {
	key
	due
	WriteID string `dynamo:"write_id"`
	Payout
}

// Payout is a payout with the account it goes to, once that is settled.
type Payout struct {
	payments.Payout
	To account.BankAccount `dynamo:"to"`
}

// recordItem is a payout's record.
type recordItem struct {
	key
	payments.PayoutRecord
}

func newScheduleItem(t account.Tenant, s account.PayoutSchedule) scheduleItem {
	k := payoutScheduleKey(t)
	return scheduleItem{key: k, due: payoutAt(s.NextAt, k), WriteID: uuid.NewString(), PayoutSchedule: s}
}

func newPayoutItem(t account.Tenant, p Payout) payoutItem {
	k := payoutKey(t, p.ID)
	item := payoutItem{key: k, WriteID: uuid.NewString(), Payout: p}
	if at := p.WakeAt(); !at.IsZero() {
		item.due = payoutAt(at, k)
	}
	return item
}

// PayoutSchedule reads a tenant's schedule, consistently. Failure: NotFound
// before it has an account to be paid out to.
func (s *Store) PayoutSchedule(ctx context.Context, t account.Tenant) (account.PayoutSchedule, error) {
	var item scheduleItem
	err := s.get(payoutScheduleKey(t)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return item.PayoutSchedule, failure.Absent("", "the merchant has no payout account")
	}
	return item.PayoutSchedule, err
}

// SavePayoutSchedule replaces the schedule that was read, or makes the first
// one (Version 0). ErrStale when it changed meanwhile.
func (s *Store) SavePayoutSchedule(ctx context.Context, t account.Tenant, schedule account.PayoutSchedule) error {
	return s.OpenPayout(ctx, t, schedule, nil)
}

// OpenPayout moves the schedule on and opens the payout that was due, in one
// transaction; nil: none was. ErrStale when the schedule changed since it was
// read. Failure: Conflict when there is such a payout.
func (s *Store) OpenPayout(ctx context.Context, t account.Tenant, schedule account.PayoutSchedule, p *payments.Payout) error {
	before := schedule.Version
	schedule.Version++
	item := newScheduleItem(t, schedule)
	put := s.table.Put(item)
	if before == 0 {
		put.If("attribute_not_exists(pk)")
	} else {
		put.If("version = ?", before)
	}
	tx := s.db.WriteTx().Idempotent(true).Put(put)
	if p != nil {
		tx.Put(s.table.Put(newPayoutItem(t, Payout{Payout: *p})).If("attribute_not_exists(pk)"))
	}
	err := tx.Run(ctx)
	if err == nil {
		return nil
	}
	var stored scheduleItem
	readErr := s.get(item.key).One(ctx, &stored)
	switch {
	case readErr != nil && !errors.Is(readErr, dynamo.ErrNotFound):
		return errors.Join(err, readErr)
	case stored.WriteID == item.WriteID:
		return nil
	case stored.Version != before:
		return ErrStale
	case p != nil && dynamo.IsCondCheckFailed(err):
		return failure.Clash("CONFLICT", "", "there is such a payout").With(err)
	default:
		return err
	}
}

// CreatePayout opens a payout outside the schedule. One that is there is left
// as it is.
func (s *Store) CreatePayout(ctx context.Context, t account.Tenant, p payments.Payout) error {
	err := s.table.Put(newPayoutItem(t, Payout{Payout: p})).If("attribute_not_exists(pk)").Run(ctx)
	if dynamo.IsCondCheckFailed(err) {
		return nil
	}
	return err
}

// Payout reads a payout, consistently. Failure: NotFound.
func (s *Store) Payout(ctx context.Context, t account.Tenant, id string) (Payout, error) {
	var item payoutItem
	err := s.get(payoutKey(t, id)).One(ctx, &item)
	if errors.Is(err, dynamo.ErrNotFound) {
		return item.Payout, failure.Absent("", "no such payout")
	}
	return item.Payout, err
}

// HasUnpaid says a row of the tenant became eligible before the time that a
// payout would do something about: what was carried forward from an earlier
// one would, alone, only be carried again.
func (s *Store) HasUnpaid(ctx context.Context, t account.Tenant, c money.Currency, before time.Time) (bool, error) {
	rows, err := unpaid(ctx, s.unpaidBefore(t, c, creditPrefix, before).Limit(1))
	if err != nil || len(rows) > 0 {
		return len(rows) > 0, err
	}
	debits, err := first[unpaidItem](ctx, s.unpaidBefore(t, c, debitPrefix, before).Filter("'kind' <> ?", payments.UnpaidBalance), 1)
	return len(debits) > 0, err
}

// UnpaidRows reads at most so many rows that became eligible before the time,
// consistently and from the table itself, so that none means none. Credits come
// first: what is taken in several steps never seems to leave the merchant more
// than it has (Owes).
func (s *Store) UnpaidRows(ctx context.Context, t account.Tenant, c money.Currency, before time.Time, limit int) ([]payments.Unpaid, error) {
	rows, err := unpaid(ctx, s.unpaidBefore(t, c, creditPrefix, before).Limit(limit))
	if err != nil || len(rows) == limit {
		return rows, err
	}
	debits, err := unpaid(ctx, s.unpaidBefore(t, c, debitPrefix, before).Limit(limit-len(rows)))
	return append(rows, debits...), err
}

func (s *Store) unpaidBefore(t account.Tenant, c money.Currency, side string, before time.Time) *dynamo.Query {
	return s.table.Get(partitionKey, unpaidPartition(t, c)).Range(sortKey, dynamo.Between, side, side+micros(before)).Consistent(true)
}

func unpaid(ctx context.Context, query *dynamo.Query) ([]payments.Unpaid, error) {
	var items []unpaidItem
	err := query.All(ctx, &items)
	rows := make([]payments.Unpaid, len(items))
	for i, item := range items {
		rows[i] = item.Unpaid
	}
	return rows, err
}

// TransactionsOf reads the transactions of rows or records, consistently, by
// their ids.
func (s *Store) TransactionsOf(ctx context.Context, t account.Tenant, rows []payments.Unpaid) (map[string]payments.Transaction, error) {
	var wanted []key
	for _, row := range rows {
		if row.Kind == payments.UnpaidPart {
			wanted = append(wanted, transactionKey(t, row.Code, row.TransactionID))
		}
	}
	var items []transactionItem
	if err := s.batch(ctx, wanted, &items); err != nil {
		return nil, err
	}
	found := make(map[string]payments.Transaction, len(items))
	for _, item := range items {
		found[item.ID] = item.Transaction
	}
	return found, nil
}

// DeductionsOf reads the deduction events of records, consistently, by their
// ids.
func (s *Store) DeductionsOf(ctx context.Context, t account.Tenant, rows []payments.Unpaid) (map[string]payments.Event, error) {
	var wanted []key
	for _, row := range rows {
		if row.Kind == payments.UnpaidRefund || row.Kind == payments.UnpaidChargeBack {
			wanted = append(wanted, eventKey(t, row.Code, row.ID))
		}
	}
	var items []eventItem
	if err := s.batch(ctx, wanted, &items); err != nil {
		return nil, err
	}
	found := make(map[string]payments.Event, len(items))
	for _, item := range items {
		found[item.ID] = item.Event
	}
	return found, nil
}

// batch reads items by their keys, consistently, into a slice; each once.
func (s *Store) batch(ctx context.Context, wanted []key, items any) error {
	if len(wanted) == 0 {
		return nil
	}
	batch, asked := s.table.Batch(partitionKey, sortKey).Get().Consistent(true), map[key]bool{}
	for _, k := range wanted {
		if !asked[k] {
			batch.And(dynamo.Keys{k.PK, k.SK})
		}
		asked[k] = true
	}
	return batch.All(ctx, items)
}

// StepPayout writes a payout's next state with what goes with it. ErrStale when
// it changed since it was read.
func (s *Store) StepPayout(ctx context.Context, t account.Tenant, step payments.PayoutStep, to account.BankAccount) (Payout, error) {
	if step.Entry == nil && step.Carry == nil {
		return s.savePayout(ctx, t, Payout{step.Payout, to})
	}
	return s.writePayout(ctx, t, Payout{step.Payout, to}, func(tx *dynamo.WriteTx) {
		if step.Entry != nil {
			tx.Put(s.putEntry(t, *step.Entry))
		}
		if step.Carry != nil {
			tx.Put(s.newRow(t, *step.Carry))
		}
	})
}

// CollectPayout moves rows into the payout: each is deleted where it waited and
// recorded where it is paid, in one transaction. ErrStale when the payout, a
// row or a transaction changed since it was read.
func (s *Store) CollectPayout(ctx context.Context, t account.Tenant, c payments.Collection) (Payout, error) {
	return s.writePayout(ctx, t, Payout{Payout: c.Payout}, func(tx *dynamo.WriteTx) {
		for _, row := range c.Rows {
			k := unpaidKey(t, row)
			tx.Delete(s.table.Delete(partitionKey, k.PK).Range(sortKey, k.SK).If("attribute_exists(pk)"))
		}
		for _, r := range c.Records {
			tx.Put(s.table.Put(newRecordItem(t, c.Payout, r)).If("attribute_not_exists(pk)"))
		}
		for _, changed := range c.Transactions {
			tx.Put(s.replaceTransaction(t, changed))
		}
		if t.Mode == account.Live {
			// The rows no longer cover a refund that was about to count on them.
			tx.Update(s.touchHeld(t, c.Payout.Currency))
		}
	})
}

// TellPayout records the outcome of some of the payout's records. ErrStale as
// CollectPayout's.
func (s *Store) TellPayout(ctx context.Context, t account.Tenant, telling payments.Telling, to account.BankAccount) (Payout, error) {
	if len(telling.Records) == 0 {
		return s.savePayout(ctx, t, Payout{telling.Payout, to})
	}
	return s.writePayout(ctx, t, Payout{telling.Payout, to}, func(tx *dynamo.WriteTx) {
		for _, r := range telling.Records {
			tx.Put(s.table.Put(newRecordItem(t, telling.Payout, r)).If("'status' = ?", payments.RecordOpen))
		}
		for _, changed := range telling.Transactions {
			tx.Put(s.replaceTransaction(t, changed))
		}
		for _, e := range telling.Events {
			tx.Put(s.table.Put(newEventItem(t, e)).If("'status' = ?", payments.EventPending))
		}
		for _, row := range telling.Rows {
			tx.Put(s.newRow(t, row))
		}
	})
}

func newRecordItem(t account.Tenant, p payments.Payout, r payments.PayoutRecord) recordItem {
	return recordItem{key: key{payoutRecords(t), recordsOf(p) + r.ID}, PayoutRecord: r}
}

// replaceTransaction writes a transaction over the version it was made from.
func (s *Store) replaceTransaction(t account.Tenant, tx payments.Transaction) *dynamo.Put {
	before := tx.Version
	tx.Version++
	return s.table.Put(newTransactionItem(t, tx)).If("version = ?", before)
}

// touchHeld moves the held balance's version, and nothing else.
func (s *Store) touchHeld(t account.Tenant, c money.Currency) *dynamo.Update {
	k := heldKey(t, c)
	return s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		SetExpr("'version' = if_not_exists('version', ?) + ?", 0, 1).SetIfNotExists("amount", money.Zero(c))
}

// writePayout writes the payout over the version it was made from, with what
// also adds, in one transaction.
func (s *Store) writePayout(ctx context.Context, t account.Tenant, p Payout, also func(*dynamo.WriteTx)) (Payout, error) {
	item, put := s.replacePayout(t, &p)
	tx := s.db.WriteTx().Idempotent(true).Put(put)
	also(tx)
	return s.payoutWritten(ctx, item, p, tx.Run(ctx))
}

// savePayout writes a payout alone, over the version it was made from: a step
// that moves no money.
func (s *Store) savePayout(ctx context.Context, t account.Tenant, p Payout) (Payout, error) {
	item, put := s.replacePayout(t, &p)
	return s.payoutWritten(ctx, item, p, put.Run(ctx))
}

func (s *Store) replacePayout(t account.Tenant, p *Payout) (payoutItem, *dynamo.Put) {
	before := p.Version
	p.Version++
	item := newPayoutItem(t, *p)
	return item, s.table.Put(item).If("version = ?", before)
}

// payoutWritten turns a write's error into the truth, as settled does.
func (s *Store) payoutWritten(ctx context.Context, item payoutItem, p Payout, err error) (Payout, error) {
	if err == nil {
		return p, nil
	}
	var stored payoutItem
	readErr := s.get(item.key).One(ctx, &stored)
	switch {
	case readErr != nil:
		return p, errors.Join(err, readErr)
	case stored.WriteID == item.WriteID:
		return p, nil
	case stored.Version >= p.Version, dynamo.IsCondCheckFailed(err):
		return p, ErrStale
	default:
		return p, err
	}
}

// RecordsToTell are the payout's next records that have not heard its outcome,
// in their order, at most so many.
func (s *Store) RecordsToTell(ctx context.Context, t account.Tenant, p payments.Payout, limit int) ([]payments.PayoutRecord, error) {
	from := recordsOf(p)
	if p.Told != "" {
		from += p.Told + afterID
	}
	var items []recordItem
	err := s.recordsBetween(t, from, recordsOf(p)+"~", false).Limit(limit).All(ctx, &items)
	return records(items), err
}

// PayoutRecords lists the records of the payouts of some days, both inclusive,
// by day: those whose outcome is known.
func (s *Store) PayoutRecords(ctx context.Context, t account.Tenant, firstDay, lastDay string, newestFirst bool, limit int) ([]payments.PayoutRecord, error) {
	query := s.recordsBetween(t, firstDay, lastDay+"#~", newestFirst).Filter("'status' <> ?", payments.RecordOpen)
	items, err := first[recordItem](ctx, query, limit)
	return records(items), err
}

func (s *Store) recordsBetween(t account.Tenant, from, to string, newestFirst bool) *dynamo.Query {
	query := s.table.Get(partitionKey, payoutRecords(t)).Range(sortKey, dynamo.Between, from, to).Consistent(true)
	if newestFirst {
		query.Order(dynamo.Descending)
	}
	return query
}

func records(items []recordItem) []payments.PayoutRecord {
	records := make([]payments.PayoutRecord, len(items))
	for i, item := range items {
		records[i] = item.PayoutRecord
	}
	return records
}
