package provision_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

var (
	codeForm  = regexp.MustCompile(`^MC[0-9A-HJKMNP-TV-Z]{8}$`)
	keyIDForm = regexp.MustCompile(`^key_[a-z2-7]{26}$`)
	liveForm  = regexp.MustCompile(`^sk_live_[0-9A-Za-z]{38}$`)
	testForm  = regexp.MustCompile(`^sk_test_[0-9A-Za-z]{38}$`)
)

func TestCreateMerchant_Sandbox(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	if !m.Created || !codeForm.MatchString(m.Code) || m.Key == nil || m.TestKey != nil {
		t.Fatalf("got %+v, want it created, with a code like %s, a key and no test key", m, codeForm)
	}
	if !keyIDForm.MatchString(m.Key.ID) || !testForm.MatchString(m.Key.Plaintext) || m.Key.Mode != "test" {
		t.Errorf("key: got %+v, want mode test, an id like %s and a key like %s", *m.Key, keyIDForm, testForm)
	}
	if status := d.listStatus(m.Key.Plaintext); status != http.StatusOK {
		t.Errorf("with the key: got %d, want 200", status)
	}
	p, got := d.authenticate(m.Key.Plaintext)
	for _, scope := range identity.AllScopes() {
		if !slices.Contains(p.Scopes, scope) {
			t.Errorf("the key's scopes: got %v, want %s among them", p.Scopes, scope)
		}
	}
	want := merchant.Merchant{Code: m.Code, Name: "Buchladen", Email: "buch@example.com", Country: "DE", Currency: "EUR",
		Sandbox: true, OnlinePayments: true, FeeRate: "0.0195", TimeZone: "Europe/Berlin",
		Settings:  merchant.ByMode[merchant.Settings]{Live: merchant.DefaultSettings, Test: merchant.DefaultSettings},
		CreatedAt: d.Clock.Now(), Version: 1}
	if got != want {
		t.Errorf("merchant: got %+v\nwant %+v", got, want)
	}
}

func TestCreateMerchant_Live(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	alone := d.createMerchant(fields{"sandbox": false, "fee_rate": "0.0100", "online_payments": false})
	if alone.Key.Mode != "live" || !liveForm.MatchString(alone.Key.Plaintext) || alone.TestKey != nil {
		t.Errorf("keys: got %+v, %+v, want a live one like %s and no test key", alone.Key, alone.TestKey, liveForm)
	}
	if got, err := d.App.Store.Merchant(t.Context(), alone.Code); err != nil ||
		got.FeeRate != "0.01" || got.OnlinePayments {
		t.Errorf("merchant: got %+v, %v, want fee rate 0.01 and no online payments", got, err)
	}
	both := d.createMerchant(fields{"sandbox": false, "test_key": true})
	if both.Key.Mode != "live" || both.TestKey == nil || both.TestKey.Mode != "test" ||
		!testForm.MatchString(both.TestKey.Plaintext) {
		t.Fatalf("keys: got %+v, %+v, want a live one, and a test one like %s", both.Key, both.TestKey, testForm)
	}
	for _, k := range []*key{both.Key, both.TestKey} {
		if status := d.listStatus(k.Plaintext); status != http.StatusOK {
			t.Errorf("with the %s key: got %d, want 200", k.Mode, status)
		}
	}
}

func TestCreateMerchant_Repeated(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	const code = "MC01234567"
	first := d.createMerchant(fields{"merchant_code": code})
	d.Clock.Advance(1)
	again := d.createMerchant(fields{"merchant_code": code, "fee_rate": "0.01950", "time_zone": "Europe/Berlin",
		"account": fields{"merchant_profile": fields{"vat_id": ""}}})
	if first.Code != code || !first.Created || again.Code != code || again.Created || again.Key != nil {
		t.Errorf("got %+v, then %+v, want %s both times, created the first time, then no key", first, again, code)
	}
	if status := d.listStatus(first.Key.Plaintext); status != http.StatusOK {
		t.Errorf("with the first key: got %d, want 200", status)
	}
	for name, change := range map[string]fields{
		"name": {"name": "Café"}, "fee": {"fee_rate": "0.02"}, "country": {"country": "AT"},
		"online":    {"online_payments": false},
		"time zone": {"time_zone": "Europe/Vienna"}, "floor": {"refund_floor": "-1"},
		"account": {"account": fields{"merchant_profile": fields{"vat_id": "DE1"}}}, "PayPal": {"paypal": true},
	} {
		change["merchant_code"] = code
		if got := d.runRefused(registration(change)); got.Code != "CONFLICT" {
			t.Errorf("another %s: got %+v, want CONFLICT", name, got)
		}
	}
}

