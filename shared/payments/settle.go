package payments

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// CheckoutChange is a checkout's next state, with all records to write in the same transaction.
type CheckoutChange struct {
	Checkout    Checkout // Version is still that of the stored item
	Transaction *Transaction
	Instrument  *Instrument
	Session     *Session
	Callback    *Callback
	Entry       *ledger.Entry // of a captured payment
	Payables    []Payable     // owed to the merchant for it
}

// Session lets a payer's browser return to one attempt, with a 3DS MD or for a payment code. Only a hash of the token
// is stored.
type Session struct {
	TokenHash  string    `dynamo:"-"`
	CheckoutID string    `dynamo:"checkout_id"`
	AttemptID  string    `dynamo:"attempt_id"`
	ExpiresAt  time.Time `dynamo:"expires"`
}

// Settle applies the acquirer's answer about an attempt. It returns false for a repeated or late answer, that is, if
// the attempt is closed or another attempt runs. msgID becomes the callback's id. The change contains the session if
// the payer must come back.
func (c Checkout) Settle(attemptID string, o Outcome, msgID string, session Session,
	now time.Time) (CheckoutChange, bool) {
	if c.Attempt == nil || c.Attempt.ID != attemptID || c.Attempt.State == AttemptClosed {
		return CheckoutChange{}, false
	}
	c = c.withOwnAttempt()
	if o.Card != nil {
		c.Attempt.Card = o.Card
	}
	switch o.Decision {
	case Approved:
		return c.approve(o, msgID, now), true
	case Declined:
		return c.fail(o, msgID, now), true
	case Challenge, Voucher:
		if c.Reader != nil {
			return c.waitAtReader(now), true
		}
		return c.requireAction(o, session, now), true
	case Cancelled:
		if c.Reader != nil {
			return c.stopAtReader(o, msgID, now), true
		}
		return c.closeCancelled(o, msgID, now), true
	default:
		return c.recordUnknown(o, now), true
	}
}

// RefusedCard is a saved card that its issuer has refused for good.
type RefusedCard struct {
	CustomerID, Token, AcquirerToken string
}

// RefusedCard returns the saved card that the outcome of the open attempt refuses for good. It returns false if there
// is no such card.
func (c Checkout) RefusedCard(attemptID string, o Outcome) (RefusedCard, bool) {
	a := c.Attempt
	if !o.NeverRetry || o.Decision != Declined || !c.AttemptOpen() || a.ID != attemptID || a.Token == "" || a.Card == nil {
		return RefusedCard{}, false
	}
	return RefusedCard{cmp.Or(a.TokenOwner, c.CustomerID), a.Token, a.Card.AcquirerToken}, true
}

// withOwnAttempt copies the attempt and the list of transactions, so that changes do not alter the caller's checkout.
func (c Checkout) withOwnAttempt() Checkout {
	attempt := *c.Attempt
	c.Attempt = &attempt
	c.Transactions = slices.Clone(c.Transactions)
	return c
}

func (c Checkout) approve(o Outcome, msgID string, now time.Time) CheckoutChange {
	c.Status = CheckoutPaid
	c.AttemptStarts = nil // the starts only limit further attempts
	change := c.record(TransactionSuccessful, o, now)
	change.addPosting(o.AcquirerReference, now)
	change.addInstrument(o.NetworkTransactionID, now)
	change.Checkout.Attempt = c.Attempt.closed()
	change.Callback = newCallback(change.Checkout, msgID, now)
	return change
}

func (c Checkout) fail(o Outcome, msgID string, now time.Time) CheckoutChange {
	c.Status = CheckoutFailed
	if c.Reader != nil {
		c.Reader = c.Reader.withReason(ReasonDeclined)
	}
	change := c.record(TransactionFailed, o, now)
	change.Checkout.Attempt = c.Attempt.closed()
	change.Callback = newCallback(change.Checkout, msgID, now)
	return change
}

// requireAction records that the payer must act. If the answer is repeated, it only schedules the next poll.
func (c Checkout) requireAction(o Outcome, session Session, now time.Time) CheckoutChange {
	a := c.Attempt
	a.UnknownSince = time.Time{}
	if a.State == AttemptRequiresAction {
		*a = a.pollAgain(now)
		return CheckoutChange{Checkout: c}
	}
	c.Status = CheckoutPending
	a.State = AttemptRequiresAction
	a.Deadline = a.StartedAt.Add(a.payerTime())
	if a.Code = o.Code; a.Code != nil {
		a.Deadline = a.Code.Until
	}
	*a = a.pollAgain(now)
	change := c.record(TransactionPending, o, now)
	session.CheckoutID, session.AttemptID, session.ExpiresAt = c.ID, a.ID, a.Deadline.Add(24*time.Hour)
	change.Session = &session
	return change
}

// recordUnknown records that the acquirer gave no outcome. For a pending attempt the outcome is unknown since the start
// of the attempt, otherwise from now on.
func (c Checkout) recordUnknown(o Outcome, now time.Time) CheckoutChange {
	a := c.Attempt
	switch {
	case !a.UnknownSince.IsZero():
	case a.State == AttemptPending:
		a.UnknownSince = a.StartedAt
	default:
		a.UnknownSince = now
	}
	*a = a.pollAgain(now)
	if c.isRecorded() {
		return CheckoutChange{Checkout: c}
	}
	c.Status = CheckoutPending
	return c.record(TransactionPending, o, now)
}

