package merchants_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestRetrieveMerchant(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	code := s.Merchant.Code
	street := fields{"street_address": []any{"Ring 1", "Hof"}, "post_code": "10115", "city": "Berlin",
		"region": "Berlin", "country": "DE"}
	created := s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	want := fields{"merchant_code": code, "country": "DE", "default_currency": "EUR", "default_locale": "de-AT",
		"business_type": "company", "alias": "Ring", "avatar": "https://kaffee.example/a.png", "sandbox": true,
		"meta": fields{"crm": "7"}, "classic": fields{"id": float64(payments.MerchantNumericID(code))},
		"version":       "4", // one version each for creation, account, its copy in the merchant, and bank account
		"change_status": "done", "created_at": created, "updated_at": created,
		"company": fields{"name": "Kaffeehaus GmbH", "merchant_category_code": "5814", "legal_type": "de.gmbh",
			"address": street, "trading_address": fields{"street_address": []any{"Markt 3"}, "post_code": "50667",
				"city": "Köln", "country": "DE"},
			"identifiers": []any{fields{"ref": "de.company_registration_number", "value": "HRB 1"},
				fields{"ref": "de.vat_id", "value": "DE1"}, fields{"ref": "de.tax_number", "value": "12/345"}},
			"phone_number": "+4930654321", "website": "https://kaffee.example", "attributes": fields{"seats": "20"}},
		"business_profile": fields{"name": "Kaffeehaus am Ring", "dynamic_descriptor": "KAFFEE RING",
			"website": "https://ring.example", "email": "ring@kaffee.example", "phone_number": "+4930777777",
			"address":  fields{"street_address": []any{"Ring 1"}, "city": "Dublin", "country": "IE"},
			"branding": fields{"icon": "https://ring.example/i.png", "primary_color": "#6f4e37"}}}
	path := "/v1/merchants/" + code
	wantEqual(t, "merchant", want, get(s, path))
	wantEqual(t, "its latest version", want, get(s, path+"?version=latest"))
	world.Invalid("version").Check(t, s.Send("GET", path+"?version=1", nil))

	s.Clock.Advance(time.Hour)
	s.Command("update_merchant", fields{"name": "Kaffeehaus AG"})
	changed := s.Clock.Now().Format("2006-01-02T15:04:05.000Z")
	s.Clock.Advance(time.Hour)
	s.Command("update_merchant", fields{"name": "Kaffeehaus AG"}) // changes nothing
	got := get(s, path)
	wantEqual(t, "after a change of the terms", any(changed), got["updated_at"])
	wantEqual(t, "its time of creation", any(created), got["created_at"])
	record(s, fields{"alias": "Platz"})
	wantEqual(t, "after a change of the account", any(s.Clock.Now().Format("2006-01-02T15:04:05.000Z")),
		get(s, path)["updated_at"])
}

func TestListPersons(t *testing.T) {
	t.Parallel()
	s := newRecordedShop(t)
	path := "/v1/merchants/" + s.Merchant.Code + "/persons"
	ada := fields{"id": personID, "birthdate": "1990-12-31", "given_name": "Ada", "middle_name": "King",
		"family_name": "Lovelace", "phone_number": "+4930123456", "relationships": []any{"owner"},
		"ownership":   fields{"share": 33333.0},
		"address":     fields{"street_address": []any{"Am Platz 2"}, "post_code": "1010", "city": "Wien", "country": "AT"},
		"identifiers": []any{fields{"ref": "at.passport", "value": "P1234567"}}, "citizenship": "AT", "nationality": "AT",
		"country_of_residence": "AT", "version": "1", "change_status": "done"}
	got := get(s, path)["items"].([]any)
	if len(got) != 2 {
		t.Fatalf("got %v, want two persons", got)
	}
	bo := got[1].(fields)
	wantEqual(t, "persons", []any{ada, fields{"id": bo["id"], "given_name": "Bo", "relationships": []any{"officer"},
		"identifiers": []any{}, "version": "1", "change_status": "done"}}, got)
	wantEqual(t, "one of them", ada, get(s, path+"/"+personID))
	wantEqual(t, "the other", bo, get(s, path+"/"+bo["id"].(string)+"?version=latest"))
	world.Refused(404, "NOT_FOUND", "", "not-found").Check(t, s.Send("GET", path+"/pers_0", nil))
	world.Invalid("version").Check(t, s.Send("GET", path+"?version=1", nil))
	world.Invalid("version").Check(t, s.Send("GET", path+"/"+personID+"?version=1", nil))
	wantEqual(t, "of a merchant without any", fields{"items": []any{}},
		get(s.OtherShop(), "/v1/merchants/"+s.OtherShop().Merchant.Code+"/persons"))
}

// TestRetrieveMyAccount_TimeOffsets checks that offsets are the present offsets, and that dst is true while the offset
// is ahead of the year's other offset. Ireland's law and the time zone database have it the other way round.
func TestRetrieveMyAccount_TimeOffsets(t *testing.T) {
	t.Parallel()
	home := world.NewShop(t)
	for _, summer := range []bool{false, true} {
		if summer {
			home.Clock.Advance(240 * 24 * time.Hour) // 18 July
		}
		for _, c := range []struct {
			country, currency, zone string
			winter, summer          fields
		}{
			{"DE", "EUR", "", fields{"offset": 1.0, "dst": false}, fields{"offset": 2.0, "dst": true}},
			{"IE", "EUR", "", fields{"offset": 0.0, "dst": false}, fields{"offset": 1.0, "dst": true}},
			{"BR", "BRL", "", fields{"offset": -3.0, "dst": false}, fields{"offset": -3.0, "dst": false}},
			{"BR", "BRL", "America/Rio_Branco", fields{"offset": -5.0, "dst": false}, fields{"offset": -5.0, "dst": false}},
			{"CL", "CLP", "", fields{"offset": -3.0, "dst": true}, fields{"offset": -4.0, "dst": false}},
			{"GB", "GBP", "Asia/Kolkata", fields{"offset": 5.5, "dst": false}, fields{"offset": 5.5, "dst": false}},
		} {
			s := home.NewShop(c.country, c.currency, fields{"time_zone": c.zone})
			want := c.winter
			if summer {
				want = c.summer
			}
			got := get(s, accountPath+"?include=timeoffset_details")
			wantEqual(t, c.country+" "+c.zone, any(want),
				got["merchant_profile"].(fields)["address"].(fields)["timeoffset_details"])
		}
	}
}
