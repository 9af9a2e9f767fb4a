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

// CardPresent is what a terminal sends to the acquirer beside the card, which only the two see; with Pix without one.
type CardPresent struct {
	EntryMode    string       `dynamo:"entry_mode"` // one of those at a reader, or the code's
	Verification Verification `dynamo:"verification,omitempty"`
	Tip          money.Amount `dynamo:"tip,omitempty"` // part of what is charged
	EMV          EMV          `dynamo:"emv,omitempty"`
	Location     *Location    `dynamo:"location,omitempty"`
}

// Verification is how the cardholder has shown that the card is theirs (contract §2.7).
type Verification string

// The kinds of verification.
const (
	NoVerification Verification = "none"
	BySignature    Verification = "signature"
	OnlinePIN      Verification = "online pin"  // checked by the issuer
	OfflinePIN     Verification = "offline pin" // checked by the card's chip
)

// ByPIN reports whether the cardholder entered a PIN.
func (v Verification) ByPIN() bool { return v == OnlinePIN || v == OfflinePIN }

// EMV is what a terminal reads from a card's chip (EMV Book 3, annex A).
type EMV struct {
	AID              string `dynamo:"aid,omitempty"`               // tag 4F, in hexadecimal
	ApplicationLabel string `dynamo:"application_label,omitempty"` // tag 50
	Cryptogram       string `dynamo:"cryptogram,omitempty"`        // tag 9F26, in hexadecimal
}

// ReaderSale is what a checkout at a card reader has beyond others (contract §13.7).
type ReaderSale struct {
	ReaderID     string          `dynamo:"reader_id"`
	Serial       string          `dynamo:"serial"`
	Model        string          `dynamo:"model,omitempty"` // one of contract §2.7
	Firmware     string          `dynamo:"firmware,omitempty"`
	CardType     string          `dynamo:"card_type,omitempty"`          // credit or debit, if only one is wanted
	Installments int             `dynamo:"installments_count,omitempty"` // 0: not given
	TipRates     []money.Decimal `dynamo:"tip_rates,omitempty"`          // fractions of the amount, ascending
	TipTimeout   time.Duration   `dynamo:"tip_timeout,omitempty"`
	Affiliate    *Affiliate      `dynamo:"affiliate,omitempty"`
	AADE         *AADE           `dynamo:"aade,omitempty"`
	Reason       string          `dynamo:"reason,omitempty"`     // why it was not paid
	UpdatedAt    time.Time       `dynamo:"updated_at,omitempty"` // when its outcome changed, if it has
}

// Affiliate is the application that has sold something (contract §13.7). Its key is not kept.
type Affiliate struct {
	AppID     string          `dynamo:"app_id"`
	ForeignID string          `dynamo:"foreign_transaction_id"`
	Tags      member.Metadata `dynamo:"tags,omitempty"`
}

// AADE is the signature by which a terminal in Greece reports a payment to the tax authority (contract §13.7).
type AADE struct {
	ProviderID string `dynamo:"provider_id"`
	Signature  string `dynamo:"signature"`
	Data       string `dynamo:"signature_data"`
}

// Why a checkout at a reader was not paid. A terminal that was stopped gives a reason of its own.
const (
	ReasonDeclined   = "declined"
	ReasonTerminated = "terminated"
	ReasonTimedOut   = "timed out"
)

// readerTime is how long a cardholder has to start the payment and to pay, beside the time for a tip (contract §13.7).
const readerTime = 2 * time.Minute

// BeginAtReader returns the new checkout with its only attempt, under whose id the terminal charges a card, or for
// payment type Pix a code that it shows. Until then the acquirer knows of no charge. The checkout must be new.
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

// WaitsAtReader reports whether the payer may still pay, as far as is recorded. A card whose outcome is unknown was
// charged or refused; a Pix code may still be shown.
func (c Checkout) WaitsAtReader() bool {
	return c.Reader != nil && c.RequiresAction() && (!c.recorded() || c.Attempt.Method == QRCodePix)
}

// ReaderDeadline is when a checkout at a reader is given up.
func (c Checkout) ReaderDeadline() time.Time {
	return c.CreatedAt.Add(readerTime + c.Reader.TipTimeout)
}

// ClientTransactionID is that of the latest attempt's transaction, also before there is one.
func (c Checkout) ClientTransactionID() string { return ClientTransactionID(c.Attempt.ID) }

// NeverOffered reports whether a reader's checkout was refused at its creation, because its terminal did not take it.
func (c Checkout) NeverOffered() bool {
	return c.Reader != nil && !c.AttemptOpen() && len(c.Transactions) == 0
}

// waitAtReader schedules the next poll of an attempt of which the acquirer knows nothing yet, or only an unpaid code.
func (c Checkout) waitAtReader(now time.Time) CheckoutChange {
	*c.Attempt = c.Attempt.pollAgain(now)
	return CheckoutChange{Checkout: c}
}

// stopAtReader records that the cardholder has not paid and cannot pay any more. If the process that cancelled at the
// acquirer was cut off, its reason is lost and follows from the deadline.
func (c Checkout) stopAtReader(o Outcome, msgID string, now time.Time) CheckoutChange {
	reason := o.Reason
	switch {
	case reason != "":
	case now.Before(c.Attempt.Deadline):
		reason = ReasonTerminated
	default:
		reason = ReasonTimedOut
	}
	c.Reader, c.Status = c.Reader.because(reason), CheckoutFailed
	change := c.record(TransactionCancelled, o, now)
	change.Checkout.Attempt = c.Attempt.closed()
	change.Callback = newCallback(change.Checkout, msgID, now)
	return change
}

func (s ReaderSale) because(reason string) *ReaderSale {
	s.Reason = reason
	return &s
}

func (s ReaderSale) updated(now time.Time) *ReaderSale {
	s.UpdatedAt = shown(now)
	return &s
}

// addPresent adds what the terminal sent, with the tip. Without a card read there is no entry mode (contract §2.7).
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
