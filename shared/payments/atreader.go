package payments

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/money"
)

const (
	// AtReader is the method of card payments at readers. No client can name it.
	AtReader Method = "reader"
	// POSPayment is the payment type of all payments at readers (contract §2.7).
	POSPayment = "POS"
)

// The entry modes at a reader (contract §2.7).
const (
	ChipMode        = "CHIP"
	ContactlessMode = "CONTACTLESS"
	MagstripeMode   = "MAGSTRIPE"
)

var readerModes = []string{ChipMode, ContactlessMode, MagstripeMode}

// CardPresent is a terminal's data about a charge. The card is not included, because only the acquirer gets it, and a
// Pix payment has no card.
type CardPresent struct {
	EntryMode    string       `dynamo:"entry_mode"` // an entry mode of a reader, or of the Pix code
	Verification Verification `dynamo:"verification,omitempty"`
	Tip          money.Amount `dynamo:"tip,omitempty"` // part of the charged amount
	EMV          EMV          `dynamo:"emv,omitempty"`
	Location     *Location    `dynamo:"location,omitempty"`
}

// Verification is a cardholder's proof that the card is theirs (contract §2.7).
type Verification string

// The kinds of verification.
const (
	NoVerification Verification = "none"
	BySignature    Verification = "signature"
	OnlinePIN      Verification = "online pin"  // checked by the issuer
	OfflinePIN     Verification = "offline pin" // checked by the card's chip
)

// ByPIN returns true if the cardholder entered a PIN.
func (v Verification) ByPIN() bool { return v == OnlinePIN || v == OfflinePIN }

// EMV holds the data that a terminal reads from a card's chip (EMV Book 3, annex A).
type EMV struct {
	AID              string `dynamo:"aid,omitempty"`               // tag 4F, in hexadecimal
	ApplicationLabel string `dynamo:"application_label,omitempty"` // tag 50
	Cryptogram       string `dynamo:"cryptogram,omitempty"`        // tag 9F26, in hexadecimal
}

// ReaderSale holds the fields that only a checkout at a card reader has (contract §13.7).
type ReaderSale struct {
	ReaderID     string          `dynamo:"reader_id"`
	Serial       string          `dynamo:"serial"`
	Model        string          `dynamo:"model,omitempty"` // one of contract §2.7's models
	Firmware     string          `dynamo:"firmware,omitempty"`
	CardType     string          `dynamo:"card_type,omitempty"`          // credit or debit, if the merchant wants only one
	Installments int             `dynamo:"installments_count,omitempty"` // 0: not given
	TipRates     []money.Decimal `dynamo:"tip_rates,omitempty"`          // fractions of the amount, ascending
	TipTimeout   time.Duration   `dynamo:"tip_timeout,omitempty"`
	Affiliate    *Affiliate      `dynamo:"affiliate,omitempty"`
	AADE         *AADE           `dynamo:"aade,omitempty"`
	Reason       string          `dynamo:"reason,omitempty"`     // why the checkout was not paid
	UpdatedAt    time.Time       `dynamo:"updated_at,omitempty"` // latest change of the outcome; zero without one
}

// Affiliate is the application that made the sale (contract §13.7). The application's key is not stored.
type Affiliate struct {
	AppID     string          `dynamo:"app_id"`
	ForeignID string          `dynamo:"foreign_transaction_id"`
	Tags      member.Metadata `dynamo:"tags,omitempty"`
}

// AADE is a Greek terminal's signature for reporting a payment to the tax authority (contract §13.7).
type AADE struct {
	ProviderID string `dynamo:"provider_id"`
	Signature  string `dynamo:"signature"`
	Data       string `dynamo:"signature_data"`
}

// The platform's reasons why a checkout at a reader was not paid. A terminal that was stopped reports a reason itself.
const (
	ReasonDeclined   = "declined"
	ReasonTerminated = "terminated"
	ReasonTimedOut   = "timed out"
)

