package virtual

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Charged amounts, in minor units of any currency, that decide which card is presented and how (contract §12).
const (
	WithoutPIN     = 5000 // largest amount for a contactless card without PIN; above it the card is inserted
	swipedEnding   = 66   // last digits of the amounts that are paid by a card with only a stripe
	perMajor       = 100
	cryptogramSize = 8 // bytes (EMV Book 3, 9F26)
)

const debit = "debit" // the card type (contract §13.7)

// location is the location of all virtual terminals.
var location = payments.Location{Lat: 52.5208, Lon: 13.4094, Accuracy: 10}

// card is a card of the virtual cardholders.
type card struct{ brand, lastFour, aid, label string }

var (
	visa       = card{"VISA", "0091", "A0000000031010", "VISA CREDIT"}
	mastercard = card{"MASTERCARD", "0007", "A0000000041010", "MASTERCARD"}
	maestro    = card{"MAESTRO", "0015", "A0000000043060", "MAESTRO"}
)

// modeOf returns how the payer pays the amount: by a code, or by a card in an entry mode with a verification.
func modeOf(m payments.Method, amount money.Amount, cardType string) (mode string, v payments.Verification) {
	switch minor := amount.Minor(); {
	case m == payments.QRCodePix:
		return m.EntryMode(), ""
	case minor%perMajor == swipedEnding:
		return payments.MagstripeMode, payments.BySignature
	case minor > WithoutPIN:
		return payments.ChipMode, PIN(payments.ChipMode, cardType)
	default:
		return payments.ContactlessMode, payments.NoVerification
	}
}

// PIN returns how the PIN of a card in an entry mode is checked. The chip checks the PIN of an inserted card that is
// not a debit card. The issuer checks all others, because a terminal does not send the PIN to the chip of a card that
// is only held to it.
func PIN(mode, cardType string) payments.Verification {
	if mode == payments.ChipMode && cardType != debit {
		return payments.OfflinePIN
	}
	return payments.OnlinePIN
}

// Present returns the card that is presented in an entry mode, and the data that the terminal sends with the charge. If
// the payer pays by a code, the card is nil. The chip's cryptogram stays the same when the charge is repeated.
func Present(charge, mode, cardType string, v payments.Verification) (*payments.CardSummary, payments.CardPresent) {
	at := location
	p := payments.CardPresent{EntryMode: mode, Verification: v, Location: &at}
	c := mastercard
	switch {
	case payments.MethodIn(mode) != "":
		return nil, p
	case cardType == debit:
		c = maestro
	case mode == payments.ContactlessMode:
		c = visa
	}
	if mode != payments.MagstripeMode {
		p.EMV = payments.EMV{AID: c.aid, ApplicationLabel: c.label, Cryptogram: cryptogram(charge)}
	}
	return &payments.CardSummary{Brand: c.brand, LastFour: c.lastFour}, p
}

func cryptogram(charge string) string {
	sum := sha256.Sum256([]byte("cryptogram\x00" + charge))
	return strings.ToUpper(hex.EncodeToString(sum[:cryptogramSize]))
}

// withTip returns the tip that the cardholder chooses, and the amount with the tip. The tip is the first rate's, unless
// the sum would be too large for an amount. Without rates there is no tip.
func withTip(c terminal.Checkout) (tip, total money.Amount) {
	if len(c.TipRates) == 0 {
		return tip, c.Amount
	}
	chosen, err := c.Amount.Times(string(c.TipRates[0]))
	if err != nil {
		return tip, c.Amount
	}
	sum, err := c.Amount.Add(chosen)
	if err != nil || sum.TooLarge() {
		return tip, c.Amount
	}
	return chosen, sum
}
