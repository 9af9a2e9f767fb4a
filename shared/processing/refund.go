package processing

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// RefundRequest is a request to return money to a payer.
type RefundRequest struct {
	TransactionID  string             // id or code of the transaction
	Operation      string             // identifies the request; the same for each retry with the same Idempotency-Key
	Amount         money.Literal      // "": the whole refundable rest
	Country        string             // the merchant's country, which the operator's rules may name
	By             identity.Principal // must be allowed to see the payment
	MinimumBalance *money.Amount      // lower bound of the merchant's balance; nil: none
}

var errRefundRefused = failure.Conflict("The acquirer refused the refund.")

// Refund returns money to the payer. It makes 1 read, 1 transaction to begin the refund, the call to the acquirer, and
// 1 transaction to record the outcome. If the outcome is unknown, Refund succeeds, and polls follow. Failures:
// NotFound; Invalid for a bad amount; Conflict if nothing is refundable, the payment is too old, or the acquirer
// refuses; payments' AmountTooHighError, AmountTooLowError, ErrInsufficientBalance and ErrBalanceReserved; Upstream if
// the acquirer did not take the refund.
func (p *Processor) Refund(ctx context.Context, t identity.Tenant, request RefundRequest) error {
	var begun bool // another request has begun it
	e, err := store.Retry(func(bool) (payments.Event, error) {
		r, err := p.Store.FindTransaction(ctx, t, request.TransactionID)
		if err != nil {
			return payments.Event{}, err
		}
		if !request.By.Sees(r.Creator) {
			return payments.Event{}, failure.NotFound("There is no such transaction.")
		}
		before, known := r.Refund(r.RefundID(request.Operation))
		if begun = known && before.Status != payments.EventWithdrawn; begun {
			return before, nil
		}
		return p.beginRefund(ctx, t, r.WithoutWithdrawn(before), request)
	})
	switch {
	case err != nil:
		return err
	case begun:
		return p.resumeRefund(ctx, t, e)
	default:
		return p.sendRefund(ctx, t, e)
	}
}

// beginRefund records the refund. From then on, its amount is no longer refundable.
func (p *Processor) beginRefund(ctx context.Context, t identity.Tenant, tx payments.Transaction,
	request RefundRequest) (payments.Event, error) {
	amount, err := parseAmount(tx, request.Amount)
	if err != nil {
		return payments.Event{}, err
	}
	change, err := p.Refunds.Terms(tx, request.Country).Begin(tx, request.Operation, amount,
		request.MinimumBalance != nil, p.Store.Now())
	if err != nil {
		return payments.Event{}, err
	}
	e := change.Events[0]
	reserve, err := p.checkBalance(ctx, t, e.Amount, request.MinimumBalance)
	if err != nil {
		return e, err
	}
	return e, p.Store.ApplyTransaction(ctx, t, change, reserve)
}

