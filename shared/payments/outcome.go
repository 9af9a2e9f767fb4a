package payments

import (
	"strings"
	"time"
)

// Decision is the state of a charge or refund at the acquirer.
type Decision string

// The decisions.
const (
	Approved       Decision = "approved"
	Declined       Decision = "declined"
	Challenge      Decision = "challenge" // the payer must authenticate (3DS) or finish on a method's page
	Voucher        Decision = "voucher"   // the payer pays a code later
	OutcomeUnknown Decision = "unknown"   // taken, or perhaps taken, without a known result
	Cancelled      Decision = "cancelled" // will never be charged
)

// Outcome is an acquirer's answer about a charge or refund.
type Outcome struct {
	Decision   Decision
	AuthCode   string       // issuer's authorization code
	ReturnCode string       // ISO 8583 field 39
	TerminalID string       // acquirer's TID
	Card       *CardSummary // with the acquirer's token if it was asked to store the card
	Step       *Step        // with Challenge
	Code       *PaymentCode // with Voucher
	Present    *CardPresent // of a charge by a terminal
	Reason     string       // with Cancelled at a reader, for the merchant

	AcquirerReference    string  // names the charge or refund at the acquirer, for disputes and settlements; may be ""
	NetworkTransactionID string  // given by the card network with Approved, for later charges under an agreement
	ThreeDS              ThreeDS // of an authenticated charge
	NeverRetry           bool    // with Declined: the issuer forbids further charges of this card
}

// ThreeDS is the result of a 3-D Secure authentication. The zero value means that there was none.
type ThreeDS struct {
	ECI            string // electronic commerce indicator of the card scheme, two digits
	LiabilityShift bool   // the issuer is liable for fraud
}

// MarshalText returns the ECI, with a "+" if the liability has shifted. So a transaction's item stays small.
func (r ThreeDS) MarshalText() ([]byte, error) {
	if r.LiabilityShift {
		return []byte(r.ECI + "+"), nil
	}
	return []byte(r.ECI), nil
}

// UnmarshalText reads the form that MarshalText writes.
func (r *ThreeDS) UnmarshalText(text []byte) error {
	r.ECI, r.LiabilityShift = strings.CutSuffix(string(text), "+")
	return nil
}

// PaymentCode is a code that a payer pays at a bank: a boleto's barcode or a Pix "copy and paste" code.
type PaymentCode struct {
	Text  string    `dynamo:"text"`
	Until time.Time `dynamo:"until"`
}
