package merchants_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

const accountPath = "/v0.1/me"

// recorded returns an account with a value for each of its fields.
func recorded() fields {
	address := fields{"address_line1": "Ring 1", "address_line2": "Hof", "city": "Berlin", "region_id": 11,
		"region_name": "Berlin", "region_code": "BE", "state_id": "BE", "post_code": "10115", "landline": "+49 30 1",
		"first_name": "Ada", "last_name": "Lovelace", "company": "Kaffeehaus GmbH"}
	return fields{
		"business_type": "company", "alias": "Ring", "avatar": "https://kaffee.example/a.png", "meta": fields{"crm": "7"},
		"signup_flows": []fields{{"id": 1, "name": "web", "state": "done"}},
		"app_settings": fields{"tipping": "ON", "tip_rates": []any{0.1}, "sound_enabled": true},
		"persons": []fields{{"id": personID, "account_holder": true, "given_name": "Ada", "middle_name": "King",
			"family_name": "Lovelace", "birthdate": "1990-12-31", "phone_number": "+4930123456",
			"relationships": []string{"owner"}, "ownership": fields{"share": 33333},
			"address": fields{"address_line1": "Am Platz 2", "city": "Wien", "post_code": "1010", "country": "AT",
				"landline": "+43 1 1"},
			"identifiers": []fields{{"ref": "at.passport", "value": "P1234567"}}, "citizenship": "AT", "nationality": "AT",
			"country_of_residence": "AT"}, {"given_name": "Bo", "relationships": []string{"officer"}}},
		"merchant_profile": fields{"website": "https://kaffee.example", "legal_type": fields{"id": 3, "code": "de.gmbh",
			"description": "GmbH", "full_description": "Gesellschaft mit beschränkter Haftung", "sole_trader": true},
			"merchant_category_code": "5814", "mobile_phone": "+4930654321", "company_registration_number": "HRB 1",
			"vat_id": "DE1", "permanent_certificate_access_code": "cert", "nature_and_purpose": "Coffee",
			"identifiers": []fields{{"ref": "de.tax_number", "value": "12/345"}},
			"language":    "de", "locale": "de-AT", "address": address,
			"trading_address": fields{"address_line1": "Markt 3", "city": "Köln", "post_code": "50667"},
			"attributes":      fields{"seats": "20"},
			"doing_business_as": fields{"business_name": "Kaffeehaus am Ring", "company_registration_number": "HRB 2",
				"vat_id": "DE2", "website": "https://ring.example", "email": "ring@kaffee.example", "phone_number": "+4930777777",
				"dynamic_descriptor": "KAFFEE RING", "branding": fields{"icon": "https://ring.example/i.png",
					"primary_color": "#6f4e37"},
				"address": fields{"address_line1": "Ring 1", "city": "Dublin", "country": "IE"}},
			"vat_rates": []fields{{"id": 1, "description": "full", "rate": 0.19, "ordering": 1, "country": "DE"}},
			"shelves": []fields{{"id": 4, "name": "Drinks", "order": 2, "products": []fields{{"id": 5, "title": "Espresso",
				"subtitle": "small", "availability": "always", "image_url": "https://kaffee.example/e.png", "stock": 9,
				"vat_rate_id": 1, "color_id": 6, "prices": []fields{{"id": 7, "description": "cup", "net": "2.5"}}}}}},
			"extdev": true, "payout_zone_migrated": false},
	}
}

const personID = "pers_0123456789abcdefghijklmnop"

// newRecordedShop returns a shop with a complete recorded account.
func newRecordedShop(t *testing.T) world.Shop {
	t.Helper()
	s := world.NewShop(t).NewShop("DE", "EUR", fields{"name": "Kaffeehaus GmbH", "email": "kasse@kaffee.example"})
	record(s, recorded())
	s.SetPayout(fields{"holder": "Kaffeehaus GmbH", "iban": sandbox.PaidIBAN})
	return s
}

func record(s world.Shop, account any) {
	s.Helper()
	s.Operate(fields{"command": "update_account", "merchant_code": s.Merchant.Code, "account": account}, nil)
}

// get returns the body of a GET.
func get(s world.Shop, path string) fields {
	s.Helper()
	var body fields
	got := s.Send("GET", path, nil)
	if err := got.Into(&body); err != nil || got.Status != 200 {
		s.Fatalf("%s: got %d %s, %v, want 200", path, got.Status, got.Body, err)
	}
	return body
}

