package merchants_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

type fields = map[string]any

const settingsPath = "/v0.1/me/merchant-profile/settings"

// defaultSettings returns the defaults of contract §7.2.
func defaultSettings() fields {
	return fields{"tax_enabled": false, "payout_type": "SINGLE_PAYMENT", "payout_period": "daily",
		"payout_on_demand": false, "payout_on_demand_available": false, "printers_enabled": false,
		"payout_instrument": "BANK_ACCOUNT", "moto_payment": "UNAVAILABLE", "daily_payout_email": false,
		"monthly_payout_email": false, "gross_settlement": false, "keep_api_keys": false}
}

// wantSettings checks the settings in a response.
func wantSettings(t *testing.T, got world.Response, want fields) {
	t.Helper()
	var settings fields
	err := got.Into(&settings)
	if diff := cmp.Diff(want, settings); err != nil || got.Status != 200 || diff != "" {
		t.Errorf("got %d %s, %v (-want +got):\n%s", got.Status, got.Body, err, diff)
	}
}

func putSettings(s world.Shop, change any) world.Response {
	s.Helper()
	return s.Send("PUT", settingsPath, change)
}

func TestUpdateMySettings(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	want := defaultSettings()
	wantSettings(t, s.Send("GET", settingsPath, nil), want)
	wantSettings(t, putSettings(s, nil), want) // no body means an empty body (contract §2.2)
	for _, c := range []struct {
		change string
		want   fields
	}{
		{`{}`, nil},
		{`{"payout_period":"weekly"}`, fields{"payout_period": "weekly"}},
		{`{"payout_period":null,"payout_type":null,"gross_settlement":null,"expected_max_transaction_amount":null}`, nil},
		{`{"payout_period":"monthly","payout_type":"SINGLE_PAYMENT"}`, fields{"payout_period": "monthly"}},
		{`{"payout_period":"daily","payout_on_demand":false}`, fields{"payout_period": "daily"}},
		{`{"payout_on_demand":true,"payout_on_demand_available":"true"}`,
			fields{"payout_on_demand": true, "payout_on_demand_available": true}},
		{`{"payout_on_demand_available":false}`, fields{"payout_on_demand_available": false}},
		{`{"payout_on_demand":"false"}`, fields{"payout_on_demand": false}},
		{`{"payout_on_demand_available":true}`, fields{"payout_on_demand_available": true}},
		{`{"payout_on_demand":"true"}`, fields{"payout_on_demand": true}},
		{`{"printers_enabled":"true","gross_settlement":true}`, fields{"printers_enabled": true, "gross_settlement": true}},
		{`{"keep_api_keys":"true"}`, fields{"keep_api_keys": true}},
		{`{"expected_max_transaction_amount":0}`, nil}, // app_settings shows this value (contract §13.9)
		{`{"expected_max_transaction_amount":"999999999.99"}`, nil},
		// Clients send what they have read, and fields that only an operator may set.
		{`{"tax_enabled":true,"moto_payment":"ON","daily_payout_email":true,"monthly_payout_email":true,"other":1}`, nil},
	} {
		maps.Copy(want, c.want)
		wantSettings(t, putSettings(s, json.RawMessage(c.change)), want)
		wantSettings(t, s.Send("GET", settingsPath, nil), want)
	}
	if got, err := s.App.Store.Merchant(t.Context(), s.Merchant.Code); err != nil ||
		got.Settings.Test.ExpectedMax.String() != "999999999.99" {
		t.Errorf("stored: got %+v, %v, want the largest amount", got.Settings, err)
	}
	s.Command("update_settings", fields{"tax_enabled": true, "moto_payment": "ENFORCED", "daily_payout_email": true})
	maps.Copy(want, fields{"tax_enabled": true, "moto_payment": "ENFORCED", "daily_payout_email": true})
	wantSettings(t, s.Send("GET", settingsPath, nil), want)
}

