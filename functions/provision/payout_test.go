package provision_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

type payoutAccount struct {
	Mode     string
	Currency string
	TimeZone string `json:"time_zone"`
	Holder   string
	Ending   string `json:"account_ending"`
	Status   string `json:"account_status"`
	Held     bool
	NextAt   string `json:"next_at"`
}

func (d operator) setPayout(m provisioned, given fields) payoutAccount {
	d.Helper()
	given["command"], given["merchant_code"] = "set_payout", m.Code
	return run[payoutAccount](d, given)
}

func TestSetPayout(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	account := func(holder, ending, status string) payoutAccount {
		return payoutAccount{"test", "EUR", "Europe/Berlin", holder, ending, status, false, "2026-11-20T23:00:00Z"}
	}
	held := func(a payoutAccount) payoutAccount {
		a.Held = true
		return a
	}
	for _, step := range []struct {
		given fields
		want  payoutAccount
	}{
		{fields{}, payoutAccount{Mode: "test", Currency: "EUR", TimeZone: "Europe/Berlin"}},
		{fields{"holder": "Buch GmbH", "iban": "de17 1001 0010 0000 0056 78"}, account("Buch GmbH", "5678", "VERIFIED")},
		{fields{"held": true}, held(account("Buch GmbH", "5678", "VERIFIED"))},
		{fields{"account_number": "12345678", "bank_code": "001"}, held(account("Buch GmbH", "5678", "VERIFIED"))},
		{fields{"held": false}, account("Buch GmbH", "5678", "VERIFIED")},
		{fields{"iban": sandbox.ClosedIBAN, "bic": "marKdeff", "holder": "Buch KG"}, account("Buch KG", "1111", "VERIFIED")},
	} {
		for range 2 { // the second command changes nothing
			if got := d.setPayout(m, step.given); got != step.want {
				t.Errorf("%v: got %+v\nwant %+v", step.given, got, step.want)
			}
		}
	}
	stored, err := d.App.Store.PayoutSchedule(t.Context(), identity.Tenant{Mode: identity.Test, Merchant: m.Code})
	if err != nil || stored.To.IBAN != sandbox.ClosedIBAN || stored.To.AccountNumber != "" || stored.To.BankCode != "" ||
		stored.To.BIC != "MARKDEFF" {
		t.Errorf("schedule: got %+v, %v, want IBAN %s, BIC MARKDEFF, and no other number", stored, err, sandbox.ClosedIBAN)
	}
	// Another time zone moves the cut-offs, in each mode that has cut-offs.
	run[fields](d, fields{"command": "update_merchant", "merchant_code": m.Code, "time_zone": "America/Sao_Paulo"})
	if got := d.setPayout(m, fields{}); got.TimeZone != "America/Sao_Paulo" || got.NextAt != "2026-11-21T03:00:00Z" {
		t.Errorf("moved: got %+v, want America/Sao_Paulo, next at 2026-11-21T03:00:00Z", got)
	}
	moved, err := d.App.Store.PayoutSchedule(t.Context(), identity.Tenant{Mode: identity.Test, Merchant: m.Code})
	if err != nil || moved.Version <= stored.Version {
		t.Errorf("moved: got %+v, %v, want a version after %d", moved, err, stored.Version)
	}
}

func TestSetPayout_Invalid(t *testing.T) {
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
		{fields{"payout_period": "daily"}, "INVALID", "payout_period"}, // only update_settings changes the period
		{fields{"iban": sandbox.PaidIBAN}, "MISSING", "holder"},
		{fields{"holder": "Buch"}, "MISSING", "iban"},
		{fields{"verified": true}, "INVALID", "verified"}, // the account is VERIFIED anyway
		{fields{"bic": "MARKDEFF"}, "MISSING", "iban"},
		{fields{"holder": "Buch", "iban": ""}, "MISSING", "iban"},
		{fields{"holder": "Buch", "iban": "DE18100100100000005678"}, "INVALID", "iban"},
		{fields{"holder": "Buch", "iban": sandbox.PaidIBAN, "bic": "MARK"}, "INVALID", "bic"},
		{fields{"holder": "Buch", "iban": sandbox.PaidIBAN, "account_number": "1"}, "INVALID", "account_number"},
		{fields{"holder": "Buch", "account_number": "12345678"}, "MISSING", "bank_code"},
		{fields{"holder": strings.Repeat("ü", 71), "iban": sandbox.PaidIBAN}, "INVALID", "holder"},
		{fields{"iban_": "x"}, "INVALID", "iban_"},
	} {
		d.checkRefused(with(fields{"command": "set_payout", "merchant_code": m.Code}, c.given), c.code, c.param)
	}
}

