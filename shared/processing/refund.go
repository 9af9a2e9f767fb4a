package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// RefundRequest is a request to return money to a payer.
type RefundRequest struct {
	TransactionID string        // its id or code
	Operation     string        // the request; a retry under one Idempotency-Key has the same
	Amount        money.Literal // "": all that is left
	Country       string        // the merchant's, which the operator's rules may name
	Floor         *money.Amount // below which the merchant's balance must not fall; nil: none
}

// errRefundRefused: the acquirer declined the refund.
var errRefundRefused = failure.Conflict("The acquirer refused the refund.")

// Refund returns money to the payer: 1 read, 1 transaction to set the money
// aside, the acquirer, 1 transaction to record the outcome. When the outcome is
// unknown it succeeds, and the acquirer is polled. Failures: NotFound; Invalid
// for a bad amount; Conflict when nothing is left to refund, it is too old, or
// the acquirer refuses; payments.AmountTooHighError, BelowLeast and ErrBalance; Upstream
// when the acquirer did not take the request.
func (p *Processor) Refund(ctx context.Context, t identity.Tenant, request RefundRequest) error {
	var reserved bool
	e, err := store.Retry(func(bool) (payments.Event, error) {
		r, err := p.Store.FindTransaction(ctx, t, request.TransactionID)
		if err != nil {
			return payments.Event{}, err
		}
		before, known := r.Refund(r.RefundID(request.Operation))
		if reserved = known && before.Status != payments.EventWithdrawn; reserved {
			return before, nil
		}
		return p.reserve(ctx, t, r.WithoutWithdrawn(before), request)
	})
	switch {
	case err != nil:
		return err
	case reserved: // by another request
		return p.resumeRefund(ctx, t, e)
	default:
		return p.beginRefund(ctx, t, e)
	}
}

// reserve sets the money aside.
func (p *Processor) reserve(ctx context.Context, t identity.Tenant, tx payments.Transaction,
	request RefundRequest) (payments.Event, error) {
	amount, err := amountOf(tx, request.Amount)
	if err != nil {
		return payments.Event{}, err
	}
	change, err := p.Refunds.Terms(tx, request.Country).Begin(tx, request.Operation, amount,
		request.Floor != nil, p.Store.Now())
	if err != nil {
		return payments.Event{}, err
	}
	e := change.Events[0]
	held, err := p.checkBalance(ctx, t, e.Amount, request.Floor)
	if err != nil {
		return e, err
	}
	return e, p.Store.ApplyTransaction(ctx, t, change, held)
}

// amountOf reads an amount of the transaction's currency; nil: none is given.
// One that can never be right is Invalid, wherever the transaction stands.
func amountOf(tx payments.Transaction, given money.Literal) (*money.Amount, error) {
	if given == "" {
		return nil, nil
	}
	amount, err := given.In(tx.Amount.Currency())
	if err != nil {
		return nil, failure.Invalid("amount", money.Expected(err)).WithCause(err)
	}
	if amount.Sign() <= 0 {
		return nil, failure.Invalid("amount", "must be above 0")
	}
	return &amount, nil
}

// checkBalance refuses a refund that would take what the merchant is owed, less
// its refunds in flight, below the floor (contract §6.4).
func (p *Processor) checkBalance(ctx context.Context, t identity.Tenant, amount money.Amount,
	floor *money.Amount) (*store.Reserve, error) {
	if floor == nil {
		return nil, nil
	}
	held, err := p.Store.Reserve(ctx, t, amount.Currency())
	if err != nil {
		return nil, err
	}
	alone, err := amount.Add(*floor)
	if err != nil {
		return nil, err
	}
	needed, err := alone.Add(held.Amount)
	if err != nil {
		return nil, err
	}
	covered, err := p.Store.BalanceAtLeast(ctx, t, needed)
	if err != nil || covered {
		return &held, err
	}
	if held.Amount.Sign() > 0 {
		if covered, err = p.Store.BalanceAtLeast(ctx, t, alone); err != nil {
			return nil, err
		}
	}
	if covered {
		return nil, payments.ErrBalanceReserved
	}
	return nil, payments.ErrInsufficientBalance
}

// beginRefund has a refund made that was reserved just now, and records the
// outcome. Only who reserved it can know that the acquirer never took it, and
// only as long as nobody else has asked.
func (p *Processor) beginRefund(ctx context.Context, t identity.Tenant, e payments.Event) error {
	o, err := p.askRefund(ctx, t, e)
	var after payments.Event
	if errors.Is(err, acquirer.ErrNotTaken) {
		after, err = p.withdraw(ctx, t, e)
	} else {
		after, err = p.settleRefund(ctx, t, e, o)
	}
	if err != nil {
		return err
	}
	return toldOfRefund(after, e.Sequence)
}

// resumeRefund goes on with a refund that another request reserved.
func (p *Processor) resumeRefund(ctx context.Context, t identity.Tenant, e payments.Event) error {
	after, err := p.inquire(ctx, t, e)
	if err != nil {
		return err
	}
	return toldOfRefund(after, after.Sequence)
}

