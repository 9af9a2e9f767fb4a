package provision_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/settlement"
)

func (d operator) correction(code string, changes fields) fields {
	return with(fields{"command": "correct_settlement", "merchant_code": code, "mode": "test",
		"settlement": "sbx-2026-11-21", "currency": "EUR", "id": "c1", "amount": "1.50"}, changes)
}

// corrections returns the postings of a settlement's corrections, by their ids.
func (d operator) corrections(t identity.Tenant, settlement string) map[string]map[ledger.Account]string {
	d.Helper()
	entries, err := d.App.Store.Entries(d.Context(), t, ledger.OfSettlement(settlement, "EUR"))
	if err != nil {
		d.Fatal(err)
	}
	all := map[string]map[ledger.Account]string{}
	for _, e := range entries {
		if e.Kind != ledger.SettlementCorrected {
			continue
		}
		all[e.ID] = map[ledger.Account]string{}
		for _, p := range e.Postings {
			all[e.ID][p.Account] = p.Amount.String()
		}
	}
	return all
}

// TestCorrectSettlement_Entry checks the entries of corrections, each recorded once, for a merchant and for the
// platform.
func TestCorrectSettlement_Entry(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	code := d.Merchant.Code
	d.LeaveOpen(identity.Tenant{Mode: identity.Test, Merchant: code}, 1, 2000, 100, "sbx-2026-11-21")
	d.LeaveOpen(identity.PlatformTenant(identity.Live), 1, -2000, -100, "sbx-2026-11-21")
	run[fields](d, d.correction(code, nil))
	answer := run[fields](d, d.correction(code, nil)) // repeated
	want := fields{"id": "c1", "settlement": "sbx-2026-11-21", "currency": "EUR", "amount": 1.5, "fee": 0.0}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	run[fields](d, d.correction(code, fields{"id": "c2", "amount": "1", "fee": json.Number("-0.25")}))
	run[fields](d, d.correction("", fields{"mode": "live", "amount": "-20", "fee": "1"}))
	got := d.corrections(identity.Tenant{Mode: identity.Test, Merchant: code}, "sbx-2026-11-21")
	wantEntries := map[string]map[ledger.Account]string{
		"c1": {"acquirer_differences": "1.50", "acquirer_receivable": "-1.50"},
		"c2": {"acquirer_differences": "0.75", "acquirer_receivable": "-1.00", "acquirer_fees": "0.25"},
	}
	if diff := cmp.Diff(wantEntries, got); diff != "" {
		t.Errorf("the merchant's (-want +got):\n%s", diff)
	}
	if got := d.corrections(identity.PlatformTenant(identity.Live), "sbx-2026-11-21"); len(got) != 1 {
		t.Errorf("the platform's: got %v, want 1", got)
	}
}

// TestCorrectSettlement_UnknownTenant checks that a movement of a tenant that we do not know can be written off, even
// if the acquirer never settles it.
func TestCorrectSettlement_UnknownTenant(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	unknown := identity.Tenant{Mode: identity.Test, Merchant: "MC99999999"}
	d.checkRefused(d.correction(unknown.Merchant, nil), "NOT_FOUND", "")
	if err := d.App.Store.ListTenant(t.Context(), unknown); err != nil {
		t.Fatal(err)
	}
	d.LeaveOpen(unknown, 1, 150, 0, "sbx-2026-11-21")
	run[fields](d, d.correction(unknown.Merchant, nil))
	if got := d.corrections(unknown, "sbx-2026-11-21"); len(got) != 1 {
		t.Errorf("got %v, want 1 correction", got)
	}
}

func TestCorrectSettlement_Refused(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	code := d.Merchant.Code
	d.LeaveOpen(identity.Tenant{Mode: identity.Test, Merchant: code}, 1, 2000, 100, "sbx-2026-11-21",
		"sbx-2026-11-22")
	run[fields](d, d.correction(code, nil))
	invalid := fields{"mode": "both", "settlement": strings.Repeat("s", 256), "currency": "EURO",
		"id": strings.Repeat("i", 256), "amount": "1.234", "fee": "1.234"}
	for param, value := range invalid {
		d.checkRefused(d.correction(code, fields{param: value}), "INVALID", param)
	}
	for _, param := range []string{"mode", "settlement", "currency", "id"} {
		d.checkRefused(d.correction(code, fields{param: ""}), "MISSING", param)
	}
	d.checkRefused(d.correction(code, fields{"amount": "0"}), "MISSING", "amount")
	d.checkRefused(d.correction("MC00000000", nil), "NOT_FOUND", "")
	d.checkRefused(d.correction(code, fields{"amount": "1.51"}), "CONFLICT", "")
	d.checkRefused(d.correction(code, fields{"settlement": "sbx-2026-11-22"}), "CONFLICT", "")
	for param, values := range map[string][]string{ // of the 20.00, 1.50 are written off
		"amount": {"18.51", "-0.01"}, "fee": {"-1.01", "0.01"}} {
		for _, value := range values {
			d.checkRefused(d.correction(code, fields{"id": "c2", param: value}), "INVALID", param)
		}
	}
	d.checkRefused(d.correction(code, fields{"id": "c2", "settlement": "sbx-2026-11-23"}), "INVALID", "settlement")
	d.checkRefused(d.correction(code, fields{"id": "c2", "currency": "USD"}), "INVALID", "settlement")
	d.checkRefused(d.correction("", nil), "INVALID", "settlement")
	run[fields](d, d.correction(code, fields{"id": "c2", "amount": "18.50", "fee": "-1"}))
}

