package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// scheduleItem returns a tenant's payout schedule as stored, due at its next cut-off.
func (s *Store) scheduleItem(t identity.Tenant, schedule merchant.PayoutSchedule) storedItem {
	item := newItem(payoutScheduleKey(t), schedule, schedule.Version)
	item.due = s.shards.payoutAt(schedule.NextAt, item.key)
	return item
}

// payoutItem returns a payout as stored, due at its next run.
func (s *Store) payoutItem(t identity.Tenant, p payout.Payout) storedItem {
	item := newItem(payoutKey(t, p.ID), p, p.Version)
	if at := p.DueAt(); !at.IsZero() {
		item.due = s.shards.payoutAt(at, item.key)
	}
	item.changed = payoutChangedAt(t, p)
	return item
}

// PayoutSchedule reads a tenant's payout schedule, consistently. Failure: NotFound before the tenant has a bank account
// for payouts.
func (s *View) PayoutSchedule(ctx context.Context, t identity.Tenant) (merchant.PayoutSchedule, error) {
	return readOne[merchant.PayoutSchedule](ctx, s, payoutScheduleKey(t),
		failure.NotFound("The merchant has no payout account."))
}

// OpenPayout saves the schedule with its next cut-off and opens the payout that was due, if any, in one transaction.
// Error: ErrStale when the schedule changed. Failure: Conflict when the payout exists.
func (s *Store) OpenPayout(ctx context.Context, t identity.Tenant, schedule merchant.PayoutSchedule,
	p *payout.Payout) error {
	schedule.Version++
	item := s.scheduleItem(t, schedule)
	tx, refused := s.db.WriteTx().Idempotent(true).Put(s.replace(item)), error(nil)
	if p != nil {
		refused = failure.Conflict("The payout already exists.")
		tx.Put(s.table.Put(s.payoutItem(t, *p)).If("attribute_not_exists(pk)"))
	}
	return s.resolve(ctx, item, refused, tx.Run(ctx))
}

// CreatePayout opens a payout on demand. A payout that exists stays unchanged.
func (s *Store) CreatePayout(ctx context.Context, t identity.Tenant, p payout.Payout) error {
	return ifRefused(s.table.Put(s.payoutItem(t, p)).If("attribute_not_exists(pk)").Run(ctx), nil)
}

// Payout reads a payout, consistently. Failure: NotFound.
func (s *View) Payout(ctx context.Context, t identity.Tenant, id string) (payout.Payout, error) {
	return readOne[payout.Payout](ctx, s, payoutKey(t, id), failure.NotFound("There is no such payout."))
}

// StepPayout writes a payout's next state and its journal entry, if any. Error: ErrStale when the payout changed since
// it was read.
func (s *Store) StepPayout(ctx context.Context, t identity.Tenant, step payout.Step) (payout.Payout, error) {
	if step.Entry == nil {
		return s.savePayout(ctx, t, step.Payout)
	}
	return s.writePayout(ctx, t, step.Payout, func(tx *dynamo.WriteTx) { tx.Put(s.putEntry(t, *step.Entry)) })
}

// SendPayout is StepPayout for the step that sets a payout's bank account. It fails with ErrStale if the schedule
// changed since it was read, so that no payout goes to a replaced account, and no held payout is sent.
func (s *Store) SendPayout(ctx context.Context, t identity.Tenant, step payout.Step,
	schedule merchant.PayoutSchedule) (payout.Payout, error) {
	return s.writePayout(ctx, t, step.Payout, func(tx *dynamo.WriteTx) {
		tx.Put(s.putEntry(t, *step.Entry))
		tx.Check(s.check(payoutScheduleKey(t)).If("version = ?", schedule.Version))
	})
}

// CollectPayout moves payables into the payout, in one transaction: it deletes them, writes their records, and adds a
// payable for a negative balance. Error: ErrStale when the payout, a payable or a transaction changed.
func (s *Store) CollectPayout(ctx context.Context, t identity.Tenant, c payout.Collection) (payout.Payout, error) {
	return s.writePayout(ctx, t, c.Payout, func(tx *dynamo.WriteTx) {
		if c.CarriedForward != nil {
			tx.Put(s.putNewPayable(t, *c.CarriedForward))
		}
		for _, payable := range c.Payables {
			tx.Delete(s.remove(payableKey(t, payable)).If("attribute_exists(pk)"))
		}
		for _, r := range c.Records {
			tx.Put(s.table.Put(recordItem(t, c.Payout, r)).If("attribute_not_exists(pk)"))
		}
		for _, changed := range c.Transactions {
			tx.Put(s.putNextTransaction(t, changed))
		}
		if t.Mode == identity.Live {
			// A concurrent refund must not count on these payables any more.
			tx.Update(s.reserveVersionUpdate(t, c.Payout.Currency))
		}
	})
}

// ApplyPayoutOutcome writes the outcome of some of the payout's records. Error: ErrStale as in CollectPayout.
func (s *Store) ApplyPayoutOutcome(ctx context.Context, t identity.Tenant,
	step payout.OutcomeStep) (payout.Payout, error) {
	if len(step.Records) == 0 {
		return s.savePayout(ctx, t, step.Payout)
	}
	return s.writePayout(ctx, t, step.Payout, func(tx *dynamo.WriteTx) {
		for _, r := range step.Records {
			tx.Put(s.table.Put(recordItem(t, step.Payout, r)).If("'status' = ?", payout.RecordOpen))
		}
		for _, changed := range step.Transactions {
			tx.Put(s.putNextTransaction(t, changed))
		}
		for _, e := range step.Events {
			tx.Put(s.table.Put(s.newEventItem(t, e)).If("'status' = ?", payments.EventPending))
		}
		for _, payable := range step.Payables {
			tx.Put(s.putNewPayable(t, payable))
		}
	})
}

// putNextTransaction returns the put that replaces the version of the transaction that was read.
func (s *Store) putNextTransaction(t identity.Tenant, tx payments.Transaction) *dynamo.Put {
	before := tx.Version
	tx.Version++
	return s.table.Put(newTransactionItem(t, tx)).If("version = ?", before)
}

// reserveVersionUpdate returns the update that changes only the reserve's version.
func (s *Store) reserveVersionUpdate(t identity.Tenant, c money.Currency) *dynamo.Update {
	return s.update(reserveKey(t, c)).
		SetExpr("'version' = if_not_exists('version', ?) + ?", 0, 1).SetIfNotExists("amount", money.Zero(c))
}

// writePayout writes the payout's next version. The function "also" adds writes to the same transaction.
func (s *Store) writePayout(ctx context.Context, t identity.Tenant, p payout.Payout,
	also func(*dynamo.WriteTx)) (payout.Payout, error) {
	p.Version++
	item := s.payoutItem(t, p)
	tx := s.db.WriteTx().Idempotent(true).Put(s.replace(item))
	also(tx)
	return p, s.resolve(ctx, item, ErrStale, tx.Run(ctx))
}

// savePayout writes only the payout's next version, for a step that moves no money.
func (s *Store) savePayout(ctx context.Context, t identity.Tenant, p payout.Payout) (payout.Payout, error) {
	p.Version++
	return p, s.save(ctx, s.payoutItem(t, p))
}