// inquire asks about a refund that somebody else reserved. It is theirs to
// withdraw until all can see that it may have been made; then it is nobody's.
func (p *Processor) inquire(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Event, error) {
	if e.Status == payments.EventBegun {
		var err error
		if e, err = p.changeRefund(ctx, t, e, func(tx payments.Transaction, e payments.Event) (payments.TransactionChange,
			bool) {
			return tx.ShowRefund(e, p.Store.Now())
		}); err != nil {
			return e, err
		}
	}
	if !e.Open() {
		return e, nil
	}
	o, err := p.askRefund(ctx, t, e) // any other error leaves the outcome unknown
	if errors.Is(err, acquirer.ErrNotTaken) {
		o = p.cancelRefund(ctx, t, e)
	}
	return p.settleRefund(ctx, t, e, o)
}

// errWithdrawn: the acquirer did not take the refund.
var errWithdrawn = errors.New("processing: the refund was withdrawn")

// toldOfRefund is what a client hears of the refund it asked for, whose
// reservation had the serial number.
func toldOfRefund(e payments.Event, serial int) error {
	switch {
	case e.Status == payments.EventWithdrawn, e.Sequence != serial: // and reserved anew since
		return failure.Upstream(errWithdrawn)
	case e.Status == payments.EventFailed:
		return errRefundRefused
	default:
		return nil
	}
}

// askRefund has the acquirer make the refund, or say what became of it. Asking
// again is always safe; without an answer the outcome is unknown.
func (p *Processor) askRefund(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Outcome, error) {
	o, err := askTwice(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t).Refund(ctx, acquirer.Refund{ID: e.ID, ChargeID: e.TransactionID, Amount: e.Amount})
	})
	if err != nil {
		p.Log.WarnContext(ctx, "refund without an answer", "transaction", e.TransactionID, "refund", e.ID, "error", err)
		return payments.Outcome{Decision: payments.OutcomeUnknown}, err
	}
	return o, nil
}

// cancelRefund makes sure that a refund the acquirer does not take is never
// made, or has it say what became of it: one request that was not taken tells
// nothing of others, of which one may be made or on its way. Without an answer
// the money stays set aside.
func (p *Processor) cancelRefund(ctx context.Context, t identity.Tenant, e payments.Event) payments.Outcome {
	o, err := askTwice(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t).CancelRefund(ctx, e.ID)
	})
	if err != nil {
		p.Log.WarnContext(ctx, "refund neither taken nor cancelled", "transaction", e.TransactionID,
			"refund", e.ID, "error", err)
		return payments.Outcome{Decision: payments.OutcomeUnknown}
	}
	return o
}

// settleRefund records the acquirer's word; one that comes late changes nothing.
func (p *Processor) settleRefund(ctx context.Context, t identity.Tenant, e payments.Event,
	o payments.Outcome) (payments.Event, error) {
	return p.changeRefund(ctx, t, e, func(tx payments.Transaction, e payments.Event) (payments.TransactionChange, bool) {
		return tx.SettleRefund(e, o, p.Store.Now())
	})
}

// withdraw undoes the reservation e, and no later one of the same refund.
func (p *Processor) withdraw(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Event, error) {
	return p.changeRefund(ctx, t, e, func(tx payments.Transaction, stored payments.Event) (payments.TransactionChange,
		bool) {
		if stored.Sequence != e.Sequence {
			return payments.TransactionChange{}, false
		}
		return tx.WithdrawRefund(stored, p.Store.Now())
	})
}

// errUnrecorded is a fault of ours, not a Conflict: that would tell the client
// that no money moved, which nobody here knows.
var errUnrecorded = errors.New("processing: so many change the transaction that a refund's turn never came")

// changeRefund applies a rule to a refund and writes what follows, on the fresh
// state, also when the client has hung up. It gives up only when time is up:
// each round lets somebody through, and the outcome must not be lost for want
// of patience.
func (p *Processor) changeRefund(ctx context.Context, t identity.Tenant, e payments.Event,
	rule func(payments.Transaction, payments.Event) (payments.TransactionChange, bool)) (payments.Event, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	for ctx.Err() == nil {
		changed, err := store.Retry(func(bool) (payments.Event, error) {
			r, err := p.Store.Transaction(ctx, t, e.TransactionID)
			if err != nil {
				return e, err
			}
			stored, ok := r.Refund(e.ID)
			if !ok {
				return e, errors.New("processing: a reserved refund is gone")
			}
			change, ok := rule(r.Transaction, stored)
			if !ok {
				return stored, nil
			}
			return change.Events[0], p.Store.ApplyTransaction(ctx, t, change, nil)
		})
		if !errors.Is(err, store.ErrContended) {
			return changed, err
		}
	}
	return e, errUnrecorded
}

// ResolveRefundDue asks the acquirer for the outcome of a refund and records it.
// Like ResolveDue it does nothing before the next poll is due. Failure: NotFound.
func (p *Processor) ResolveRefundDue(ctx context.Context, t identity.Tenant, refundID string) error {
	code, _ := payments.CodeWithin(refundID)
	records, err := p.Store.Transactions(ctx, t, code)
	if err != nil {
		return err
	}
	for _, r := range records {
		e, ok := r.Refund(refundID)
		if !ok {
			continue
		}
		// Whoever reserved it may still be on the way to the acquirer.
		if !e.Open() || p.Store.Now().Before(e.NextPoll) {
			return nil
		}
		_, err := p.inquire(ctx, t, e)
		return err
	}
	return failure.NotFound("There is no such refund.")
}