// parseAmount parses an amount in the transaction's currency. Without an amount it returns nil. An amount that no
// transaction of that currency could accept is Invalid, in any state of the transaction.
func parseAmount(tx payments.Transaction, given money.Literal) (*money.Amount, error) {
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

// checkBalance refuses a refund that would take the merchant's balance, less the reserve for pending refunds, below the
// minimum (contract §6.4). It returns the reserve that its decision is based on.
//
// The merchant is read after the reserve. If a shard is added after the merchant is read, the check misses a debit in
// the new shard. But the refund that made that debit has also changed the reserve. The write requires an unchanged
// reserve, and so fails. A chargeback may still come between the check and the write, with one shard or several.
func (p *Processor) checkBalance(ctx context.Context, t identity.Tenant, amount money.Amount,
	minimum *money.Amount) (*store.Reserve, error) {
	if minimum == nil {
		return nil, nil
	}
	reserve, err := p.Store.Reserve(ctx, t, amount.Currency())
	if err != nil {
		return nil, err
	}
	alone, err := amount.Add(*minimum)
	if err != nil {
		return nil, err
	}
	needed, err := alone.Add(reserve.Amount)
	if err != nil {
		return nil, err
	}
	m, err := p.Store.Merchant(ctx, t.Merchant)
	if err != nil {
		return nil, err
	}
	covered, err := p.Store.BalanceAtLeast(ctx, t, m.ShardCount(), needed)
	if err != nil || covered {
		return &reserve, err
	}
	if reserve.Amount.Sign() > 0 {
		if covered, err = p.Store.BalanceAtLeast(ctx, t, m.ShardCount(), alone); err != nil {
			return nil, err
		}
	}
	if covered {
		return nil, payments.ErrBalanceReserved
	}
	return nil, payments.ErrInsufficientBalance
}

// sendRefund has the acquirer make a refund that this request has begun, and records the outcome. If no other request
// has asked for the refund, ErrNotTaken means that the acquirer never took it. Once another request has asked for the
// refund, ErrNotTaken no longer proves that.
func (p *Processor) sendRefund(ctx context.Context, t identity.Tenant, e payments.Event) error {
	o, err := p.requestRefund(ctx, t, e)
	var after payments.Event
	if errors.Is(err, acquirer.ErrNotTaken) {
		after, err = p.withdrawRefund(ctx, t, e)
	} else {
		after, err = p.settleRefund(ctx, t, e, o)
	}
	if err != nil {
		return err
	}
	return refundError(after, e.Sequence)
}

// resumeRefund continues a refund that another request has begun.
func (p *Processor) resumeRefund(ctx context.Context, t identity.Tenant, e payments.Event) error {
	after, err := p.pollRefund(ctx, t, e)
	if unlessNoAnswer(err) != nil {
		return err
	}
	return refundError(after, after.Sequence)
}

// pollRefund asks the acquirer about a refund that another request has begun and may still withdraw. Before that,
// pollRefund makes the refund visible to clients. A visible refund can no longer be withdrawn. If the outcome stays
// unknown and the next poll is already scheduled, pollRefund writes nothing. If the acquirer does not answer for a
// refund that stays open, pollRefund returns errNoAnswer with the refund.
func (p *Processor) pollRefund(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Event, error) {
	if e.Status == payments.EventBegun {
		var err error
		show := func(tx payments.Transaction, e payments.Event) (payments.TransactionChange, bool) {
			return tx.ShowRefund(e, p.Store.Now())
		}
		if e, err = p.changeRefund(ctx, t, e, show); err != nil {
			return e, err
		}
	}
	if !e.Open() {
		return e, nil
	}
	o, askErr := p.requestRefund(ctx, t, e) // an error leaves the outcome unknown
	if errors.Is(askErr, acquirer.ErrNotTaken) {
		o, askErr = p.cancelRefund(ctx, t, e)
	}
	if e.Changes(o, p.Store.Now()) {
		var err error
		if e, err = p.settleRefund(ctx, t, e, o); err != nil {
			return e, err
		}
		if e.Status == payments.EventPending && !e.UnknownSince.IsZero() {
			p.measure(ctx, t, metric.UnknownRefundAge.Took(p.Store.Now().Sub(e.UnknownSince)))
		}
	}
	if askErr != nil && e.Open() {
		return e, errNoAnswer
	}
	return e, nil
}

var errWithdrawn = errors.New("processing: the refund was withdrawn")

// refundError returns the error for the client that began the refund under the sequence number.
func refundError(e payments.Event, sequence int) error {
	switch {
	case e.Status == payments.EventWithdrawn, e.Sequence != sequence: // withdrawn, and perhaps begun again since
		return failure.Upstream(errWithdrawn)
	case e.Status == payments.EventFailed:
		return errRefundRefused
	default:
		return nil
	}
}

// requestRefund has the acquirer make the refund, or return the outcome of a refund already made. It may be called
// again. If the acquirer does not answer, the outcome is unknown.
func (p *Processor) requestRefund(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Outcome, error) {
	o, err := askTwice(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t.Mode).Refund(ctx, acquirer.Refund{ID: e.ID, ChargeID: e.TransactionID, Amount: e.Amount})
	})
	if err != nil {
		p.Log.WarnContext(ctx, "acquirer gave no answer to a refund", "transaction", e.TransactionID,
			"refund", e.ID, "error", err)
		return payments.Outcome{Decision: payments.OutcomeUnknown}, err
	}
	return o, nil
}

// cancelRefund has the acquirer cancel a refund that the acquirer did not take. Other requests for the same refund may
// have been made or be on their way. If the acquirer took another request first, cancelRefund returns that request's
// outcome. If the acquirer does not answer, the outcome is unknown.
func (p *Processor) cancelRefund(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Outcome, error) {
	o, err := askTwice(ctx, func(ctx context.Context) (payments.Outcome, error) {
		return p.acquirer(t.Mode).CancelRefund(ctx, e.ID)
	})
	if err != nil {
		p.Log.WarnContext(ctx, "refund neither taken nor cancelled", "transaction", e.TransactionID,
			"refund", e.ID, "error", err)
		return payments.Outcome{Decision: payments.OutcomeUnknown}, err
	}
	return o, nil
}