// closeCancelled closes an attempt that will never be charged. An attempt that clients have not seen leaves no record.
// If the payer's deadline has not passed, one of our requests cancelled the attempt and was then cut off, so the
// attempt is CANCELLED. Otherwise the attempt has failed.
func (c Checkout) closeCancelled(o Outcome, msgID string, now time.Time) CheckoutChange {
	switch {
	case !c.isRecorded():
		c.Attempt = c.Attempt.closed()
		return CheckoutChange{Checkout: c}
	case c.RequiresAction() && now.Before(c.Attempt.Deadline):
		return c.CancelAttempt(now)
	default:
		return c.fail(o, msgID, now)
	}
}

// CloseNotTaken closes an attempt that the acquirer certainly did not take. The client may retry (contract §3.4, 424).
func (c Checkout) CloseNotTaken(attemptID string) (CheckoutChange, bool) {
	if c.Attempt == nil || c.Attempt.ID != attemptID || c.Attempt.State == AttemptClosed || c.isRecorded() {
		return CheckoutChange{}, false
	}
	c.Attempt = c.Attempt.closed()
	return CheckoutChange{Checkout: c}, true
}

// CancelAttempt closes a waiting attempt that the acquirer has cancelled. The status becomes CANCELLED, and there is no
// callback.
func (c Checkout) CancelAttempt(now time.Time) CheckoutChange {
	change := c.withOwnAttempt().record(TransactionCancelled, Outcome{}, now)
	change.Checkout.Attempt = c.Attempt.closed()
	return change
}

// Deactivate expires the checkout at the merchant's request (contract §4.5). The caller must first cancel, at the
// acquirer, an attempt that requires the payer's action. Failures: those of CheckDeactivatable.
func (c Checkout) Deactivate(msgID string, now time.Time) (CheckoutChange, error) {
	if err := c.CheckDeactivatable(now); err != nil {
		return CheckoutChange{}, err
	}
	c.ValidUntil = &now
	return c.expire(msgID, now), nil
}

// CheckDeactivatable refuses a checkout that is paid or expired (Conflict), or undecided (ErrAttemptPending).
func (c Checkout) CheckDeactivatable(now time.Time) error {
	switch {
	case c.Status == CheckoutPaid:
		return errPaid
	case c.StatusAt(now) == CheckoutExpired:
		return errNotDeactivatable
	case c.attemptPending():
		return ErrAttemptPending
	default:
		return nil
	}
}

// errNotDeactivatable refuses to deactivate an expired checkout.
var errNotDeactivatable = failure.Conflict("The checkout cannot be deactivated.").
	WithCode("CHECKOUT_PROCESSED").WithSlug("session-cant-be-deactivated")

// ErrAttemptPending reports that the checkout cannot be deactivated before the acquirer has decided.
var ErrAttemptPending = errNotDeactivatable.AsTransient()

// Expire records that valid_until has passed. It returns false before that.
func (c Checkout) Expire(msgID string, now time.Time) (CheckoutChange, bool) {
	if !c.isExpired(now) {
		return CheckoutChange{}, false
	}
	return c.expire(msgID, now), true
}

func (c Checkout) expire(msgID string, now time.Time) CheckoutChange {
	c.Status = CheckoutExpired
	change := CheckoutChange{Checkout: c}
	if c.RequiresAction() {
		change = c.CancelAttempt(now)
	}
	change.Callback = newCallback(change.Checkout, msgID, now)
	return change
}

// isRecorded returns true if the attempt's transaction has been written, as PENDING.
func (c Checkout) isRecorded() bool {
	return slices.ContainsFunc(c.Transactions, func(t CheckoutTransaction) bool { return t.ID == c.Attempt.ID })
}

// record adds the attempt's transaction to the change and to the checkout's list.
func (c Checkout) record(status TransactionStatus, o Outcome, now time.Time) CheckoutChange {
	if c.Reader != nil {
		c.Reader = c.Reader.withUpdatedAt(now)
	}
	t := c.newTransaction(status, o, now)
	i := slices.IndexFunc(c.Transactions, func(known CheckoutTransaction) bool { return known.ID == t.ID })
	if i >= 0 {
		c.Transactions[i] = t.CheckoutTransaction
	} else {
		c.Transactions = append(c.Transactions, t.CheckoutTransaction)
		c.Transactions = c.Transactions[max(0, len(c.Transactions)-maxTransactions):]
	}
	return CheckoutChange{Checkout: c, Transaction: &t}
}

// addPosting adds a captured payment's journal entry and payouts. It adds none for a verification, which captures
// nothing.
func (ch *CheckoutChange) addPosting(acquirerReference string, now time.Time) {
	t := ch.Transaction
	if t.Captured.IsZero() {
		return
	}
	ch.Entry = paymentEntry(*t, acquirerReference, now)
	t.Payouts, ch.Payables = t.planPayouts(now)
}

// addInstrument saves the approved card for the checkout's customer, with a mandate if the payer gave one (contract
// §4.6).
func (ch *CheckoutChange) addInstrument(networkTransactionID string, now time.Time) {
	c := &ch.Checkout
	a := c.Attempt
	if a.Token != "" {
		c.InstrumentToken = a.Token
		return
	}
	if a.SaveAs == "" || a.Card == nil || a.Card.AcquirerToken == "" {
		return
	}
	instrument := Instrument{Token: a.SaveAs, CustomerID: c.CustomerID, Active: true, Card: *a.Card, CreatedAt: now}
	if a.WithMandate {
		instrument.Mandate = &Mandate{Type: "recurrent", Status: MandateActive, MerchantCode: c.Payee.Code}
		c.Mandate = instrument.Mandate
		instrument.NetworkTransactionID = networkTransactionID
	}
	c.InstrumentToken = instrument.Token
	ch.Instrument = &instrument
	ch.Transaction.InstrumentToken = instrument.Token
}

// FormatUUIDv4 formats the first 16 bytes as a UUID v4.
func FormatUUIDv4(b []byte) string {
	var u uuid.UUID
	copy(u[:], b)
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}
