package provision_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

func (d operator) updateSettings(m provisioned, given fields) fields {
	d.Helper()
	given["command"], given["merchant_code"] = "update_settings", m.Code
	return run[fields](d, given)
}

// TestUpdateSettings checks that the given settings change, and that the schedule of payouts follows the new settings.
func TestUpdateSettings(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	want := fields{"merchant_code": m.Code, "mode": "test", "currency": "EUR", "time_zone": "Europe/Berlin",
		"tax_enabled": false, "payout_type": "SINGLE_PAYMENT", "payout_period": "daily", "payout_on_demand": false,
		"payout_on_demand_available": false, "printers_enabled": false, "payout_instrument": "BANK_ACCOUNT",
		"moto_payment": "UNAVAILABLE", "daily_payout_email": false, "monthly_payout_email": false,
		"gross_settlement": false, "keep_api_keys": false} // contract §7.2
	check := func(given, change fields) {
		t.Helper()
		maps.Copy(want, change)
		for range 2 { // the second command changes nothing
			if diff := cmp.Diff(want, d.updateSettings(m, given)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", given, diff)
			}
		}
	}
	check(fields{}, nil)
	d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
	check(fields{"payout_period": nil, "tax_enabled": nil}, fields{"next_at": "2026-11-20T23:00:00Z"})
	for _, change := range []fields{
		{"payout_on_demand": true}, {"payout_on_demand_available": true}, {"gross_settlement": true}, {"keep_api_keys": true},
		{"tax_enabled": true, "printers_enabled": true}, {"daily_payout_email": true, "monthly_payout_email": true},
		{"moto_payment": "ENFORCED"}, {"moto_payment": "ON"}, {"moto_payment": "OFF"}, {"moto_payment": "UNAVAILABLE"},
		{"payout_type": "SINGLE_PAYMENT"}, {"expected_max_transaction_amount": 999999999.99},
		{"tax_enabled": false, "payout_on_demand": false, "gross_settlement": false},
	} {
		check(change, maps.Clone(change))
	}
	check(fields{"payout_period": "weekly"}, fields{"payout_period": "weekly", "next_at": "2026-11-22T23:00:00Z"})
	check(fields{"payout_period": "monthly", "printers_enabled": "false"},
		fields{"payout_period": "monthly", "printers_enabled": false, "next_at": "2026-11-30T23:00:00Z"})
}

func TestUpdateSettings_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	for _, c := range []struct {
		given       fields
		code, param string
	}{
		{fields{"merchant_code": ""}, "MISSING", "merchant_code"},
		{fields{"merchant_code": "MC00000000"}, "NOT_FOUND", ""},
		{fields{"mode": "live"}, "INVALID", "mode"},
		{fields{"payout_period": "hourly"}, "INVALID", "payout_period"},
		{fields{"payout_type": "TRUE_INSTALLMENT"}, "INVALID", "payout_type"},
		{fields{"payout_on_demand": "yes"}, "INVALID", "payout_on_demand"},
		{fields{"moto_payment": "on"}, "INVALID", "moto_payment"},
		{fields{"tax_enabled": 1}, "INVALID", "tax_enabled"},
		{fields{"expected_max_transaction_amount": "much"}, "INVALID", "expected_max_transaction_amount"},
		{fields{"expected_max_transaction_amount": -0.01}, "INVALID", "expected_max_transaction_amount"},
		{fields{"expected_max_transaction_amount": 1000000000}, "INVALID", "expected_max_transaction_amount"},
		{fields{"expected_max_transaction_amount": 0.001}, "INVALID", "expected_max_transaction_amount"},
		{fields{"holder": "Buch"}, "INVALID", "holder"}, // only set_payout changes the holder
	} {
		d.checkRefused(with(fields{"command": "update_settings", "merchant_code": m.Code}, c.given), c.code, c.param)
	}
	if got := d.readMerchant(m.Key); got.Version != 1 {
		t.Errorf("merchant: got %+v, want version 1", got)
	}
}

// TestCreateMerchant_RepeatedWithOtherSettings checks that a repeated command does not compare the merchant's settings.
func TestCreateMerchant_RepeatedWithOtherSettings(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"merchant_code": "MC0000PAYS"})
	run[fields](d, fields{"command": "update_settings", "merchant_code": m.Code, "payout_period": "monthly"})
	if again := d.createMerchant(fields{"merchant_code": m.Code}); again.Created {
		t.Errorf("again: got %+v, want it not created", again)
	}
}

// TestUpdateSettings_ByMode checks that each mode has separate settings. A change in the other mode, or of the
// merchant, does not change them.
func TestUpdateSettings_ByMode(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"sandbox": false, "test_key": true})
	run[fields](d, fields{"command": "update_settings", "merchant_code": m.Code, "payout_period": "weekly"})
	run[fields](d, fields{"command": "update_settings", "merchant_code": m.Code, "mode": "test",
		"payout_on_demand": true})
	run[fields](d, fields{"command": "update_merchant", "merchant_code": m.Code, "fee_rate": "0.01"})
	want := merchant.ByMode[merchant.Settings]{Live: merchant.DefaultSettings, Test: merchant.DefaultSettings}
	want.Live.Period, want.Test.OnDemand = merchant.Weekly, true
	if got := d.readMerchant(m.Key).Settings; got != want {
		t.Errorf("settings: got %+v, want %+v", got, want)
	}
}

// TestUpdateSettings_Interrupted checks at each step that the schedule's cut-off agrees with the stored settings.
// Repeating the command completes it.
func TestUpdateSettings_Interrupted(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	cut := 0
	for step := 1; ; step++ {
		m := d.createMerchant(nil)
		tenant := identity.Tenant{Mode: identity.Test, Merchant: m.Code}
		d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
		command := fields{"command": "update_settings", "merchant_code": m.Code, "payout_period": "monthly"}
		p := d.Process()
		p.Steps.Plan(step, faults.DieAfter)
		if _, err := p.Invoke(t.Context(), "provision", encoded(t, command)); err == nil {
			break
		}
		cut++
		for _, what := range []string{"cut off", "repeated"} {
			schedule, err := d.App.Store.PayoutSchedule(t.Context(), tenant)
			owner := d.readMerchant(m.Key)
			if want := owner.Calendar(tenant.Mode).NextCutoff(d.Clock.Now()).At; err != nil || !schedule.NextAt.Equal(want) {
				t.Errorf("%s at step %d: pays out %s, got next at %s, %v, want %s", what, step,
					owner.Settings.Test.Period, schedule.NextAt, err, want)
			}
			run[fields](d, command)
		}
		if got := d.readMerchant(m.Key).Settings.Test.Period; got != merchant.Monthly {
			t.Errorf("cut off at step %d: got %s, want %s", step, got, merchant.Monthly)
		}
	}
	if cut < 4 {
		t.Errorf("cut off: got %d times, want 4 or more", cut)
	}
}
