package merchant_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/validate"
)

func check(p merchant.Profile) error { return validate.Forms(p).First() }

func TestProfilesThatMayBe(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]merchant.Profile{
		"nothing": {},
		"all": {BusinessName: strings.Repeat("ä", 150), VATID: strings.Repeat("1", 255),
			Website: "https://shop.example/a", Language: "de", Locale: "de-DE"},
		"script":    {Language: "sr-Latn", Locale: "sr-Latn-ME"},
		"continent": {Locale: "es-419"},
		"address":   {Address: merchant.Address{Line1: strings.Repeat("ß", 255), Landline: "+49 30 123"}},
	} {
		if err := check(p); err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
		}
	}
}

func TestProfilesThatCannotBe(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 256)
	for param, p := range map[string]merchant.Profile{
		"business_name":               {BusinessName: strings.Repeat("x", 151)},
		"company_registration_number": {RegistrationNumber: long},
		"vat_id":                      {VATID: long},
		"website":                     {Website: "ftp://shop.example"},
		"language":                    {Language: "German"},
		"locale":                      {Locale: "de_DE"},
		"address.address_line1":       {Address: merchant.Address{Line1: long}},
		"address.address_line2":       {Address: merchant.Address{Line2: long}},
		"address.city":                {Address: merchant.Address{City: long}},
		"address.region_name":         {Address: merchant.Address{Region: long}},
		"address.post_code":           {Address: merchant.Address{PostCode: long}},
		"address.landline":            {Address: merchant.Address{Landline: long}},
		"address.country":             {Address: merchant.Address{Country: "Germany"}},
	} {
		if got := failure.Of(check(p)); got.Code != "INVALID" || got.Param != param {
			t.Errorf("%s: got %s of %q, want INVALID of it", param, got.Code, got.Param)
		}
	}
	for param, p := range map[string]merchant.Profile{
		"business_name": {BusinessName: "a\nb"}, "vat_id": {VATID: "\x7f"},
		"address.city": {Address: merchant.Address{City: "a\u0085"}},
	} {
		if got := failure.Of(check(p)); got.Code != "INVALID" || got.Param != param {
			t.Errorf("%s with a control character: got %s of %q, want INVALID of it", param, got.Code, got.Param)
		}
	}
	for _, site := range []string{"shop.example", "https://", "https://shop.example/" + long,
		"javascript:alert(1)", "http://%zz"} {
		if err := check(merchant.Profile{Website: site}); failure.Of(err).Param != "website" {
			t.Errorf("%s: got error %v, want one of the website", site, err)
		}
	}
}
