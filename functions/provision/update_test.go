package provision_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// readMerchant returns the merchant of a request with its key.
func (d operator) readMerchant(k *key) merchant.Merchant {
	d.Helper()
	_, m := d.authenticate(k.Plaintext)
	return m
}

func TestCreateMerchant_OptionalFields(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	for _, c := range []struct {
		given         fields
		zone, minimum string
	}{
		{fields{}, "Europe/Berlin", ""},
		{fields{"country": "BR", "currency": "BRL"}, "America/Sao_Paulo", ""},
		{fields{"country": "JP", "currency": "USD"}, "", ""}, // zone "" means UTC
		{fields{"country": "CL", "currency": "CLP", "time_zone": "Pacific/Easter", "refund_floor": "-5000.00"},
			"Pacific/Easter", "-5000"},
		{fields{"refund_floor": "-0.5"}, "Europe/Berlin", "-0.50"},
	} {
		m := d.createMerchant(c.given)
		if got := d.readMerchant(m.Key); got.TimeZone != c.zone || got.MinimumBalance != c.minimum {
			t.Errorf("%v: got zone %q, minimum %q, want %q, %q", c.given, got.TimeZone, got.MinimumBalance, c.zone, c.minimum)
		}
	}
}

func TestUpdateMerchant(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"sandbox": false, "test_key": true})
	before := d.readMerchant(m.Key)
	type updated struct {
		Code    string `json:"merchant_code"`
		Version int
	}
	for version, given := range []fields{
		{},
		{"name": "Bücher", "email": "neu@example.com", "fee_rate": "0.01", "online_payments": false},
		{"time_zone": "Europe/Vienna", "refund_floor": "-5", "payout_plan": "TRUE_INSTALLMENT"},
		{"paypal": true},
	} {
		given["command"], given["merchant_code"] = "update_merchant", m.Code
		for range 2 { // the second command changes nothing
			if got, want := run[updated](d, given), (updated{m.Code, version + 1}); got != want {
				t.Errorf("%v: got %+v, want %+v", given, got, want)
			}
		}
	}
	want := before
	want.Name, want.Email, want.FeeRate, want.OnlinePayments = "Bücher", "neu@example.com", "0.01", false
	want.TimeZone, want.MinimumBalance, want.Version = "Europe/Vienna", "-5.00", 4
	want.PayoutPlan = "TRUE_INSTALLMENT"
	want.PayPal, want.UpdatedAt = true, d.Clock.Now()
	late := d.createKey(fields{"merchant_code": m.Code, "name": "till", "scopes": []string{"payments"}})
	for _, k := range []*key{m.Key, m.TestKey, &late} {
		if got := d.readMerchant(k); got != want {
			t.Errorf("merchant: got %+v\nwant %+v", got, want)
		}
	}
	back := fields{"command": "update_merchant", "merchant_code": m.Code, "time_zone": "",
		"refund_floor": "", "fee_rate": "",
		"payout_plan": "SINGLE_PAYMENT"}
	run[updated](d, back)
	want.TimeZone, want.MinimumBalance, want.FeeRate = "Europe/Berlin", "", "0.0195"
	want.PayoutPlan, want.Version = "", 5
	if got := d.readMerchant(m.Key); got != want {
		t.Errorf("taken back: got %+v\nwant %+v", got, want)
	}
}

// TestUpdateMerchant_Interrupted checks at each step that the repetition completes the update.
func TestUpdateMerchant_Interrupted(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.DieAfter} {
		d := newOperator(t)
		m := d.createMerchant(fields{"sandbox": false, "test_key": true})
		update := fields{"command": "update_merchant", "merchant_code": m.Code, "name": "Bücher"}
		d.Main().Steps.Plan(0, faults.None)
		run[fields](d, update)
		steps := len(d.Main().Steps.Taken())
		if steps < 3 {
			t.Fatalf("got %d steps, want 3 or more", steps)
		}
		for at := 1; at <= steps; at++ {
			name := fault.String() + string(rune('a'+at))
			doomed := d.Process()
			doomed.Steps.Plan(at, fault)
			_, _ = doomed.Invoke(t.Context(), "provision", encoded(t, fields{"command": "update_merchant",
				"merchant_code": m.Code, "name": name}))
			run[fields](d, fields{"command": "update_merchant", "merchant_code": m.Code, "name": name})
			if got := d.readMerchant(m.Key); got.Name != name {
				t.Errorf("%s at step %d: got %+v, want the name %s", fault, at, got, name)
			}
		}
	}
}

func TestUpdateMerchant_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	for _, c := range []struct {
		change      fields
		code, param string
	}{
		{fields{"merchant_code": ""}, "MISSING", "merchant_code"},
		{fields{"merchant_code": "MC00000000"}, "NOT_FOUND", ""},
		{fields{"name": ""}, "INVALID", "name"},
		{fields{"email": ""}, "INVALID", "email"},
		{fields{"fee_rate": "1"}, "INVALID", "fee_rate"},
		{fields{"time_zone": "Mars/Olympus"}, "INVALID", "time_zone"},
		{fields{"refund_floor": "1.001"}, "INVALID", "refund_floor"},
		{fields{"shards": 0}, "INVALID", "shards"},
		{fields{"shards": 3}, "INVALID", "shards"},
		{fields{"shards": 64}, "INVALID", "shards"},
		{fields{"requests_per_second": -1}, "INVALID", "requests_per_second"},
		{fields{"requests_per_second": 10_001}, "INVALID", "requests_per_second"},
		{fields{"account": fields{}}, "INVALID", "account"}, // only update_account has this argument
		{fields{"country": "AT"}, "INVALID", "country"},     // no command changes country, currency or sandbox
		{fields{"currency": "CHF"}, "INVALID", "currency"},
		{fields{"sandbox": false}, "INVALID", "sandbox"},
		{fields{"gross_settlement": true}, "INVALID", "gross_settlement"}, // only update_settings changes gross_settlement
	} {
		d.checkRefused(with(fields{"command": "update_merchant", "merchant_code": m.Code}, c.change), c.code, c.param)
	}
	if got := d.readMerchant(m.Key); got.Version != 1 {
		t.Errorf("merchant: got %+v, want version 1", got)
	}
}