// TestCorrectSettlement_TwoDifferences checks that the differences of two settlements in a row can be written off under
// either id, and not twice.
func TestCorrectSettlement_TwoDifferences(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	code := d.Merchant.Code
	tenant := identity.Tenant{Mode: identity.Test, Merchant: code}
	d.LeaveOpen(tenant, 3, 500, 0, "first")
	d.LeaveOpen(tenant, 2, 700, 0, "second")
	correct := func(id, of, amount string) fields {
		return d.correction(code, fields{"id": id, "settlement": of, "amount": amount})
	}
	d.checkRefused(correct("c1", "first", "12.01"), "INVALID", "amount")
	run[fields](d, correct("c1", "second", "5"))
	d.checkRefused(correct("c2", "first", "7.01"), "INVALID", "amount")
	d.Clock.Advance(24 * time.Hour) // no night has added the correction yet
	d.checkRefused(correct("c2", "second", "7.01"), "INVALID", "amount")
	run[fields](d, correct("c2", "first", "7"))
	d.checkRefused(correct("c3", "first", "0.01"), "INVALID", "amount")
}

// TestCorrectSettlement_BeforeTheNight checks that a difference cannot be written off again before a night has added
// the first correction, although the closings already have its day.
func TestCorrectSettlement_BeforeTheNight(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	code := d.Merchant.Code
	tenant := identity.Tenant{Mode: identity.Test, Merchant: code}
	d.LeaveOpen(tenant, 16, 1000, 0)
	missing := settlement.Day(d.Clock.Now().AddDate(0, 0, -16)) + " EUR"
	run[fields](d, d.correction(code, fields{"settlement": missing, "amount": "4"}))
	d.LeaveOpen(tenant, 0, 100, 0)
	d.Clock.Advance(24 * time.Hour)
	again := func(amount string) fields {
		return d.correction(code, fields{"id": "c2", "settlement": missing, "amount": amount})
	}
	d.checkRefused(again("7.01"), "INVALID", "amount")
	run[fields](d, again("7"))
}

// TestCorrectSettlement_MendsBreak checks that a correction mends the break of a movement that the acquirer never
// settles, in proofs of the whole table.
func TestCorrectSettlement_MendsBreak(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	s := d.Shop()
	s.Sell("10")
	_, table := d.App.Store.Raw()
	d.Clock.Advance(2 * time.Hour)
	if found := d.Reconcile().Found; found != 0 {
		t.Fatalf("got %d breaks, want none", found)
	}
	// The sandbox forgets the capture before it settles.
	var movements []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	if err := table.Scan().Filter("begins_with(sk, ?)", "CAPTURE#").All(t.Context(), &movements); err != nil ||
		len(movements) != 1 {
		t.Fatalf("got %v, error %v; want 1 capture", movements, err)
	}
	if err := table.Delete("pk", movements[0].PK).Range("sk", movements[0].SK).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Clock.Advance(16 * 24 * time.Hour)
	report := d.Reconcile()
	if report.Found != 1 || report.Breaks[0].Kind != "settlement_missing" {
		t.Fatalf("got %+v, want settlement_missing", report.Breaks)
	}
	d.LeaveOpen(s.Tenant(), 15, 1000, 10)
	run[fields](d, d.correction(s.Merchant.Code, fields{"settlement": report.Breaks[0].ID, "amount": "10",
		"fee": "-0.10"}))
	d.Clock.Advance(time.Hour)
	if r := d.Reconcile(); r.Found != 1 { // the day of the correction is not over
		t.Errorf("on the day: got %+v, want 1 break", r.Breaks)
	}
	d.Clock.Advance(24 * time.Hour)
	if r := d.Reconcile(); r.Found != 0 {
		t.Errorf("the day after: got %+v, want no breaks", r.Breaks)
	}
}
