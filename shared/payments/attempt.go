package payments

import (
	"cmp"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// AttemptState tells whether an attempt waits for the acquirer, for the payer, or for nothing any more.
type AttemptState string

// The states of an attempt.
const (
	AttemptPending        AttemptState = "pending"         // sent, or about to be sent, to the acquirer
	AttemptRequiresAction AttemptState = "requires_action" // challenge, redirect or voucher
	AttemptClosed         AttemptState = "closed"          // nothing more will happen
)

// Attempt is one try to charge a checkout. A checkout has at most one attempt that is not AttemptClosed. The attempt's
// ID is the acquirer's idempotency key, and becomes the transaction's id.
type Attempt struct {
	ID           string       `dynamo:"id"`
	Operation    string       `dynamo:"operation"`         // request that began the attempt, to recognise a retry
	Browser      string       `dynamo:"browser,omitempty"` // hash of the page session that began the attempt
	Earlier      []string     `dynamo:"earlier,omitempty"` // operations of earlier attempts that began on the page
	State        AttemptState `dynamo:"state"`
	Method       Method       `dynamo:"method"`
	PaymentType  string       `dynamo:"payment_type,omitempty"`
	Installments int          `dynamo:"installments,omitempty"`
	Verification bool         `dynamo:"verification,omitempty"`     // checks the card, takes nothing (contract §4.6)
	SaveAs       string       `dynamo:"save_as,omitempty"`          // token under which to save the card
	Token        string       `dynamo:"instrument_token,omitempty"` // saved card to charge
	TokenOwner   string       `dynamo:"token_owner,omitempty"`      // customer of Token, if the checkout names none
	WithMandate  bool         `dynamo:"with_mandate,omitempty"`
	Card         *CardSummary `dynamo:"card,omitempty"`
	Code         *PaymentCode `dynamo:"code,omitempty"`
	StartedAt    time.Time    `dynamo:"started_at,omitempty"`
	Deadline     time.Time    `dynamo:"deadline,omitempty"`      // for the payer's action
	NextPoll     time.Time    `dynamo:"next_poll,omitempty"`     // when the acquirer is asked again
	UnknownSince time.Time    `dynamo:"unknown_since,omitempty"` // set while the outcome is recorded as unknown
}

const (
	// recoverAfter is the time after which an attempt without an outcome counts as cut off. No function works on an
	// attempt that long.
	recoverAfter = 60 * time.Second
	// challengeTime is the time until a 3DS challenge or redirect ends (contract §4.4).
	challengeTime = 30 * time.Minute
	// boletoTime is the time until a boleto ends, and pixTime the time until a Pix code ends (contract §4.5).
	boletoTime = 3 * 24 * time.Hour
	pixTime    = 24 * time.Hour
)

// Begin claims the checkout for a new attempt, which has ID, Operation, Method and the request's facts. An attempt that
// requires action must be cancelled first. Failures: Conflict if the checkout is paid, expired or undecided; TooMany at
// a source's limit.
func (c Checkout) Begin(a Attempt, by Source, now time.Time) (Checkout, error) {
	if err := c.CheckProcessable(by, now); err != nil {
		return c, err
	}
	if c.RequiresAction() {
		return c, errRunning
	}
	starts, err := c.attemptsSince(now.Add(-time.Hour), by)
	if err != nil {
		return c, err
	}
	a.Earlier = c.Attempt.pageOperations()
	a.State, a.StartedAt, a.NextPoll = AttemptPending, now, now.Add(recoverAfter)
	a.Installments = cmp.Or(a.Installments, 1)
	c.AttemptStarts = append(starts, AttemptStart{now, by})
	c.Attempt = &a
	return c, nil
}

// StartedBy returns true if the operation began the latest attempt. A retry continues that attempt and begins no other.
func (c Checkout) StartedBy(operation string) bool {
	return c.Attempt != nil && c.Attempt.Operation == operation
}

// Superseded returns true if another attempt on the payment page followed the operation's attempt. A browser that
// repeats the request late must not begin an attempt. Superseded stops such a request, because only a request with an
// Idempotency-Key has a record that would stop it.
func (c Checkout) Superseded(operation string) bool {
	return c.Attempt != nil && !c.StartedBy(operation) && slices.Contains(c.Attempt.Earlier, operation)
}

// pageOperations returns the operations of the payment page's latest attempts, this attempt included. It returns at
// most maxAttemptsOfSide, because no more attempts can begin in the half hour that a session on the page lasts.
func (a *Attempt) pageOperations() []string {
	if a == nil || a.Browser == "" && len(a.Earlier) == 0 {
		return nil
	}
	all := slices.Clone(a.Earlier)
	if a.Browser != "" {
		all = append(all, a.Operation)
	}
	return all[max(0, len(all)-maxAttemptsOfSide):]
}

// closed returns the attempt with only the fields that are still needed once it has ended: the ids that recognise late
// answers and retries, the payer's session, and the payment code, whose link stays valid.
func (a Attempt) closed() *Attempt {
	return &Attempt{ID: a.ID, Operation: a.Operation, Browser: a.Browser, Earlier: a.Earlier, State: AttemptClosed,
		Method: a.Method, Code: a.Code}
}

func (a Attempt) payerTime() time.Duration {
	switch a.Method {
	case Boleto:
		return boletoTime
	case Pix, QRCodePix:
		return pixTime
	default:
		return challengeTime
	}
}

// pollAgain returns the attempt with its next poll. The first poll comes firstPoll after the outcome became unknown, or
// else recoverAfter after the start. The gaps between later polls grow. If the payer's deadline comes before the next
// poll, the poll is made at the deadline.
func (a Attempt) pollAgain(now time.Time) Attempt {
	if a.UnknownSince.IsZero() {
		a.NextPoll = nextPoll(a.StartedAt, recoverAfter, now)
	} else {
		a.NextPoll = nextPoll(a.UnknownSince, firstPoll, now)
	}
	if a.State == AttemptRequiresAction && a.Deadline.Before(a.NextPoll) && a.Deadline.After(now) {
		a.NextPoll = a.Deadline
	}
	return a
}

func (c Checkout) newTransaction(status TransactionStatus, o Outcome, now time.Time) Transaction {
	a := c.Attempt
	none := money.Zero(c.Amount.Currency())
	t := Transaction{
		CheckoutTransaction: CheckoutTransaction{
			ID: a.ID, Code: CodeOfID(a.ID), Amount: c.Amount, Status: status,
			PaymentType: a.PaymentType, EntryMode: a.Method.EntryMode(), Installments: a.Installments,
			MerchantCode: c.Payee.Code, AuthCode: o.AuthCode, CreatedAt: c.recordedAt(now),
		},
		CheckoutID: c.ID, Shard: c.Shard, ClientTransactionID: ClientTransactionID(a.ID), ForeignID: c.Reference,
		ProductSummary: c.Description, Username: cmp.Or(c.Creator.Email, c.Payee.Email), Creator: c.Creator.ID,
		CustomerID:      c.CustomerID,
		InstrumentToken: a.Token, Card: a.Card, TerminalID: o.TerminalID, ReturnCode: o.ReturnCode,
		ThreeDS:  o.ThreeDS,
		Captured: none, Refundable: none, Refunded: none, ChargedBack: none, Fee: none,
		PayoutPlan: cmp.Or(c.Payee.PayoutPlan, merchant.SinglePayment), Gross: c.Payee.Gross, TaxEnabled: c.Payee.TaxEnabled,
		AdvancedMode: c.Payee.AdvancedMode, Version: 1,
	}
	t.setChanged(now)
	if a.Verification { // no money is taken
		t.Amount = none
	}
	if c.Reader != nil {
		t.addPresent(*c.Reader, o.Present)
	}
	if status == TransactionSuccessful {
		t.Captured, t.Refundable, t.Fee = t.Amount, t.Amount, c.Payee.fee(t.Amount)
	}
	return t
}

// recordedAt returns the time when the attempt's transaction is first recorded. The transaction gets this time, and not
// the earlier start of the attempt. Otherwise a client that pages through the history by time would miss the
// transaction.
func (c Checkout) recordedAt(now time.Time) time.Time {
	for _, t := range c.Transactions {
		if t.ID == c.Attempt.ID {
			return t.CreatedAt
		}
	}
	return truncateToMillis(now)
}

// DeadlinePassed returns true if the payer missed the deadline, so that the waiting charge must be cancelled.
func (a Attempt) DeadlinePassed(o Outcome, now time.Time) bool {
	waiting := o.Decision == Challenge || o.Decision == Voucher
	return waiting && a.State == AttemptRequiresAction && !now.Before(a.Deadline)
}

// Restartable returns true if the latest attempt closed without a record, so that its request may begin another
// attempt.
func (c Checkout) Restartable() bool {
	return c.Attempt == nil || (c.Attempt.State == AttemptClosed && !c.isRecorded())
}
