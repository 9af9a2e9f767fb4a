package account_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

var (
	now  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	cafe = merchant.Merchant{Code: "MC0A1B2C3D", Name: "Café GmbH", Email: "a@b.example", Country: "DE", Currency: "EUR"}
)

// mergeAll returns an account after the changes, which it merges one after another.
func mergeAll(t *testing.T, changes ...string) account.Account {
	t.Helper()
	var a account.Account
	for _, change := range changes {
		next, err := a.Merge(cafe, []byte(change), now)
		if err != nil {
			t.Fatalf("%s: got %v, want no error", change, err)
		}
		a = next
	}
	return a
}

func TestMerge_Inconsistent(t *testing.T) {
	t.Parallel()
	const ada, bo = `{"id":"pers_0123456789abcdefghijklmnop"`, `{"given_name":"Bo"`
	for param, change := range map[string]string{
		"persons.1.id": `{"persons":[` + ada + `},` + ada + `}]}`,
		"persons.1.account_holder": `{"persons":[` + ada + `,"account_holder":true},` + bo + `,
			"account_holder":true}]}`,
		"persons.1.ownership.share": `{"persons":[` + ada + `,"ownership":{"share":60000}},` + bo + `,
			"ownership":{"share":40001}}]}`,
		"merchant_profile.vat_rates.1.id": `{"merchant_profile":{"vat_rates":[{"id":1,"rate":0},{"id":1,"rate":0.1}]}}`,
		"merchant_profile.shelves.1.id":   `{"merchant_profile":{"shelves":[{"id":1,"name":"a"},{"id":1,"name":"b"}]}}`,
		"merchant_profile.shelves.1.products.0.id": `{"merchant_profile":{"shelves":[{"id":1,"name":"a","products":[
			{"id":1,"title":"a"}]},{"id":2,"name":"b","products":[{"id":1,"title":"b"}]}]}}`,
		"merchant_profile.shelves.0.products.0.vat_rate_id": `{"merchant_profile":{"shelves":[{"id":1,"name":"a",
			"products":[{"id":1,"title":"a","vat_rate_id":7}]}]}}`,
		"merchant_profile.shelves.0.products.0.prices.1.id": `{"merchant_profile":{"shelves":[{"id":1,"name":"a",
			"products":[{"id":1,"title":"a","prices":[{"id":1,"net":1},{"id":1,"net":2}]}]}]}}`,
		"persons.0.identifiers.0.value": `{"persons":[{"identifiers":[{"ref":"br.cpf","value":"111.444.777-36"}]}]}`,
		"signup_flows.0.id":             `{"signup_flows":[{"name":"web","state":"done"}]}`,
		"vat":                           `{"vat":"DE1"}`,
		"merchant_profile.vat":          `{"merchant_profile":{"vat":"DE1"}}`,
		"merchant_profile.vat_id":       `{"merchant_profile":{"vat_id":1}}`,
		"merchant_profile.address":      `{"merchant_profile":{"address":"Berlin"}}`,
		"":                              `{"alias":"a","alias":"b"}`,
		"x":                             `null`, "y": `"Ada"`, "z": ``,
	} {
		_, err := account.Account{}.Merge(cafe, []byte(change), now)
		if len(param) == 1 {
			param = ""
		}
		if got := failure.Of(err); err == nil || got.Kind == failure.KindInternal || got.Param != param {
			t.Errorf("%s: got %v of %q, want it refused for %q", change, err, got.Param, param)
		}
	}
	whole := `{"persons":[` + ada + `,"ownership":{"share":60000}},` + bo + `,"ownership":{"share":40000}}]}`
	if got := mergeAll(t, whole).Owners(); len(got) != 2 {
		t.Errorf("%s: got owners %+v, want two", whole, got)
	}
}

// TestMerge_TooLarge checks that an account may have at most 128 KiB of JSON, no matter which lists fill it.
func TestMerge_TooLarge(t *testing.T) {
	t.Parallel()
	products := func(n int) string {
		one := make([]string, n)
		for i := range one {
			one[i] = fmt.Sprintf(`{"id":%d,"title":"x","image_url":"https://x.example/%s"}`, i+1, strings.Repeat("a", 1950))
		}
		return `{"merchant_profile":{"shelves":[{"id":1,"name":"a","products":[` + strings.Join(one, ",") + `]}]}}`
	}
	if _, err := (account.Account{}).Merge(cafe, []byte(products(60)), now); err != nil {
		t.Errorf("60 products: got %v, want no error", err)
	}
	if _, err := (account.Account{}).Merge(cafe, []byte(products(70)), now); failure.Of(err).Code != "INVALID" {
		t.Errorf("70 products: got %v, want INVALID", err)
	}
}

