// Package acquirer is the port to the acquirers that charge cards and other payment instruments. Every call is
// idempotent by our id. So a call can be repeated after a crash or a lost reply, and the acquirer does not charge
// again.
package acquirer

import (
	"context"
	"errors"
	"iter"
	"net/textproto"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// Charge requests one payment. ID is the idempotency key. For a known ID the acquirer returns the outcome of that
// charge and ignores the other fields.
type Charge struct {
	ID           string
	Reference    Reference // our reference, which the acquirer's notices repeat
	Amount       money.Amount
	Method       payments.Method
	Installments int
	Present      *payments.CardPresent     // set only if a terminal charges
	Summary      *payments.CardSummary     // with AtReader only: the card that the terminal has read
	Card         *payments.Card            // with CardMethod only: either Card or Token
	Token        string                    // token of a card that the acquirer has stored
	Wallet       secret.Text               // with GooglePay only: the JSON object that the wallet gave the payer's device
	Customer     string                    // our id of the customer that Token belongs to, or will belong to; "": none
	Store        bool                      // store the card for Customer and return its token
	Consent      *payments.Consent         // set if the payer agreed to later charges without the payer
	Agreement    *Agreement                // set if the payer is absent; the acquirer never challenges
	Verification bool                      // authorize and release, never capture
	Exemption    Exemption                 // from strong customer authentication; a request that the issuer may refuse
	Payer        *payments.PersonalDetails // set only for methods that need the payer's details
	Browser      *payments.Browser         // of the present payer; nil if unknown
	Descriptor   string                    // shown on the payer's statement
	Seller       Seller
	// ReturnURL is where a method's page, or the page of a challenge, sends the payer by a link (GET) afterwards; "" at a
	// reader. For a challenge it contains the payer's session: neither log nor store it with other records.
	ReturnURL string
}

// Agreement is an earlier consent under which a charge without the payer is made.
type Agreement struct {
	NetworkTransactionID string // of the charge with the consent; "" if that charge had none
}

// Seller is the merchant that a charge is for, as the card schemes require platforms to report it.
type Seller struct {
	Account string // the merchant's account at the acquirer; "": the platform's own; an ID is known in all accounts
	Country string // ISO 3166-1 alpha-2
	merchant.Trade
}

// Exemption is an exemption from strong customer authentication (Regulation (EU) 2018/389).
type Exemption string

// LowValue exempts a remote payment of at most 30 EUR (article 16).
const LowValue Exemption = "low_value"

// lowValueLimit is the highest amount of an exempt payment in euros.
const lowValueLimit = 30_00

// IsLowValue returns true if the charge may have the exemption LowValue. A charge that begins an agreement may not,
// because the payer must then be authenticated (article 14). A charge under an agreement needs no exemption.
func (c Charge) IsLowValue() bool {
	return c.Method.Flow() == payments.CardFlow && c.Present == nil && c.Consent == nil && c.Agreement == nil &&
		!c.Verification && c.Amount.Currency() == "EUR" && c.Amount.Minor() <= lowValueLimit
}

// Reference identifies the checkout that a charge pays.
type Reference struct {
	Tenant     string
	CheckoutID string
}

// ErrNotTaken reports that the acquirer certainly did not take the request, and never will take that copy of the
// request. No money has moved, and none will move. After any other error the outcome is unknown.
var ErrNotTaken = errors.New("acquirer: the request was not taken")

// ErrUnknownCharge reports that the acquirer knows no charge with the id that could move money.
var ErrUnknownCharge = errors.New("acquirer: unknown charge")

// ErrBadAnswer reports a payer's answer (PaRes) that the issuer did not make.
var ErrBadAnswer = errors.New("acquirer: the authentication answer is not valid")

// ErrBadNotice reports a notice with a wrong or old signature, or with a body that cannot be read.
var ErrBadNotice = errors.New("acquirer: the notice is not valid")

// Acquirer charges payers and refunds them. Package sandbox has the built-in acquirer. Package stripe has one for live
// mode. Package acquirertest has a case for each rule of this interface.
//
// Approved, Declined and Cancelled are final: later calls return the same decision. Only a cancelled refund may later
// be Declined (CancelRefund). Calls may come at the same time, more than once, and from several processes. A caller may
// give up on a call at any time; the acquirer may still act on that call.
//
// The Step of a challenge is a link or a form (payments.Step). Clients do not see the Step: the payer's browser asks
// the platform, which asks LookUp and then leads the browser on. So LookUp returns the Step for as long as the payer
// can authenticate. The Step must lead to a host in the operator's setting acquirerHosts, over https. Browsers apply a
// page's form-action policy also to the redirects that follow a form. So a form must lead to a page, or redirect only
// to hosts in the setting. If the acquirer redirects the payer to an issuer at once, the Step must be a link.
//
// No error contains a card number, a CVV, the wallet's object or a payer's details, because callers log errors.
type Acquirer interface {
	// Summary returns the fields of a card that may be kept after a charge. It makes no call. The sandbox leaves out the
	// expiry, because merchants try real cards there (contract §8.4).
	Summary(c *payments.Card) payments.CardSummary
	// Charge takes the charge. For a known id it returns the outcome. If the acquirer creates a charge in several steps,
	// only the call that recorded the id may confirm the charge. Any other call for that id, at the same time or after a
	// lost reply, only reads the outcome. So two calls never charge twice. Errors: ErrNotTaken; after any other error the
	// outcome is unknown.
	Charge(ctx context.Context, c Charge) (payments.Outcome, error)
	// LookUp returns the charge's outcome. Before the acquirer has been asked to move money, LookUp returns
	// ErrUnknownCharge or OutcomeUnknown; a charge that is still running may succeed after either answer. Errors:
	// ErrUnknownCharge.
	LookUp(ctx context.Context, id string) (payments.Outcome, error)
	// Complete takes the payer's answer to a challenge. An answer of "" says that the payer has come back by a link,
	// which proves nothing: the acquirer then returns the outcome that it knows. Errors: ErrUnknownCharge, ErrBadAnswer.
	Complete(ctx context.Context, id, answer string) (payments.Outcome, error)
	// Cancel prevents the charge from succeeding later. It returns Cancelled only if no call for the id can succeed any
	// more, not even a call that is running or that arrives later. Otherwise it returns the final outcome if the charge
	// was decided before, or OutcomeUnknown while the charge is pending. After Cancel with an unknown id, the acquirer
	// refuses a later charge with that id.
	Cancel(ctx context.Context, id string) (payments.Outcome, error)
	// Refund returns money of an approved charge to the payer. For a known id it returns that refund's outcome: Approved,
	// Declined, OutcomeUnknown, or Cancelled after CancelRefund. Refund may be repeated. Errors: ErrNotTaken; after any
	// other error the outcome is unknown.
	Refund(ctx context.Context, r Refund) (payments.Outcome, error)
	// CancelRefund prevents the refund from being made later. It returns Cancelled, or the final outcome if the refund was
	// decided before, or OutcomeUnknown while the refund is pending. After CancelRefund with an unknown id, the acquirer
	// answers a later refund with that id with Cancelled or Declined.
	CancelRefund(ctx context.Context, id string) (payments.Outcome, error)
	// DeleteCard deletes a stored card. It succeeds for an unknown token, too.
	DeleteCard(ctx context.Context, token string) error
	// Notice checks that the acquirer sent the message, and returns the charges and refunds whose outcome may have
	// changed. It makes no call and changes nothing. A hint is never a fact: the caller asks the acquirer for each
	// outcome. Errors: ErrBadNotice.
	Notice(header textproto.MIMEHeader, body []byte) ([]Hint, error)
	// Hints walks hints about all outcomes that changed without a call of ours at the time since or later. It replaces
	// lost notices. It may repeat hints, and yield hints about unchanged outcomes.
	Hints(ctx context.Context, since time.Time) iter.Seq2[Hint, error]
	// Statement walks the movements of money that the acquirer booked at the time since or later, in no particular order,
	// for reconciliation. For the zero time it walks all of them. It may also yield earlier movements. A line of a charge
	// appears within 24 hours. If settlements, returned settlements or fees may appear later, by up to LateSettlements,
	// every walk also yields those that were booked in this time before since. No movement appears later than the
	// settlement that settles it.
	Statement(ctx context.Context, since time.Time) iter.Seq2[Movement, error]
}

// Hint names a charge or a refund whose outcome may have changed.
type Hint struct {
	Reference
	ID       string // our id of the charge or refund
	IsRefund bool
}

// Refund is a request to return money. ID is the idempotency key, as in a Charge.
type Refund struct {
	ID       string
	ChargeID string
	Amount   money.Amount // more than zero
}
