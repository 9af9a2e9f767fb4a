package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TransactionChange is a transaction's next state, with all records to write in the same database transaction.
type TransactionChange struct {
	Transaction  Transaction // Version is still that of the stored item
	Events       []Event     // new, or in their next state
	Entry        *ledger.Entry
	Payables     []Payable // new, or with their remaining amounts
	Callback     *Callback
	ReserveDelta money.Amount // added to the merchant's reserve; without a currency: no change
}

// maxEvents bounds the refunds and chargebacks of one transaction, and so the cost of reading it.
const maxEvents = 1000

var (
	errNotRefundable = failure.Conflict("The transaction cannot be refunded.")

	errAmountTooHigh = failure.Conflict("The amount exceeds what is left to refund.")

	// ErrInsufficientBalance reports that the merchant's balance does not cover the refund (contract §6.4).
	ErrInsufficientBalance = failure.Conflict("The merchant's balance does not cover the refund.").
				WithCode("NOT_ENOUGH_BALANCE")

	// ErrBalanceReserved reports a balance that would cover the refund, but is reserved for pending refunds.
	ErrBalanceReserved = ErrInsufficientBalance.AsTransient()
)

// AmountTooHighError reports an amount above the refundable rest. As a failure it is a Conflict (contract §6.4).
type AmountTooHighError struct {
	Refundable money.Amount // the rest, more than zero
	Minimum    money.Amount // for one refund, if RefundTerms applied

	pending bool // the rest would suffice if no refund were pending
}

func (e *AmountTooHighError) Error() string {
	return "payments: only " + e.Refundable.String() + " is left to refund"
}

// Unwrap returns the failure that clients see.
func (e *AmountTooHighError) Unwrap() error {
	if e.pending {
		return errAmountTooHigh.AsTransient()
	}
	return errAmountTooHigh
}

// CanRefund returns true if any amount of the transaction can be refunded.
func (t Transaction) CanRefund() bool { return t.hasRefundable() && t.EventCount < maxEvents }

func (t Transaction) hasRefundable() bool {
	return t.Status == TransactionSuccessful && t.Refundable.Sign() > 0
}

// refundRefusal returns the failure if CanRefund is false. The failure is transient while the payment or a refund has
// no outcome.
func (t Transaction) refundRefusal() error {
	full := t.EventCount >= maxEvents
	if t.Status == TransactionPending || (t.pendingRefunds().Sign() > 0 && !full) {
		return errNotRefundable.AsTransient()
	}
	return errNotRefundable
}

func (t Transaction) pendingRefunds() money.Amount {
	return minus(t.Captured, plus(t.Refundable, plus(t.Refunded, t.ChargedBack)))
}

// RefundID returns the id of the refund that an operation requests.
func (t Transaction) RefundID(operation string) string { return eventID(t.ID, "refund "+operation) }

// BeginRefund begins a refund of the amount; nil means the whole rest. No other refund can use that money from now on,
// but clients see the refund only after the acquirer's first answer. inReserve adds the amount to the merchant's
// reserve. Failures: Conflict if CanRefund is false; AmountTooHighError; Invalid for an amount that is not above zero.
func (t Transaction) BeginRefund(operation string, amount *money.Amount, inReserve bool,
	now time.Time) (TransactionChange, error) {
	if !t.CanRefund() {
		return TransactionChange{}, t.refundRefusal()
	}
	x, err := t.refundAmount(amount)
	if err != nil {
		return TransactionChange{}, err
	}
	t.RefundsBegun++
	e := t.newEvent(t.RefundID(operation), RefundEvent, EventBegun, x, now)
	e.InReserve, e.Sequence, e.NextPoll = inReserve, t.RefundsBegun, now.Add(recoverAfter)
	t.Refundable = minus(t.Refundable, x)
	t.EventCount++
	return TransactionChange{Transaction: t, Events: []Event{e}, ReserveDelta: e.reserveIncrease()}, nil
}

// WithoutWithdrawn returns the transaction without a withdrawn refund that is now requested again. The acquirer may
// refuse to take a refund (contract §2.8, 424) each time that a client repeats the request. So the repeated requests do
// not reach the limit of events.
func (t Transaction) WithoutWithdrawn(e Event) Transaction {
	if e.Status == EventWithdrawn {
		t.EventCount--
	}
	return t
}

// refundAmount returns the amount; nil means the whole rest. Failures: AmountTooHighError; Invalid for an amount that
// is not above zero.
func (t Transaction) refundAmount(amount *money.Amount) (money.Amount, error) {
	switch {
	case amount == nil:
		return t.Refundable, nil
	case amount.Sign() <= 0:
		return money.Amount{}, failure.Invalid("amount", "must be above 0")
	case exceeds(*amount, t.Refundable):
		pending := !exceeds(*amount, plus(t.Refundable, t.pendingRefunds()))
		return money.Amount{}, &AmountTooHighError{Refundable: t.Refundable, pending: pending}
	default:
		return *amount, nil
	}
}

