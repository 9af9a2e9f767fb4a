package provision_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

type accountUpdated struct {
	Code    string `json:"merchant_code"`
	Version int
	Persons []string
}

// showAccount returns the answer to show_account.
func (d operator) showAccount(code string) fields {
	d.Helper()
	return run[struct{ Account fields }](d, fields{"command": "show_account", "merchant_code": code}).Account
}

// patch returns a command that changes an account.
func patch(code string, account any) fields {
	return fields{"command": "update_account", "merchant_code": code, "account": account}
}

func TestUpdateAccount(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(fields{"account": fields{"alias": "Ring", "merchant_profile": fields{"vat_id": "DE1",
		"website": "https://buch.example", "address": fields{"city": "Berlin", "post_code": "10115"}}}})
	persons := []fields{{"given_name": "Ada", "birthdate": "1990-01-01"}, {"given_name": "Bo"}}
	var last accountUpdated
	for version, given := range []fields{
		{},
		{"alias": nil, "merchant_profile": fields{"vat_id": "", "website": nil, "address": fields{"city": "Wien"}}},
		{"persons": persons},
	} {
		for range 2 { // the second command changes nothing
			last = run[accountUpdated](d, patch(m.Code, given))
			if last.Code != m.Code || last.Version != version+1 {
				t.Errorf("%v: got %+v, want %s and version %d", given, last, m.Code, version+1)
			}
		}
	}
	want := fields{"merchant_profile": fields{"address": fields{"city": "Wien", "post_code": "10115"}},
		"persons": []any{fields{"id": last.Persons[0], "given_name": "Ada", "birthdate": "1990-01-01"},
			fields{"id": last.Persons[1], "given_name": "Bo"}}}
	if diff := cmp.Diff(want, d.showAccount(m.Code)); diff != "" {
		t.Errorf("account (-want +got):\n%s", diff)
	}
	if got := d.showAccount(d.createMerchant(nil).Code); len(got) != 0 {
		t.Errorf("a merchant of which nothing is recorded: got %v, want nothing", got)
	}
}

func TestCreateMerchant_RepeatedWithAccount(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	given := fields{"merchant_code": "MC01234567", "account": fields{"alias": "Ring",
		"persons": []fields{{"given_name": "Ada"}}}}
	first, again := d.createMerchant(given), d.createMerchant(given)
	if !first.Created || again.Created {
		t.Errorf("got created %t, then %t, want it the first time", first.Created, again.Created)
	}
	given["account"] = fields{"alias": "Platz"}
	if got := d.runRefused(registration(given)); got.Code != "CONFLICT" {
		t.Errorf("another account: got %+v, want CONFLICT", got)
	}
}

// TestUpdateAccount_Concurrently checks that no change is lost.
func TestUpdateAccount_Concurrently(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var changing sync.WaitGroup
	for _, name := range names {
		changing.Go(func() {
			_, _ = d.Main().Invoke(d.Context(), "provision", encoded(d, patch(m.Code, fields{"meta": fields{name: "x"}})))
		})
	}
	changing.Wait()
	if got := d.showAccount(m.Code)["meta"].(fields); len(got) != len(names) {
		t.Errorf("got %v, want all of %v", got, names)
	}
}

// TestUpdateAccount_WhileMerchantChanges checks that neither change is lost, although both commands write the merchant.
func TestUpdateAccount_WhileMerchantChanges(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	for _, mode := range []string{"ON", "OFF", "on"} {
		var changing sync.WaitGroup
		for _, command := range []fields{
			patch(m.Code, fields{"app_settings": fields{"advanced_mode": mode}}),
			{"command": "update_merchant", "merchant_code": m.Code, "name": "Shop " + mode},
		} {
			changing.Go(func() { _, _ = d.Main().Invoke(d.Context(), "provision", encoded(d, command)) })
		}
		changing.Wait()
		got, err := d.App.Store.Merchant(t.Context(), m.Code)
		if want := mode != "OFF"; err != nil || got.AdvancedMode != want || got.Name != "Shop "+mode {
			t.Errorf("got advanced mode %t, name %q, %v, want %t, Shop %s", got.AdvancedMode, got.Name, err, want, mode)
		}
	}
	again := fields{"merchant_code": "MC01234567", "account": fields{"app_settings": fields{"advanced_mode": "ON"}}}
	d.createMerchant(again)
	run[accountUpdated](d, patch("MC01234567", fields{"alias": "Ring"}))
	if got := d.createMerchant(again); got.Created { // the owner's advanced mode is not compared
		t.Error("repeated: got created true, want false")
	}
}

// TestUpdateAccount_Interrupted checks at each step that the repetition completes the update.
func TestUpdateAccount_Interrupted(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.DieAfter} {
		d := newOperator(t)
		m := d.createMerchant(nil)
		d.Main().Steps.Plan(0, faults.None)
		run[accountUpdated](d, patch(m.Code, fields{"alias": "first"}))
		steps := len(d.Main().Steps.Taken())
		if steps < 3 {
			t.Fatalf("got %d steps, want 3 or more", steps)
		}
		for at := 1; at <= steps; at++ {
			alias := fault.String() + strings.Repeat("x", at)
			doomed := d.Process()
			doomed.Steps.Plan(at, fault)
			_, _ = doomed.Invoke(t.Context(), "provision", encoded(t, patch(m.Code, fields{"alias": alias})))
			run[accountUpdated](d, patch(m.Code, fields{"alias": alias}))
			if got := d.showAccount(m.Code)["alias"]; got != alias {
				t.Errorf("%s at step %d: got %v, want %s", fault, at, got, alias)
			}
		}
	}
}

func TestUpdateAccount_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	for _, c := range []struct {
		command     fields
		code, param string
	}{
		{patch("MC00000000", fields{}), "NOT_FOUND", ""},
		{patch("", fields{}), "MISSING", "merchant_code"},
		{patch(m.Code, nil), "INVALID", "account"},
		{patch(m.Code, "Buch"), "INVALID", "account"},
		{patch(m.Code, fields{"vat": 1}), "INVALID", "account.vat"},
		{patch(m.Code, fields{"persons": []fields{{"birthdate": "tomorrow"}}}), "INVALID", "account.persons.0.birthdate"},
		{fields{"command": "update_account", "merchant_code": m.Code}, "MISSING", "account"},
		{fields{"command": "show_account", "merchant_code": "MC00000000"}, "NOT_FOUND", ""},
	} {
		d.checkRefused(c.command, c.code, c.param)
	}
}

// TestUpdateAccount_PersonalData checks that no log and no audit has a date of birth or a national id, even if the
// command was refused.
func TestUpdateAccount_PersonalData(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	const born, number = "1987-06-05", "529.982.247-25"
	persons := func(cpf string) fields {
		return fields{"persons": []fields{{"birthdate": born, "identifiers": []fields{{"ref": "br.cpf", "value": cpf}}}}}
	}
	run[accountUpdated](d, patch(m.Code, persons(number)))
	d.runRefused(patch(m.Code, persons(number[:13]+"6")))
	audit := string(d.invoke(fields{"command": "list_audit", "merchant_code": m.Code}))
	if !strings.Contains(audit, "update_account") {
		t.Errorf("audit: got %s, want the change in it", audit)
	}
	for _, secret := range []string{born, number, number[:13]} {
		if strings.Contains(d.Logs.String(), secret) || strings.Contains(audit, secret) {
			t.Errorf("log or audit has %s, want neither date of birth nor national id in it", secret)
		}
	}
}