func wantEqual(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// basicAccount returns the response for the recorded account without any part.
func basicAccount(code string) fields {
	return fields{
		"account": fields{"username": "kasse@kaffee.example", "type": "normal"},
		"personal_profile": fields{"first_name": "Ada", "last_name": "Lovelace", "date_of_birth": "1990-12-31",
			"mobile_phone": "+4930123456", "national_id": "P1234567", "complete": true,
			"address": fields{"address_line1": "Am Platz 2", "city": "Wien", "post_code": "1010", "country": "AT",
				"landline": "+43 1 1"}},
		"merchant_profile": fields{"merchant_code": code, "company_name": "Kaffeehaus GmbH",
			"website": "https://kaffee.example", "legal_type": fields{"id": 3.0, "description": "GmbH",
				"full_description": "Gesellschaft mit beschränkter Haftung", "sole_trader": true},
			"merchant_category_code": "5814", "mobile_phone": "+4930654321", "company_registration_number": "HRB 1",
			"vat_id": "DE1", "permanent_certificate_access_code": "cert", "nature_and_purpose": "Coffee",
			"address": fields{"address_line1": "Ring 1", "address_line2": "Hof", "city": "Berlin", "region_id": 11.0,
				"region_name": "Berlin", "region_code": "BE", "state_id": "BE", "post_code": "10115", "landline": "+49 30 1",
				"first_name": "Ada", "last_name": "Lovelace", "company": "Kaffeehaus GmbH", "country": "DE"},
			"business_owners": []any{fields{"first_name": "Ada", "last_name": "Lovelace", "date_of_birth": "1990-12-31",
				"mobile_phone": "+4930123456", "landline": "+43 1 1", "ownership": 33.333}},
			"locale": "de-AT", "extdev": true, "payout_zone_migrated": false, "country": "DE"},
	}
}

// shelvesShown returns the recorded shelves as a response shows them.
func shelvesShown() []any {
	return []any{fields{"id": 4.0, "name": "Drinks", "order": 2.0, "products": []any{fields{"id": 5.0, "shelf_id": 4.0,
		"title": "Espresso", "subtitle": "small", "availability": "always", "image_url": "https://kaffee.example/e.png",
		"stock": 9.0, "vat_rate_id": 1.0, "color_id": 6.0, "prices": []any{fields{"id": 7.0, "product_id": 5.0,
			"description": "cup", "net": 2.5}}}}}}
}

var doingBusinessAs = fields{"business_name": "Kaffeehaus am Ring", "company_registration_number": "HRB 2",
	"vat_id": "DE2", "website": "https://ring.example", "email": "ring@kaffee.example",
	"address": fields{"address_line1": "Ring 1", "city": "Dublin", "country": "IE"}}

// TestRetrieveMyAccount_EmptiedAddress checks that an address is absent once all its fields were emptied. If a response
// always shows the address, the emptied address looks like an address that was never recorded.
func TestRetrieveMyAccount_EmptiedAddress(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	emptied := fields{}
	for _, name := range []string{"address_line1", "address_line2", "city", "region_name", "region_code", "state_id",
		"post_code", "landline", "first_name", "last_name", "company", "country"} {
		emptied[name] = ""
	}
	emptied["region_id"] = 0
	record(s, fields{"persons": []fields{{"id": personID, "account_holder": true, "address": emptied}},
		"merchant_profile": fields{"address": emptied, "trading_address": emptied,
			"doing_business_as": fields{"address": emptied}}})
	v1, onlyCountry := "/v1/merchants/"+s.Merchant.Code, fields{"country": "DE"}
	wantEqual(t, "account holder", any(nil), get(s, accountPath+"/personal-profile")["address"])
	wantEqual(t, "person", nil, get(s, v1+"/persons/"+personID)["address"])
	wantEqual(t, "company", nil, get(s, v1)["company"].(fields)["address"])
	wantEqual(t, "trading address", nil, get(s, v1)["company"].(fields)["trading_address"])
	wantEqual(t, "merchant profile", onlyCountry, get(s, accountPath+"/merchant-profile")["address"])
	wantEqual(t, "doing business as", onlyCountry, get(s, accountPath+"/merchant-profile/doing-business-as")["address"])
}

// details has the country_details of the addresses, and their timeoffset_details on 20 November.
var details = map[string]struct{ country, offset fields }{
	"DE": {fields{"currency": "EUR", "iso_code": "DE", "en_name": "Germany", "native_name": "Deutschland"},
		fields{"post_code": "10115", "offset": 1.0, "dst": false}},
	"AT": {fields{"currency": "EUR", "iso_code": "AT", "en_name": "Austria", "native_name": "Österreich"},
		fields{"post_code": "1010", "offset": 1.0, "dst": false}},
}

// setAt puts a value at a path of members.
func setAt(body fields, path string, value any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		body = body[name].(fields)
	}
	body[names[len(names)-1]] = value
}