// reserveIncrease returns the amount that the open event adds to the merchant's reserve.
func (e Event) reserveIncrease() money.Amount {
	if !e.InReserve {
		return money.Amount{}
	}
	return e.Amount
}

// reserveDecrease returns the amount of reserveIncrease as a negative amount, which releases it from the reserve.
func (e Event) reserveDecrease() money.Amount {
	if !e.InReserve {
		return money.Amount{}
	}
	return e.Amount.Neg()
}

// SettleRefund applies the acquirer's answer about a refund. It returns false for a repeated or late answer.
//
// A refund enters the journal only when the acquirer has made it, so each journal entry records money that moved.
func (t Transaction) SettleRefund(e Event, o Outcome, now time.Time) (TransactionChange, bool) {
	if !e.Open() {
		return TransactionChange{}, false
	}
	began := e.CreatedAt
	if e.Status == EventBegun {
		e.CreatedAt = truncateToMillis(now)
	}
	e.ReturnCode = o.ReturnCode
	switch o.Decision {
	case Approved:
		change := t.completeRefund(e, now)
		change.Entry.AcquirerReference = o.AcquirerReference
		return change, true
	case Declined, Cancelled:
		return t.undoRefund(e, EventFailed, now), true
	default:
		if e.Status == EventBegun {
			e.UpdatedAt = truncateToMillis(now)
		}
		if e.UnknownSince.IsZero() {
			e.UnknownSince = began
		}
		e.Status, e.NextPoll = EventPending, nextPoll(e.UnknownSince, firstPoll, now)
		return TransactionChange{Transaction: t, Events: []Event{e}}, true
	}
}

// ShowRefund makes a refund visible to clients. A process that did not begin the refund calls ShowRefund before it asks
// the acquirer, because the acquirer may make the refund from then on. ShowRefund returns false unless the refund is
// EventBegun.
func (t Transaction) ShowRefund(e Event, now time.Time) (TransactionChange, bool) {
	if e.Status != EventBegun {
		return TransactionChange{}, false
	}
	e.Status, e.CreatedAt, e.UpdatedAt = EventPending, truncateToMillis(now), truncateToMillis(now)
	return TransactionChange{Transaction: t, Events: []Event{e}}, true
}

// WithdrawRefund undoes a refund that the acquirer certainly did not take (contract §3.4, 424). It returns false if the
// refund is already visible to clients.
func (t Transaction) WithdrawRefund(e Event, now time.Time) (TransactionChange, bool) {
	if e.Status != EventBegun {
		return TransactionChange{}, false
	}
	return t.undoRefund(e, EventWithdrawn, now), true
}

func (t Transaction) completeRefund(e Event, now time.Time) TransactionChange {
	e.Status, t.LastRefund = EventRefunded, EventRefunded
	e.setChanged(now)
	t.setChanged(now)
	t.Refunded = plus(t.Refunded, e.Amount)
	change := t.postReturn(e, ledger.Refund, PayableRefundDeduction, now)
	change.ReserveDelta = e.reserveDecrease()
	return change
}

func (t Transaction) undoRefund(e Event, status EventStatus, now time.Time) TransactionChange {
	e.Status = status
	e.setChanged(now)
	t.Refundable = plus(t.Refundable, e.Amount)
	if status == EventFailed {
		t.LastRefund = EventFailed
		t.setChanged(now)
	}
	return TransactionChange{Transaction: t, Events: []Event{e}, ReserveDelta: e.reserveDecrease()}
}

// postReturn adds a journal entry for money that went back to the payer. It takes the amount from the transaction's
// scheduled payouts, and makes a debit of the rest.
func (t Transaction) postReturn(e Event, kind ledger.Kind, payable PayableKind, now time.Time) TransactionChange {
	entry := returnEntry(e, kind, now)
	payables, rest := t.deduct(e.Amount)
	events := []Event{e}
	if rest.Sign() > 0 {
		d := t.newEvent(eventID(t.ID, "deduction "+e.ID), PayoutDeductionEvent, EventPending, rest, now)
		events = append(events, d)
		payables = append(payables, Payable{ID: d.ID, Kind: payable, TransactionID: t.ID, Code: t.Code, Shard: t.Shard,
			Amount: rest.Neg(), Fee: money.Zero(rest.Currency()), EligibleAt: now})
	}
	return TransactionChange{Transaction: t, Events: events, Entry: entry, Payables: payables}
}
