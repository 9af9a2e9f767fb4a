package merchant_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

// change applies a change in JSON to the settings.
func change[T interface {
	Apply(merchant.Settings, money.Currency) (merchant.Settings, error)
}](t *testing.T, s merchant.Settings, c money.Currency, text string) (merchant.Settings, error) {
	t.Helper()
	var given T
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return s, err
	}
	return given.Apply(s, c)
}

// TestSettingsChange_Merge checks that absent and null fields stay unchanged (contract §7.2).
func TestSettingsChange_Merge(t *testing.T) {
	t.Parallel()
	now := merchant.DefaultSettings
	for _, c := range []struct {
		text string
		then func()
	}{
		{`{}`, func() {}},
		{`{"payout_period":"weekly"}`, func() { now.Period = merchant.Weekly }},
		{`{"payout_period":null,"payout_on_demand":null,"expected_max_transaction_amount":null}`, func() {}},
		{`{"payout_period":"monthly","payout_type":"SINGLE_PAYMENT"}`, func() { now.Period = merchant.Monthly }},
		{`{"payout_period":"daily","payout_on_demand":false}`, func() { now.Period = merchant.Daily }},
		{`{"payout_on_demand_available":"true"}`, func() { now.OnDemandAvailable = true }},
		{`{"payout_on_demand":"true"}`, func() { now.OnDemand = true }},
		{`{"payout_on_demand_available":false}`, func() { now.OnDemandAvailable = false }},
		{`{"payout_on_demand":"false"}`, func() { now.OnDemand = false }},
		{`{"payout_on_demand":true,"payout_on_demand_available":true}`,
			func() { now.OnDemand, now.OnDemandAvailable = true, true }},
		{`{"gross_settlement":true,"printers_enabled":true}`, func() { now.Gross, now.PrintersEnabled = true, true }},
		{`{"expected_max_transaction_amount":"999999999.99"}`,
			func() { now.ExpectedMax = money.MustParse("999999999.99", "EUR") }},
		{`{"expected_max_transaction_amount":0.01}`, func() { now.ExpectedMax = money.MustParse("0.01", "EUR") }},
		{`{"expected_max_transaction_amount":0}`, func() { now.ExpectedMax = money.MustParse("0", "EUR") }},
	} {
		got, err := change[merchant.SettingsChange](t, now, "EUR", c.text)
		c.then()
		if got != now || err != nil {
			t.Errorf("%s: got %+v, %v, want %+v", c.text, got, err, now)
		}
	}
}

func TestSettingsChange_OutsideLimits(t *testing.T) {
	t.Parallel()
	for text, param := range map[string]string{
		`{"payout_period":""}`:                                        "payout_period",
		`{"payout_period":"hourly"}`:                                  "payout_period",
		`{"payout_period":"DAILY"}`:                                   "payout_period",
		`{"payout_type":""}`:                                          "payout_type",
		`{"payout_type":"TRUE_INSTALLMENT"}`:                          "payout_type",
		`{"payout_on_demand":true}`:                                   "payout_on_demand",
		`{"payout_on_demand":true,"payout_on_demand_available":null}`: "payout_on_demand",
		`{"payout_on_demand":"yes"}`:                                  "",
		`{"gross_settlement":1}`:                                      "",
		`{"printers_enabled":"TRUE"}`:                                 "",
		`{"expected_max_transaction_amount":-0.01}`:                   "expected_max_transaction_amount",
		`{"expected_max_transaction_amount":1000000000}`:              "expected_max_transaction_amount",
		`{"expected_max_transaction_amount":0.001}`:                   "expected_max_transaction_amount",
		`{"expected_max_transaction_amount":"1e3"}`:                   "expected_max_transaction_amount",
	} {
		got, err := change[merchant.SettingsChange](t, merchant.DefaultSettings, "EUR", text)
		if err == nil || failure.Of(err).Kind != failure.KindInvalid || failure.Of(err).Param != param {
			t.Errorf("%s: got %+v, %v, want INVALID %s", text, got, err, param)
		}
	}
	for scale, text := range map[money.Currency]string{"CLP": "0.1", "EUR": "0.001"} {
		_, err := change[merchant.SettingsChange](t, merchant.DefaultSettings, scale,
			`{"expected_max_transaction_amount":`+text+`}`)
		if err == nil || !strings.Contains(err.Error(), string(scale)) {
			t.Errorf("%s %s: got %v, want it refused", text, scale, err)
		}
	}
}

// TestOperatorSettingsChange checks that an operator can change settings that a merchant cannot (contract §13.9).
func TestOperatorSettingsChange(t *testing.T) {
	t.Parallel()
	want := merchant.Settings{Period: merchant.Weekly, OnDemand: true, TaxEnabled: true, DailyPayoutEmail: true,
		MonthlyPayoutEmail: true, Moto: merchant.MotoOn}
	text := `{"payout_period":"weekly","payout_on_demand":true,"tax_enabled":true,"daily_payout_email":true,
		"monthly_payout_email":true,"moto_payment":"ON"}`
	if got, err := change[merchant.OperatorSettingsChange](t, merchant.DefaultSettings, "EUR", text); err != nil ||
		got != want {
		t.Errorf("operator: got %+v, %v, want %+v", got, err, want)
	}
	want.OnDemand, want.Moto, want.TaxEnabled, want.DailyPayoutEmail, want.MonthlyPayoutEmail = false,
		merchant.MotoUnavailable, false, false, false
	ignored := strings.Replace(text, `"payout_on_demand":true,`, "", 1)
	if got, err := change[merchant.SettingsChange](t, merchant.DefaultSettings, "EUR", ignored); err != nil ||
		got != want {
		t.Errorf("merchant: got %+v, %v, want %+v", got, err, want)
	}
}