// TestMerge_MergePatch checks RFC 7396. An absent member leaves the value, null and the empty text remove it, and a
// value replaces it. A list replaces the whole list.
func TestMerge_MergePatch(t *testing.T) {
	t.Parallel()
	first := mergeAll(t, `{"alias":"Ring","business_type":"company","meta":{"a":"1","b":"2"},
		"signup_flows":[{"id":1,"name":"web","state":"started"}],
		"merchant_profile":{"vat_id":"DE1","website":"https://cafe.example","payout_zone_migrated":false,
			"address":{"city":"Berlin","post_code":"10115"},"vat_rates":[{"id":1,"rate":0.19},{"id":2,"rate":"0.07"}]}}`)
	before, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	got, err := first.Merge(cafe, []byte(`{"alias":null,"meta":{"a":null,"c":"3"},"signup_flows":[],
		"merchant_profile":{"vat_id":"","website":"https://neu.example","payout_zone_migrated":null,"address":{"city":"Köln"},
			"vat_rates":[{"id":2,"rate":0.07}]}}`), now)
	if err != nil {
		t.Fatal(err)
	}
	want := mergeAll(t, `{"business_type":"company","meta":{"b":"2","c":"3"},"merchant_profile":{
		"website":"https://neu.example","address":{"city":"Köln","post_code":"10115"},"vat_rates":[{"id":2,"rate":"0.07"}]}}`)
	if same, err := got.Same(want); err != nil || !same {
		t.Errorf("got %v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	if after, err := json.Marshal(first); err != nil || string(after) != string(before) {
		t.Errorf("what was merged into: got %s, %v\nwant it as before: %s", after, err, before)
	}
}

// TestMerge_PersonsKeepIDs checks that persons keep their ids when a change repeats the persons without ids.
func TestMerge_PersonsKeepIDs(t *testing.T) {
	t.Parallel()
	const ada, bo = `{"given_name":"Ada","birthdate":"1990-01-01"}`, `{"given_name":"Bo"}`
	first := mergeAll(t, `{"persons":[`+ada+`,`+ada+`,`+bo+`]}`)
	again, err := first.Merge(cafe, []byte(`{"persons":[`+ada+`,`+ada+`,`+bo+`]}`), now)
	if err != nil || cmp.Diff(first, again) != "" {
		t.Errorf("repeated: got %v (-want +got):\n%s", err, cmp.Diff(first, again))
	}
	other, err := first.Merge(cafe, []byte(`{"persons":[`+bo+`,{"given_name":"Ada","birthdate":"1990-01-02"}]}`), now)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := other.Persons[0].ID, first.Persons[2].ID; got != want {
		t.Errorf("Bo: got id %s, want %s", got, want)
	}
	if _, known := first.Person(other.Persons[1].ID); known {
		t.Errorf("someone else: got id %s of another person, want a new one", other.Persons[1].ID)
	}
}

// TestAccount_RoundTrip checks that operators can write the JSON that they read.
func TestAccount_RoundTrip(t *testing.T) {
	t.Parallel()
	a := storedtest.Fill[account.Account](t, &storedtest.Filler{})
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back account.Account
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	back.Version, back.UpdatedAt = a.Version, a.UpdatedAt
	if diff := cmp.Diff(a, back); diff != "" {
		t.Errorf("by way of JSON (-want +got):\n%s", diff)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	company := `{"merchant_profile":{"vat_id":"DE1","website":"https://cafe.example","mobile_phone":"+493012345678",
		"company_registration_number":"HRB 1","address":{"city":"Berlin"}}}`
	got := mergeAll(t, company).Profile.Shown(cafe)
	want := account.DoingBusinessAs{BusinessName: "Café GmbH", RegistrationNumber: "HRB 1", VATID: "DE1",
		Website: "https://cafe.example", Email: "a@b.example", PhoneNumber: "+493012345678",
		Address: merchant.Address{City: "Berlin", Country: "DE"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without another name (-want +got):\n%s", diff)
	}
	got = mergeAll(t, company, `{"merchant_profile":{"doing_business_as":{"business_name":"Ring","email":"c@d.example",
		"address":{"city":"Wien","country":"AT"}}}}`).Profile.Shown(cafe)
	want.BusinessName, want.Email, want.Address = "Ring", "c@d.example", merchant.Address{City: "Wien", Country: "AT"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with another name (-want +got):\n%s", diff)
	}
}

func TestPerson_Complete(t *testing.T) {
	t.Parallel()
	const whole = `{"persons":[{"account_holder":true,"given_name":"Ada","family_name":"Lovelace","birthdate":"1990-01-01",
		"phone_number":"+493012345678",
		"address":{"address_line1":"Ring 1","city":"Berlin","post_code":"10115","country":"DE"},
		"identifiers":[{"ref":"de.passport","value":"C01X00T47"}]}]}`
	if p, ok := mergeAll(t, whole).Holder(); !ok || !p.Complete() || p.NationalID() != "C01X00T47" {
		t.Errorf("got %+v, %t, want it complete, with C01X00T47", p, ok)
	}
	for _, missing := range []string{"given_name", "family_name", "birthdate", "phone_number", "address_line1", "city",
		"post_code", "country"} {
		without := regexp.MustCompile(`"`+missing+`":"[^"]*",?`).ReplaceAllString(whole, "")
		without = strings.ReplaceAll(without, ",}", "}")
		if p, ok := mergeAll(t, without).Holder(); !ok || p.Complete() {
			t.Errorf("without %s: got %+v, %t, want it incomplete", missing, p, ok)
		}
	}
	if p, ok := mergeAll(t, `{"persons":[{"given_name":"Ada"}]}`).Holder(); ok || p.NationalID() != "" {
		t.Errorf("nobody holds the account: got %+v, want none", p)
	}
}