// settleRefund records the acquirer's outcome. A final refund stays as it is.
func (p *Processor) settleRefund(ctx context.Context, t identity.Tenant, e payments.Event,
	o payments.Outcome) (payments.Event, error) {
	return p.changeRefund(ctx, t, e, func(tx payments.Transaction, e payments.Event) (payments.TransactionChange, bool) {
		return tx.SettleRefund(e, o, p.Store.Now())
	})
}

// withdrawRefund undoes the beginning of refund e, unless e was already withdrawn and begun again.
func (p *Processor) withdrawRefund(ctx context.Context, t identity.Tenant, e payments.Event) (payments.Event, error) {
	return p.changeRefund(ctx, t, e, func(tx payments.Transaction, stored payments.Event) (payments.TransactionChange,
		bool) {
		if stored.Sequence != e.Sequence {
			return payments.TransactionChange{}, false
		}
		return tx.WithdrawRefund(stored, p.Store.Now())
	})
}

// errUnrecorded is an internal error. A Conflict would tell the client that no money moved, but that is unknown.
var errUnrecorded = errors.New("processing: a refund's outcome was not recorded: others keep changing the transaction")

// changeRefund applies a rule to the stored refund and writes the change, even if the client has disconnected. A try
// fails if another writer wins. The outcome must not be lost, so changeRefund tries again until recordTime is over.
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
				return e, errors.New("processing: a refund that was begun is gone")
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

// ResolveRefundDue asks the acquirer for the outcome of a refund and records it. Before the next poll is due it does
// nothing, like ResolveDue. If the acquirer does not answer, that is no error. Failure: NotFound.
func (p *Processor) ResolveRefundDue(ctx context.Context, t identity.Tenant, refundID string) error {
	e, err := p.findRefund(ctx, t, refundID)
	// The request that began the refund may not have reached the acquirer yet.
	if err != nil || !e.Open() || p.Store.Now().Before(e.NextPoll) {
		return err
	}
	_, err = p.pollRefund(ctx, t, e)
	return unlessNoAnswer(err)
}

// findRefund reads a refund by its id. Failure: NotFound.
func (p *Processor) findRefund(ctx context.Context, t identity.Tenant, id string) (payments.Event, error) {
	if code, ok := payments.CodeWithin(id); ok {
		records, err := p.Store.Transactions(ctx, t, code)
		if err != nil {
			return payments.Event{}, err
		}
		for _, r := range records {
			if e, ok := r.Refund(id); ok {
				return e, nil
			}
		}
	}
	return payments.Event{}, failure.NotFound("There is no such refund.")
}

// ChargebackRequest is a chargeback as the acquirer reported it.
type ChargebackRequest struct {
	TransactionID string        // id or code of the transaction
	ID            string        // the acquirer's id of the chargeback; a repeated report changes nothing
	Amount        money.Literal // "": the whole rest
	Lost          bool          // the merchant cannot pay it (NON_COLLECTION)
}

// Chargeback records a chargeback and its callback. Failures: NotFound, Invalid, Conflict.
func (p *Processor) Chargeback(ctx context.Context, t identity.Tenant,
	request ChargebackRequest) (payments.Event, error) {
	return store.Retry(func(bool) (payments.Event, error) {
		r, err := p.Store.FindTransaction(ctx, t, request.TransactionID)
		if err != nil {
			return payments.Event{}, err
		}
		if e, known := r.ChargebackBy(request.ID); known {
			return e, nil
		}
		c, err := p.Store.AnyCheckout(ctx, t, r.CheckoutID)
		if err != nil {
			return payments.Event{}, err
		}
		amount, err := parseAmount(r.Transaction, request.Amount)
		if err != nil {
			return payments.Event{}, err
		}
		change, err := r.Chargeback(c, request.ID, amount, request.Lost, newMessageID(), p.Store.Now())
		if err != nil {
			return payments.Event{}, err
		}
		return change.Events[0], p.Store.ApplyTransaction(ctx, t, change, nil)
	})
}