// readerTime limits the time until the cardholder has started the payment and paid. The time for a tip is not included
// (contract §13.7).
const readerTime = 2 * time.Minute

// BeginAtReader returns the new checkout with its only attempt. The terminal then makes the charge under the attempt's
// id. It charges a card or, for payment type Pix, shows a code. Until then the acquirer knows of no charge. The
// checkout must be new.
func (c Checkout) BeginAtReader(a Attempt, now time.Time) Checkout {
	a.Method, a.PaymentType, a.State, a.StartedAt, a.UnknownSince = AtReader, POSPayment, AttemptRequiresAction, now, now
	if c.PaymentType == Pix {
		a.Method = QRCodePix
	}
	a.Installments = max(a.Installments, 1)
	a.Deadline = c.ReaderDeadline()
	a = a.pollAgain(now)
	c.Attempt = &a
	return c
}

// WaitsAtReader returns true if the payer may still pay, as far as our records show. If the outcome is recorded as
// unknown, a card has been charged or refused, so only a Pix code may still wait.
func (c Checkout) WaitsAtReader() bool {
	return c.Reader != nil && c.RequiresAction() && (!c.isRecorded() || c.Attempt.Method == QRCodePix)
}

// ReaderDeadline returns the time when the platform gives up a checkout at a reader.
func (c Checkout) ReaderDeadline() time.Time {
	return c.CreatedAt.Add(readerTime + c.Reader.TipTimeout)
}

// ClientTransactionID returns the client transaction id of the latest attempt, whose transaction may not exist yet.
func (c Checkout) ClientTransactionID() string { return ClientTransactionID(c.Attempt.ID) }

// NeverOffered returns true if the creation of a checkout at a reader was refused because the terminal did not take it.
func (c Checkout) NeverOffered() bool {
	return c.Reader != nil && !c.AttemptOpen() && len(c.Transactions) == 0
}

// waitAtReader schedules the next poll. It is for an attempt that the acquirer does not know yet, or whose Pix code is
// not paid yet.
func (c Checkout) waitAtReader(now time.Time) CheckoutChange {
	*c.Attempt = c.Attempt.pollAgain(now)
	return CheckoutChange{Checkout: c}
}

// stopAtReader records that the cardholder has not paid and can no longer pay. If the process that cancelled at the
// acquirer was cut off, its reason is lost. stopAtReader then derives the reason from the deadline.
func (c Checkout) stopAtReader(o Outcome, msgID string, now time.Time) CheckoutChange {
	reason := o.Reason
	switch {
	case reason != "":
	case now.Before(c.Attempt.Deadline):
		reason = ReasonTerminated
	default:
		reason = ReasonTimedOut
	}
	c.Reader, c.Status = c.Reader.withReason(reason), CheckoutFailed
	change := c.record(TransactionCancelled, o, now)
	change.Checkout.Attempt = c.Attempt.closed()
	change.Callback = newCallback(change.Checkout, msgID, now)
	return change
}

func (s ReaderSale) withReason(reason string) *ReaderSale {
	s.Reason = reason
	return &s
}

func (s ReaderSale) withUpdatedAt(now time.Time) *ReaderSale {
	s.UpdatedAt = truncateToMillis(now)
	return &s
}

// addPresent adds the data of the reader and the terminal, and the tip. If no card was read, EntryMode is "" (contract
// §2.7).
func (t *Transaction) addPresent(sale ReaderSale, p *CardPresent) {
	t.Reader, t.ReaderModel, t.CardType = sale.Serial, sale.Model, sale.CardType
	if a := sale.Affiliate; a != nil {
		t.ForeignID = a.ForeignID
	}
	if p == nil {
		return
	}
	t.EntryMode, t.Verification, t.EMV, t.Location = p.EntryMode, p.Verification, p.EMV, p.Location
	if p.Tip.Currency() != "" {
		t.Tip, t.Amount = p.Tip, plus(t.Amount, p.Tip)
	}
}