func TestUpdateMySettings_Invalid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for change, param := range map[string]string{
		`{"payout_period":""}`:                               "payout_period",
		`{"payout_period":"yearly"}`:                         "payout_period",
		`{"payout_period":1}`:                                "payout_period",
		`{"payout_type":"TRUE_INSTALLMENT"}`:                 "payout_type",
		`{"payout_type":""}`:                                 "payout_type",
		`{"payout_on_demand":true}`:                          "payout_on_demand",
		`{"payout_on_demand":"1"}`:                           "payout_on_demand",
		`{"payout_on_demand_available":""}`:                  "payout_on_demand_available",
		`{"printers_enabled":"True"}`:                        "printers_enabled",
		`{"gross_settlement":0}`:                             "gross_settlement",
		`{"keep_api_keys":"keep"}`:                           "keep_api_keys",
		`{"expected_max_transaction_amount":-0.01}`:          "expected_max_transaction_amount",
		`{"expected_max_transaction_amount":1000000000}`:     "expected_max_transaction_amount",
		`{"expected_max_transaction_amount":0.001}`:          "expected_max_transaction_amount",
		`{"expected_max_transaction_amount":"much"}`:         "expected_max_transaction_amount",
		`{"payout_period":"weekly","payout_on_demand":true}`: "payout_on_demand",
	} {
		world.Invalid(param).Check(t, putSettings(s, json.RawMessage(change)))
	}
	world.Refused(400, "INVALID_REQUEST", "", "bad-request").Check(t, putSettings(s, json.RawMessage(`[1]`)))
	wantSettings(t, s.Send("GET", settingsPath, nil), defaultSettings()) // the refused requests changed nothing
}

func TestUpdateMySettings_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	denied := world.Refused(403, "FORBIDDEN", "", "forbidden")
	for _, key := range []string{s.NewKey("secret", "user.profile", "payments"), s.NewKey("secret"), s.NewKey("public")} {
		denied.Check(t, s.WithKey(key).Send("GET", settingsPath, nil))
		denied.Check(t, putSettings(s.WithKey(key), fields{"payout_period": "weekly"}))
	}
	world.Refused(401, "NOT_AUTHORIZED", "", "missing-token").Check(t,
		s.Do(world.Request{Method: "GET", Path: settingsPath, APIKey: world.NoKey}))
	want := defaultSettings()
	want["payout_period"] = "weekly"
	wantSettings(t, putSettings(s.WithKey(s.NewKey("secret", "user.payout-settings")),
		fields{"payout_period": "weekly"}), want)
	wantSettings(t, s.OtherShop().Send("GET", settingsPath, nil), defaultSettings())
}

// TestUpdateMySettings_OneMode checks that a key changes only the settings of its own mode.
func TestUpdateMySettings_OneMode(t *testing.T) {
	t.Parallel()
	live := world.NewShop(t).NewLiveShop()
	test := live.WithKey(live.NewKey("secret", "user.payout-settings"))
	weekly, gross := defaultSettings(), defaultSettings()
	weekly["payout_period"], gross["gross_settlement"] = "weekly", true
	wantSettings(t, putSettings(live, fields{"payout_period": "weekly"}), weekly)
	wantSettings(t, putSettings(test, fields{"gross_settlement": true}), gross)
	wantSettings(t, live.Send("GET", settingsPath, nil), weekly)
	wantSettings(t, test.Send("GET", settingsPath, nil), gross)
}

// TestUpdateMySettings_WithoutMerchantProfile checks that an update answers 409, and a read 404 (contract §7.1).
func TestUpdateMySettings_WithoutMerchantProfile(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("DE", "EUR", fields{"onboarding": true})
	world.Refused(404, "NOT_FOUND", "", "not-found").Check(t, s.Send("GET", settingsPath, nil))
	missing := world.Refused(409, "merchant_account_missing", "", "conflict")
	missing.Check(t, putSettings(s, fields{"payout_period": "weekly"}))
	missing.Check(t, putSettings(s, fields{}))
	world.Invalid("payout_period").Check(t, putSettings(s, fields{"payout_period": "yearly"}))
	s.Command("update_merchant", fields{"onboarding": false})
	wantSettings(t, s.Send("GET", settingsPath, nil), defaultSettings())
	want := defaultSettings()
	want["payout_period"] = "weekly"
	wantSettings(t, putSettings(s, fields{"payout_period": "weekly"}), want)
}