func TestCreateMerchant_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	for _, c := range []struct {
		change      fields
		code, param string
	}{
		{fields{"name": nil}, "MISSING", "name"},
		{fields{"name": ""}, "INVALID", "name"},
		{fields{"email": nil}, "MISSING", "email"},
		{fields{"country": ""}, "MISSING", "country"},
		{fields{"currency": ""}, "MISSING", "currency"},
		{fields{"email": "Buch <buch@example.com>"}, "INVALID", "email"},
		{fields{"email": "buch"}, "INVALID", "email"},
		{fields{"country": "DEU"}, "INVALID", "country"},
		{fields{"country": "ZZ"}, "INVALID", "country"},
		{fields{"currency": "JPY"}, "INVALID", "currency"},
		{fields{"currency": 5}, "INVALID", "currency"},
		{fields{"fee_rate": "1"}, "INVALID", "fee_rate"},
		{fields{"fee_rate": "-0.01"}, "INVALID", "fee_rate"},
		{fields{"fee_rate": "0.0000001"}, "INVALID", "fee_rate"},
		{fields{"fee_rate": "two"}, "INVALID", "fee_rate"},
		{fields{"fee_rate": 0.02}, "INVALID", "fee_rate"}, // money is never a float
		{fields{"name": strings.Repeat("ä", 151)}, "INVALID", "name"},
		{fields{"name": "Café\n"}, "INVALID", "name"},
		{fields{"time_zone": "Berlin"}, "INVALID", "time_zone"},
		{fields{"time_zone": "Local"}, "INVALID", "time_zone"},
		{fields{"time_zone": "../etc/passwd"}, "INVALID", "time_zone"},
		{fields{"refund_floor": "-0.001"}, "INVALID", "refund_floor"},
		{fields{"refund_floor": "much"}, "INVALID", "refund_floor"},
		{fields{"refund_floor": -5}, "INVALID", "refund_floor"},
		{fields{"account": "Buch"}, "INVALID", "account"},
		{fields{"account": fields{"vat": "DE1"}}, "INVALID", "account.vat"},
		{fields{"account": fields{"merchant_profile": fields{"locale": "German"}}}, "INVALID",
			"account.merchant_profile.locale"},
		{fields{"merchant_code": "MC0123456"}, "INVALID", "merchant_code"},
		{fields{"merchant_code": "MC0123456I"}, "INVALID", "merchant_code"},
		{fields{"test_key": true}, "INVALID", "test_key"},
		{fields{"sandbocks": true}, "INVALID", "sandbocks"},
		{fields{"command": "create_merchants"}, "INVALID", "command"},
		{fields{"command": nil}, "INVALID", "command"},
		{fields{"command": 1}, "INVALID", "command"},
	} {
		d.checkRefused(registration(c.change), c.code, c.param)
	}
}

// TestCreateMerchant_Owner checks that the owner is a member in each mode of the merchant.
func TestCreateMerchant_Owner(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	for sandbox, modes := range map[bool][]identity.Mode{true: {identity.Test}, false: identity.Modes} {
		before, err := d.App.Store.UserByEmail(t.Context(), "buch@example.com")
		if err != nil {
			t.Fatal(err)
		}
		m := d.createMerchant(fields{"sandbox": sandbox})
		u, err := d.App.Store.UserByEmail(t.Context(), "Buch@example.com")
		if err != nil || u.Email != "buch@example.com" {
			t.Fatalf("got user %+v, error %v, want one with the owner's address", u, err)
		}
		for _, mode := range identity.Modes {
			of := identity.Tenant{Mode: mode, Merchant: m.Code}
			var want []member.Member
			if slices.Contains(modes, mode) {
				owner := member.NewOwner(of, "buch@example.com", u, d.Clock.Now())
				if before.Version > 0 { // the owner has another merchant, and earlier tokens do not reach the new one
					owner = owner.EndAccess(d.Clock.Now())
				}
				want = []member.Member{owner}
			}
			got, err := d.App.Store.Members(t.Context(), of)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("sandbox %t, %s: error %v, members (-want +got):\n%s", sandbox, mode.Name(), err, diff)
			}
		}
	}
}

// TestCreateMerchant_MailOwner checks that a mail that cannot be stored does not lose the answer with the merchant's
// key. The repeated command sends the mail, once.
func TestCreateMerchant_MailOwner(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	command := registration(fields{"merchant_code": "MC0WNER001", "mail_owner": true})
	command["command"] = "create_merchant"
	type answer struct {
		Created     bool
		Key         struct{ Plaintext string } `json:"api_key"`
		OwnerMailed bool                       `json:"owner_mailed"`
	}
	writes := 0
	d.Main().Steps.Inject(func(operation string) faults.Fault {
		if operation != "TransactWriteItems" {
			return faults.None
		}
		if writes++; writes > 1 {
			return faults.FailBefore
		}
		return faults.None
	})
	var first, again answer
	d.Operate(command, &first)
	d.Secret("API key", first.Key.Plaintext)
	d.Main().Steps.Inject(nil)
	if !first.Created || first.Key.Plaintext == "" || first.OwnerMailed {
		t.Errorf("without a mail: got %+v, want a merchant with a key", first)
	}
	for range 2 {
		d.Operate(command, &again)
		if again.Created || !again.OwnerMailed {
			t.Errorf("again: got %+v, want the mail", again)
		}
	}
	d.RunUntilIdle()
	if sent := d.Mails.Sent(); len(sent) != 1 || !strings.Contains(sent[0].Text, "/password/") {
		t.Errorf("got mails %+v, want one with a link", sent)
	}
}