type payoutsAnswer struct {
	Payouts []struct {
		Tenant   string
		ID       string `json:"payout"`
		Day      string
		Status   string
		Total    json.Number
		Currency string
		Reason   string
	}
	More bool
}

func (a payoutsAnswer) String() string {
	var texts []string
	for _, p := range a.Payouts {
		texts = append(texts, strings.TrimSpace(strings.Join([]string{p.Tenant[:1], p.Day, p.Status, p.Total.String(),
			p.Currency, p.Reason}, " ")))
	}
	return strings.Join(texts, ", ")
}

func (d operator) runPayouts(given fields) string {
	d.Helper()
	given["command"] = "run_payouts"
	answer := run[payoutsAnswer](d, given)
	if answer.More || answer.Payouts == nil {
		d.Errorf("%v: got %+v, want a list of payouts and no more", given, answer)
	}
	return answer.String()
}

func TestRunPayouts_PretendedTime(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	t.Cleanup(d.CheckPayouts)
	paid, rejected := d.createMerchant(nil), d.createMerchant(fields{"email": "other@example.com"})
	d.setPayout(paid, fields{"holder": "Buch", "iban": sandbox.LostAnswerIBAN})
	d.setPayout(rejected, fields{"holder": "Tee", "iban": sandbox.UnknownIBAN})
	for i, m := range []provisioned{paid, rejected} {
		d.sell(m, "order", 10*(i+1), "")
	}
	if got := d.runPayouts(fields{}); got != "" {
		t.Errorf("now: got %q, want no payout", got)
	}
	const at = "2026-11-21T00:30:00+01:00"
	one := fields{"merchant_code": rejected.Code, "at": at}
	if got, want := d.runPayouts(one), "T 2026-11-21 FAILED 19.61 EUR AC01"; got != want {
		t.Errorf("one merchant's: got %q, want %q", got, want)
	}
	if got, want := d.runPayouts(fields{"at": at}), "T 2026-11-21 PAID 9.80 EUR"; got != want {
		t.Errorf("all merchants': got %q, want %q", got, want)
	}
	if got := d.runPayouts(fields{"mode": "test", "at": "2026-11-21T01:00:00Z"}); got != "" {
		t.Errorf("again: got %q, want no payout", got)
	}
}

func TestRunPayouts_OnDemand(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	t.Cleanup(d.CheckPayouts)
	m := d.createMerchant(nil)
	d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
	d.updateSettings(m, fields{"payout_on_demand": true})
	demand := func(id string) string {
		return d.runPayouts(fields{"merchant_code": m.Code, "on_demand": true, "id": id})
	}
	if got := demand(""); got != "" {
		t.Errorf("nothing waits: got %q, want no payout", got)
	}
	d.sell(m, "1", 10, "")
	d.Clock.Advance(time.Hour)
	for range 2 {
		if got, want := demand("a"), "T 2026-11-20 PAID 9.80 EUR"; got != want && got != "" {
			t.Errorf("demanded: got %q, want %q or no payout", got, want)
		}
	}
	d.sell(m, "2", 20, "")
	d.Clock.Advance(48 * time.Hour)
	if got := d.runPayouts(fields{"merchant_code": m.Code}); got != "" {
		t.Errorf("by schedule: got %q, want no payout", got)
	}
	if got, want := demand(""), "T 2026-11-22 PAID 19.61 EUR"; got != want {
		t.Errorf("demanded: got %q, want %q", got, want)
	}
}

func TestRunPayouts_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, live := d.createMerchant(nil), d.createMerchant(fields{"sandbox": false})
	for _, c := range []struct {
		given       fields
		code, param string
	}{
		{fields{"mode": "both"}, "INVALID", "mode"},
		{fields{"at": "tomorrow"}, "INVALID", "at"},
		{fields{"at": "2026-11-20T11:59:59Z"}, "INVALID", "at"},
		{fields{"at": "2026-12-20T12:00:00Z", "mode": "live"}, "INVALID", "at"},
		{fields{"at": "2026-12-20T12:00:00Z", "merchant_code": live.Code}, "INVALID", "at"},
		{fields{"on_demand": true}, "MISSING", "merchant_code"},
		{fields{"id": "a", "merchant_code": m.Code}, "INVALID", "id"},
		{fields{"on_demand": true, "merchant_code": m.Code}, "NOT_FOUND", ""},
		{fields{"merchant_code": "MC00000000"}, "NOT_FOUND", ""},
	} {
		c.given["command"] = "run_payouts"
		d.checkRefused(c.given, c.code, c.param)
	}
}