// TestUpdateMySettings_PayoutPeriod checks that a new period applies from the next cut-off on. The payout of a past
// cut-off follows the old settings.
func TestUpdateMySettings_PayoutPeriod(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	t.Cleanup(s.CheckPayouts)
	s.SetPayout(fields{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	next := func() string {
		schedule, err := s.App.Store.PayoutSchedule(t.Context(), s.Tenant())
		if err != nil {
			t.Fatal(err)
		}
		return schedule.NextAt.Format(time.RFC3339)
	}
	for _, c := range []struct{ period, want string }{{"weekly", "2026-11-22T23:00:00Z"},
		{"monthly", "2026-11-30T23:00:00Z"}, {"daily", "2026-11-20T23:00:00Z"}} {
		if got := putSettings(s, fields{"payout_period": c.period}); got.Status != 200 || next() != c.want {
			t.Errorf("%s: got %d and the next at %s, want %s", c.period, got.Status, next(), c.want)
		}
	}
	s.Sell("10")
	s.Clock.Advance(24 * time.Hour) // no process has opened the payout that is due
	if got := putSettings(s, fields{"payout_period": "monthly"}); got.Status != 200 || next() != "2026-11-30T23:00:00Z" {
		t.Errorf("overdue: got %d and the next at %s, want the month's end", got.Status, next())
	}
	if payouts := s.PayoutState(s.Merchant).Payouts; len(payouts) != 1 {
		t.Errorf("overdue: got payouts %+v, want the one that was due", payouts)
	}
	putSettings(s, fields{"payout_on_demand_available": true, "payout_on_demand": true, "gross_settlement": true})
	s.Sell("20")
	s.Clock.Advance(30 * 24 * time.Hour)
	s.RunPayouts()
	if payouts := s.PayoutState(s.Merchant).Payouts; len(payouts) != 1 {
		t.Errorf("on demand: got payouts %+v, want no other", payouts)
	}
	putSettings(s, fields{"payout_on_demand": false, "payout_period": "daily"})
	s.Clock.Advance(24 * time.Hour)
	s.RunPayouts()
	totals := map[string]bool{}
	for _, p := range s.PayoutState(s.Merchant).Payouts {
		totals[p.Total.String()] = true
	}
	// The fee was deducted from the first payout. Under gross settlement, it was not deducted from the second.
	if want := map[string]bool{"9.80": true, "20.00": true}; !maps.Equal(totals, want) {
		t.Errorf("totals: got %v, want %v", totals, want)
	}
}

// TestUpdateMySettings_Concurrently changes several fields concurrently, some of them twice. The test checks that each
// change is made wholly.
func TestUpdateMySettings_Concurrently(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.SetPayout(fields{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	changes := []fields{
		{"payout_period": "monthly", "gross_settlement": true}, {"printers_enabled": true},
		{"payout_on_demand_available": true}, {"expected_max_transaction_amount": 10},
		{"payout_on_demand_available": "true", "payout_on_demand": true}, {"printers_enabled": "true"},
	}
	var running sync.WaitGroup
	for _, change := range changes {
		running.Go(func() {
			if got := putSettings(s, change); got.Status != 200 {
				t.Errorf("%v: got %d %s, want 200", change, got.Status, got.Body)
			}
		})
	}
	running.Wait()
	want := defaultSettings()
	maps.Copy(want, fields{"payout_period": "monthly", "gross_settlement": true, "printers_enabled": true,
		"payout_on_demand_available": true, "payout_on_demand": true})
	wantSettings(t, s.Send("GET", settingsPath, nil), want)
	schedule, err := s.App.Store.PayoutSchedule(t.Context(), s.Tenant())
	if got := schedule.NextAt.Format(time.RFC3339); err != nil || got != "2026-11-30T23:00:00Z" {
		t.Errorf("schedule: got next at %s, %v, want the month's end", got, err)
	}
}

// TestUpdateMySettings_Interrupted checks that an interrupted change is made wholly or not at all. The repetition under
// the same key completes it.
func TestUpdateMySettings_Interrupted(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.SetPayout(fields{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	for _, fault := range []faults.Fault{faults.FailBefore, faults.DieAfter} {
		for step, reached := 1, true; reached; step++ {
			s.Command("update_settings", fields{"payout_period": "daily", "gross_settlement": false})
			r := world.Request{Method: "PUT", Path: settingsPath, APIKey: s.Merchant.Key.Plaintext,
				IdempotencyKey: fmt.Sprint(fault, step), Body: fields{"payout_period": "monthly", "gross_settlement": true}}
			p := s.Process()
			p.Steps.Plan(step, fault)
			p.Do(r)
			reached = len(p.Steps.Taken()) >= step
			p.Stop()
			m, err := s.App.Store.Merchant(t.Context(), s.Merchant.Code)
			now := m.Settings.Test
			if err != nil || (now.Period == merchant.Monthly) != now.Gross {
				t.Errorf("%s at step %d: got %+v, %v, want all or nothing", fault, step, now, err)
			}
			s.Clock.Advance(time.Minute)
			want := defaultSettings()
			want["payout_period"], want["gross_settlement"] = "monthly", true
			wantSettings(t, s.Do(r), want)
			schedule, err := s.App.Store.PayoutSchedule(t.Context(), s.Tenant())
			if at := schedule.NextAt.Format(time.RFC3339); err != nil || at != "2026-11-30T23:00:00Z" {
				t.Errorf("%s at step %d: got next at %s, %v, want the month's end", fault, step, at, err)
			}
			if !reached && step < 5 {
				t.Errorf("%s: got %d steps, want 5 or more", fault, step)
			}
		}
	}
}
