package account_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
)

// TestMerge_EachLimit checks values below, at and above each limit. The failure must name the field.
func TestMerge_EachLimit(t *testing.T) {
	t.Parallel()
	for path, limit := range texts {
		for length, want := range map[int]bool{limit - 1: true, limit: true, limit + 1: false} {
			value := strings.Repeat("ä", length)
			if form := forms[path]; form != "" {
				value = strings.Replace(form, "…", strings.Repeat("1", length-len(strings.Replace(form, "…", "", 1))), 1)
			}
			_, err := account.Account{}.Merge(cafe, []byte(changeOf(path, value)), now)
			if (err == nil) != want || err != nil && failure.Of(err).Param != strings.ReplaceAll(path, "[]", ".0") {
				t.Errorf("%s with %d of %d characters: got %v, want it accepted: %t", path, length, limit, err, want)
			}
		}
	}
}

// changeOf returns a change of one field. The objects around the field are complete.
func changeOf(path string, value any) string {
	parts := strings.Split(path, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		name, list := strings.CutSuffix(parts[i], "[]")
		whole := map[string]any{}
		if i > 0 {
			for other, filled := range complete[strings.Join(parts[:i], ".")] {
				whole[other] = filled
			}
		}
		if list {
			value = []any{value}
		}
		whole[name] = value
		value = whole
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// complete has the required members of the objects in lists.
var complete = map[string]map[string]any{
	"signup_flows[]":                                 {"id": 1, "name": "web", "state": "done"},
	"persons[].identifiers[]":                        {"ref": "de.passport", "value": "C01X00T47"},
	"merchant_profile.identifiers[]":                 {"ref": "de.tax_number", "value": "12/345/67890"},
	"merchant_profile.vat_rates[]":                   {"id": 1, "rate": "0.19"},
	"merchant_profile.shelves[]":                     {"id": 1, "name": "Drinks"},
	"merchant_profile.shelves[].products[]":          {"id": 2, "title": "Coffee"},
	"merchant_profile.shelves[].products[].prices[]": {"id": 3, "net": "2.50"},
}

// texts has the maximum length of each text.
var texts = func() map[string]int {
	all := map[string]int{
		"business_type": 64, "alias": 150, "avatar": 2048, "signup_flows[].name": 64, "signup_flows[].state": 64,
		"persons[].given_name": 60, "persons[].middle_name": 60, "persons[].family_name": 60,
		"persons[].identifiers[].value": 64, "persons[].identifiers[].ref": 63, "persons[].phone_number": 16,
		"merchant_profile.identifiers[].value": 64,
		"merchant_profile.website":             255, "merchant_profile.mobile_phone": 16,
		"merchant_profile.legal_type.code": 64, "merchant_profile.legal_type.description": 64,
		"merchant_profile.legal_type.full_description":                   255,
		"merchant_profile.company_registration_number":                   255,
		"merchant_profile.vat_id":                                        255,
		"merchant_profile.permanent_certificate_access_code":             255,
		"merchant_profile.nature_and_purpose":                            1000,
		"merchant_profile.doing_business_as.business_name":               150,
		"merchant_profile.doing_business_as.company_registration_number": 255,
		"merchant_profile.doing_business_as.vat_id":                      255,
		"merchant_profile.doing_business_as.website":                     255,
		"merchant_profile.doing_business_as.email":                       256,
		"merchant_profile.doing_business_as.phone_number":                16,
		"merchant_profile.doing_business_as.dynamic_descriptor":          30,
		"merchant_profile.doing_business_as.branding.icon":               2048,
		"merchant_profile.doing_business_as.branding.logo":               2048,
		"merchant_profile.doing_business_as.branding.hero":               2048,
		"merchant_profile.vat_rates[].description":                       255,
		"merchant_profile.shelves[].name":                                255,
		"merchant_profile.shelves[].products[].title":                    255,
		"merchant_profile.shelves[].products[].subtitle":                 255,
		"merchant_profile.shelves[].products[].availability":             32,
		"merchant_profile.shelves[].products[].image_url":                2048,
		"merchant_profile.shelves[].products[].prices[].description":     255,
	}
	for _, where := range []string{"persons[].address", "merchant_profile.address", "merchant_profile.trading_address",
		"merchant_profile.doing_business_as.address"} {
		for name, limit := range map[string]int{"address_line1": 255, "address_line2": 255, "city": 255, "region_name": 255,
			"region_code": 16, "state_id": 16, "post_code": 255, "landline": 255, "first_name": 60, "last_name": 60,
			"company": 150} {
			all[where+"."+name] = limit
		}
	}
	for _, name := range []string{"checkout_preference", "font_name", "max_amount_no_signature", "mobile_payment",
		"reader_payment", "cash_payment", "advanced_mode", "bitcoin_payment", "manual_entry", "tipping", "barcode_scanner",
		"referral"} {
		all["app_settings."+name] = 32
	}
	return all
}()

// forms has a value for each text that needs a certain form. The "…" in a value stands for as many characters as the
// text's length needs.
var forms = func() map[string]string {
	all := map[string]string{"persons[].identifiers[].ref": "de.…"}
	for path := range texts {
		switch {
		case strings.HasSuffix(path, "website"), strings.HasSuffix(path, "avatar"), strings.HasSuffix(path, "_url"),
			strings.Contains(path, ".branding."):
			all[path] = "https://x.example/…"
		case strings.HasSuffix(path, ".email"):
			all[path] = "…@x.example"
		case strings.HasSuffix(path, "phone_number"), strings.HasSuffix(path, "mobile_phone"):
			all[path] = "+4…"
		}
	}
	return all
}()

// TestMerge_InvalidMembers checks values that a member cannot have, and similar values that it can have.
func TestMerge_InvalidMembers(t *testing.T) {
	t.Parallel()
	long := func(n int, value any) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = value
		}
		return list
	}
	persons := func(n int) []any { return long(n, map[string]any{"given_name": "Ada"}) }
	identifiers := func(n int) []any { return long(n, map[string]any{"ref": "de.passport", "value": "C01X00T47"}) }
	numbered := func(n int, also map[string]any) []any {
		list := make([]any, n)
		for i := range list {
			one := map[string]any{"id": i + 1}
			for name, value := range also {
				one[name] = value
			}
			list[i] = one
		}
		return list
	}
	entries := func(n, name, value int) map[string]any {
		all := map[string]any{}
		for i := range n {
			all[fmt.Sprintf("%0*d", name, i)] = strings.Repeat("x", value)
		}
		return all
	}
	for path, c := range map[string]struct{ good, bad []any }{
		"persons": {[]any{persons(31), persons(32)}, []any{persons(33), "Ada"}},
		"persons[].id": {[]any{"pers_0123456789abcdefghijklmnop"},
			[]any{"pers_0123456789abcdefghijklmno", "pers_0123456789ABCDEFGHIJKLMNOP", "Ada"}},
		"persons[].birthdate": {[]any{"1900-01-01", "2026-11-20"},
			[]any{"1899-12-31", "2026-11-21", "1990-02-30"}},
		"persons[].phone_number":         {[]any{"+493012345678"}, []any{"030 12345678"}},
		"persons[].relationships":        {[]any{[]any{"owner"}, []any{"officer"}}, []any{[]any{"owner", "officer"}}},
		"persons[].relationships[]":      {[]any{"representative"}, []any{}},
		"persons[].ownership.share":      {[]any{25000, 25001, 99999, 100000}, []any{24999, 100001, -1, 0.5}},
		"persons[].identifiers":          {[]any{identifiers(31), identifiers(32)}, []any{identifiers(33)}},
		"persons[].identifiers[].ref":    {[]any{"de.passport"}, []any{"passport", "DE.passport", "de.", "deu.x"}},
		"persons[].citizenship":          {[]any{"DE"}, []any{"XX", "de"}},
		"persons[].nationality":          {[]any{"DE"}, []any{"Germany"}},
		"persons[].country_of_residence": {[]any{"DE"}, []any{"D"}},
		"persons[].address.country":      {[]any{"DE"}, []any{"XX"}},
		"persons[].address.region_id":    {[]any{1, 2147483647}, []any{-1, 2147483648}},
		"signup_flows": {[]any{numbered(32, map[string]any{"name": "web", "state": "x"})},
			[]any{numbered(33, map[string]any{"name": "web", "state": "x"})}},
		"signup_flows[].id": {[]any{1, 9007199254740991}, []any{-1, 9007199254740992}},
		"meta": {[]any{entries(64, 64, 500)},
			[]any{entries(65, 2, 1), entries(1, 65, 1), entries(1, 1, 501)}},
		"app_settings.tip_rates":                  {[]any{[]any{0.05, "0.1"}, long(10, 0.1)}, []any{long(11, 0.1)}},
		"merchant_profile.attributes":             {[]any{entries(64, 64, 500)}, []any{entries(65, 2, 1)}},
		"merchant_profile.identifiers":            {[]any{identifiers(32)}, []any{identifiers(33)}},
		"merchant_profile.merchant_category_code": {[]any{"5812"}, []any{"581", "58120", "58a2"}},
		"merchant_profile.mobile_phone":           {[]any{"+493012345678"}, []any{"030"}},
		"merchant_profile.website": {[]any{"https://cafe.example"}, []any{"cafe.example", "ftp://cafe.example",
			"javascript:alert(1)"}},
		"merchant_profile.language":        {[]any{"de", "sr-Latn"}, []any{"German"}},
		"merchant_profile.locale":          {[]any{"de-DE", "es-419"}, []any{"de_DE"}},
		"merchant_profile.legal_type.code": {[]any{"gmbh"}, []any{"gbr"}},
		"merchant_profile.legal_type.id": {[]any{1, 9007199254740991},
			[]any{-1, 9007199254740992, "1"}},
		"merchant_profile.address.city":                               {[]any{"Köln"}, []any{"a\nb", "a\u0085"}},
		"merchant_profile.doing_business_as.email":                    {[]any{"a@b.example"}, []any{"b.example"}},
		"merchant_profile.doing_business_as.branding.primary_color":   {[]any{"#12aBcF"}, []any{"red", "#12345"}},
		"merchant_profile.doing_business_as.branding.secondary_color": {[]any{"#000000"}, []any{"#0000000"}},
		"merchant_profile.vat_rates": {[]any{numbered(32, map[string]any{"rate": 0})},
			[]any{numbered(33, map[string]any{"rate": 0})}},
		"merchant_profile.vat_rates[].rate":     {[]any{0, 0.19, "0.070000"}, []any{1, -0.1, "0.1234567", "19%"}},
		"merchant_profile.vat_rates[].ordering": {[]any{0, 1000}, []any{-1, 1001}},
		"merchant_profile.vat_rates[].country":  {[]any{"DE"}, []any{"Germany"}},
		"merchant_profile.shelves": {[]any{numbered(20, map[string]any{"name": "x"})},
			[]any{numbered(21, map[string]any{"name": "x"})}},
		"merchant_profile.shelves[].order": {[]any{0, 1000}, []any{-1, 1001}},
		"merchant_profile.shelves[].products": {[]any{numbered(100, map[string]any{"title": "x"})},
			[]any{numbered(101, map[string]any{"title": "x"})}},
		"merchant_profile.shelves[].products[].stock":    {[]any{0, 1_000_000_000}, []any{-1, 1_000_000_001}},
		"merchant_profile.shelves[].products[].color_id": {[]any{0, 1000}, []any{-1, 1001}},
		"merchant_profile.shelves[].products[].prices": {[]any{numbered(10, map[string]any{"net": 1})},
			[]any{numbered(11, map[string]any{"net": 1})}},
		"merchant_profile.shelves[].products[].prices[].net": {[]any{0, "2.50", 2.5, "0.10", "999999999999.99"},
			[]any{"-1", "2.505", "1e3", "1000000000000", "much"}},
	} {
		for _, value := range c.good {
			if _, err := (account.Account{}).Merge(cafe, []byte(changeOf(path, value)), now); err != nil {
				t.Errorf("%s: %v: got %v, want no error", path, value, err)
			}
		}
		for _, value := range c.bad {
			_, err := account.Account{}.Merge(cafe, []byte(changeOf(path, value)), now)
			if got, want := failure.Of(err), strings.ReplaceAll(path, "[]", ".0"); got.Code != "INVALID" || got.Param != want {
				t.Errorf("%s: %v: got %s of %q, want INVALID of %s", path, value, got.Code, got.Param, want)
			}
		}
	}
}
