package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// TransactionChange is a transaction's next state and everything that must be
// written with it, in one database transaction or not at all.
type TransactionChange struct {
	Transaction  Transaction // Version is still that of the item read
	Events       []Event     // new, or in their next state
	Entry        *ledger.Entry
	Payables     []Payable // new, or with what is left of them
	Callback     *Callback
	ReserveDelta money.Amount // added to the merchant's held balance, or taken from it; no currency: untouched
}

// maxEvents bounds the refunds and chargebacks of one transaction, and so
// what a read of it costs.
const maxEvents = 1000

var (
	errNotRefundable = failure.Conflict("the transaction cannot be refunded")

	errAmountTooHigh = failure.Conflict("the amount exceeds what is left to refund")

	// ErrInsufficientBalance: the merchant's balance does not cover the refund
	// (contract §6.4).
	ErrInsufficientBalance = failure.Conflict("the merchant's balance does not cover the refund").WithCode("NOT_ENOUGH_BALANCE")

	// ErrBalanceReserved: it would, without what refunds that are running hold.
	ErrBalanceReserved = ErrInsufficientBalance.AsTransient()
)

// AmountTooHighError reports that more is asked for than is left to refund. As a failure
// it is a Conflict (contract §6.4).
type AmountTooHighError struct {
	Refundable money.Amount // what is left, more than zero
	Minimum    money.Amount // that can be refunded at once, where RefundTerms said so

	pending bool // it would be left, had refunds that are running not set money aside
}

func (e *AmountTooHighError) Error() string {
	return "payments: only " + e.Refundable.String() + " is left to refund"
}

// Unwrap is what clients are told.
func (e *AmountTooHighError) Unwrap() error {
	if e.pending {
		return errAmountTooHigh.AsTransient()
	}
	return errAmountTooHigh
}

// CanRefund says some of the transaction is left to refund.
func (t Transaction) CanRefund() bool { return t.hasRefundable() && t.EventCount < maxEvents }

func (t Transaction) hasRefundable() bool {
	return t.Status == TransactionSuccessful && t.Refundable.Sign() > 0
}

// notRefundable is why CanRefund is false: for good, or until the payment or a
// refund that is running has its outcome.
func (t Transaction) notRefundable() error {
	full := t.EventCount >= maxEvents
	if t.Status == TransactionPending || (t.pendingRefunds().Sign() > 0 && !full) {
		return errNotRefundable.AsTransient()
	}
	return errNotRefundable
}

// pendingRefunds is what refunds without an outcome may still take.
func (t Transaction) pendingRefunds() money.Amount {
	return minus(t.Captured, plus(t.Refundable, plus(t.Refunded, t.ChargedBack)))
}

// RefundID is the id of the refund that an operation asks for.
func (t Transaction) RefundID(operation string) string { return eventID(t.ID, "refund "+operation) }

// BeginRefund sets an amount aside for a refund that is about to be sent to
// the acquirer; nil: all that is left. Nobody sees it before the acquirer's
// first word, but no other refund can have the same money. held says it counts
// against the merchant's balance. Failures: Conflict when the transaction was
// not successful or is refunded in full; AmountTooHighError; Invalid for an amount
// that is not above nought.
func (t Transaction) BeginRefund(operation string, amount *money.Amount, held bool,
	now time.Time) (TransactionChange, error) {
	if !t.CanRefund() {
		return TransactionChange{}, t.notRefundable()
	}
	x, err := t.refundAmount(amount)
	if err != nil {
		return TransactionChange{}, err
	}
	t.RefundsBegun++
	e := Event{ID: t.RefundID(operation), TransactionID: t.ID, Code: t.Code, Type: RefundEvent, Status: EventBegun,
		Amount: x, InReserve: held, Sequence: t.RefundsBegun, CreatedAt: shown(now), UpdatedAt: shown(now),
		NextPoll: now.Add(recoverAfter), TransactionSummary: t.summary()}
	t.Refundable = minus(t.Refundable, x)
	t.EventCount++
	return TransactionChange{Transaction: t, Events: []Event{e}, ReserveDelta: e.toReserve()}, nil
}

// WithoutWithdrawn is the transaction without a refund that was withdrawn and is asked
// for again: what is reserved now takes its place. So a client may repeat a
// request that the acquirer does not take as often as it must (contract §2.8,
// 424) without using up what the transaction may have of events.
func (t Transaction) WithoutWithdrawn(e Event) Transaction {
	if e.Status == EventWithdrawn {
		t.EventCount--
	}
	return t
}