// payLive stores a live payment. The API makes none, because a world has no acquirer for them.
func (d operator) payLive(m provisioned, amount string) {
	d.Helper()
	tenant := identity.Tenant{Mode: identity.Live, Merchant: m.Code}
	c, err := d.App.Store.CreateCheckout(d.Context(), tenant, payments.Checkout{ID: uuid.NewString(),
		Reference: uuid.NewString(),
		Amount:    money.MustParse(amount, "EUR"), Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout,
		CreatedAt: d.Clock.Now(),
		Payee:     payments.Payee{Code: m.Code}})
	if err != nil {
		d.Fatal(err)
	}
	a := payments.Attempt{ID: uuid.NewString(), Operation: "request", Method: payments.CardMethod, Installments: 1}
	if c, err = c.Begin(a, payments.Source{}, d.Clock.Now()); err != nil {
		d.Fatal(err)
	}
	change, _ := c.Settle(a.ID, payments.Outcome{Decision: payments.Approved}, "msg_"+a.ID,
		payments.Session{}, d.Clock.Now())
	if _, err := d.App.Store.Apply(d.Context(), tenant, change); err != nil {
		d.Fatal(err)
	}
}

// TestExportPayouts runs live payouts, writes them into a file for the bank, and settles them as the bank reports.
func TestExportPayouts(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, other := d.createMerchant(fields{"sandbox": false}),
		d.createMerchant(fields{"sandbox": false, "email": "other@example.com"})
	for i, m := range []provisioned{m, other} {
		d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
		d.payLive(m, []string{"10", "20"}[i])
	}
	d.Clock.Advance(24 * time.Hour)
	ordered := run[payoutsAnswer](d, fields{"command": "run_payouts", "mode": "live"})
	if len(ordered.Payouts) != 2 || ordered.Payouts[0].Status != "SENT" || ordered.Payouts[1].Status != "SENT" {
		t.Fatalf("ordered: got %+v, want two, both SENT", ordered)
	}
	first, second := ordered.Payouts[0], ordered.Payouts[1]
	settle := func(p, merchant, outcome, reason string) fields {
		return fields{"command": "settle_payout", "merchant_code": strings.TrimPrefix(merchant, "L#"), "payout": p,
			"outcome": outcome, "reason": reason}
	}
	if got := d.runRefused(settle(first.ID, first.Tenant, "paid", "")); got.Code != "CONFLICT" {
		t.Errorf("paid without a file: got %+v, want CONFLICT", got)
	}
	export := fields{"command": "export_payouts", "id": "file-1", "holder": "Cashwrap", "iban": "DE89370400440532013000",
		"bic": "COBADEFF", "currency": "EUR"}
	type exported struct {
		Payouts []string
		Text    string
	}
	file := run[exported](d, export)
	if len(file.Payouts) != 2 || !strings.Contains(file.Text, "pain.001.001.09") ||
		!strings.Contains(file.Text, first.ID) || !strings.Contains(file.Text, "30.00") {
		t.Errorf("file: got %+v, want two payouts, and pain.001.001.09, %s and 30.00 in it", file, first.ID)
	}
	if again := run[exported](d, fields{"command": "export_payouts", "id": "file-1"}); again.Text != file.Text {
		t.Errorf("again: got %s\nwant %s", again.Text, file.Text)
	}
	if again := run[exported](d, export); again.Text != file.Text {
		t.Errorf("repeated: got %s\nwant %s", again.Text, file.Text)
	}
	for range 2 {
		if got := run[fields](d, settle(first.ID, first.Tenant, "paid", "")); got["status"] != "PAID" {
			t.Errorf("paid: got %v, want PAID", got)
		}
		if got := run[fields](d, settle(second.ID, second.Tenant, "rejected", "AC04")); got["status"] != "FAILED" ||
			got["reason"] != "AC04" {
			t.Errorf("rejected: got %v, want FAILED, AC04", got)
		}
	}
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{settle(first.ID, first.Tenant, "rejected", "AC04"), "CONFLICT", ""},
		{settle(first.ID, first.Tenant, "lost", ""), "INVALID", "outcome"},
		{settle(second.ID, first.Tenant, "paid", ""), "NOT_FOUND", ""},
		{settle("", first.Tenant, "paid", ""), "MISSING", "payout"},
		{fields{"command": "export_payouts"}, "MISSING", "id"},
		{fields{"command": "export_payouts", "id": "file-2", "currency": "XXX"}, "INVALID", "currency"},
		{fields{"command": "export_payouts", "id": "file-2", "currency": "EUR", "limit": 0}, "INVALID", "limit"},
		{fields{"command": "export_payouts", "id": "file-2", "currency": "EUR"}, "CONFLICT", ""},
	} {
		d.checkRefused(c.command, c.code, c.param)
	}
}
