package provision_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// readNextAt returns the next payout's time, as run_payouts reports it; "" if it reports none.
func (d operator) readNextAt(given fields) string {
	d.Helper()
	given["command"] = "run_payouts"
	answer := run[struct {
		Payouts []fields
		NextAt  string `json:"next_at"`
	}](d, given)
	if (answer.NextAt != "") && len(answer.Payouts) > 0 {
		d.Errorf("%v: got %+v, want payouts or next_at, not both", given, answer)
	}
	return answer.NextAt
}

// TestRunPayouts_NextAt checks that, when no payout is due, the answer has the end of the first period with payables.
func TestRunPayouts_NextAt(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	t.Cleanup(d.CheckPayouts)
	weekly, monthly := d.createMerchant(nil), d.createMerchant(fields{"email": "other@example.com"})
	d.setPayout(weekly, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
	d.updateSettings(weekly, fields{"payout_period": "weekly"})
	d.setPayout(monthly, fields{"holder": "Tee", "iban": sandbox.PaidIBAN})
	d.updateSettings(monthly, fields{"payout_period": "monthly"})
	want := func(what string, given fields, at string) {
		t.Helper()
		if got := d.readNextAt(given); got != at {
			t.Errorf("%s: got %q, want %q", what, got, at)
		}
	}
	want("nothing waits", fields{}, "")
	want("no account", fields{"merchant_code": d.createMerchant(fields{"email": "third@example.com"}).Code}, "")
	d.sell(monthly, "1", 10, "")
	want("the monthly one", fields{}, "2026-11-30T23:00:00Z")
	want("nothing waits for this one", fields{"merchant_code": weekly.Code}, "")
	d.sell(weekly, "1", 10, "")
	want("the earlier one", fields{}, "2026-11-22T23:00:00Z")
	want("of one merchant", fields{"merchant_code": monthly.Code}, "2026-11-30T23:00:00Z")
	want("in the other mode", fields{"mode": "live"}, "")
	d.updateSettings(weekly, fields{"payout_on_demand": true})
	want("on demand", fields{"merchant_code": weekly.Code}, "")
	d.updateSettings(weekly, fields{"payout_on_demand": false})
	d.setPayout(weekly, fields{"held": true})
	want("held", fields{"merchant_code": weekly.Code}, "")
	d.setPayout(weekly, fields{"held": false})
	// A pretended time moves the schedule: payables that exist now wait for the end of the period after that time.
	want("paid", fields{"merchant_code": weekly.Code, "at": "2026-12-10T12:00:00Z"}, "")
	d.sell(weekly, "2", 10, "")
	want("after a time that was pretended", fields{"merchant_code": weekly.Code}, "2026-12-13T23:00:00Z")
	want("at a time before that", fields{"merchant_code": weekly.Code, "at": "2026-12-11T00:00:00Z"},
		"2026-12-13T23:00:00Z")
	last := fields{"merchant_code": weekly.Code, "at": "2026-12-13T23:00:00Z"}
	if got, want := d.runPayouts(last), "T 2026-12-14 PAID 9.80 EUR"; got != want {
		t.Errorf("at that time: got %q, want %q", got, want)
	}
}