// added has what each part adds to the response.
var added = map[string]func(fields){
	"operators": func(b fields) { b["operators"] = []any{} },
	"settings":  func(b fields) { setAt(b, "merchant_profile.settings", defaultSettings()) },
	"doing_business_as": func(b fields) {
		setAt(b, "merchant_profile.doing_business_as", doingBusinessAs)
	},
	"bank_accounts": func(b fields) {
		setAt(b, "merchant_profile.bank_accounts", []any{fields{"account_holder_name": "Kaffeehaus GmbH",
			"iban": sandbox.PaidIBAN, "status": "VERIFIED", "primary": true, "created_at": "2026-11-20T12:00:00.000Z"}})
	},
	"app_settings": func(b fields) {
		b["app_settings"] = fields{"checkout_preference": "", "activate_air_hint": false, "sound_enabled": true,
			"tips_enabled": false, "font_name": "", "include_vat": false, "max_amount_no_signature": "",
			"manual_entry_tutorial": false, "mobile_payment_tutorial": false, "tax_enabled": false, "mobile_payment": "",
			"reader_payment": "", "cash_payment": "", "advanced_mode": "", "expected_max_transaction_amount": nil,
			"bitcoin_payment": "", "manual_entry": "", "terminal_mode_tutorial": false, "tipping": "ON",
			"tip_rates": []any{0.1}, "barcode_scanner": "", "referral": ""}
	},
	"vat_rates": func(b fields) {
		setAt(b, "merchant_profile.vat_rates", []any{fields{"id": 1.0, "description": "full", "rate": 0.19, "ordering": 1.0,
			"country": "DE"}})
	},
	"signup_flows": func(b fields) { b["signup_flows"] = []any{fields{"id": 1.0, "name": "web", "state": "done"}} },
	"shelves": func(b fields) {
		b["shelves"] = shelvesShown()
		setAt(b, "merchant_profile.shelves", shelvesShown())
	},
	"country_details": func(b fields) {
		setAt(b, "merchant_profile.address.country_details", details["DE"].country)
		setAt(b, "personal_profile.address.country_details", details["AT"].country)
	},
	"timeoffset_details": func(b fields) {
		setAt(b, "merchant_profile.address.timeoffset_details", details["DE"].offset)
		setAt(b, "personal_profile.address.timeoffset_details", details["AT"].offset)
	},
	"permissions": func(b fields) {
		b["permissions"] = fields{"create_moto_payments": true, "full_transaction_history_view": true,
			"refund_transactions": true, "create_referral": true}
	},
}

// TestRetrieveMyAccount_EachPart checks each part alone, and all parts together.
func TestRetrieveMyAccount_EachPart(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	wantEqual(t, "no part", basicAccount(s.Merchant.Code), get(s, accountPath))
	if len(added) != 11 {
		t.Fatalf("got %d parts, want contract §7.1's eleven", len(added))
	}
	for part, add := range added {
		want := basicAccount(s.Merchant.Code)
		add(want)
		wantEqual(t, part, want, get(s, accountPath+"?include[]="+part))
	}
	wantEqual(t, "all", everyPart(s), get(s, accountPath+"?include[]="+strings.Join(partNames(), ",")))
}

