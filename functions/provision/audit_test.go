package provision_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

type auditEntry struct {
	ID, Mode, Operation, Subject string
	At                           time.Time
	Actor                        struct{ Kind, ID, Source, Request string }
	Before, After                json.RawMessage
}

type auditAnswer struct {
	Entries []auditEntry
	After   string
}

func (d operator) listAudit(m provisioned, more fields) auditAnswer {
	d.Helper()
	return run[auditAnswer](d, with(fields{"command": "list_audit", "merchant_code": m.Code}, more))
}

// TestAudit_EachChange checks that each entry has the actor, the origin, and the values before and after, without
// secrets.
func TestAudit_EachChange(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"merchant_code": "MC0000A0D1", "by": "ada@example.com"})
	d.Clock.Advance(time.Second)
	late := d.createKey(fields{"merchant_code": m.Code, "name": "till", "scopes": []string{"user.payout-settings"}})
	d.Clock.Advance(time.Second)
	secret := run[struct{ Secret string }](d, fields{"command": "rotate_callback_secret", "merchant_code": m.Code}).Secret
	d.Secret("callback secret", secret)
	for _, command := range []fields{
		{"command": "update_merchant", "name": "Bücher", "shards": 2, "requests_per_second": 900},
		{"command": "update_merchant", "name": "Bücher"}, // changes nothing
		{"command": "update_settings", "payout_period": "weekly", "expected_max_transaction_amount": 5},
		{"command": "set_payout", "holder": "Buch", "iban": sandbox.PaidIBAN, "bic": "MARKDEFF"},
		{"command": "update_account", "account": fields{"persons": []fields{{"given_name": "Ada",
			"birthdate": "1990-12-31", "account_holder": true}}}},
		{"command": "revoke_api_key", "mode": "test", "key_id": late.ID},
		{"command": "revoke_api_key", "mode": "test", "key_id": late.ID},
		{"command": "update_settings", "payout_period": "yearly"}, // refused
	} {
		command["merchant_code"] = m.Code
		d.Clock.Advance(time.Second)
		d.invoke(command)
	}
	d.Clock.Advance(time.Second)
	d.shop(m).Send("PUT", "/v0.1/me/merchant-profile/settings", fields{"payout_period": "daily"})
	var got []string
	entries := d.listAudit(m, nil).Entries
	for _, e := range entries {
		if e.ID == "" || e.At.IsZero() || e.Actor.Request == "" {
			t.Errorf("got %+v, want an id, a time and a request", e)
		}
		line := fmt.Sprintf("%s %s %s %s %s %s %s", e.Actor.Kind, e.Actor.ID+e.Actor.Source, e.Operation, e.Mode, e.Subject,
			e.Before, e.After)
		if e.Operation == "create_merchant" || e.Operation == "create_api_key" || e.Operation == "update_account" {
			line = fmt.Sprintf("%s %s %s %s %s", e.Actor.Kind, e.Actor.ID+e.Actor.Source, e.Operation, e.Mode,
				strings.Fields(e.Subject)[0])
		}
		for _, text := range []string{m.Key.Plaintext, late.Plaintext, secret, sandbox.PaidIBAN, "1990-12-31"} {
			if all := fmt.Sprintf("%+v %s %s", e, e.Before, e.After); strings.Contains(all, text) {
				t.Errorf("got %s, want no %s in it", all, text)
			}
		}
		got = append(got, line)
	}
	slices.Sort(got[:3]) // these entries have the same time, so their order is not fixed
	want := []string{
		"command ada@example.com create_merchant  merchant",
		"command ada@example.com create_merchant test api_key",
		"command ada@example.com create_merchant test member",
		"command  create_api_key test api_key",
		`command  rotate_callback_secret  merchant {"merchant":{"callback_secret":{"version":0}}} ` +
			`{"merchant":{"callback_secret":{"rotated_at":"2026-11-20T12:00:02Z","version":1}}}`,
		`command  update_merchant  merchant {"merchant":{"name":"Buchladen","requests_per_second":0,"shards":1}} ` +
			`{"merchant":{"name":"Bücher","requests_per_second":900,"shards":2}}`,
		`command  update_settings test merchant {"test":{"settings":{"expected_max_transaction_amount":"0",` +
			`"payout_period":"daily"}}} {"test":{"settings":{"expected_max_transaction_amount":"5.00",` +
			`"payout_period":"weekly"}}}`,
		`command  set_payout test merchant {"test":{"bank_accounts":{"paid":"","primary":""}}} ` +
			`{"test":{"bank_accounts":{"accounts":{"?":{"account_category":"","account_ending":"` + ending(sandbox.PaidIBAN) +
			`","account_holder_name":"Buch","account_type":"","bank_code":"","branch_code":"","status":"VERIFIED",` +
			`"swift":"MARKDEFF"}},"paid":"?","primary":"?"}}}`,
		"command  update_account  account",
		`command  revoke_api_key test api_key ` + late.ID +
			` {"name":"till","scopes":["user.payout-settings"],"type":"secret"} {}`,
		`api_key ` + m.Key.ID + `192.0.2.1 PUT /v0.1/me/merchant-profile/settings test merchant ` +
			`{"test":{"settings":{"payout_period":"weekly"}}} {"test":{"settings":{"payout_period":"daily"}}}`,
	}
	if stored, err := d.App.Store.MerchantState(t.Context(), m.Code); err == nil {
		want[7] = strings.ReplaceAll(want[7], `"?"`, `"`+stored.Schedules.Test.To.ID+`"`)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func ending(number string) string { return number[len(number)-4:] }

func TestListAudit_Pages(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	want := []string{}
	for i := range 5 {
		d.Clock.Advance(time.Minute)
		d.updateSettings(m, fields{"tax_enabled": i%2 == 0})
	}
	all := d.listAudit(m, nil)
	for _, e := range all.Entries {
		want = append(want, e.ID)
	}
	if len(want) != 8 || all.After != "" { // 5 changes, and the new merchant, key and owner
		t.Fatalf("got %+v, want 8 entries and no more", all)
	}
	for _, limit := range []int{1, 3, 8, 1000} {
		var got []string
		page := auditAnswer{}
		for first := true; first || page.After != ""; first = false {
			page = d.listAudit(m, fields{"limit": limit, "after": page.After})
			if len(page.Entries) > limit {
				t.Errorf("limit %d: got %d entries", limit, len(page.Entries))
			}
			for _, e := range page.Entries {
				got = append(got, e.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	at := func(minute int) string {
		return world.Start.Add(time.Duration(minute) * time.Minute).Format(time.RFC3339)
	}
	for _, c := range []struct {
		from, to string
		want     int
	}{{at(1), at(3), 3}, {at(2), "", 4}, {"", at(0), 3}, {at(6), "", 0}, {at(3), at(3), 1}} {
		if c.from == at(6) {
			d.Clock.Advance(time.Hour)
		}
		if got := d.listAudit(m, fields{"from": c.from, "to": c.to}); len(got.Entries) != c.want {
			t.Errorf("%s to %s: got %d entries, want %d", c.from, c.to, len(got.Entries), c.want)
		}
	}
	for param, wrong := range map[string]fields{"limit": {"limit": 0}, "from": {"from": "today"},
		"to": {"from": at(2), "to": at(1)}, "after": {"after": strings.Repeat("x", 101)},
		"by": {"by": strings.Repeat("x", 256)}} {
		wrong["command"], wrong["merchant_code"] = "list_audit", m.Code
		if got := d.runRefused(wrong); got.Code != "INVALID" || got.Param != param {
			t.Errorf("%v: got %+v, want INVALID %s", wrong, got, param)
		}
	}
	if got := d.runRefused(fields{"command": "list_audit", "merchant_code": "MC00000000"}); got.Code != "NOT_FOUND" {
		t.Errorf("unknown: got %+v, want NOT_FOUND", got)
	}
	if got := d.listAudit(m, fields{"after": "~"}); len(got.Entries) != 0 || got.After != "" {
		t.Errorf("after all: got %+v, want nothing", got)
	}
}