// refundAmount is the amount that is to go back to the payer; nil: all that is left.
// Failures: AmountTooHighError; Invalid for an amount that is not above nought.
func (t Transaction) refundAmount(amount *money.Amount) (money.Amount, error) {
	switch {
	case amount == nil:
		return t.Refundable, nil
	case amount.Sign() <= 0:
		return money.Amount{}, failure.Invalid("amount", "must be above 0")
	case more(*amount, t.Refundable):
		return money.Amount{}, &AmountTooHighError{Refundable: t.Refundable, pending: !more(*amount, plus(t.Refundable, t.pendingRefunds()))}
	default:
		return *amount, nil
	}
}

// hold is what the open event takes from the merchant's balance.
func (e Event) toReserve() money.Amount {
	if !e.InReserve {
		return money.Amount{}
	}
	return e.Amount
}

// release gives the hold back.
func (e Event) fromReserve() money.Amount {
	if !e.InReserve {
		return money.Amount{}
	}
	return e.Amount.Neg()
}

// SettleRefund applies the acquirer's word on a refund. It answers false when
// the refund is closed, so a repeated or late word changes nothing.
//
// The books hear of a refund when the acquirer has made it, so that no entry
// ever stands for money that did not move.
func (t Transaction) SettleRefund(e Event, o Outcome, now time.Time) (TransactionChange, bool) {
	if !e.Open() {
		return TransactionChange{}, false
	}
	began := e.CreatedAt
	if e.Status == EventBegun {
		e.CreatedAt = shown(now)
	}
	e.ReturnCode = o.ReturnCode
	switch o.Decision {
	case Approved:
		return t.refunded(e, now), true
	case Declined, Cancelled:
		return t.notRefunded(e, EventFailed, now), true
	default:
		if e.Status == EventBegun {
			e.UpdatedAt = shown(now)
		}
		if e.UnknownSince.IsZero() {
			e.UnknownSince = began
		}
		e.Status, e.NextPoll = EventPending, nextPoll(e.UnknownSince, firstPoll, now)
		return TransactionChange{Transaction: t, Events: []Event{e}}, true
	}
}

// ShowRefund lets all see a reserved refund, because somebody other than who
// reserved it is about to ask the acquirer: it may be made from now on. False
// when it is no longer reserved.
func (t Transaction) ShowRefund(e Event, now time.Time) (TransactionChange, bool) {
	if e.Status != EventBegun {
		return TransactionChange{}, false
	}
	e.Status, e.CreatedAt, e.UpdatedAt = EventPending, shown(now), shown(now)
	return TransactionChange{Transaction: t, Events: []Event{e}}, true
}

// WithdrawRefund undoes a reservation whose request the acquirer certainly did
// not take: nothing changed (contract §3.4, 424). False once anybody has seen it.
func (t Transaction) WithdrawRefund(e Event, now time.Time) (TransactionChange, bool) {
	if e.Status != EventBegun {
		return TransactionChange{}, false
	}
	return t.notRefunded(e, EventWithdrawn, now), true
}

func (t Transaction) refunded(e Event, now time.Time) TransactionChange {
	e.Status, e.UpdatedAt = EventRefunded, shown(now)
	t.Refunded = plus(t.Refunded, e.Amount)
	t.LastRefund, t.UpdatedAt = EventRefunded, shown(now)
	change := t.returned(e, ledger.Refund, PayableRefundDeduction, now)
	change.ReserveDelta = e.fromReserve()
	return change
}

func (t Transaction) notRefunded(e Event, status EventStatus, now time.Time) TransactionChange {
	e.Status, e.UpdatedAt = status, shown(now)
	t.Refundable = plus(t.Refundable, e.Amount)
	if status == EventFailed {
		t.LastRefund, t.UpdatedAt = EventFailed, shown(now)
	}
	return TransactionChange{Transaction: t, Events: []Event{e}, ReserveDelta: e.fromReserve()}
}

// returned books money that went back to the payer: from the transaction's
// payouts that wait, and beyond them from the merchant's others.
func (t Transaction) returned(e Event, kind ledger.Kind, payable PayableKind, now time.Time) TransactionChange {
	entry := returnEntry(e, kind, now)
	payables, rest := t.deduct(e.Amount)
	events := []Event{e}
	if rest.Sign() > 0 {
		d := Event{ID: eventID(t.ID, "deduction "+e.ID), TransactionID: t.ID, Code: t.Code, Type: PayoutDeductionEvent,
			Status: EventPending, Amount: rest, CreatedAt: shown(now), UpdatedAt: shown(now), TransactionSummary: t.summary()}
		events = append(events, d)
		payables = append(payables, Payable{ID: d.ID, Kind: payable, TransactionID: t.ID, Code: t.Code, Amount: rest.Neg(),
			Fee: money.Zero(rest.Currency()), EligibleAt: now})
	}
	return TransactionChange{Transaction: t, Events: events, Entry: entry, Payables: payables}
}
