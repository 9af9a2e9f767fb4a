package merchant

import (
	"bytes"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Settings has a merchant's settings in one mode (contract §7.2). Period, OnDemand and Gross decide how the merchant is
// paid out. The other settings are shown to the merchant. Some also decide what the merchant may change, and which
// messages the merchant gets.
type Settings struct {
	Period             PayoutPeriod `dynamo:"payout_period"`
	OnDemand           bool         `dynamo:"payout_on_demand,omitempty"`           // only an operator's command pays out
	OnDemandAvailable  bool         `dynamo:"payout_on_demand_available,omitempty"` // the merchant may set OnDemand
	Gross              bool         `dynamo:"gross_settlement,omitempty"`           // fees are billed separately
	TaxEnabled         bool         `dynamo:"tax_enabled,omitempty"`
	PrintersEnabled    bool         `dynamo:"printers_enabled,omitempty"`
	DailyPayoutEmail   bool         `dynamo:"daily_payout_email,omitempty"`
	MonthlyPayoutEmail bool         `dynamo:"monthly_payout_email,omitempty"`
	Moto               MotoPayment  `dynamo:"moto_payment,omitempty"`
	KeepKeys           bool         `dynamo:"keep_api_keys,omitempty"`                   // when the key's maker leaves
	ExpectedMax        money.Amount `dynamo:"expected_max_transaction_amount,omitempty"` // of one purchase; 0: unset
}

// DefaultSettings has the settings of each new merchant (contract §7.2).
var DefaultSettings = Settings{Period: Daily, Moto: MotoUnavailable}

// SettingsView has the settings as clients see them (contract §7.2).
type SettingsView struct {
	TaxEnabled         bool         `json:"tax_enabled"`
	Type               string       `json:"payout_type"`
	Period             PayoutPeriod `json:"payout_period"`
	OnDemandAvailable  bool         `json:"payout_on_demand_available"`
	OnDemand           bool         `json:"payout_on_demand"`
	PrintersEnabled    bool         `json:"printers_enabled"`
	Instrument         string       `json:"payout_instrument"`
	Moto               MotoPayment  `json:"moto_payment"`
	DailyPayoutEmail   bool         `json:"daily_payout_email"`
	MonthlyPayoutEmail bool         `json:"monthly_payout_email"`
	Gross              bool         `json:"gross_settlement"`
	KeepKeys           bool         `json:"keep_api_keys"`
}

// View returns the settings as clients see them.
func (s Settings) View() SettingsView {
	return SettingsView{TaxEnabled: s.TaxEnabled, Type: string(SinglePayment), Period: s.Period,
		OnDemandAvailable: s.OnDemandAvailable, OnDemand: s.OnDemand, PrintersEnabled: s.PrintersEnabled,
		Instrument: "BANK_ACCOUNT", // the only instrument (contract §13.9)
		Moto:       s.Moto, DailyPayoutEmail: s.DailyPayoutEmail, MonthlyPayoutEmail: s.MonthlyPayoutEmail, Gross: s.Gross,
		KeepKeys: s.KeepKeys}
}

// MotoPayment tells if a merchant may charge cards by mail order and telephone. The platform only shows it (contract
// §13.9).
type MotoPayment string

// The values.
const (
	MotoUnavailable MotoPayment = "UNAVAILABLE"
	MotoEnforced    MotoPayment = "ENFORCED"
	MotoOn          MotoPayment = "ON"
	MotoOff         MotoPayment = "OFF"
)

// Flag is a boolean that clients may also send as the text "true" or "false" (contract §7.2).
type Flag bool

// UnmarshalJSON accepts true, false, "true" and "false". Failure: Invalid.
func (f *Flag) UnmarshalJSON(text []byte) error {
	switch string(bytes.TrimSpace(text)) {
	case "true", `"true"`:
		*f = true
	case "false", `"false"`:
		*f = false
	default:
		return failure.Invalid("", "must be true or false")
	}
	return nil
}

// SettingsChange is a merchant's change of its settings. Absent and null fields stay unchanged.
type SettingsChange struct {
	Period            optional.Of[PayoutPeriod]  `json:"payout_period" validate:"one-of=daily|weekly|monthly"`
	Type              optional.Of[string]        `json:"payout_type" validate:"one-of=SINGLE_PAYMENT"` // the only type
	OnDemand          optional.Of[Flag]          `json:"payout_on_demand"`
	OnDemandAvailable optional.Of[Flag]          `json:"payout_on_demand_available"`
	ExpectedMax       optional.Of[money.Literal] `json:"expected_max_transaction_amount"`
	PrintersEnabled   optional.Of[Flag]          `json:"printers_enabled"`
	Gross             optional.Of[Flag]          `json:"gross_settlement"`
	KeepKeys          optional.Of[Flag]          `json:"keep_api_keys"`
}

// Apply returns the changed settings of a merchant with the currency. Failure: Invalid, with the field.
func (c SettingsChange) Apply(s Settings, currency money.Currency) (Settings, error) {
	s, err := c.applyFields(s, currency)
	if on, _ := c.OnDemand.Get(); err == nil && bool(on) && !s.OnDemandAvailable {
		err = failure.Invalid("payout_on_demand", "cannot be set while payout_on_demand_available is false")
	}
	return s, err
}

func (c SettingsChange) applyFields(s Settings, currency money.Currency) (Settings, error) {
	if err := validate.Forms(c).First(); err != nil {
		return s, err
	}
	s.Period = c.Period.Or(s.Period)
	for _, flag := range []struct {
		to   *bool
		from optional.Of[Flag]
	}{
		{&s.OnDemand, c.OnDemand}, {&s.OnDemandAvailable, c.OnDemandAvailable},
		{&s.PrintersEnabled, c.PrintersEnabled}, {&s.Gross, c.Gross}, {&s.KeepKeys, c.KeepKeys},
	} {
		*flag.to = bool(flag.from.Or(Flag(*flag.to)))
	}
	if largest, given := c.ExpectedMax.Get(); given {
		amount, err := largest.In(currency)
		if err != nil || amount.Sign() < 0 || amount.TooLarge() {
			return s, failure.Invalid("expected_max_transaction_amount",
				"must be an amount of at least 0, at most 999999999.99, with at most the decimals of "+string(currency))
		}
		s.ExpectedMax = amount
	}
	return s, nil
}

// OperatorSettingsChange is an operator's change of any of a merchant's settings.
type OperatorSettingsChange struct {
	SettingsChange
	TaxEnabled         optional.Of[bool]        `json:"tax_enabled"`
	DailyPayoutEmail   optional.Of[bool]        `json:"daily_payout_email"`
	MonthlyPayoutEmail optional.Of[bool]        `json:"monthly_payout_email"`
	Moto               optional.Of[MotoPayment] `json:"moto_payment" validate:"one-of=UNAVAILABLE|ENFORCED|ON|OFF"`
}

// Apply returns the changed settings of a merchant with the currency. Failure: Invalid, with the field.
func (c OperatorSettingsChange) Apply(s Settings, currency money.Currency) (Settings, error) {
	if err := validate.Forms(c).First(); err != nil {
		return s, err
	}
	s, err := c.applyFields(s, currency)
	s.TaxEnabled = c.TaxEnabled.Or(s.TaxEnabled)
	s.DailyPayoutEmail, s.MonthlyPayoutEmail = c.DailyPayoutEmail.Or(s.DailyPayoutEmail),
		c.MonthlyPayoutEmail.Or(s.MonthlyPayoutEmail)
	s.Moto = c.Moto.Or(s.Moto)
	return s, err
}