func partNames() []string {
	var names []string
	for name := range added {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// everyPart returns the response for the recorded account with all parts.
func everyPart(s world.Shop) fields {
	want := basicAccount(s.Merchant.Code)
	for _, add := range added {
		add(want)
	}
	address := fields{"address_line1": "Ring 1", "city": "Dublin", "country": "IE",
		"country_details":    fields{"currency": "EUR", "iso_code": "IE", "en_name": "Ireland", "native_name": "Ireland"},
		"timeoffset_details": fields{"offset": 0.0, "dst": false}}
	shownAs := fields{}
	for name, value := range doingBusinessAs {
		shownAs[name] = value
	}
	shownAs["address"] = address
	setAt(want, "merchant_profile.doing_business_as", shownAs)
	return want
}

// TestRetrieveMyAccount_IncludeSpellings checks each spelling of a list (contract §2.5).
func TestRetrieveMyAccount_IncludeSpellings(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	want, names := everyPart(s), partNames()
	join := func(key func(i int) string) string {
		var pairs []string
		for i, name := range names {
			pairs = append(pairs, key(i)+"="+name)
		}
		return strings.Join(pairs, "&")
	}
	for _, query := range []string{
		join(func(int) string { return "include" }),
		join(func(int) string { return "include[]" }),
		join(func(int) string { return url.QueryEscape("include[]") }),
		join(func(i int) string { return fmt.Sprintf("include[%d]", i) }),
		join(func(i int) string { return url.QueryEscape(fmt.Sprintf("include[%d]", i)) }),
		join(func(i int) string { return fmt.Sprintf("include[][%d]", i) }),
		"include=" + strings.Join(names, ","), "include[]=" + strings.Join(names, "%2C"),
	} {
		wantEqual(t, query, want, get(s, accountPath+"?"+query))
	}
	for _, query := range []string{"include[]=taxes", "include=settings,taxes", "include[]=Settings"} {
		got := s.Send("GET", accountPath+"?"+query, nil)
		if got.Status != 400 || got.Text("error_code") != "INVALID" || !strings.HasPrefix(got.Text("param"), "include") {
			t.Errorf("%s: got %d %s, want 400 INVALID include", query, got.Status, got.Body)
		}
	}
}

func TestRetrieveMyAccount_NothingRecorded(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("BR", "BRL", fields{"name": "Loja", "email": "loja@example.com"})
	bare := fields{"merchant_code": s.Merchant.Code, "company_name": "Loja", "permanent_certificate_access_code": nil,
		"address": fields{"country": "BR"}, "business_owners": []any{}, "locale": "pt-BR", "extdev": false,
		"payout_zone_migrated": true, "country": "BR"}
	want := fields{"account": fields{"username": "loja@example.com", "type": "normal"},
		"personal_profile": fields{"complete": false}, "merchant_profile": bare}
	wantEqual(t, "account", want, get(s, accountPath))
	wantEqual(t, "profile", bare, get(s, accountPath+"/merchant-profile"))
	empty := get(s, accountPath+"?include=shelves,signup_flows,vat_rates,operators,app_settings")
	for _, list := range []string{"shelves", "signup_flows", "operators"} {
		wantEqual(t, list, any([]any{}), empty[list])
	}
	wantEqual(t, "VAT rates", any([]any{}), empty["merchant_profile"].(fields)["vat_rates"])
	wantEqual(t, "tip rates", any([]any{0.05, 0.1, 0.15}), empty["app_settings"].(fields)["tip_rates"])
	wantEqual(t, "business", fields{"business_name": "Loja", "email": "loja@example.com",
		"address": fields{"country": "BR"}}, get(s, accountPath+"/merchant-profile/doing-business-as"))
}

// TestRetrieveMyMerchantProfile_WhileOnboarding checks that a merchant that signs up has no profile (contract §7.1).
func TestRetrieveMyMerchantProfile_WhileOnboarding(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("DE", "EUR", fields{"onboarding": true})
	if _, there := get(s, accountPath+"?include="+strings.Join(partNames(), ","))["merchant_profile"]; there {
		t.Error("got a merchant_profile, want none")
	}
	for _, path := range []string{"/merchant-profile", "/merchant-profile/doing-business-as"} {
		world.Refused(404, "NOT_FOUND", "", "not-found").Check(t, s.Send("GET", accountPath+path, nil))
	}
	wantEqual(t, "personal profile", fields{"complete": false}, get(s, accountPath+"/personal-profile"))
}

func TestProfiles_Alone(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	want := basicAccount(s.Merchant.Code)
	wantEqual(t, "personal", want["personal_profile"], any(get(s, accountPath+"/personal-profile")))
	wantEqual(t, "merchant", want["merchant_profile"], any(get(s, accountPath+"/merchant-profile")))
	wantEqual(t, "business", doingBusinessAs, get(s, accountPath+"/merchant-profile/doing-business-as"))
}

// TestRetrieveMyAccount_RequiredScopes checks that each operation needs a key of the merchant with one of the scopes.
func TestRetrieveMyAccount_RequiredScopes(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	other := s.OtherShop()
	denied := world.Refused(403, "FORBIDDEN", "", "forbidden")
	v1 := "/v1/merchants/" + s.Merchant.Code
	for _, path := range []string{accountPath, accountPath + "/personal-profile", accountPath + "/merchant-profile",
		accountPath + "/merchant-profile/doing-business-as", v1, v1 + "/persons", v1 + "/persons/" + personID} {
		for _, scope := range []string{"user.profile", "user.profile_readonly", "profile"} {
			get(s.WithKey(s.NewKey("secret", scope)), path)
		}
		denied.Check(t, s.WithKey(s.NewKey("secret", "payments", "user.payout-settings")).Send("GET", path, nil))
		denied.Check(t, s.WithKey(s.NewKey("public")).Send("GET", path, nil))
		world.Refused(401, "NOT_AUTHORIZED", "", "missing-token").Check(t,
			s.Do(world.Request{Method: "GET", Path: path, APIKey: world.NoKey}))
		if strings.HasPrefix(path, v1) {
			world.Refused(404, "NOT_FOUND", "", "not-found").Check(t, other.Send("GET", path, nil))
		}
	}
	world.Refused(404, "NOT_FOUND", "", "not-found").Check(t,
		other.Send("GET", "/v1/merchants/"+other.Merchant.Code+"/persons/"+personID, nil))
}
