package merchant

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
)

// AppSettings has a user's settings of the operator's own applications (contract §7.1, §13.9). Only an operator's
// command writes them. The largest expected transaction is not among them, but in the merchant's Settings.
type AppSettings struct {
	CheckoutPreference    string          `dynamo:"checkout_preference,omitempty" json:"checkout_preference" validate:"text=32"` //nolint:lll // a tag is one line
	ActivateAirHint       bool            `dynamo:"activate_air_hint,omitempty" json:"activate_air_hint"`
	SoundEnabled          bool            `dynamo:"sound_enabled,omitempty" json:"sound_enabled"`
	TipsEnabled           bool            `dynamo:"tips_enabled,omitempty" json:"tips_enabled"`
	FontName              string          `dynamo:"font_name,omitempty" json:"font_name" validate:"text=32"`
	IncludeVAT            bool            `dynamo:"include_vat,omitempty" json:"include_vat"`
	MaxAmountNoSignature  string          `dynamo:"max_amount_no_signature,omitempty" json:"max_amount_no_signature" validate:"text=32"` //nolint:lll // a tag is one line
	ManualEntryTutorial   bool            `dynamo:"manual_entry_tutorial,omitempty" json:"manual_entry_tutorial"`
	MobilePaymentTutorial bool            `dynamo:"mobile_payment_tutorial,omitempty" json:"mobile_payment_tutorial"`
	TaxEnabled            bool            `dynamo:"tax_enabled,omitempty" json:"tax_enabled"`
	MobilePayment         string          `dynamo:"mobile_payment,omitempty" json:"mobile_payment" validate:"text=32"`
	ReaderPayment         string          `dynamo:"reader_payment,omitempty" json:"reader_payment" validate:"text=32"`
	CashPayment           string          `dynamo:"cash_payment,omitempty" json:"cash_payment" validate:"text=32"`
	AdvancedMode          string          `dynamo:"advanced_mode,omitempty" json:"advanced_mode" validate:"text=32"`
	BitcoinPayment        string          `dynamo:"bitcoin_payment,omitempty" json:"bitcoin_payment" validate:"text=32"`
	ManualEntry           string          `dynamo:"manual_entry,omitempty" json:"manual_entry" validate:"text=32"`
	TerminalModeTutorial  bool            `dynamo:"terminal_mode_tutorial,omitempty" json:"terminal_mode_tutorial"`
	Tipping               string          `dynamo:"tipping,omitempty" json:"tipping" validate:"text=32"`
	TipRates              []money.Decimal `dynamo:"tip_rates,omitempty" json:"tip_rates" validate:"items=10 pattern=^0\\.[0-9]{1,4}$"` //nolint:lll // a tag is one line
	BarcodeScanner        string          `dynamo:"barcode_scanner,omitempty" json:"barcode_scanner" validate:"text=32"`
	Referral              string          `dynamo:"referral,omitempty" json:"referral" validate:"text=32"`
}

// defaultTipRates has the rates of contract §13.9.
var defaultTipRates = []money.Decimal{"0.05", "0.10", "0.15"}

// OrDefaults fills in the settings that were never set.
func (a AppSettings) OrDefaults() AppSettings {
	if len(a.TipRates) == 0 {
		a.TipRates = slices.Clone(defaultTipRates)
	}
	return a
}

// InAdvancedMode returns true if the user's payments are made in advanced mode (contract §6.3).
func (a AppSettings) InAdvancedMode() bool { return strings.EqualFold(a.AdvancedMode, "ON") }
